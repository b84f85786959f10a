"""What a comparison gives, what may be asked of it, and what of it is printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ..scores import Scores
from ..signature import differ, differences
from ..statistics.corrections import corrected
from ..statistics.paired import paired
from ..table import COUNT_HEADS, COUNTS, several


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
        Remarks for the reader.
    """

    table: pd.DataFrame
    points: pd.DataFrame | None = None
    correlation: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()


def absent(given: object) -> bool:
    """Whether nothing is given; a corpus or a frame without rows is something."""
    return given is None or (isinstance(given, str) and not given)


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
        kept += ["random_as_extreme"]
    heads = {**COUNT_HEADS, "difference_low": "low", "difference_high": "high"}
    shown = table[kept].rename(columns=heads)
    if shown["remark"].fillna("").eq("").all():
        shown = shown.drop(columns="remark")
    return shown


def paired_differences(runs: Sequence[Scores], base: Scores, notion: str) -> Compared:
    """Paired differences of runs from another run, per class; corrected for all classes of all runs."""
    tables, notes = [], []
    for scores in runs:
        notes += differ(scores.run, base.run, scores.unlike(base))
        tables.append(paired(scores, base, notion=notion, confidence=base.options.confidence))
    table = pd.concat(tables, ignore_index=True)
    return Compared(corrected(table), notes=tuple(notes))


def printed_differences(table: pd.DataFrame) -> pd.DataFrame:
    """What of paired differences is printed: effects first."""
    kept = ["class", "measure", "one", "other", "difference", "difference_low", "difference_high"]
    kept += ["one_value", "other_value", "p_bh", "p_holm"]
    return table[kept].rename(columns={"difference_low": "low", "difference_high": "high"})
