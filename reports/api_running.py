"""Public functions that run taggers: `run` and `invariance`."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_path
from ..catalogues.core.options import with_keywords
from ..generator.perturbing.options import PerturbOptions
from ..harness.running.repeats import RepeatOptions
from ..harness.scoring.options import NO_GOLD_OPTION_NAMES, ClassOptions, ScoringOptions
from .api import AnyPath, accept_force

if TYPE_CHECKING:
    from ..harness.running.folder.runs import Run
    from ..harness.running.tagger import Tagger
    from ..harness.running.variants import Variant
    from ..sentences.corpus import Corpus
    from .api import Runnable
    from .invariance.folder import InvarianceResult


class RunKeywords(TypedDict, total=False):
    """Types of the keyword arguments of `run` except `vary`, for type checkers."""

    options: Mapping[str, Any] | None
    jobs: int
    overwrite: bool
    force: bool
    progress: Callable[[int, int], None] | None
    times: int


@overload
def run(
    source: AnyPath | Corpus,
    tagger: Runnable,
    out: AnyPath,
    *,
    vary: None = None,
    **keywords: Unpack[RunKeywords],
) -> Run: ...


@overload
def run(
    source: AnyPath | Corpus,
    tagger: Runnable,
    out: AnyPath,
    *,
    vary: Mapping[str, Sequence[Any]] | Sequence[str],
    **keywords: Unpack[RunKeywords],
) -> list[Variant]: ...


@accept_force
@with_keywords(RepeatOptions)
def run(
    source: AnyPath | Corpus,
    tagger: Runnable,
    out: AnyPath,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **repeating: Any,
) -> Run | list[Variant]:
    """Run a tagger on a suite or corpus: once, repeatedly, or with several option values.

    Parameters
    ----------
    source : path, str or Corpus
        Suite, suite folder, or ``FORMAT:PATH``. A `Corpus` is first written to the file ``OUT-input.jsonl``.
    tagger : str, path, Tagger or callable
        Name of a tagger, path of a specification file, ``python:package.module:function``, or a Python
        callable that takes a text (or a list of texts) and returns spans, strings or dicts, for example a
        function, a spaCy or Hugging Face pipeline, or a method of a GLiNER model. A callable runs in the
        current process. If it raises an exception, the case counts as failed. It cannot be stopped if it
        hangs or needs too much memory, and its results are not cached.
    out : path
        Run folder. If it contains the same finished run, that run is read instead.
    overwrite : bool
        Whether to replace another run in the folder.
    options : mapping, optional
        Values for the tagger's options.
    jobs : int
        Number of tagger processes that run in parallel.
    progress : callable, optional
        Called with the number of finished cases and the total number of cases.
    **repeating
        ``times=5`` runs the tagger five times; `repeats` summarises how its answers vary.
        ``vary={"case": ["fold", "exact"]}`` makes one run for each value or combination of values; `effects`
        estimates the effect of each value. See `tagsuite.harness.running.repeats.RepeatOptions`.

    Returns
    -------
    Run, or list of Variant
        The run; with ``vary``, one `Variant` per combination of values, with attributes `levels` and `run`.

    Raises
    ------
    InputError
        If the input, specification, options or folder are invalid, or a Python function never returns
        mentions.

    Warns
    -----
    UserWarning
        If the tagger failed on some cases.
    """
    from ..harness.running.run import resolve_tagger
    from ..harness.running.run import run as run_tagger
    from ..harness.running.tagger import Tagger
    from ..harness.running.variants import run_variants

    chosen = RepeatOptions(**repeating)
    if chosen.vary and isinstance(tagger, Tagger):
        raise InputError(
            "vary does not accept a prepared Tagger; give the tagger's name or file", found=tagger.label
        )

    place = source if isinstance(source, (str, os.PathLike)) else _write_input(source, Path(out), overwrite)

    def once(one: Tagger, number: int, folder: Path) -> Run:
        return run_tagger(
            os.fspath(place), one, folder, jobs=jobs, force=overwrite, progress=progress, repeat=number
        )

    done = run_variants(partial(resolve_tagger, tagger), Path(out), chosen, options or {}, once)
    for variant in done:
        _warn_of_failures(variant.run)
    return done if repeating.get("vary") is not None else done[0].run


def _write_input(corpus: Corpus, out: Path, overwrite: bool) -> str:
    """Write a corpus to a file next to a run folder, and return its ``FORMAT:PATH``.

    Raises
    ------
    InputError
        If the file contains another corpus and must not be replaced.
    """
    from ..sentences.formats.registry import write_corpus

    file = out.with_name(f"{out.name}-input.jsonl")
    spec = f"jsonl:{file}"
    with tempfile.TemporaryDirectory(prefix="tagsuite-") as folder:
        fresh = Path(folder) / file.name
        for lost in write_corpus(corpus, f"jsonl:{fresh}"):
            warnings.warn(lost, UserWarning, stacklevel=4)
        content = fresh.read_bytes()
    if file.exists() and file.read_bytes() != content and not overwrite:
        raise InputError("the file contains another corpus; use overwrite=True to replace it", file=file)
    with atomic_path(file) as temporary:
        temporary.write_bytes(content)
    return spec


@accept_force
@with_keywords(PerturbOptions, (ClassOptions, ("classes", "by")), (ScoringOptions, NO_GOLD_OPTION_NAMES))
def invariance(
    source: AnyPath,
    tagger: Runnable,
    out: AnyPath,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    overwrite: bool = False,
    **perturbing: Any,
) -> InvarianceResult:
    """Run a tagger on texts and on perturbed copies, and count the cases in which its answer changes.

    A gold standard is not needed.

    Parameters
    ----------
    source, tagger, options, jobs
        Same as for `run`.
    out : path
        Folder for all runs, the perturbed texts and the results. If the call is repeated, finished runs in
        it are reused.
    overwrite : bool
        Whether to replace other runs in `out`.
    **perturbing
        Options that select perturbations and texts, such as ``perturb="greek"`` or ``sample=200``, are
        described in `tagsuite.generator.perturbing.options.PerturbOptions`, and options for comparing types
        in `tagsuite.harness.scoring.options.ScoringOptions`. ``classes`` and ``by`` have the same
        meaning as in `score`.

    Returns
    -------
    InvarianceResult
        Its `table` has one row per perturbation, variant and class, and its `changes` one row per changed
        mention; see ``docs/how-to/perturb-texts.md``.

    Raises
    ------
    InputError
        If the input, specification, options or folder are invalid, or the folder contains results with
        another seed, sample or input.
    """
    from .invariance.run import run_invariance

    chosen, asked = PerturbOptions.from_keywords(perturbing), ClassOptions.from_keywords(perturbing)
    scoring = ScoringOptions(**perturbing)
    return run_invariance(
        os.fspath(source), tagger, out, chosen, scoring, asked, options=options, jobs=jobs, force=overwrite
    )


def _warn_of_failures(run: Run) -> None:
    """Warn of failed cases; raise InputError if a Python function never returned mentions."""
    if not run.failed:
        return
    failures: list[dict[str, Any]] = run.meta.get("failure", [])
    failure = max(failures, key=lambda one: int(one["count"]), default={})
    reason = "; ".join(filter(None, (failure.get("said"), failure.get("stderr"))))
    is_function = run.meta["run"].get("mode") == "python"
    counts = run.outcome_counts
    if is_function and counts.get("garbage") and not counts.get("ok"):
        text = str(run.load_corpus().texts["text"].iloc[0])
        raise InputError(
            f"the function {run.tagger.partition('@')[0]} returned no mentions for any text ({reason}); it "
            f"must take a text, or a list of texts, and return the mentions; the first text is {text!r}"
        )
    warnings.warn(
        f"{run.tagger} failed on {run.failed} of {run.meta['run']['cases']} cases ({reason}); "
        "see the `outcomes` of the run for the reason in each case",
        UserWarning,
        stacklevel=5,
    )
