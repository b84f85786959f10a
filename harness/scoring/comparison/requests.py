"""The command ``compare``, from places on the command line to its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ....catalogues.core.errors import InputError
from ....sentences.corpus import Corpus
from ..classes import Class, read_classes
from ..how import How
from ..requests import scored_files, scored_runs
from ..scores import Scores
from ..signature import differences
from ..statistics.corrections import benjamini_hochberg, holm
from ..statistics.paired import paired
from .compare import compare
from .correlation import rank_correlation
from .from_suite import classes_of, predictions_from, scatter
from .predictions import read_predictions_file, read_signature

if TYPE_CHECKING:
    from ...running.runs import Run


@dataclass(frozen=True)
class Compared:
    """What ``compare`` found.

    Attributes
    ----------
    table : DataFrame
        A block a run: the whole, then a row a prediction.
    points : DataFrame or None
        With a suite: each class on suite and corpus.
    correlation : DataFrame or None
        With a suite: rank correlations over the classes.
    notes : tuple of str
        What the reader has to be told.
    """

    table: pd.DataFrame
    points: pd.DataFrame | None = None
    correlation: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()


def check_choices(
    *,
    runs: Sequence[object] = (),
    predictions: object = None,
    suite: object = None,
    against: object = None,
    gold: object = None,
    predicted: object = None,
    classes: object = None,
    by: Sequence[str] = (),
    scatter: object = None,
) -> None:
    """Refuse choices that contradict each other, or that leave nothing to compare.

    Raises
    ------
    InputError
    """
    recorded = not _absent(predicted)
    if bool(runs) == recorded:
        raise InputError("what is compared is not clear", allowed="run folders, or --gold and --predicted")
    if recorded and _absent(gold):
        raise InputError("--predicted needs --gold")
    if against is not None:
        if predictions is not None or suite is not None or recorded or scatter is not None:
            raise InputError("--against stands alone, with --classes, --by and --gold")
        return
    if predictions is None and suite is None:
        wanted = "a predictions file (--predictions), a run over a suite (--suite), or a run (--against)"
        raise InputError("nothing to compare with", allowed=wanted)
    if suite is None and (by or scatter is not None or classes is not None):
        raise InputError("--by, --classes and --scatter need --suite")
    if suite is not None and predictions is None and not by and classes is None:
        raise InputError("--suite needs --classes, --by or --predictions")


def _absent(given: object) -> bool:
    return given is None or (isinstance(given, str) and not given)


def compare_files(
    runs: Sequence[Path | Run],
    how: How,
    *,
    predictions: Path | None = None,
    suite: Path | Run | None = None,
    gold: str | Corpus = "",
    predicted: str | Corpus | pd.DataFrame = "",
    classes: Path | None = None,
    by: Sequence[str] = (),
    notion: str = "strict",
) -> Compared:
    """Compare runs, or predictions recorded elsewhere, with a predictions file or a suite's results.

    Raises
    ------
    InputError
        When a class stands in two files with different queries.
    """
    expected = read_predictions_file(predictions) if predictions else []
    named = _joined([p.as_class for p in expected], read_classes(classes) if classes else [])
    notes: list[str] = []

    def scored() -> list[Scores]:
        if not _absent(predicted):
            return [scored_files(gold, predicted, named, how, notions=[notion])]
        return scored_runs(runs, named, how, notions=[notion], gold=gold)

    base: Scores | None = None
    told: list[Class] = named
    if suite is not None:
        base = scored_runs([suite], named, how, notions=[notion], by=by)[0]
        told = classes_of(base)
        known = {p.name for p in expected}
        free = [c for c in told if c.name not in known]
        own = predictions_from(base, free, notion=notion, confidence=how.confidence)
        notes.append(
            f"{base.settings.run}: {len(own)} of {len(free)} classes differ from the rest of the suite; "
            "these are the predictions"
        )
        expected = [*expected, *own]
        named = _joined(named, told)
    if not expected:
        notes.append("nothing is predicted: 0 classes, and the table has the whole alone")
    found = scored()
    origin = read_signature(predictions) if predictions else ""
    if origin:
        notes += _unlike(Path(predictions or "").name, origin, found)
    table = pd.concat(
        [compare(s, expected, notion=notion, confidence=how.confidence) for s in found], ignore_index=True
    )
    if base is None:
        return Compared(table, notes=tuple(notes))
    notes += _unlike(base.settings.run, base.whole_signature, found)
    points = pd.concat([scatter(base, s, told, notion=notion) for s in found], ignore_index=True)
    return Compared(table, points, rank_correlation(points, how.confidence), tuple(notes))


def _joined(first: Sequence[Class], second: Sequence[Class]) -> list[Class]:
    found = {c.name: c for c in first}
    for one in second:
        known = found.setdefault(one.name, one)
        if str(known.query) != str(one.query):
            raise InputError(
                "two classes of one name and different queries",
                found=f"{one.name}: {known.query}; {one.query}",
            )
    return list(found.values())


def _unlike(name: str, signature: str, found: Sequence[Scores]) -> list[str]:
    """In what the scoring that predicts and those of corpora differ that should not differ."""
    notes = []
    for scores in found:
        unlike = differences(signature, scores.whole_signature, besides=("suite", "corpus"))
        if unlike:
            notes.append(f"{name} and {scores.settings.run} differ in {'; '.join(unlike)}")
    return notes


def printed(table: pd.DataFrame) -> pd.DataFrame:
    """What of a comparison is printed: the seed's table 1 with the verdicts beside it."""
    kept = [c for c in ("run", "corpus") if table[c].nunique() > 1]
    kept += ["class", "tp", "fp", "fn", "precision", "recall", "measure", "expected", "rest", "difference"]
    kept += ["difference_low", "difference_high", "verdict", "remark"]
    shown = table[kept].rename(columns={"difference_low": "low", "difference_high": "high"})
    if shown["remark"].fillna("").eq("").all():
        shown = shown.drop(columns="remark")
    return shown


def differences_of_runs(
    runs: Sequence[Path | Run],
    against: Path | Run,
    how: How,
    *,
    gold: str | Corpus = "",
    classes: Path | None = None,
    by: Sequence[str] = (),
    notion: str = "strict",
) -> Compared:
    """Paired differences of runs from another run, per class; corrected for all classes of all runs."""
    named = read_classes(classes) if classes else []
    found = scored_runs([against, *runs], named, how, notions=[notion], by=by, gold=gold)
    base, others = found[0], found[1:]
    tables, notes = [], []
    for scores in others:
        unlike = differences(scores.whole_signature, base.whole_signature)
        if unlike:
            notes.append(f"{scores.settings.run} and {base.settings.run} differ in {'; '.join(unlike)}")
        tables.append(paired(scores, base, notion=notion, confidence=how.confidence))
    table = pd.concat(tables, ignore_index=True)
    p = table["p"].to_numpy(dtype="float64")
    return Compared(table.assign(p_bh=benjamini_hochberg(p), p_holm=holm(p)), notes=tuple(notes))


def printed_differences(table: pd.DataFrame) -> pd.DataFrame:
    """What of paired differences is printed: effects first."""
    kept = ["class", "measure", "one", "other", "difference", "difference_low", "difference_high"]
    kept += ["one_value", "other_value", "p_bh", "p_holm"]
    return table[kept].rename(columns={"difference_low": "low", "difference_high": "high"})
