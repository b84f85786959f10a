"""The public functions: each job in a few words, frames in and out; see the package's own docstring."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ..catalogues.core.errors import InputError
from ..catalogues.core.messages import say
from ..catalogues.core.options import with_keywords
from ..generator.perturbing.options import PerturbOptions
from ..generator.recipe import DEFAULT_MAX_CASES, PART_OPTIONS, PartOptions, SuiteOptions, SuiteRecipe
from ..harness.running.repeats import RepeatOptions
from ..harness.scoring.options import (
    COMPARE_OPTION_NAMES,
    NO_GOLD_OPTION_NAMES,
    ClassOptions,
    ScoringOptions,
)
from ..harness.scoring.transfer.options import TransferOptions
from .diagnosis.options import DiagnosisOptions
from .options import ReportOptions

AnyPath = str | os.PathLike[str]

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.running.folder.runs import Run
    from ..harness.running.tagger import Tagger
    from ..harness.running.variants import Variant
    from ..harness.scoring.score_runs import RunSource
    from ..sentences.corpus import Corpus
    from .diagnosis.answer import Diagnosis
    from .invariance.folder import InvarianceResult

    Runnable = str | os.PathLike[str] | Tagger | Callable[..., Any]


@dataclass(frozen=True)
class Suite:
    """A suite folder; it may be given wherever the folder's path may.

    Attributes
    ----------
    folder : Path
    """

    folder: Path

    def __fspath__(self) -> str:
        return os.fspath(self.folder)

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What suite.toml holds."""
        from ..sentences.suite_file import read_suite_meta

        return read_suite_meta(self.folder)

    @cached_property
    def corpus(self) -> Corpus:
        """The cases as texts, with their gold mentions."""
        from ..sentences.suites import read_suite

        return read_suite(self.folder)

    @property
    def cases(self) -> pd.DataFrame:
        """A row a case."""
        return self.corpus.texts

    @property
    def mentions(self) -> pd.DataFrame:
        """A row a gold mention, with all features."""
        return self.corpus.inline_features().mentions

    def __len__(self) -> int:
        return int(self.meta["suite"]["cases"])

    def _repr_html_(self) -> str:
        return self.corpus._repr_html_()


@with_keywords((PartOptions, [n for n in PART_OPTIONS if n not in ("entities", "contexts")]), SuiteOptions)
def generate(
    out: AnyPath,
    entities: str = "all",
    contexts: str = "all",
    *,
    force: bool = False,
    max_cases: int = DEFAULT_MAX_CASES,
    **options: Any,
) -> Suite:
    """Make a suite: the entities that a query selects, in the contexts that a query selects.

    Parameters
    ----------
    out : path
        The suite folder to write.
    entities, contexts : str
        Queries.
    force : bool
        Whether a folder that holds a suite is replaced.
    max_cases : int
        More are refused.
    **options
        How they are combined, such as ``size=200``, ``stratify=["case"]``, ``combine="each"`` (a sample of
        1,000 cases when not given): see `tagsuite.generator.recipe.PartOptions`; and what holds for the
        suite, such as ``seed=1``: see `tagsuite.generator.recipe.SuiteOptions`.

    Raises
    ------
    InputError
        When a query or option is wrong, nothing is selected, or the folder is not empty.

    Examples
    --------
    >>> suite = generate("hyphens", "contains_hyphen", size=100)  # doctest: +SKIP
    """
    from ..generator.suite import generate as generate_suite

    suite = SuiteOptions.from_keywords(options)
    part = PartOptions(entities=entities, contexts=contexts, **options)
    counts = generate_suite(SuiteRecipe((part,), suite), out, force=force, max_cases=max_cases)
    if counts.warning:
        say(counts.warning)
    return Suite(Path(out))


@overload
def run(
    source: AnyPath,
    tagger: Runnable,
    out: AnyPath,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    vary: None = None,
    **repeating: Any,
) -> Run: ...


@overload
def run(
    source: AnyPath,
    tagger: Runnable,
    out: AnyPath,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    vary: Mapping[str, Sequence[Any]] | Sequence[str],
    **repeating: Any,
) -> list[Variant]: ...


@with_keywords(RepeatOptions)
def run(
    source: AnyPath,
    tagger: Runnable,
    out: AnyPath,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **repeating: Any,
) -> Run | list[Variant]:
    """Run a tagger over a suite or corpus, once or several times, or with its options varied.

    Parameters
    ----------
    source : path or str
        A suite, or ``FORMAT:PATH``.
    tagger : str, path, Tagger or callable
        A tagger's name, a specification file, or ``python:package.module:function``. Or an object in memory
        that takes a text (or a list of texts) and gives spans, strings or dicts: a function, a spaCy or
        Hugging Face pipeline, a GLiNER model's method. It is called in this process: what it raises is its
        case's fault, but it cannot be ended when it hangs or takes too much memory, and nothing is cached.
    out : path
        The run folder. The same run, finished there before, is read again.
    options, jobs, force, progress
        See `tagsuite.harness.running.run.run`.
    **repeating
        ``times=5``: repetitions, of which `repeats` tells what varies;
        ``vary={"case": ["fold", "exact"]}``: a run for each value, or combination of values, of which
        `effects` tells what each does. See `tagsuite.harness.running.repeats.RepeatOptions`.

    Returns
    -------
    Run, or list of Variant
        With ``vary`` each combination of values (`levels`) and its `run`.

    Raises
    ------
    InputError
        Bad input, specification, option or folder.
    """
    from ..harness.running.run import resolve_tagger
    from ..harness.running.run import run as run_tagger
    from ..harness.running.tagger import Tagger
    from ..harness.running.variants import run_variants

    chosen = RepeatOptions(**repeating)
    if chosen.vary and isinstance(tagger, Tagger):
        raise InputError(
            "a tagger that is made ready has its options", found=tagger.label, allowed="its name or file"
        )

    def ready(given: Mapping[str, Any]) -> Tagger:
        return resolve_tagger(tagger, given)

    def once(one: Tagger, number: int, folder: Path) -> Run:
        return run_tagger(
            os.fspath(source), one, folder, jobs=jobs, force=force, progress=progress, repeat=number
        )

    done = run_variants(ready, Path(out), chosen, options or {}, once)
    return done if repeating.get("vary") is not None else done[0].run


@with_keywords(PerturbOptions, (ClassOptions, ("classes", "by")), (ScoringOptions, NO_GOLD_OPTION_NAMES))
def invariance(
    source: AnyPath,
    tagger: Runnable,
    out: AnyPath,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    **perturbing: Any,
) -> InvarianceResult:
    """Run a tagger over texts and over perturbed copies of them, and count where its answer changes.

    No gold is needed.

    Parameters
    ----------
    source, tagger, out, options, jobs
        As `run` has them; `out` gets all runs, the perturbed texts and the results. The same call again uses
        what is finished there.
    force : bool
        Whether other runs in `out` are replaced.
    **perturbing
        What is perturbed, such as ``perturb="greek"``, ``sample=200``: see
        `tagsuite.generator.perturbing.options.PerturbOptions`; ``classes`` and ``by``, as `score` has them;
        and how types are compared: see `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    Invariance
        Its `table` has a row a perturbation, variant and class, its `changes` every mention that changed: see
        ``docs/how-to/perturb-texts.md``.

    Raises
    ------
    InputError
        Bad input, specification, option or folder; a folder that holds another seed, sample or input.
    """
    from .invariance.run import run_invariance

    chosen, asked = PerturbOptions.from_keywords(perturbing), ClassOptions.from_keywords(perturbing)
    scoring = ScoringOptions(**perturbing)
    return run_invariance(
        os.fspath(source), tagger, out, chosen, scoring, asked, options=options, jobs=jobs, force=force
    )


@with_keywords(
    (ClassOptions, ("classes", "by")), ReportOptions, (ScoringOptions, COMPARE_OPTION_NAMES), TransferOptions
)
def report(
    runs: RunSource | Sequence[RunSource] = (),
    out: AnyPath = "report.html",
    *,
    force: bool = False,
    **options: Any,
) -> Path:
    """Write what runs show as one page that works offline.

    Parameters
    ----------
    runs : Run, path, or a sequence of these
        Runs over suites or corpora.
    out : path
        A file (.html, .md, .tex, .json, .csv), or a folder for all of these.
    force : bool
        Whether an output folder that holds a report is replaced.
    **options
        ``classes``, ``by``, as `score` has them; what the report holds besides its runs, such as
        ``predictions="predictions.toml"``, ``discover=True``, ``title="…"``: see
        `tagsuite.reports.options.ReportOptions`; how mentions are counted: see
        `tagsuite.harness.scoring.options.ScoringOptions`; with ``standardise`` (a composition) what the
        suites let expect of the corpora.

    Returns
    -------
    Path
        `out`.
    """
    from .build import make_report
    from .files import check_report_path, save_report

    check_report_path(out)
    asked, chosen = ClassOptions.from_keywords(options), ReportOptions.from_keywords(options)
    transfer = TransferOptions.from_keywords(options)
    folders = [Path(one) if isinstance(one, (str, os.PathLike)) else one.folder for one in _list_runs(runs)]
    made = make_report(folders, chosen, ScoringOptions(**options), asked, transfer)
    save_report(made, Path(out), force=force, inputs=[*folders, *chosen.paths])
    return Path(out)


@with_keywords(DiagnosisOptions)
def diagnose(
    tagger: Runnable,
    out: AnyPath | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **choices: Any,
) -> Diagnosis:
    """Find out what a tagger gets wrong: make a suite, run the tagger, search for faults and test them.

    Parameters
    ----------
    tagger : str, path, Tagger or callable
        A tagger, as `run` takes it.
    out : path, optional
        Folder of the results, by default ``diagnosis-TAGGER``. The same diagnosis that is there already is
        continued.
    options : mapping, optional
        Values for the tagger's options.
    jobs : int
        Number of processes of the tagger.
    overwrite : bool
        Whether to replace another diagnosis in the folder.
    progress : callable, optional
        Called with the numbers of cases done and of all cases of each run.
    **choices
        What is tested, such as ``suspect="contains_hyphen"`` or ``quick=True``; see
        `tagsuite.reports.diagnosis.options.DiagnosisOptions`.

    Returns
    -------
    Diagnosis
        Its `findings` are a table, its `report` is the path of an HTML page; printed, it is the answer in at
        most fifteen lines.

    Raises
    ------
    InputError
        If the tagger is unknown or cannot be started, a query has an error, or the folder holds something
        else.

    Examples
    --------
    >>> diagnose("kex", suspect="contains_hyphen")  # doctest: +SKIP
    """
    from .diagnosis.run import run_diagnosis

    chosen = DiagnosisOptions(**choices)
    return run_diagnosis(
        tagger,
        _to_path(out),
        chosen,
        tagger_options=options,
        jobs=jobs,
        overwrite=overwrite,
        progress=progress,
    )


def _to_path(given: AnyPath | None) -> Path | None:
    return None if given is None else Path(given)


def _list_runs(given: RunSource | Sequence[RunSource]) -> list[RunSource]:
    """Return one run, or several, as a list."""
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
