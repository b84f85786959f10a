"""The public functions: each job in a few words, frames in and out; see the package's own docstring."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ..catalogues.core.errors import InputError
from ..catalogues.core.options import with_keywords
from ..catalogues.core.tables import say
from ..generator.perturbing.options import PerturbOptions
from ..generator.recipe import DEFAULT_MAX_CASES, PART, PartOptions, SuiteOptions, SuiteRecipe
from ..harness.running.repeats import RepeatOptions
from ..harness.scoring.options import (
    COMPARING,
    WITHOUT_GOLD,
    CalibrationOptions,
    ClassOptions,
    ConfirmOptions,
    DiscoverOptions,
    ScoringOptions,
    TransferOptions,
)
from .options import ReportOptions

Place = str | os.PathLike[str]

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.running.folder.runs import Run
    from ..harness.running.tagger import Tagger
    from ..harness.running.variants import Variant
    from ..harness.scoring.runs import Finished
    from ..harness.scoring.scores import Scores
    from ..sentences.corpus import Corpus
    from .invariance.folder import Invariance

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
        return self.corpus.spread().mentions

    def __len__(self) -> int:
        return int(self.meta["suite"]["cases"])

    def _repr_html_(self) -> str:
        return self.corpus._repr_html_()


@with_keywords((PartOptions, [n for n in PART if n not in ("entities", "contexts")]), SuiteOptions)
def generate(
    out: Place,
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

    suite = SuiteOptions.taken_from(options)
    part = PartOptions(entities=entities, contexts=contexts, **options)
    counts = generate_suite(SuiteRecipe((part,), suite), out, force=force, max_cases=max_cases)
    if counts.warning:
        say(counts.warning)
    return Suite(Path(out))


@overload
def run(
    source: Place,
    tagger: Runnable,
    out: Place,
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
    source: Place,
    tagger: Runnable,
    out: Place,
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
    source: Place,
    tagger: Runnable,
    out: Place,
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
    from ..harness.running.run import made_ready
    from ..harness.running.run import run as run_tagger
    from ..harness.running.tagger import Tagger
    from ..harness.running.variants import run_varied

    chosen = RepeatOptions(**repeating)
    if chosen.vary and isinstance(tagger, Tagger):
        raise InputError(
            "a tagger that is made ready has its options", found=tagger.label, allowed="its name or file"
        )

    def ready(given: Mapping[str, Any]) -> Tagger:
        return made_ready(tagger, given)

    def once(one: Tagger, number: int, folder: Path) -> Run:
        return run_tagger(
            os.fspath(source), one, folder, jobs=jobs, force=force, progress=progress, repeat=number
        )

    done = run_varied(ready, Path(out), chosen, options or {}, once)
    return done if repeating.get("vary") is not None else done[0].run


@with_keywords(ClassOptions, (ScoringOptions, COMPARING))
def repeats(found: Finished, **options: Any) -> pd.DataFrame:
    """Tell how often answers change from one repetition of a run to the next, and recall over all, per class.

    Parameters
    ----------
    found : Run or path
        What `run` with ``times`` gave, or its folder.
    **options
        ``classes``, ``by``, ``notion``, ``gold``, as `compare` has them: see
        `tagsuite.harness.scoring.options.ClassOptions`; and how mentions are counted: see
        `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    DataFrame
        A row a class: see ``docs/repeats.md``.

    Raises
    ------
    InputError
        When the run has no repetitions.
    """
    from ..harness.scoring.repeat_tables import repeats_of

    asked = ClassOptions.taken_from(options)
    return repeats_of(found, ScoringOptions(**options), asked)


@with_keywords(ClassOptions, (ScoringOptions, COMPARING))
def effects(folder: Place, **options: Any) -> pd.DataFrame:
    """Tell what each value of a varied option does to recall, per class.

    Parameters
    ----------
    folder : path
        Where `run` with ``vary`` wrote.
    **options
        As `repeats` has them.

    Returns
    -------
    DataFrame
        A row a class and value: see ``docs/repeats.md``.

    Raises
    ------
    InputError
        When there are no finished variants.
    """
    from ..harness.scoring.repeat_tables import effects_of

    asked = ClassOptions.taken_from(options)
    return effects_of(os.fspath(folder), ScoringOptions(**options), asked)


@with_keywords(PerturbOptions, (ClassOptions, ("classes", "by")), (ScoringOptions, WITHOUT_GOLD))
def invariance(
    source: Place,
    tagger: Runnable,
    out: Place,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    **perturbing: Any,
) -> Invariance:
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
        ``docs/invariance.md``.

    Raises
    ------
    InputError
        Bad input, specification, option or folder; a folder that holds another seed, sample or input.
    """
    from .invariance.run import invariance_of

    chosen, asked = PerturbOptions.taken_from(perturbing), ClassOptions.taken_from(perturbing)
    scoring = ScoringOptions(**perturbing)
    return invariance_of(
        os.fspath(source), tagger, out, chosen, scoring, asked, options=options, jobs=jobs, force=force
    )


@with_keywords((ClassOptions, ("gold", "classes", "by")), ScoringOptions)
def score(
    found: Finished | None = None,
    *,
    predicted: Corpus | pd.DataFrame | str | None = None,
    **options: Any,
) -> Scores:
    r"""Score a run, or predictions made elsewhere, per class and notion of correctness.

    What the command ``score`` does, with the same figures, messages and warnings (on standard error).

    Parameters
    ----------
    found : Run or path, optional
        A run, or its folder; else `predicted` is needed.
    predicted : Corpus, DataFrame or str, optional
        Mentions over the texts of `gold`, or ``FORMAT:PATH``.
    **options
        ``gold``: a Corpus, path or ``FORMAT:PATH`` to score against, where that is not the run's own input;
        ``classes``: names and queries, a sequence of Class, or a classes file; ``by``: features whose values
        are classes (see `tagsuite.harness.scoring.options.ClassOptions`); and how mentions are counted, such
        as ``notions=["strict"]`` or ``pairing="one-to-one"``: see
        `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    Scores
        Its `table` is the score table, its `verdicts()` tell of every mention.

    Raises
    ------
    InputError
        When what is asked means nothing or is not there.

    Examples
    --------
    >>> score("runs/kex", classes={"numeral first": r"data ~ /^\d+-/"}).table  # doctest: +SKIP
    """
    from ..harness.scoring.runs import score_files, score_runs

    asked, chosen = ClassOptions.taken_from(options), ScoringOptions(**options)
    named, gold = asked.named, asked.chosen_gold
    if found is not None and predicted is None:
        return score_runs([found], chosen, classes=named, by=asked.by, gold=gold)[0]
    if predicted is not None and found is None and gold != "":
        return score_files(gold, predicted, chosen, classes=named, by=asked.by)
    raise InputError("what is scored is not clear", allowed="score(run), or score(gold=…, predicted=…)")


@with_keywords(DiscoverOptions, ConfirmOptions, (ClassOptions, ("gold",)), (ScoringOptions, COMPARING))
def discover(
    found: Scores | Finished,
    *,
    show: str = "faults",
    out: Place | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Find the combinations of features that a tagger fails at.

    Parameters
    ----------
    found : Scores, Run or path
        What `score` gave, or a run.
    show : {"faults", "costs"}
        What each feature costs in minimal pairs, instead.
    out : path, optional
        The predictions file to write.
    **options
        ``confirm=N``, how many fresh cases there may be and how they are run: see
        `tagsuite.harness.scoring.options.ConfirmOptions`; what is searched, such as ``depth=2``: see
        `tagsuite.harness.scoring.options.DiscoverOptions`; and ``gold`` and how a run is scored, as `score`
        has it.

    Returns
    -------
    DataFrame
        A row a finding, the most convincing first.
    """
    from ..harness.scoring.discovery.discover import check_show, discover_run, discover_scores
    from ..harness.scoring.scores import Scores

    # the notion is that of the search, which therefore takes its options first
    search, confirming = DiscoverOptions.taken_from(options), ConfirmOptions.taken_from(options)
    gold, target = ClassOptions.taken_from(options).chosen_gold, _path(out)
    if confirming.confirm:
        if isinstance(found, Scores) or gold != "" or show != "faults":
            raise InputError(
                "fresh cases confirm faults of a run over its own suite",
                found="confirm with scores, gold or show",
                allowed="a run",
            )
        from .confirmation import confirm_run

        return confirm_run(found, ScoringOptions(**options), search, confirming, out=target).table
    if not isinstance(found, Scores):
        chosen = ScoringOptions(**options)
        return discover_run(found, chosen, search, show=show, out=target, gold=gold).table
    check_show(show, out)
    confidence = options.pop("confidence", 0.95)
    if options or gold != "":
        asked = ", ".join([*options, *(["gold"] if gold != "" else [])])
        raise InputError("this was scored already, in its own way", found=asked, allowed="a run")
    return discover_scores(found, search, show=show, out=target, confidence=confidence).table


@with_keywords(ClassOptions, (ScoringOptions, COMPARING), TransferOptions)
def compare(
    found: Finished | Sequence[Finished] | None = None,
    predictions: Place | None = None,
    *,
    suite: Finished | None = None,
    against: Finished | None = None,
    predicted: Corpus | pd.DataFrame | str | None = None,
    scatter: Place | None = None,
    reference: Finished | Sequence[Finished] = (),
    **options: Any,
) -> pd.DataFrame:
    """Compare what was predicted of classes with what a corpus shows; or, with `against`, taggers.

    Parameters
    ----------
    found : Run, path, or a sequence of these
        Runs over corpora.
    predictions : path, optional
        A predictions file.
    suite : Run or path, optional
        A run over a suite, whose results by ``classes`` or ``by`` are the predictions.
    against : Run or path, optional
        Another run of the same texts: the paired differences from it, per class.
    predicted : Corpus, DataFrame or str, optional
        Predictions recorded elsewhere, in place of runs.
    scatter : path, optional
        With `suite`: each class's figures on suite and corpus are written here (CSV).
    reference : Run, path, or a sequence of these
        Runs of a reference tagger over the same suite and corpora, or a bundled tagger's name.
    **options
        As `score` has them, and the one ``notion`` of recall and precision.

    Returns
    -------
    DataFrame
        The score table's columns, then expected, observed, difference, verdict and what could be seen at all.
        With `against`, a row a class and measure. With `suite` and ``standardise`` (a composition): the
        columns standardised, standardised_low, standardised_high and support as well; no run is needed then.
        With `reference`: what it shows of the same classes, and `specificity`.
    """
    from ..harness.scoring.comparison.comparison import Comparison, compare_runs

    asked, transfer = ClassOptions.taken_from(options), TransferOptions.taken_from(options)
    comparison = Comparison(
        predictions=_path(predictions),
        suite=suite,
        against=against,
        predicted="" if predicted is None else predicted,
        scatter=_path(scatter),
        transfer=transfer,
        reference=_runs(reference),
    )
    runs = [] if found is None else _runs(found)
    done = compare_runs(runs, ScoringOptions(**options), asked, comparison)
    for note in done.notes:
        say(note)
    return done.table


@with_keywords(
    (ClassOptions, ("classes", "by", "notion")),
    (ScoringOptions, COMPARING),
    CalibrationOptions,
    (TransferOptions, ["least_support"]),
)
def calibrate(
    suite: Finished,
    annotated: Finished | Corpus | Sequence[Finished] = (),
    *,
    predicted: Corpus | pd.DataFrame | str | None = None,
    weights: Place | None = None,
    pool: Finished | Corpus | None = None,
    plan_out: Place | None = None,
    out: Place | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Estimate the recall or precision of each class in a corpus from a suite and some annotated sentences.

    Parameters
    ----------
    suite : Run or path
        A run over a suite.
    annotated : Run, path, Corpus, or a sequence of runs
        Runs of the same tagger over annotated sentences; or with `predicted` these, also ``FORMAT:PATH``.
    predicted : Corpus, DataFrame or str, optional
        The tagger's output over the annotated sentences, recorded elsewhere.
    weights : path, optional
        The file of weights that ``plan`` wrote, where it does not stand beside the sentences.
    pool : Run, Corpus, path or str, optional
        With ``plan=N`` the raw sentences, or a run over them; with ``measure="precision"`` a run over them,
        over whose mentions the estimates are averaged.
    plan_out : path, optional
        With ``plan=N`` where the chosen sentences go, ``FORMAT:PATH``.
    out : path, optional
        Where the estimates are written too.
    **options
        ``classes``, ``by``, ``notion``, as `compare` has them; ``measure``, ``composition``, ``plan=N`` and
        its ``seed``: see `tagsuite.harness.scoring.options.CalibrationOptions`; ``least_support``;
        and how mentions are counted, as `score` has it.

    Returns
    -------
    DataFrame
        A row a class, the whole first: see ``docs/transfer.md``. With ``plan=N`` a row a sentence that was
        chosen, now and before, with its probability and weight.
    """
    from ..harness.scoring.transfer.runs import calibrate_runs
    from ..sentences.corpus import Corpus

    asked, chosen = ClassOptions.taken_from(options), CalibrationOptions.taken_from(options)
    transfer = TransferOptions.taken_from(options)
    done = calibrate_runs(
        suite,
        [annotated] if isinstance(annotated, Corpus) else _runs(annotated),
        ScoringOptions(**options),
        chosen,
        asked,
        pool=os.fspath(pool) if isinstance(pool, os.PathLike) else "" if pool is None else pool,
        predicted="" if predicted is None else predicted,
        weights=_path(weights),
        least_support=transfer.least_support,
        plan_out="" if plan_out is None else os.fspath(plan_out),
        out=_path(out),
    )
    for note in done.notes:
        say(note)
    return done.table


@with_keywords((ClassOptions, ("classes", "by")), ReportOptions, (ScoringOptions, COMPARING), TransferOptions)
def report(
    found: Finished | Sequence[Finished] = (),
    out: Place = "report.html",
    *,
    force: bool = False,
    **options: Any,
) -> Path:
    """Write what runs show as one page that works offline.

    Parameters
    ----------
    found : Run, path, or a sequence of these
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
    from .files import save
    from .report import report_of

    asked, chosen = ClassOptions.taken_from(options), ReportOptions.taken_from(options)
    transfer = TransferOptions.taken_from(options)
    folders = [Path(one) if isinstance(one, (str, os.PathLike)) else one.folder for one in _runs(found)]
    made = report_of(folders, chosen, ScoringOptions(**options), asked, transfer)
    save(made, Path(out), force=force, inputs=[*folders, *chosen.paths])
    return Path(out)


def _path(given: Place | None) -> Path | None:
    return None if given is None else Path(given)


def _runs(given: Finished | Sequence[Finished]) -> list[Finished]:
    """Return one run, or several, as a list."""
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
