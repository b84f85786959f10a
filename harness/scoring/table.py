"""Score table: its columns, its construction from counts, and the columns that are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ...catalogues.core.text_table import TableLayout
from .arrays import Ints, Numbers
from .counting import Counts
from .measures import f_score, ratio, slot_error_rate
from .statistics.intervals import wilson_f1_interval, wilson_interval

SCORE_COLUMNS = (
    "run",
    "corpus",
    "type",
    "class",
    "notion",
    "unit",
    "gold",
    "predicted",
    "gold_matched",
    "predicted_matched",
    "tp",
    "fp",
    "fn",
    "precision",
    "recall",
    "f1",
    "precision_low",
    "precision_high",
    "recall_low",
    "recall_high",
    "f1_low",
    "f1_high",
    "interval",
    "signature",
)
"""Columns of every score table, in order; a table can have further columns after these.

Gold mentions are counted in the class of their gold form. They determine recall (gold_matched / gold) and fn
(gold - gold_matched). Predicted mentions are counted in the class of their predicted form. They determine
precision (predicted_matched / predicted), tp (predicted_matched) and fp (predicted - predicted_matched).
"""

SCHEME_COLUMNS = ("correct", "partial", "incorrect", "missed", "spurious", "substitutions", "ser")
"""Further columns of a score table if a notion gives a credit (from 0 to 1) to each pair of mentions.

`correct`, `partial` and `incorrect` are the numbers of pairs with full, partial and no credit. `missed` and
`spurious` are the numbers of gold and predicted mentions without a partner. `substitutions` is the sum of 1 -
credit over all pairs; `ser` is the slot error rate (substitutions + missed + spurious) / gold.
"""

COUNT_COLUMNS = ("gold", "gold_matched", "fn", "predicted", "predicted_matched", "fp")
"""Columns of counts in printed tables."""
COUNT_HEADS = {"gold_matched": "found", "fn": "missed", "predicted_matched": "right", "fp": "wrong"}
"""Headings of count columns in printed tables, if they differ from the column names."""
INTERVAL_COLUMNS = tuple(f"{m}_{end}" for m in ("precision", "recall", "f1") for end in ("low", "high"))
"""Columns with the lower and upper ends of intervals."""
NAME_COLUMNS = ("run", "class", "type", "notion", "measure")
"""Columns that identify a row of a printed table."""
IMPORTANCE = ("recall", "precision", "gold", "f1", "predicted", "notion", "fn", "fp")
"""Columns of a printed score table, most important first."""
PRINTED_COLUMNS = (
    *("class", "type", "notion", *COUNT_COLUMNS),
    *("precision", "precision_low", "precision_high", "recall", "recall_low", "recall_high"),
    *("f1", "f1_low", "f1_high"),
)


@dataclass(frozen=True)
class TableBlock:
    """Consecutive rows of a score table under one notion, with one row per class or type."""

    counts: Counts
    notion: str
    unit: str
    classes: Sequence[str]
    types: Sequence[str]
    signatures: Sequence[str]


def build_score_table(
    blocks: Sequence[TableBlock],
    *,
    run: str = "",
    corpus: str = "",
    beta: float = 1.0,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return a score table with measures and Wilson intervals, computed from counts.

    Parameters
    ----------
    blocks : sequence of TableBlock
        Counts and labels of the rows.
    run, corpus : str
        Names for the columns `run` and `corpus`.
    beta : float
        Weight of recall in `f1`; if it is not 1, `f1` has no interval.
    confidence : float
        Confidence level of the intervals.
    """

    def joined(name: str) -> Numbers:
        parts = [getattr(b.counts, name) for b in blocks]
        return np.concatenate(parts) if parts else np.zeros(0)

    gold, predicted = joined("gold"), joined("predicted")
    gold_matched, predicted_matched = joined("gold_matched"), joined("predicted_matched")
    p, r = ratio(predicted_matched, predicted), ratio(gold_matched, gold)
    f = f_score(p, r, beta)
    p_low, p_high = wilson_interval(predicted_matched, predicted, confidence)
    r_low, r_high = wilson_interval(gold_matched, gold, confidence)
    f_low, f_high = wilson_f1_interval(
        f, gold + predicted - (gold_matched + predicted_matched) / 2.0, confidence
    )
    if beta != 1.0:
        f_low, f_high = np.full_like(f, np.nan), np.full_like(f, np.nan)
    frame = pd.DataFrame(
        {
            "run": _make_text_column([run] * len(gold)),
            "corpus": _make_text_column([corpus] * len(gold)),
            "type": _make_text_column([t for b in blocks for t in b.types]),
            "class": _make_text_column([c for b in blocks for c in b.classes]),
            "notion": _make_text_column([b.notion for b in blocks for _ in b.classes]),
            "unit": _make_text_column([b.unit for b in blocks for _ in b.classes]),
            "gold": _narrow_counts(gold),
            "predicted": _narrow_counts(predicted),
            "gold_matched": _narrow_counts(gold_matched),
            "predicted_matched": _narrow_counts(predicted_matched),
            "tp": _narrow_counts(predicted_matched),
            "fp": _narrow_counts(predicted - predicted_matched),
            "fn": _narrow_counts(gold - gold_matched),
            "precision": p,
            "recall": r,
            "f1": f,
            "precision_low": p_low,
            "precision_high": p_high,
            "recall_low": r_low,
            "recall_high": r_high,
            "f1_low": f_low,
            "f1_high": f_high,
            "interval": _make_text_column(["wilson"] * len(gold)),
            "signature": _make_text_column([s for b in blocks for s in b.signatures]),
        },
        columns=list(SCORE_COLUMNS),
        copy=False,
    )
    if any(b.counts.extra for b in blocks):
        frame[list(SCHEME_COLUMNS)] = _scheme_columns(blocks)
    return frame


def add_label_columns(table: pd.DataFrame, **labels: str) -> pd.DataFrame:
    """Insert text columns with constant values at the front of a table, and return the table."""
    for place, (name, text) in enumerate(labels.items()):
        table.insert(place, name, pd.Series([text] * len(table), dtype="str"))
    return table


def count_frequencies(frame: pd.DataFrame, keys: Sequence[str], name: str, total: int) -> pd.DataFrame:
    """Count the distinct combinations of values in the columns `keys` of a table, most frequent first.

    The column called `name` contains the counts, and the column `share` contains the counts divided by
    `total`.
    """
    counted = frame.groupby(list(keys), sort=True).size().rename(name).reset_index()
    counted = counted.sort_values(name, ascending=False, kind="stable", ignore_index=True)
    counted["share"] = ratio(counted[name], total)
    return counted


def select_notion_rows(table: pd.DataFrame, notion: str) -> pd.DataFrame:
    """Return the row of each class in a score table, under one notion and for all types together."""
    return table[(table["notion"] == notion) & (table["type"] == "all")].drop_duplicates("class")


def find_varying_columns(table: pd.DataFrame) -> list[str]:
    """Return those of the columns `run` and `corpus` that contain more than one value."""
    return [c for c in ("run", "corpus") if table[c].nunique() > 1]


def set_layout(table: pd.DataFrame, *order: str, **layout: Any) -> pd.DataFrame:
    """Set the layout of a printed table, with one section per corpus, and return the table.

    Parameters
    ----------
    table : DataFrame
    *order : str
        Columns, most important first.
    **layout
        Other attributes of `TableLayout`.
    """
    layout = {"names": NAME_COLUMNS, "heads": COUNT_HEADS, "section": "corpus"} | layout
    table.attrs["layout"] = TableLayout(order=order, **layout)
    return table


def select_printed_columns(table: pd.DataFrame, main: Sequence[str] = PRINTED_COLUMNS) -> pd.DataFrame:
    """Return the most important columns of a score table, with the layout for printing."""
    shown = [c for c in main if c != "type" or table["type"].nunique() > 1]
    # pairs and errors, if a notion with credits was counted
    shown += [c for c in (*SCHEME_COLUMNS, "invented") if c in table]
    return set_layout(table[find_varying_columns(table) + shown], *IMPORTANCE)


def _scheme_columns(blocks: Sequence[TableBlock]) -> Numbers:
    parts = []
    for block in blocks:
        counts, extra = block.counts, block.counts.extra
        if not extra:
            parts.append(np.full((len(block.classes), len(SCHEME_COLUMNS)), np.nan))
            continue
        correct, partial, paired = extra["gold_right"], extra["gold_partial"], extra["gold_paired"]
        missed, spurious = counts.gold - paired, counts.predicted - extra["predicted_paired"]
        lacking = paired - counts.gold_matched
        ser = slot_error_rate(lacking, missed, spurious, counts.gold)
        columns = (correct, partial, paired - correct - partial, missed, spurious, lacking, ser)
        parts.append(np.stack(columns, axis=1))
    return np.concatenate(parts)


def _make_text_column(values: list[str]) -> pd.api.extensions.ExtensionArray:
    """Return a `str` column; for speed, each distinct text is converted only once."""
    place = {text: i for i, text in enumerate(dict.fromkeys(values))}
    codes = np.fromiter(map(place.__getitem__, values), dtype=np.int64, count=len(values))
    return pd.array(list(place), dtype="str").take(codes)


def _narrow_counts(values: Numbers) -> Ints | Numbers:
    """Return counts as integers if all are whole numbers; otherwise return them unchanged."""
    whole = values.astype(np.int64)
    return whole if np.array_equal(whole, values) else values
