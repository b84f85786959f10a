"""Section with score tables from published evaluations or from files."""

from __future__ import annotations

import pandas as pd

from ...harness.scoring.statistics.sums import ALL_MEASURES
from ...harness.scoring.table import COUNT_COLUMNS, COUNT_HEADS, SCORE_COLUMNS
from ..model import Column, Section, Table, make_identifier
from .findings import Findings

NAME_COLUMNS = SCORE_COLUMNS[: SCORE_COLUMNS.index("gold")]
"""Columns that identify a row of a score table."""
LABELS = {**COUNT_HEADS, "f1": "F"}


def evaluations_section(findings: Findings) -> Section:
    """Return the section with the score table of each evaluation."""
    blocks = tuple(
        evaluation_table(one.table, make_identifier("evaluation", str(i), one.title), one.title, one.shown)
        for i, one in enumerate(findings.evaluations, 1)
    )
    lead = "Score tables of published evaluations. The CSV files contain further columns."
    return Section("evaluations", "Evaluations", lead, blocks)


def evaluation_table(table: pd.DataFrame, id_: str, caption: str, shown: tuple[str, ...] = ()) -> Table:
    """Return a score table with the columns to display.

    By default, these are the columns in which rows differ, the counts, the measures, and all columns that
    other score tables do not have.
    """
    if not shown:
        own = [str(c) for c in table.columns if str(c) not in SCORE_COLUMNS and table[c].notna().any()]
        shown = (*NAME_COLUMNS, *COUNT_COLUMNS, *ALL_MEASURES, *own)
    # columns with only one value are left out, except the class
    kept = [
        c for c in shown if c in table and (c not in NAME_COLUMNS or c == "class" or table[c].nunique() > 1)
    ]
    return Table(id_, caption, table.reset_index(drop=True), tuple(_column(table, name) for name in kept))


def _column(table: pd.DataFrame, name: str) -> Column:
    label = LABELS.get(name, name.replace("_", " "))
    if name in ALL_MEASURES:
        return Column(name, label, "range")
    if name in COUNT_COLUMNS:
        return Column(name, label, "count")
    return Column(name, label, "number" if pd.api.types.is_numeric_dtype(table[name].dtype) else "text")
