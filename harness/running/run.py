"""Running a tagger on a suite or corpus, from the plan of the run to the finished run folder."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text, sync_to_disk
from ...catalogues.core.messages import MessageFunction, say
from ...catalogues.core.output_folder import claim_folder, clear_folder
from ...sentences.formats.registry import parse_spec
from .engines import Engine, Plan, Progress, Tally, compute_bounds, run_locally
from .folder.cache import fetch_shards, keep_shards
from .folder.runs import SHARDS_FOLDER, Run, is_run, read_run
from .folder.shard import ShardStore
from .inputs.cases import read_cases
from .outcomes import REPRODUCIBLE_OUTCOMES, ReplyPolicy
from .preparation import prepare_tagger
from .processes.scratch import make_scratch_folder, remove_folder
from .tagger import Tagger


def run(
    source: str,
    tagger: str | os.PathLike[str] | Tagger | Callable[..., Any],
    out: str | os.PathLike[str],
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    batch_size: int | None = None,
    force: bool = False,
    renew: bool = True,
    cache: bool = True,
    engine: Engine | None = None,
    progress: Progress | None = None,
    repeat: int = 1,
    keep_replies: ReplyPolicy = "failed",
    say: MessageFunction = say,
) -> Run:
    """Run a tagger on every text of a suite or corpus, and record the outcome of each case.

    Parameters
    ----------
    source : str
        A suite folder, or ``FORMAT:PATH``.
    tagger : str or path or Tagger or callable
        Name of a tagger, a specification file, ``python:package.module:function``, or a Python callable that
        takes a text or a list of texts. A callable runs in this process, in one thread at a time. If it
        raises an exception, the case fails. Time and memory are not limited, and nothing is cached.
    out : path
        The run folder. If it contains a run of the same tagger on the same input, this run is resumed, or
        returned unchanged if it is finished.
    options : mapping, optional
        Values of the options of the specification, or keyword arguments of a callable.
    jobs : int
        Number of tagger processes that run in parallel.
    batch_size : int, optional
        Number of cases per shard, instead of the value in the specification.
    force : bool
        Replace another run in `out`; see `output_folder.clear_folder` for files that are never replaced.
    renew : bool
        If `force` is also True, run again even if `out` already contains the same finished run.
    cache : bool
        Use a cached result of the same run, and store the result in the cache.
    engine : callable, optional
        Function that runs the shards; by default, they run in processes on this machine.
    progress : callable, optional
        Function called with the number of finished cases and the total number, at the start and after each
        change.
    repeat : int
        Number of this repetition of the run, from 1; see `repeats.run_repeatedly`.
    keep_replies : str
        Cases whose replies are stored in ``replies.parquet``: ``none``, ``failed`` or ``all``.
    say : callable
        Function called with a message if the result comes from the cache.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        If the input, the specification or the output folder is invalid, the program is missing, or the disk
        is full.
    """
    began = time.monotonic()
    ready = resolve_tagger(tagger, options, engine)
    spec = ready.spec if cache else ready.spec.model_copy(update={"cache": False})
    ready = replace(ready, spec=spec, repeat=repeat, keep_replies=keep_replies)
    cases = read_cases(source)
    size = batch_size or ready.spec.batch_size
    plan = Plan(ready, cases, compute_bounds(len(cases.ids), size), Path(out), is_divisible=size is None)
    finished = _find_finished_run(plan, force=force, renew=renew)
    if finished is not None:
        if date := finished.cached_on:
            say(f"tagsuite: {finished.tagger} on {cases.name} (from cache, {date})")
        return finished
    # only the specification knows which files a program loads
    usable = ready.spec.cache and "files" in ready.spec.model_fields_set
    with _claim_run_folder(plan, source, force=force) as store, _catch_signals() as interrupts:
        count = len(plan.bounds)
        store.find_finished(count)
        resumed = len(store.finished)
        fetched = fetch_shards(plan.key, store, count) if usable and resumed < count else ""
        if fetched:
            say(
                f"tagsuite: {ready.label} on {cases.name} (from cache, {fetched}); "
                "use --no-cache to run it again"
            )

        tally = Tally([high - low for low, high in plan.bounds], interrupts, progress)
        _run_missing_shards(plan, engine or run_locally, store, jobs, tally)
        # imported here, because it takes long and the taggers do not need it
        from .folder.writer import write_run

        timing = {
            "seconds": round(time.monotonic() - began, 3),
            "jobs": jobs,
            "from_cache": bool(fetched),
            "cached_on": fetched or None,
            "resumed_shards": resumed,
        }
        summary = write_run(plan, store, timing)
        # only outcomes that would be the same on another day: no time-out, no crash, no lack of memory
        if usable and not fetched and set(summary.outcomes) <= REPRODUCIBLE_OUTCOMES:
            keep_shards(plan.key, store.folder)
    remove_folder(plan.folder / SHARDS_FOLDER)
    return read_run(plan.folder)


def resolve_tagger(
    tagger: str | os.PathLike[str] | Tagger | Callable[..., Any],
    options: Mapping[str, Any] | None,
    engine: Engine | None = None,
) -> Tagger:
    """Return a tagger that is ready to run, given its name, specification file or callable."""
    if isinstance(tagger, Tagger):
        return tagger
    if not callable(tagger):
        return prepare_tagger(tagger, options)
    if engine not in (None, run_locally):
        raise InputError(
            "a tagger that is a Python object runs only in this process; to use an engine, give it as "
            "python:package.module:function"
        )
    from .functions.function_taggers import make_tagger

    return make_tagger(tagger, options)


def _run_missing_shards(plan: Plan, engine: Engine, store: ShardStore, jobs: int, tally: Tally) -> None:
    for number in store.finished:
        tally.add(number, tally.sizes[number])
    todo = [number for number in range(len(plan.bounds)) if number not in store.finished]
    tally.show()
    with contextlib.ExitStack() as stack:
        # an absolute path, because taggers are started in other folders
        place = stack.enter_context(make_scratch_folder(store.folder.resolve(), "work"))
        results = engine(plan, todo, jobs, place, tally)
        # after any error, the taggers end before their folder is removed
        stack.enter_context(contextlib.closing(results))
        for number, shard in results:
            store.put(number, shard)
            tally.add(number, tally.sizes[number])
            tally.show()


def _find_finished_run(plan: Plan, *, force: bool, renew: bool) -> Run | None:
    """Return the planned run if it is already finished in the run folder; None if the tagger must run."""
    folder = plan.folder
    if not is_run(folder) or (force and renew):
        return None
    try:
        finished = read_run(folder)
    except InputError as error:
        if force:
            return None
        raise InputError(
            f"the folder contains a run that this version cannot read ({error}); choose a new folder, or use "
            "--force to replace the run",
            file=folder,
        ) from None
    if finished.meta["run"]["key"] == plan.key:
        remove_folder(folder / SHARDS_FOLDER)
        return finished
    if force:
        return None
    raise InputError(
        f"the folder already contains another run ({finished.tagger} on {finished.meta['run']['corpus']}); "
        "choose a new folder, or use --force to replace the run",
        file=folder,
    )


@contextlib.contextmanager
def _claim_run_folder(plan: Plan, source: str, *, force: bool) -> Iterator[ShardStore]:
    """Lock the run folder; if it contains another unfinished run, replace that run or raise InputError."""
    folder = plan.folder
    shards = folder / SHARDS_FOLDER
    inputs = [parse_spec(source)[1], *plan.tagger.files]
    try:
        with claim_folder(folder, "run"):
            begun: dict[str, Any] = {}
            # without a readable plan.json, no shard is finished
            with contextlib.suppress(FileNotFoundError, TypeError, ValueError):
                begun = dict(json.loads((shards / "plan.json").read_text(encoding="utf-8")))
            if begun and begun.get("key") != plan.key and not force:
                raise InputError(
                    "the folder contains an unfinished run of another tagger or input "
                    f"({begun.get('tagger')} on {begun.get('input')}); choose a new folder, or use "
                    "--force to replace the run",
                    file=folder,
                )
            if begun.get("key") != plan.key or (force and is_run(folder)):
                clear_folder(folder, "run", inputs)
                shards.mkdir(exist_ok=True)
                with atomic_text(shards / "plan.json", durable=True) as stream:
                    json.dump({"key": plan.key, "tagger": plan.tagger.label, "input": source}, stream)
                for place in (folder, folder.absolute().parent):
                    sync_to_disk(place)
            # unfinished run.toml and timings.json are in the run folder itself
            for stale in [*shards.glob("work*"), *shards.glob("*.part"), *folder.glob("*.part")]:
                remove_folder(stale) if stale.is_dir() else stale.unlink()
            yield ShardStore(shards)
    except OSError as error:
        raise InputError(
            f"the run folder cannot be written ({error.strerror or error}); correct this and run the same "
            "command again (finished shards are kept)",
            file=error.filename or folder,
        ) from error


@contextlib.contextmanager
def _catch_signals() -> Iterator[Sequence[int]]:
    """Stop the run on Ctrl-C or SIGTERM: end its taggers and keep its finished shards.

    Either signal raises KeyboardInterrupt in the main thread. A destructor, or a library that catches all
    exceptions during its import, may suppress the exception. The block therefore also gets a list of the
    received signals, and KeyboardInterrupt is raised again at its end. If the program has its own handler for
    Ctrl-C, that handler stays in place.
    """
    seen: list[int] = []
    before: dict[int, Any] = {}

    def interrupt(number: int, frame: FrameType | None) -> None:
        del frame
        seen.append(number)
        raise KeyboardInterrupt

    try:
        for kind, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
            # only the main thread may set signal handlers
            if signal.getsignal(kind) is usual and threading.current_thread() is threading.main_thread():
                before[kind] = signal.signal(kind, interrupt)
        yield seen
        if seen:
            raise KeyboardInterrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
