"""Public functions that make suites, diagnose taggers and write reports."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..catalogues.core.messages import say
from ..catalogues.core.options import with_keywords
from ..generator.part_options import PART_OPTIONS, PartOptions
from ..generator.recipe import DEFAULT_MAX_CASES, SuiteOptions, SuiteRecipe
from ..harness.scoring.options import (
    COMPARE_OPTION_NAMES,
    ClassOptions,
    ScoringOptions,
)
from ..harness.scoring.transfer.options import TransferOptions
from .diagnosis.options import DiagnosisOptions
from .options import ReportOptions

AnyPath = str | os.PathLike[str]

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.running.tagger import Tagger
    from ..harness.scoring.score_runs import RunSource
    from ..sentences.corpus import Corpus
    from .diagnosis.answer import Diagnosis

    Runnable = str | os.PathLike[str] | Tagger | Callable[..., Any]


Function = TypeVar("Function", bound=Callable[..., Any])


def accept_force(function: Function) -> Function:
    """Decorate a function so that it also accepts ``force``, the deprecated name of ``overwrite``."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if "force" in keywords:
            warnings.warn(
                f"{function.__name__}: use overwrite instead of force", DeprecationWarning, stacklevel=2
            )
            keywords["overwrite"] = keywords.pop("force")
        return function(*arguments, **keywords)

    return call  # type: ignore[return-value]  # the same for a type checker


@dataclass(frozen=True)
class Suite:
    """Suite folder, accepted by all functions that take the path of a suite folder.

    Attributes
    ----------
    folder : Path
    """

    folder: Path

    def __fspath__(self) -> str:
        return os.fspath(self.folder)

    @cached_property
    def meta(self) -> dict[str, Any]:
        """Contents of suite.toml."""
        from ..sentences.suite_file import read_suite_meta

        return read_suite_meta(self.folder)

    @cached_property
    def corpus(self) -> Corpus:
        """Cases of the suite as a corpus: texts and gold mentions."""
        from ..sentences.suites import read_suite

        return read_suite(self.folder)

    @property
    def cases(self) -> pd.DataFrame:
        """Table of cases, one row per case."""
        return self.corpus.texts

    @property
    def mentions(self) -> pd.DataFrame:
        """Table of gold mentions with all features, one row per mention."""
        return self.corpus.inline_features().mentions

    def __len__(self) -> int:
        return int(self.meta["suite"]["cases"])

    def __repr__(self) -> str:
        suite = self.meta["suite"]
        return (
            f"Suite {suite.get('name') or self.folder.name}: {suite['cases']:,} cases, "
            f"{suite['mentions']:,} mentions\n"
            f"combine: {suite.get('combine')}, seed {suite.get('seed', 0)}\n"
            f"folder: {self.folder}"
        )

    def _repr_html_(self) -> str:
        return self.corpus._repr_html_()


@accept_force
@with_keywords((PartOptions, [n for n in PART_OPTIONS if n not in ("entities", "contexts")]), SuiteOptions)
def generate(
    out: AnyPath,
    entities: str = "all",
    contexts: str = "all",
    *,
    overwrite: bool = False,
    max_cases: int = DEFAULT_MAX_CASES,
    **options: Any,
) -> Suite:
    """Generate a suite by putting selected entities into selected contexts.

    Parameters
    ----------
    out : path
        Suite folder to write.
    entities, contexts : str
        Queries that select entities and contexts.
    overwrite : bool
        Whether to replace an existing suite folder.
    max_cases : int
        Maximum number of cases; a larger suite raises InputError.
    **options
        Options that set how entities and contexts are combined, such as ``size=200`` or
        ``stratify=["case"]``, are described in `tagsuite.generator.part_options.PartOptions`; by default, a
        sample of 1,000 cases is drawn. Options for the whole suite, such as ``seed=1``, are described in
        `tagsuite.generator.recipe.SuiteOptions`.

    Raises
    ------
    InputError
        If a query or option is invalid, nothing is selected, or the folder is not empty.

    Examples
    --------
    >>> suite = generate("hyphens", "contains_hyphen", size=100)  # doctest: +SKIP
    """
    from ..generator.suite import generate as generate_suite

    suite = SuiteOptions.from_keywords(options)
    part = PartOptions(entities=entities, contexts=contexts, **options)
    counts = generate_suite(SuiteRecipe((part,), suite), out, force=overwrite, max_cases=max_cases)
    if counts.warning:
        say(counts.warning)
    return Suite(Path(out))


@accept_force
@with_keywords(
    (ClassOptions, ("classes", "by")), ReportOptions, (ScoringOptions, COMPARE_OPTION_NAMES), TransferOptions
)
def report(
    runs: RunSource | Sequence[RunSource] = (),
    out: AnyPath = "report.html",
    *,
    overwrite: bool = False,
    **options: Any,
) -> Path:
    """Write a report on runs, for example as one HTML page that works offline.

    Parameters
    ----------
    runs : Run, path, or a sequence of these
        Runs to report on.
    out : path
        File (.html, .md, .tex, .json, .csv), or a folder for files in all formats.
    overwrite : bool
        Whether to replace an existing report folder.
    **options
        ``classes`` and ``by`` have the same meaning as in `score`. Options that add content to the report,
        such as ``discover=True`` or ``title="…"``, are described in
        `tagsuite.reports.options.ReportOptions`, and options for scoring in
        `tagsuite.harness.scoring.options.ScoringOptions`. ``standardise`` is the composition of a corpus (its
        counts of feature combinations); results on this corpus are estimated from the results on suites.

    Returns
    -------
    Path
        The path `out`.
    """
    from .build import make_report
    from .files import check_report_path, save_report

    check_report_path(out)
    asked, chosen = ClassOptions.from_keywords(options), ReportOptions.from_keywords(options)
    transfer = TransferOptions.from_keywords(options)
    folders = [Path(one) if isinstance(one, (str, os.PathLike)) else one.folder for one in _list_runs(runs)]
    content = make_report(folders, chosen, ScoringOptions(**options), asked, transfer)
    save_report(content, Path(out), force=overwrite, inputs=[*folders, *chosen.paths])
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
        Tagger in any form that `run` accepts.
    out : path, optional
        Output folder, by default ``diagnosis-TAGGER``. If it contains the same diagnosis, that diagnosis is
        continued.
    options : mapping, optional
        Values for the tagger's options.
    jobs : int
        Number of tagger processes that run in parallel.
    overwrite : bool
        Whether to replace another diagnosis in `out`.
    progress : callable, optional
        Called with the number of finished cases and the total number of cases of each run.
    **choices
        Further options, such as ``suspect="contains_hyphen"`` or ``quick=True``, described in
        `tagsuite.reports.diagnosis.options.DiagnosisOptions`.

    Returns
    -------
    Diagnosis
        Result of the diagnosis, printed in at most fifteen lines. Its attribute `findings` is a table, and
        `report` is the path of an HTML page.

    Raises
    ------
    InputError
        If the tagger is unknown or cannot be started, a query is invalid, or `out` contains other files.

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
    """Return the given runs as a list, even if only one run is given."""
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
