"""Running a tagger over a suite or corpus: plan, resume, work through the shards, write the run folder."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text, sync_to_disk
from ...catalogues.core.messages import say
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
) -> Run:
    """Run a tagger over every text of a suite or corpus, and account for each.

    Parameters
    ----------
    source : str
        A suite folder, or ``FORMAT:PATH``.
    tagger : str or path or Tagger or callable
        A tagger's name, a specification file, ``python:package.module:function``, or an object in memory that
        takes a text or a list of texts. Such an object is called in this process, by one thread at a time:
        what it raises is its case's fault, but no limit of time or memory can be kept, and nothing is cached.
    out : path
        The run folder. One that holds an unfinished run of the same tagger over the same input is resumed;
        one that holds the same run finished is left as it is.
    options : mapping, optional
        Values for the specification's options; of an object in memory its keyword arguments.
    jobs : int
        Taggers that run at once.
    batch_size : int, optional
        Number of cases in a shard, instead of the specification's.
    force : bool
        Whether another run in `out` is replaced; see `output_folder.clear_folder` for what is not.
    renew : bool
        Whether with `force` the same run, finished there, is run again; else it is left as it is.
    cache : bool
        Whether the same run done elsewhere may be used, and this one kept.
    engine : callable, optional
        What works through the shards; processes on this machine when absent.
    progress : callable, optional
        Called with the number of cases done and of all cases, at the beginning and whenever more are done.
    repeat : int
        Which repetition of the same run it is; see `repeats.run_times`.
    keep_replies : str
        Whose replies are kept in ``replies.parquet``: ``none``, those of ``failed`` cases, or ``all``.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        Bad input, specification or output folder; a program that is not there; a full disk.
    """
    began = time.monotonic()
    ready = resolve_tagger(tagger, options, engine)
    spec = ready.spec if cache else ready.spec.model_copy(update={"cache": False})
    ready = replace(ready, spec=spec, repeat=repeat, keep_replies=keep_replies)
    cases = read_cases(source)
    size = batch_size or ready.spec.batch_size
    plan = Plan(ready, cases, compute_bounds(len(cases), size), Path(out), is_divisible=size is None)
    finished = _find_finished_run(plan, force=force, renew=renew)
    if finished is not None:
        if date := finished.cached_on:
            say(f"tagsuite: {finished.tagger} over {cases.name} (from cache, {date})")
        return finished
    # what a program loads only its specification can say
    usable = ready.spec.cache and "files" in ready.spec.model_fields_set
    with _claim_run_folder(plan, source, force=force) as store, _catch_signals() as check:
        count = len(plan.bounds)
        store.find_finished(count)
        resumed = len(store.finished)
        fetched = fetch_shards(plan.key, store, count) if usable and resumed < count else ""
        if fetched:
            say(
                f"tagsuite: {ready.label} over {cases.name} (from cache, {fetched}); --no-cache runs it again"
            )

        tally = Tally([high - low for low, high in plan.bounds], check, progress)
        _run_missing_shards(plan, engine or run_locally, store, jobs, tally)
        # loaded late: taggers have run, and nobody waited for it
        from .folder.writer import write_run

        timing = {
            "seconds": round(time.monotonic() - began, 3),
            "jobs": jobs,
            "from_cache": bool(fetched),
            "cached_on": fetched or None,
            "resumed_shards": resumed,
        }
        summary = write_run(plan, store, timing)
        # another day would give the same: no time-out, no crash, no want of memory
        if usable and not fetched and set(summary.outcomes) <= REPRODUCIBLE_OUTCOMES:
            keep_shards(plan.key, store.folder)
    remove_folder(plan.folder / SHARDS_FOLDER)
    return read_run(plan.folder)


def resolve_tagger(
    tagger: str | os.PathLike[str] | Tagger | Callable[..., Any],
    options: Mapping[str, Any] | None,
    engine: Engine | None = None,
) -> Tagger:
    """The tagger that is meant (a name, a file, an object in memory), made ready; see `run`."""
    if isinstance(tagger, Tagger):
        return tagger
    if not callable(tagger):
        return prepare_tagger(tagger, options)
    if engine not in (None, run_locally):
        raise InputError(
            "an object in memory runs in this process alone", allowed="python:package.module:function"
        )
    from .functions.function_taggers import make_tagger

    return make_tagger(tagger, options)


def _run_missing_shards(plan: Plan, engine: Engine, store: ShardStore, jobs: int, tally: Tally) -> None:
    """Work through missing shards."""
    for number in store.finished:
        tally.add(number, tally.sizes[number])
    todo = [number for number in range(len(plan.bounds)) if number not in store.finished]
    tally.show()
    with contextlib.ExitStack() as stack:
        # the whole path: taggers are started elsewhere, and are given places below it
        place = stack.enter_context(make_scratch_folder(store.folder.resolve(), "work"))
        results = engine(plan, todo, jobs, place, tally)
        # whatever happens here, its taggers end before their folder goes
        stack.enter_context(contextlib.closing(results))
        for number, shard in results:
            store.put(number, shard)
            tally.add(number, tally.sizes[number])
            tally.show()


def _find_finished_run(plan: Plan, *, force: bool, renew: bool) -> Run | None:
    """The finished run in the plan's folder when it is this one."""
    folder = plan.folder
    if not is_run(folder) or (force and renew):
        return None
    try:
        found = read_run(folder)
    except InputError as error:
        if force:
            return None
        raise InputError(
            f"the folder holds a run that this version cannot read ({error})",
            file=folder,
            allowed="a new folder, or --force to replace it",
        ) from None
    if found.meta["run"]["key"] == plan.key:
        remove_folder(folder / SHARDS_FOLDER)
        return found
    if force:
        return None
    raise InputError(
        "the folder holds another run",
        file=folder,
        found=f"{found.tagger} over {found.meta['run']['corpus']}",
        allowed="a new folder, or --force to replace it",
    )


@contextlib.contextmanager
def _claim_run_folder(plan: Plan, source: str, *, force: bool) -> Iterator[ShardStore]:
    """Hold the run folder alone; what another run left unfinished there is refused, or replaced."""
    folder = plan.folder
    shards = folder / SHARDS_FOLDER
    inputs = [parse_spec(source)[1], *plan.tagger.files]
    try:
        with claim_folder(folder, "run"):
            begun: dict[str, Any] = {}
            # nothing begun, or killed while it was written: nothing is finished either
            with contextlib.suppress(FileNotFoundError, TypeError, ValueError):
                begun = dict(json.loads((shards / "plan.json").read_text(encoding="utf-8")))
            if begun and begun.get("key") != plan.key and not force:
                raise InputError(
                    "the folder holds an unfinished run of something else",
                    file=folder,
                    found=f"{begun.get('tagger')} over {begun.get('input')}",
                    allowed="a new folder, or --force to replace it",
                )
            if begun.get("key") != plan.key or (force and is_run(folder)):
                clear_folder(folder, "run", inputs)
                shards.mkdir(exist_ok=True)
                with atomic_text(shards / "plan.json", durable=True) as stream:
                    json.dump({"key": plan.key, "tagger": plan.tagger.label, "input": source}, stream)
                for place in (folder, folder.absolute().parent):
                    sync_to_disk(place)
            # run.toml and timings.json are begun in the run folder itself
            for stale in [*shards.glob("work*"), *shards.glob("*.part"), *folder.glob("*.part")]:
                remove_folder(stale) if stale.is_dir() else stale.unlink()
            yield ShardStore(shards)
    except OSError as error:
        raise InputError(
            f"the run folder cannot be written ({error.strerror or error})",
            file=error.filename or folder,
            allowed="the same command again once that is mended: finished shards are kept",
        ) from error


@contextlib.contextmanager
def _catch_signals() -> Iterator[Callable[[], None]]:
    """Let Ctrl-C and SIGTERM end the block: its taggers are ended and its shards kept.

    Either raises KeyboardInterrupt wherever the main thread is. Where that is a destructor, or a library's
    import that catches everything, the exception is lost; so it is remembered as well, and raised again by
    the function that this gives and at the end. A program that handles Ctrl-C by itself keeps its handler.
    """
    seen: list[int] = []
    before: dict[int, Any] = {}

    def interrupt(number: int, frame: FrameType | None) -> None:
        del frame
        seen.append(number)
        raise KeyboardInterrupt

    def check() -> None:
        if seen:
            raise KeyboardInterrupt

    try:
        for kind, usual in (
            (signal.SIGINT, signal.default_int_handler),
            (signal.SIGTERM, signal.SIG_DFL),
        ):
            # outside the main thread signals are somebody else's
            if signal.getsignal(kind) is usual and threading.current_thread() is threading.main_thread():
                before[kind] = signal.signal(kind, interrupt)
        yield check
        check()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
