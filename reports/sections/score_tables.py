"""Score tables of evaluations: which of their columns are shown, and how."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...harness.scoring.statistics.sums import ALL_MEASURES
from ...harness.scoring.table import COUNT_HEADS, COUNTS, SCORE_COLUMNS
from ..model import Column, Table

NAMES = SCORE_COLUMNS[: SCORE_COLUMNS.index("gold")]
"""Columns that say what a row is about."""
MOST_DRAWN = 9
"""Columns of a score table beside which all three measures can be drawn with their intervals."""
LABELS = {
    **COUNT_HEADS,
    "f1": "F",
    "ser": "SER",
    "dice": "Dice",
    "norm_fmeasure_micro": "norm. F, micro",
    "norm_fmeasure_macro": "norm. F, macro",
}


def label(name: str) -> str:
    """What readers call a column."""
    return LABELS.get(name, name.replace("_", " "))


def score_file_table(table: pd.DataFrame, id_: str, caption: str, shown: Sequence[str] = ()) -> Table:
    """A score table of an evaluation.

    Parameters
    ----------
    table : DataFrame
    id_, caption : str
    shown : sequence of str
        Columns; where none are named, those in which rows differ, counts, measures and a task's own.
    """
    # a column of one value is of no use, but the class is always named
    one_value = {c for c in NAMES if c != "class" and c in table and table[c].nunique(dropna=False) < 2}
    if not shown:
        own = [str(c) for c in table.columns if str(c) not in SCORE_COLUMNS and table[c].notna().any()]
        shown = [*NAMES, *COUNTS, *ALL_MEASURES, *own]
    several = [c for c in shown if c in table and c not in one_value]
    drawn = ALL_MEASURES if len(several) <= MOST_DRAWN else ("f1",)
    columns = tuple(_score_column(table, name, drawn) for name in several)
    return Table(id_, caption, table.reset_index(drop=True), columns)


def _score_column(table: pd.DataFrame, name: str, drawn: Sequence[str]) -> Column:
    if name in ALL_MEASURES:
        low = f"{name}_low"
        spanned = name in drawn and low in table and bool(table[low].notna().any())
        return Column(name, label(name), "range" if spanned else "share")
    if name in COUNTS:
        return Column(name, label(name), "count")
    return Column(name, label(name), "number" if pd.api.types.is_numeric_dtype(table[name].dtype) else "text")
