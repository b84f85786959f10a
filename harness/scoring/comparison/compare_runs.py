"""Comparison of runs or recorded output with a predictions file, a run on a suite, or another run."""

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
from .specificity import ReferenceTagger, ReferenceTarget, add_reference_columns
from .suite_predictions import collect_points, correlate_ranks, list_classes, predict_from_suite

if TYPE_CHECKING:
    from .reference import ReferenceSource


@dataclass(frozen=True)
class ComparisonOptions:
    """Options of `compare`, such as the predictions, suite or run used for the comparison.

    Attributes
    ----------
    predictions : Path, optional
        Predictions file.
    suite : Run or path, optional
        Run on a suite; predictions are made from its results.
    against : Run or path, optional
        Another run on the same texts; cannot be combined with the other options.
    predicted : str, Corpus or DataFrame
        Recorded output of a tagger, instead of runs.
    scatter : Path, optional
        CSV file to which the results of each class on suite and corpus are written.
    transfer : TransferOptions, optional
        Options for standardising the suite results to the composition of a corpus; runs are then optional.
    reference : sequence of Run, path or name
        Runs of a reference tagger, or its name. The comparison reports which predictions are also confirmed
        for the reference tagger.
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
        """Corpus summary used to standardise suite results; an empty string if none is given."""
        return self.transfer.standardise if self.transfer else ""

    def needs_corpus(self, runs: Sequence[object]) -> bool:
        """Return True unless the comparison only standardises suite results, which requires no corpus."""
        return bool(runs) or not is_absent(self.predicted) or self.suite is None or not self.composition

    def check(self, runs: Sequence[object], class_options: ClassOptions) -> None:
        """Raise InputError if options cannot be combined, or if a necessary option is missing."""
        recorded = not is_absent(self.predicted)
        has_classes = bool(class_options.by) or class_options.classes is not None
        without_corpus = not self.needs_corpus(runs)
        if bool(runs) == recorded and not without_corpus:
            raise InputError("give either run folders, or recorded output with --gold and --predicted")
        if self.composition and self.suite is None:
            raise InputError("--standardise requires --suite", found=self.composition)
        if without_corpus and self.scatter is not None:
            raise InputError("--scatter requires runs on a corpus")
        if self.reference and (self.against is not None or without_corpus):
            raise InputError("--reference requires runs on a corpus, and --suite or --predictions")
        if recorded and is_absent(class_options.gold):
            raise InputError("--predicted requires --gold")
        if self.against is not None:
            if recorded or any(other is not None for other in (self.predictions, self.suite, self.scatter)):
                raise InputError("--against can only be combined with --classes, --by and --gold")
            return
        if self.predictions is None and self.suite is None:
            raise InputError(
                "nothing to compare with; give a predictions file (--predictions), "
                "a run on a suite (--suite) or another run (--against)"
            )
        if self.suite is None and (has_classes or self.scatter is not None):
            raise InputError("--by, --classes and --scatter require --suite")
        if self.suite is not None and self.predictions is None and not has_classes:
            raise InputError("--suite requires --classes, --by or --predictions")


@dataclass(frozen=True)
class ComparisonResult:
    """Result of ``compare``.

    Attributes
    ----------
    table : DataFrame
        For each run, a row for all mentions, followed by one row per prediction.
    points : DataFrame or None
        Results of each class on suite and corpus; None if there is no suite.
    correlation : DataFrame or None
        Rank correlations between the results on suite and corpus; None if there is no suite.
    notes : tuple of str
        Notes to show with the results.
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
    """Compare runs or recorded output with a predictions file, a run on a suite, or another run.

    Raises
    ------
    InputError
        If options cannot be combined, or a class name occurs in two files with different queries.
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
        table, notes = estimates.estimate_without_corpus(
            base,
            list_classes(base),
            comparison.transfer,
            notion=class_options.notion,
            evidence=estimates.score_evidence(comparison.transfer.evidence, options, [base]),
        )
        return ComparisonResult(table, notes=notes)
    target = ReferenceTarget.from_source(base, suite, list_classes(base))
    return _compare_corpora(runs, options, class_options, comparison, expected, named, target)


def _compare_corpora(
    runs: Sequence[RunSource],
    options: ScoringOptions,
    class_options: ClassOptions,
    comparison: ComparisonOptions,
    expected: list[Prediction],
    named: list[Class],
    suite: ReferenceTarget | None = None,
) -> ComparisonResult:
    """Compare runs on corpora with the predictions from a file and from a run on a suite."""
    notion, gold, confidence = class_options.notion, class_options.chosen_gold, options.confidence
    notes: list[str] = []
    if suite is not None:
        predicted_names = {p.name for p in expected}
        other_classes = [c for c in suite.classes if c.name not in predicted_names]
        suite_predictions = predict_from_suite(suite.scores, other_classes, notion=notion)
        notes.append(
            f"{suite.scores.run}: {len(suite_predictions)} of {len(other_classes)} classes differ from "
            "the rest of the suite; these are the predictions"
        )
        expected = [*expected, *suite_predictions]
        named = _merge_classes(named, suite.classes)
    if not expected:
        notes.append("no predictions: the table shows the results for all mentions only")
    sources: Sequence[Run | str | Corpus] = [read_run(r) for r in runs] or [gold]
    if runs:
        corpora = score_runs([s for s in sources if isinstance(s, Run)], options, classes=named, gold=gold)
    else:
        corpora = [score_predictions(gold, comparison.predicted, options, classes=named)]
    if comparison.predictions and (origin := read_signature(comparison.predictions)):
        notes += note_scoring_differences(comparison.predictions.name, origin, corpora)
    tables = [compare(s, expected, notion=notion, confidence=confidence) for s in corpora]
    table = pd.concat(tables, ignore_index=True)
    if comparison.reference:
        reference = _score_reference(comparison.reference, corpora, sources, suite, notion)
        table, reference_notes = add_reference_columns(tables, corpora, expected, reference, notion=notion)
        notes += reference_notes
    table = add_adjusted_p(table)
    if suite is None:
        return ComparisonResult(table, notes=tuple(notes))
    base = suite.scores
    notes += note_scoring_differences(base.run, base.overall_signature, corpora)
    if comparison.transfer and comparison.composition:
        table, transfer_notes = estimates.add_estimates(
            table,
            base,
            corpora,
            named,
            comparison.transfer,
            notion=notion,
            evidence=estimates.score_evidence(comparison.transfer.evidence, options, [base]),
        )
        notes += transfer_notes
    points = pd.concat(
        [collect_points(base, s, suite.classes, notion=notion) for s in corpora], ignore_index=True
    )
    if comparison.scatter is not None:
        with atomic_text(comparison.scatter) as stream:
            stream.write(format_frame(points, OutputFormat.csv))
    return ComparisonResult(table, points, correlate_ranks(points, confidence), tuple(notes))


def _score_reference(
    reference_sources: Sequence[ReferenceSource],
    corpora: Sequence[Scores],
    sources: Sequence[Run | str | Corpus],
    suite: ReferenceTarget | None,
    notion: str,
) -> ReferenceTagger:
    """Return the reference tagger with its scores on the corpora and its predictions from the suite."""
    # imported here, because running taggers needs many modules
    from .reference import score_reference

    targets = [
        ReferenceTarget.from_source(s, source, s.classes) for s, source in zip(corpora, sources, strict=True)
    ]
    if suite is None:
        return ReferenceTagger(*score_reference(reference_sources, targets), ())
    name, others = score_reference(reference_sources, [*targets, suite])
    predictions = predict_from_suite(others.pop(), suite.classes, notion=notion)
    return ReferenceTagger(name, others, tuple(predictions))


def _merge_classes(*sources: Sequence[Class]) -> list[Class]:
    """Merge lists of classes, so that each name occurs once."""
    return list(join_classes((None, one) for source in sources for one in source).values())


def note_scoring_differences(name: str, signature: str, corpora: Sequence[Scores]) -> list[str]:
    """Return notes if the corpora were scored differently from the run that the predictions come from."""
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
    """Return the columns of a comparison to print: counts, measures and verdicts."""
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
    """Compare each run with the run `base`, per class; p values are corrected for all classes and runs."""
    tables, notes = [], []
    for scores in runs:
        notes += describe_differences(scores.run, base.run, scores.list_differences(base))
        tables.append(compare_paired(scores, base, notion=notion, confidence=base.options.confidence))
    table = pd.concat(tables, ignore_index=True)
    return ComparisonResult(add_corrected_p(table), notes=tuple(notes))


def select_difference_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a table of paired differences to print, with p values last."""
    kept = ["class", "measure", "one", "other", "difference", "difference_low", "difference_high"]
    kept += ["one_value", "other_value", "p_bh", "p_holm"]
    return set_layout(table[kept], "difference", "p_bh", "one_value", "other_value", section="")
