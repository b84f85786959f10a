"""Public functions that evaluate runs: score, compare, discover, calibrate, repeats and effects."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..catalogues.core.errors import InputError
from ..catalogues.core.messages import say
from ..catalogues.core.options import with_keywords
from ..harness.scoring.options import ACCEPT_OPTION_NAMES, COMPARE_OPTION_NAMES, ClassOptions, ScoringOptions
from ..harness.scoring.search_options import ConfirmOptions, DiscoverOptions
from ..harness.scoring.transfer.options import CalibrationOptions, TransferOptions
from .api import AnyPath, _list_runs, _to_path, accept_force

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.scoring.acceptance.accept import AcceptanceResult
    from ..harness.scoring.score_runs import RunSource
    from ..harness.scoring.scores import Scores
    from ..sentences.corpus import Corpus


@with_keywords(ClassOptions, (ScoringOptions, COMPARE_OPTION_NAMES))
def repeats(run: RunSource, **options: Any) -> pd.DataFrame:
    """Summarise the repetitions of a run per class: how often answers differ, and mean measures.

    Parameters
    ----------
    run : Run or path
        Result of `run` with ``times``, or its folder.
    **options
        ``classes``, ``by``, ``notion`` and ``gold``, described in
        `tagsuite.harness.scoring.options.ClassOptions`, and options for scoring, described in
        `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    DataFrame
        One row per class; see ``docs/how-to/repeat-runs.md``.

    Raises
    ------
    InputError
        If the run has no repetitions.
    """
    from ..harness.scoring.repeat_tables import summarise_repeats

    asked = ClassOptions.from_keywords(options)
    return summarise_repeats(run, ScoringOptions(**options), asked)


@with_keywords(ClassOptions, (ScoringOptions, COMPARE_OPTION_NAMES))
def effects(folder: AnyPath, **options: Any) -> pd.DataFrame:
    """Estimate the effect of each value of a varied option on recall, precision and F, per class.

    Parameters
    ----------
    folder : path
        Folder written by `run` with ``vary``.
    **options
        Same as for `repeats`.

    Returns
    -------
    DataFrame
        One row per class and value; see ``docs/how-to/repeat-runs.md``.

    Raises
    ------
    InputError
        If there are no finished variants.
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
    r"""Score a run or other predictions, per class and notion of correctness.

    The results are the same as those of the command ``score``. Warnings are written to standard error.

    Parameters
    ----------
    run : Run or path, optional
        Run to score, or its folder; give either `run` or `predicted`.
    predicted : Corpus, DataFrame or str, optional
        Predicted mentions in the texts of `gold`, or ``FORMAT:PATH``.
    **options
        ``gold`` is the gold standard: a Corpus, a path or ``FORMAT:PATH`` (default: the input of the run).
        ``classes`` is a mapping of names to queries, a sequence of Class, or a file of classes. ``by`` names
        features; each of their values is a class (see `tagsuite.harness.scoring.options.ClassOptions`).
        Options for scoring, such as ``notions=["strict"]`` or ``pairing="one-to-one"``, are described in
        `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    Scores
        Its `table` is the score table; its method `verdicts()` returns all mentions with verdicts.

    Raises
    ------
    InputError
        If the arguments contradict each other, or an input does not exist or is invalid.

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
    raise InputError("give either a run, or both gold and predicted")


@accept_force
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
    """Find combinations of features on which a tagger fails.

    Parameters
    ----------
    run : Scores, Run or path
        Result of `score`, or a run.
    show : {"faults", "costs"}
        Result to return: faults, or costs (recall lost by changing one feature in minimal pairs).
    out : path, optional
        Predictions file to write.
    **options
        Options for the search, such as ``depth=2``, are described in
        `tagsuite.harness.scoring.options.DiscoverOptions`, and options for testing faults on new cases,
        such as ``confirm=24``, in `tagsuite.harness.scoring.options.ConfirmOptions`. ``gold`` and the options
        for scoring have the same meaning as in `score`.

    Returns
    -------
    DataFrame
        One row per fault, or per feature for costs, with the strongest evidence first.
    """
    from ..harness.scoring.discovery.discover import check_show_option, discover_run, discover_scores
    from ..harness.scoring.scores import Scores

    # the search has the option `notion`, so its options are read first
    search, confirming = DiscoverOptions.from_keywords(options), ConfirmOptions.from_keywords(options)
    gold, target = ClassOptions.from_keywords(options).chosen_gold, _to_path(out)
    if confirming.confirm:
        if isinstance(run, Scores) or gold != "" or show != "faults":
            raise InputError(
                "confirm cannot be combined with scores, gold or show; it tests faults on new cases, which "
                "can be made only for a run on a suite that tagsuite generated"
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
        problem = "these options have no effect on existing scores; give a run instead of scores"
        raise InputError(problem, found=asked)
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
    """Compare predicted results with results on a corpus, or compare two runs.

    Parameters
    ----------
    runs : Run, path, or a sequence of these
        Runs on corpora.
    predictions : path, optional
        Predictions file.
    suite : Run or path, optional
        Run on a suite; its results for ``classes`` or ``by`` serve as predictions.
    against : Run or path, optional
        Run on the same texts to compare with; the result is then a table of paired differences per class.
    predicted : Corpus, DataFrame or str, optional
        Predicted mentions; give either `predicted` or `runs`.
    scatter : path, optional
        CSV file to which recall and precision of each class on `suite` and corpus are written.
    reference : Run, path, or a sequence of these
        Runs of a reference tagger on the same suite and corpora, or the name of a bundled tagger.
    **options
        Same as for `score`. In addition, ``notion`` sets the notion of correctness for the comparison.

    Returns
    -------
    DataFrame
        The columns of the score table, followed by the expected and the observed result, their difference,
        the verdict and the smallest detectable difference. With `against`, the table has one row per class
        and measure. With `suite` and ``standardise`` (the composition of a corpus), no run is needed, and the
        columns `standardised`, `standardised_low`, `standardised_high` and `support` are added. With
        `reference`, the results of the reference tagger for the same classes and the column `specificity` are
        added.
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
    (TransferOptions, ["least_support", "evidence"]),
)
def calibrate(
    suite: RunSource,
    annotated: RunSource | Corpus | Sequence[RunSource] = (),
    *,
    predicted: Corpus | pd.DataFrame | str | None = None,
    pool: RunSource | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Estimate recall, precision or F1 per class in a corpus from a suite and a few annotated sentences.

    Parameters
    ----------
    suite : Run or path
        Run on a suite.
    annotated : Run, path, Corpus, or a sequence of runs
        Runs of the same tagger on annotated sentences or, if `predicted` is given, the annotated sentences
        as a Corpus or ``FORMAT:PATH``.
    predicted : Corpus, DataFrame or str, optional
        Output of the tagger for the annotated sentences, if there is no run.
    pool : Run or path, optional
        Run on unannotated sentences, for ``measure="precision"``. The estimates are averaged over its
        mentions.
    **options
        ``classes``, ``by``, ``notion`` and the options for scoring have the same meaning as in `compare`.
        ``measure`` and ``composition`` are described in
        `tagsuite.harness.scoring.options.CalibrationOptions`, ``least_support`` and ``evidence`` in
        `tagsuite.harness.scoring.transfer.options.TransferOptions`.

    Returns
    -------
    DataFrame
        Estimates with one row per class, ``all`` first (see ``docs/background/transfer.md``).
    """
    from ..harness.scoring.transfer.calibrate_runs import calibrate_runs
    from ..sentences.corpus import Corpus

    asked, chosen = ClassOptions.from_keywords(options), CalibrationOptions.from_keywords(options)
    transfer = TransferOptions.from_keywords(options)
    table, notes = calibrate_runs(
        suite,
        [annotated] if isinstance(annotated, Corpus) else _list_runs(annotated),
        ScoringOptions(**options),
        chosen,
        asked,
        pool="" if pool is None else pool,
        predicted="" if predicted is None else predicted,
        transfer=transfer,
    )
    for note in notes:
        say(note)
    return table


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
        A criteria file, or a sequence of criteria with the same keys as the ``[[class]]`` tables of the file.
    runs : Run, path, or a sequence of these
        Runs on suites or corpora.
    cases : int
        Maximum number of failing cases to name per criterion.
    seed : int
        Random seed for choosing these cases.
    **options
        ``gold`` and the options for scoring, which have the same meaning as in `score`.

    Returns
    -------
    AcceptanceResult
        Its `passed` is False if any criterion failed; its `table` has one row per criterion, run and measure.

    Raises
    ------
    InputError
        If a criterion is invalid, or names a run that is not among `runs`.

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
