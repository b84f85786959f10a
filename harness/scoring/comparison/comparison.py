"""Comparison of runs, or of recorded predictions, with a predictions file, a suite or another run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_text
from ....catalogues.core.tables import Format, render
from ....sentences.corpus import Corpus
from ...running.folder.runs import Run, read_run
from ..classes import Class, join_classes
from ..options import ClassOptions, ScoringOptions, is_absent
from ..runs import Finished, score_files, score_runs
from ..scores import Scores
from ..signature import differ, differences
from ..statistics.corrections import corrected
from ..statistics.paired import paired
from ..table import COUNT_HEADS, COUNTS, several
from ..transfer import estimates
from ..transfer.options import TransferOptions
from .compare import adjusted, compare
from .predictions import Prediction, read_predictions_file, read_signature
from .specificity import Reference, beside_reference
from .suite_predictions import classes_of, points_of, predictions_from, rank_correlation

if TYPE_CHECKING:
    from .reference import Given


@dataclass(frozen=True)
class Comparison:
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
    suite: Finished | None = None
    against: Finished | None = None
    predicted: str | Corpus | pd.DataFrame = ""
    scatter: Path | None = None
    transfer: TransferOptions | None = None
    reference: Sequence[Given] = ()

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
    runs: Sequence[Finished], options: ScoringOptions, asked: ClassOptions, comparison: Comparison
) -> ComparisonResult:
    """Compare runs, or predictions recorded elsewhere, with a predictions file, a suite, or another run.

    Raises
    ------
    InputError
        When the choices contradict each other, or a class occurs in two files with different queries.
    """
    comparison.check(runs, asked)
    options = replace(options, notions=(asked.notion,))
    named, by, gold = asked.named, asked.by, asked.chosen_gold
    if comparison.against is not None:
        base, *others = score_runs([comparison.against, *runs], options, classes=named, by=by, gold=gold)
        return paired_differences(others, base, asked.notion)
    expected = read_predictions_file(comparison.predictions) if comparison.predictions else []
    named = _joined(expected, named)
    if comparison.suite is None:
        return _compare(runs, options, asked, comparison, expected, named)
    suite = read_run(comparison.suite)
    base = score_runs([suite], options, classes=named, by=by)[0]
    if comparison.transfer and not comparison.needs_corpus(runs):
        table, said = estimates.alone(base, classes_of(base), comparison.transfer, notion=asked.notion)
        return ComparisonResult(table, notes=said)
    return _compare(runs, options, asked, comparison, expected, named, _Suite(suite, base))


@dataclass(frozen=True)
class _Suite:
    """A run over a suite, scored."""

    run: Run
    scores: Scores

    @property
    def classes(self) -> list[Class]:
        return classes_of(self.scores)


def _compare(
    runs: Sequence[Finished],
    options: ScoringOptions,
    asked: ClassOptions,
    comparison: Comparison,
    expected: list[Prediction],
    named: list[Class],
    suite: _Suite | None = None,
) -> ComparisonResult:
    """Compare corpora with what is expected of classes, by a file and by a suite."""
    notion, gold, confidence = asked.notion, asked.chosen_gold, options.confidence
    notes: list[str] = []
    if suite is not None:
        known = {p.name for p in expected}
        free = [c for c in suite.classes if c.name not in known]
        own = predictions_from(suite.scores, free, notion=notion, confidence=confidence)
        notes.append(
            f"{suite.scores.run}: {len(own)} of {len(free)} classes differ from the rest of the suite; "
            "these are the predictions"
        )
        expected = [*expected, *own]
        named = _joined(named, suite.classes)
    if not expected:
        notes.append("nothing is predicted: 0 classes, and the table has the whole alone")
    sources: Sequence[Run | str | Corpus] = [read_run(r) for r in runs] or [gold]
    if runs:
        found = score_runs([s for s in sources if isinstance(s, Run)], options, classes=named, gold=gold)
    else:
        found = [score_files(gold, comparison.predicted, options, classes=named)]
    if comparison.predictions and (origin := read_signature(comparison.predictions)):
        notes += unlike_notes(comparison.predictions.name, origin, found)
    tables = [compare(s, expected, notion=notion, confidence=confidence) for s in found]
    table = pd.concat(tables, ignore_index=True)
    if comparison.reference:
        reference = _reference(comparison.reference, found, sources, suite, notion, confidence)
        table, said = beside_reference(
            tables, found, expected, reference, notion=notion, confidence=confidence
        )
        notes += said
    table = adjusted(table)
    if suite is None:
        return ComparisonResult(table, notes=tuple(notes))
    base = suite.scores
    notes += unlike_notes(base.run, base.whole_signature, found)
    if comparison.transfer and comparison.composition:
        table, said = estimates.beside(table, base, found, named, comparison.transfer, notion=notion)
        notes += said
    points = pd.concat([points_of(base, s, suite.classes, notion=notion) for s in found], ignore_index=True)
    if comparison.scatter is not None:
        with atomic_text(comparison.scatter) as stream:
            stream.write(render(points, Format.csv))
    return ComparisonResult(table, points, rank_correlation(points, confidence), tuple(notes))


def _reference(
    given: Sequence[Given],
    found: Sequence[Scores],
    sources: Sequence[Run | str | Corpus],
    suite: _Suite | None,
    notion: str,
    confidence: float,
) -> Reference:
    """The reference tagger's scores of the same corpora, and its predictions from the same suite."""
    # the machinery that runs taggers is loaded by those who need it
    from .reference import Target, reference_scores

    targets = [Target.of(s, source) for s, source in zip(found, sources, strict=True)]
    if suite is None:
        return Reference(*reference_scores(given, targets), ())
    targets.append(Target.of(suite.scores, suite.run, suite.classes))
    name, others = reference_scores(given, targets)
    foreseen = predictions_from(others.pop(), suite.classes, notion=notion, confidence=confidence)
    return Reference(name, others, tuple(foreseen))


def _joined(*sources: Sequence[Class]) -> list[Class]:
    """Classes of several sources that have no file, each name once."""
    return list(join_classes((None, one) for source in sources for one in source).values())


def unlike_notes(name: str, signature: str, found: Sequence[Scores]) -> list[str]:
    """In what the scoring that predicts and those of corpora differ that should not differ."""
    return [
        note
        for scores in found
        for note in differ(
            name, scores.run, differences(signature, scores.whole_signature, besides=("suite", "corpus"))
        )
    ]


def printed(table: pd.DataFrame) -> pd.DataFrame:
    """Return what is printed of a comparison: counts and measures with the verdicts."""
    if "verdict" not in table:
        return table.drop(columns="notion")
    kept = several(table)
    kept += ["class", *COUNTS, "precision", "recall", "measure", "expected", "rest", "difference"]
    kept += ["difference_low", "difference_high", "verdict", "remark"]
    kept += [c for c in ("standardised", "standardised_low", "standardised_high", "support") if c in table]
    if "specificity" in table:
        kept += ["adjusted_p", "reference_expected", "reference_difference", "apart", "specificity"]
    heads = {**COUNT_HEADS, "difference_low": "low", "difference_high": "high"}
    shown = table[kept].rename(columns=heads)
    if shown["remark"].fillna("").eq("").all():
        shown = shown.drop(columns="remark")
    return shown


def paired_differences(runs: Sequence[Scores], base: Scores, notion: str) -> ComparisonResult:
    """Paired differences of runs from another run, per class; corrected for all classes of all runs."""
    tables, notes = [], []
    for scores in runs:
        notes += differ(scores.run, base.run, scores.unlike(base))
        tables.append(paired(scores, base, notion=notion, confidence=base.options.confidence))
    table = pd.concat(tables, ignore_index=True)
    return ComparisonResult(corrected(table), notes=tuple(notes))


def printed_differences(table: pd.DataFrame) -> pd.DataFrame:
    """What of paired differences is printed: effects first."""
    kept = ["class", "measure", "one", "other", "difference", "difference_low", "difference_high"]
    kept += ["one_value", "other_value", "p_bh", "p_holm"]
    return table[kept].rename(columns={"difference_low": "low", "difference_high": "high"})
