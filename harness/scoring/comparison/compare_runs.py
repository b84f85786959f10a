"""Comparison of runs, or of recorded predictions, with a predictions file, a suite or another run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_text
from ....catalogues.core.tables import OutputFormat, format_frame
from ....sentences.corpus import Corpus
from ...running.folder.runs import Run, read_run
from ..classes import Class, join_classes
from ..options import ClassOptions, ScoringOptions, is_absent
from ..score_runs import RunSource, score_predictions, score_runs
from ..scores import Scores
from ..signature import describe_differences, list_differences
from ..statistics.corrections import add_corrected_p
from ..statistics.paired_differences import compare_paired
from ..table import COUNT_COLUMNS, find_varying_columns, set_layout
from ..transfer import estimates
from ..transfer.options import TransferOptions
from .prediction_verdicts import add_adjusted_p, compare
from .predictions import Prediction, read_predictions_file, read_signature
from .specificity import ReferenceTagger, add_reference_columns
from .suite_predictions import collect_points, correlate_ranks, list_classes, predict_from_suite

if TYPE_CHECKING:
    from .reference import ReferenceSource


@dataclass(frozen=True)
class ComparisonOptions:
    """What runs, or predictions recorded elsewhere, are compared with.

    Attributes
    ----------
    predictions : Path, optional
        A predictions file.
    suite : Run or path, optional
        A run over a suite, whose results are the predictions.
    against : Run or path, optional
        Another run of the same texts; nothing else may be given then.
    predicted : str, Corpus or DataFrame
        Predictions recorded elsewhere, in place of runs.
    scatter : Path, optional
        Gets each class's figures on suite and corpus.
    transfer : TransferOptions, optional
        What the suite predicts for a corpus of some composition; then there need be no runs.
    reference : sequence of Run, path or name
        Runs of another tagger, or its name: they show which findings hold for that tagger too.
    """

    predictions: Path | None = None
    suite: RunSource | None = None
    against: RunSource | None = None
    predicted: str | Corpus | pd.DataFrame = ""
    scatter: Path | None = None
    transfer: TransferOptions | None = None
    reference: Sequence[ReferenceSource] = ()

    @property
    def composition(self) -> str:
        """The composition for which the suite's figures are standardised; empty for none."""
        return self.transfer.standardise if self.transfer else ""

    def needs_corpus(self, runs: Sequence[object]) -> bool:
        """Return True unless only the suite's own figures are standardised."""
        return bool(runs) or not is_absent(self.predicted) or self.suite is None or not self.composition

    def check(self, runs: Sequence[object], asked: ClassOptions) -> None:
        """Refuse choices that contradict each other, or that leave nothing to compare.

        Raises
        ------
        InputError
        """
        recorded = not is_absent(self.predicted)
        divided = bool(asked.by) or asked.classes is not None
        foreseen = not self.needs_corpus(runs)
        if bool(runs) == recorded and not foreseen:
            allowed = "run folders, or --gold and --predicted"
            raise InputError("what is compared is not clear", allowed=allowed)
        if self.composition and self.suite is None:
            problem = "--standardise needs --suite"
            raise InputError(problem, found=self.composition, allowed="a run over a suite")
        if foreseen and self.scatter is not None:
            raise InputError("--scatter needs a corpus to compare with", allowed="run folders")
        if self.reference and (self.against is not None or foreseen):
            allowed = "--suite or --predictions, with runs"
            raise InputError("--reference needs predictions and a corpus", allowed=allowed)
        if recorded and is_absent(asked.gold):
            raise InputError("--predicted needs --gold")
        if self.against is not None:
            if recorded or any(other is not None for other in (self.predictions, self.suite, self.scatter)):
                raise InputError("--against stands alone, with --classes, --by and --gold")
            return
        if self.predictions is None and self.suite is None:
            wanted = "a predictions file (--predictions), a run over a suite (--suite), or a run (--against)"
            raise InputError("nothing to compare with", allowed=wanted)
        if self.suite is None and (divided or self.scatter is not None):
            raise InputError("--by, --classes and --scatter need --suite")
        if self.suite is not None and self.predictions is None and not divided:
            raise InputError("--suite needs --classes, --by or --predictions")


@dataclass(frozen=True)
class ComparisonResult:
    """Result of ``compare``.

    Attributes
    ----------
    table : DataFrame
        One block per run: the whole, then one row per prediction.
    points : DataFrame or None
        With a suite: each class on suite and corpus.
    correlation : DataFrame or None
        With a suite: rank correlations over the classes.
    notes : tuple of str
        Remarks for the reader.
    """

    table: pd.DataFrame
    points: pd.DataFrame | None = None
    correlation: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()


def compare_runs(
    runs: Sequence[RunSource],
    options: ScoringOptions,
    class_options: ClassOptions,
    comparison: ComparisonOptions,
) -> ComparisonResult:
    """Compare runs, or predictions recorded elsewhere, with a predictions file, a suite, or another run.

    Raises
    ------
    InputError
        When the choices contradict each other, or a class occurs in two files with different queries.
    """
    comparison.check(runs, class_options)
    options = replace(options, notions=(class_options.notion,))
    named, by, gold = class_options.class_list, class_options.by, class_options.chosen_gold
    if comparison.against is not None:
        base, *others = score_runs([comparison.against, *runs], options, classes=named, by=by, gold=gold)
        return compare_pairwise(others, base, class_options.notion)
    expected = read_predictions_file(comparison.predictions) if comparison.predictions else []
    named = _merge_classes(expected, named)
    if comparison.suite is None:
        return _compare_corpora(runs, options, class_options, comparison, expected, named)
    suite = read_run(comparison.suite)
    base = score_runs([suite], options, classes=named, by=by)[0]
    if comparison.transfer and not comparison.needs_corpus(runs):
        table, said = estimates.estimate_without_corpus(
            base, list_classes(base), comparison.transfer, notion=class_options.notion
        )
        return ComparisonResult(table, notes=said)
    return _compare_corpora(
        runs, options, class_options, comparison, expected, named, _ScoredSuite(suite, base)
    )


@dataclass(frozen=True)
class _ScoredSuite:
    """A run over a suite, scored."""

    run: Run
    scores: Scores

    @property
    def classes(self) -> list[Class]:
        return list_classes(self.scores)


def _compare_corpora(
    runs: Sequence[RunSource],
    options: ScoringOptions,
    asked: ClassOptions,
    comparison: ComparisonOptions,
    expected: list[Prediction],
    named: list[Class],
    suite: _ScoredSuite | None = None,
) -> ComparisonResult:
    """Compare corpora with what is expected of classes, by a file and by a suite."""
    notion, gold, confidence = asked.notion, asked.chosen_gold, options.confidence
    notes: list[str] = []
    if suite is not None:
        known = {p.name for p in expected}
        free = [c for c in suite.classes if c.name not in known]
        own = predict_from_suite(suite.scores, free, notion=notion, confidence=confidence)
        notes.append(
            f"{suite.scores.run}: {len(own)} of {len(free)} classes differ from the rest of the suite; "
            "these are the predictions"
        )
        expected = [*expected, *own]
        named = _merge_classes(named, suite.classes)
    if not expected:
        notes.append("nothing is predicted: 0 classes, and the table has the whole alone")
    sources: Sequence[Run | str | Corpus] = [read_run(r) for r in runs] or [gold]
    if runs:
        found = score_runs([s for s in sources if isinstance(s, Run)], options, classes=named, gold=gold)
    else:
        found = [score_predictions(gold, comparison.predicted, options, classes=named)]
    if comparison.predictions and (origin := read_signature(comparison.predictions)):
        notes += note_scoring_differences(comparison.predictions.name, origin, found)
    tables = [compare(s, expected, notion=notion, confidence=confidence) for s in found]
    table = pd.concat(tables, ignore_index=True)
    if comparison.reference:
        reference = _score_reference(comparison.reference, found, sources, suite, notion, confidence)
        table, said = add_reference_columns(
            tables, found, expected, reference, notion=notion, confidence=confidence
        )
        notes += said
    table = add_adjusted_p(table)
    if suite is None:
        return ComparisonResult(table, notes=tuple(notes))
    base = suite.scores
    notes += note_scoring_differences(base.run, base.overall_signature, found)
    if comparison.transfer and comparison.composition:
        table, said = estimates.add_estimates(table, base, found, named, comparison.transfer, notion=notion)
        notes += said
    points = pd.concat(
        [collect_points(base, s, suite.classes, notion=notion) for s in found], ignore_index=True
    )
    if comparison.scatter is not None:
        with atomic_text(comparison.scatter) as stream:
            stream.write(format_frame(points, OutputFormat.csv))
    return ComparisonResult(table, points, correlate_ranks(points, confidence), tuple(notes))


def _score_reference(
    given: Sequence[ReferenceSource],
    found: Sequence[Scores],
    sources: Sequence[Run | str | Corpus],
    suite: _ScoredSuite | None,
    notion: str,
    confidence: float,
) -> ReferenceTagger:
    """The reference tagger's scores of the same corpora, and its predictions from the same suite."""
    # the machinery that runs taggers is loaded by those who need it
    from .reference import ReferenceTarget, score_reference

    targets = [ReferenceTarget.from_source(s, source) for s, source in zip(found, sources, strict=True)]
    if suite is None:
        return ReferenceTagger(*score_reference(given, targets), ())
    targets.append(ReferenceTarget.from_source(suite.scores, suite.run, suite.classes))
    name, others = score_reference(given, targets)
    foreseen = predict_from_suite(others.pop(), suite.classes, notion=notion, confidence=confidence)
    return ReferenceTagger(name, others, tuple(foreseen))


def _merge_classes(*sources: Sequence[Class]) -> list[Class]:
    """Classes of several sources that have no file, each name once."""
    return list(join_classes((None, one) for source in sources for one in source).values())


def note_scoring_differences(name: str, signature: str, corpora: Sequence[Scores]) -> list[str]:
    """In what the scoring that predicts and those of corpora differ that should not differ."""
    return [
        note
        for scores in corpora
        for note in describe_differences(
            name,
            scores.run,
            list_differences(signature, scores.overall_signature, ignored=("suite", "corpus")),
        )
    ]


def select_printed_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return what is printed of a comparison: counts and measures with the verdicts."""
    if "verdict" not in table:
        return set_layout(table.drop(columns="notion"), "standardised", "suite_value", "support")
    kept = find_varying_columns(table)
    kept += ["class", *COUNT_COLUMNS, "precision", "recall", "measure", "expected", "rest", "difference"]
    kept += ["difference_low", "difference_high", "verdict", "remark"]
    kept += [c for c in ("standardised", "standardised_low", "standardised_high", "support") if c in table]
    if "specificity" in table:
        kept += ["adjusted_p", "reference_expected", "reference_difference", "apart", "specificity"]
    shown = table[kept]
    if shown["remark"].fillna("").eq("").all():
        shown = shown.drop(columns="remark")
    return set_layout(
        shown, "verdict", "difference", "expected", "standardised", "recall", "precision", "gold", "predicted"
    )


def compare_pairwise(runs: Sequence[Scores], base: Scores, notion: str) -> ComparisonResult:
    """Paired differences of runs from another run, per class; corrected for all classes of all runs."""
    tables, notes = [], []
    for scores in runs:
        notes += describe_differences(scores.run, base.run, scores.list_differences(base))
        tables.append(compare_paired(scores, base, notion=notion, confidence=base.options.confidence))
    table = pd.concat(tables, ignore_index=True)
    return ComparisonResult(add_corrected_p(table), notes=tuple(notes))


def select_difference_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of paired differences that are printed."""
    kept = ["class", "measure", "one", "other", "difference", "difference_low", "difference_high"]
    kept += ["one_value", "other_value", "p_bh", "p_holm"]
    return set_layout(table[kept], "difference", "p_bh", "one_value", "other_value", section="")
