"""The public functions that judge runs: score, compare, discover, calibrate, repeats and effects."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..catalogues.core.errors import InputError
from ..catalogues.core.messages import say
from ..catalogues.core.options import with_keywords
from ..harness.scoring.options import (
    ACCEPT_OPTION_NAMES,
    COMPARE_OPTION_NAMES,
    ClassOptions,
    ConfirmOptions,
    DiscoverOptions,
    ScoringOptions,
)
from ..harness.scoring.transfer.options import CalibrationOptions, TransferOptions
from .api import AnyPath, _list_runs, _to_path

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.running.tagger import Tagger
    from ..harness.scoring.acceptance.accept import AcceptanceResult
    from ..harness.scoring.score_runs import RunSource
    from ..harness.scoring.scores import Scores
    from ..sentences.corpus import Corpus

    Runnable = str | os.PathLike[str] | Tagger | Callable[..., Any]


@with_keywords(ClassOptions, (ScoringOptions, COMPARE_OPTION_NAMES))
def repeats(run: RunSource, **options: Any) -> pd.DataFrame:
    """Tell how often answers change from one repetition of a run to the next, and recall over all, per class.

    Parameters
    ----------
    run : Run or path
        What `run` with ``times`` gave, or its folder.
    **options
        ``classes``, ``by``, ``notion``, ``gold``, as `compare` has them: see
        `tagsuite.harness.scoring.options.ClassOptions`; and how mentions are counted: see
        `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    DataFrame
        A row a class: see ``docs/how-to/repeat-runs.md``.

    Raises
    ------
    InputError
        When the run has no repetitions.
    """
    from ..harness.scoring.repeat_tables import summarise_repeats

    asked = ClassOptions.from_keywords(options)
    return summarise_repeats(run, ScoringOptions(**options), asked)


@with_keywords(ClassOptions, (ScoringOptions, COMPARE_OPTION_NAMES))
def effects(folder: AnyPath, **options: Any) -> pd.DataFrame:
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
        A row a class and value: see ``docs/how-to/repeat-runs.md``.

    Raises
    ------
    InputError
        When there are no finished variants.
    """
    from ..harness.scoring.effects import estimate_effects

    asked = ClassOptions.from_keywords(options)
    return estimate_effects(os.fspath(folder), ScoringOptions(**options), asked)


@with_keywords((ClassOptions, ("gold", "classes", "by")), ScoringOptions)
def score(
    run: RunSource | None = None,
    *,
    predicted: Corpus | pd.DataFrame | str | None = None,
    **options: Any,
) -> Scores:
    r"""Score a run, or predictions made elsewhere, per class and notion of correctness.

    What the command ``score`` does, with the same figures, messages and warnings (on standard error).

    Parameters
    ----------
    run : Run or path, optional
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
    from ..harness.scoring.score_runs import score_predictions, score_runs

    asked, chosen = ClassOptions.from_keywords(options), ScoringOptions(**options)
    named, gold = asked.class_list, asked.chosen_gold
    if run is not None and predicted is None:
        return score_runs([run], chosen, classes=named, by=asked.by, gold=gold)[0]
    if predicted is not None and run is None and gold != "":
        return score_predictions(gold, predicted, chosen, classes=named, by=asked.by)
    raise InputError("what is scored is not clear", allowed="score(run), or score(gold=…, predicted=…)")


@with_keywords(
    DiscoverOptions, ConfirmOptions, (ClassOptions, ("gold",)), (ScoringOptions, COMPARE_OPTION_NAMES)
)
def discover(
    run: Scores | RunSource,
    *,
    show: str = "faults",
    out: AnyPath | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Find the combinations of features that a tagger fails at.

    Parameters
    ----------
    run : Scores, Run or path
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
    from ..harness.scoring.discovery.discover import check_show_option, discover_run, discover_scores
    from ..harness.scoring.scores import Scores

    # the notion is that of the search, which therefore takes its options first
    search, confirming = DiscoverOptions.from_keywords(options), ConfirmOptions.from_keywords(options)
    gold, target = ClassOptions.from_keywords(options).chosen_gold, _to_path(out)
    if confirming.confirm:
        if isinstance(run, Scores) or gold != "" or show != "faults":
            raise InputError(
                "fresh cases confirm faults of a run over its own suite",
                found="confirm with scores, gold or show",
                allowed="a run",
            )
        from .confirmation import confirm_run

        return confirm_run(run, ScoringOptions(**options), search, confirming, out=target).table
    if not isinstance(run, Scores):
        chosen = ScoringOptions(**options)
        return discover_run(run, chosen, search, show=show, out=target, gold=gold).table
    check_show_option(show, out)
    confidence = options.pop("confidence", 0.95)
    if options or gold != "":
        asked = ", ".join([*options, *(["gold"] if gold != "" else [])])
        raise InputError("this was scored already, in its own way", found=asked, allowed="a run")
    return discover_scores(run, search, show=show, out=target, confidence=confidence).table


@with_keywords(ClassOptions, (ScoringOptions, COMPARE_OPTION_NAMES), TransferOptions)
def compare(
    runs: RunSource | Sequence[RunSource] | None = None,
    predictions: AnyPath | None = None,
    *,
    suite: RunSource | None = None,
    against: RunSource | None = None,
    predicted: Corpus | pd.DataFrame | str | None = None,
    scatter: AnyPath | None = None,
    reference: RunSource | Sequence[RunSource] = (),
    **options: Any,
) -> pd.DataFrame:
    """Compare what was predicted of classes with what a corpus shows; or, with `against`, taggers.

    Parameters
    ----------
    runs : Run, path, or a sequence of these
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
    from ..harness.scoring.comparison.compare_runs import ComparisonOptions, compare_runs

    asked, transfer = ClassOptions.from_keywords(options), TransferOptions.from_keywords(options)
    comparison = ComparisonOptions(
        predictions=_to_path(predictions),
        suite=suite,
        against=against,
        predicted="" if predicted is None else predicted,
        scatter=_to_path(scatter),
        transfer=transfer,
        reference=_list_runs(reference),
    )
    runs = [] if runs is None else _list_runs(runs)
    done = compare_runs(runs, ScoringOptions(**options), asked, comparison)
    for note in done.notes:
        say(note)
    return done.table


@with_keywords(
    (ClassOptions, ("classes", "by", "notion")),
    (ScoringOptions, COMPARE_OPTION_NAMES),
    CalibrationOptions,
    (TransferOptions, ["least_support"]),
)
def calibrate(
    suite: RunSource,
    annotated: RunSource | Corpus | Sequence[RunSource] = (),
    *,
    predicted: Corpus | pd.DataFrame | str | None = None,
    weights: AnyPath | None = None,
    pool: RunSource | Corpus | None = None,
    plan_out: AnyPath | None = None,
    out: AnyPath | None = None,
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
        One row per class, the class `all` first (see ``docs/background/transfer.md``). With ``plan=N`` one
        row per sentence chosen now or before, with its probability and weight.
    """
    from ..harness.scoring.transfer.calibrate_runs import calibrate_runs
    from ..sentences.corpus import Corpus

    asked, chosen = ClassOptions.from_keywords(options), CalibrationOptions.from_keywords(options)
    transfer = TransferOptions.from_keywords(options)
    done = calibrate_runs(
        suite,
        [annotated] if isinstance(annotated, Corpus) else _list_runs(annotated),
        ScoringOptions(**options),
        chosen,
        asked,
        pool=os.fspath(pool) if isinstance(pool, os.PathLike) else "" if pool is None else pool,
        predicted="" if predicted is None else predicted,
        weights=_to_path(weights),
        least_support=transfer.least_support,
        plan_out="" if plan_out is None else os.fspath(plan_out),
        out=_to_path(out),
    )
    for note in done.notes:
        say(note)
    return done.table


@with_keywords((ClassOptions, ("gold",)), (ScoringOptions, ACCEPT_OPTION_NAMES))
def accept(
    criteria: AnyPath | Sequence[Mapping[str, Any]],
    runs: RunSource | Sequence[RunSource],
    *,
    cases: int = 5,
    seed: int = 0,
    **options: Any,
) -> AcceptanceResult:
    """Judge runs by acceptance criteria.

    Parameters
    ----------
    criteria : path, or sequence of mapping
        A criteria file, or criteria with the keys of its ``[[class]]`` tables.
    runs : Run, path, or a sequence of these
        Runs over suites or corpora.
    cases : int
        Maximum number of failing cases to name per criterion.
    seed : int
        Random seed for choosing these cases.
    **options
        ``gold``, and how mentions are counted; see `score`.

    Returns
    -------
    AcceptanceResult
        Its `passed` is False if any criterion failed; its `table` has one row per criterion, run and measure.

    Raises
    ------
    InputError
        If a criterion has an error, or names a run that is not there.

    Examples
    --------
    >>> symbols = {"name": "symbols", "query": "name_vs_symbol = symbol", "min_recall": 0.9}
    >>> accept([symbols], "runs/kex").passed  # doctest: +SKIP
    """
    from ..harness.running.folder.runs import read_run
    from ..harness.scoring.acceptance.accept_runs import accept_runs
    from ..harness.scoring.acceptance.criteria import parse_criteria

    asked = ClassOptions.from_keywords(options)
    given = criteria if isinstance(criteria, (str, os.PathLike)) else parse_criteria(criteria)
    folders = [read_run(run).folder for run in _list_runs(runs)]
    return accept_runs(
        given, folders, ScoringOptions(**options), gold=asked.chosen_gold, max_cases=cases, seed=seed
    )
