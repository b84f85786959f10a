"""The tables of a study: notions in the form of Olsson et al., boundaries, and differences of taggers."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..harness.scoring.acceptance.accept import printed
from ..harness.scoring.comparison.compare import COLUMNS
from ..harness.scoring.scores import Scores
from ..harness.scoring.table import COUNT_HEADS, COUNTS, rows_under
from ..harness.scoring.transfer.standardise import COLUMNS as TRANSFERRED
from ..harness.scoring.views.boundaries import edges
from .sections.entries import Entry, pairs_of
from .sections.expected import SHOWN as EXPECTED
from .sections.figures import whole_names
from .sections.tables import notions_frame

SHOWN = ("tagger", "measure", "query", "cases", "value", "value_low", "value_high", "rest", "p_bh")
"""Columns of discovered faults that are shown."""
MOST_SHOWN = 5
"""Classes on which two taggers differ that are shown on screen, for each suite or corpus."""


def notion_table(entries: Sequence[Entry], source: str) -> pd.DataFrame:
    """Table 1 of Olsson et al. (2002): `notions_frame` in per cent with one decimal."""
    frame = notions_frame(entries, source)
    figures = list(frame.columns[1:])
    frame[figures] = (100 * frame[figures]).round(1)
    frame.attrs["decimals"] = 1
    return frame


def boundary_table(entries: Sequence[Entry], source: str) -> pd.DataFrame:
    """Figure 2 of Olsson et al. (2002): the share of overlapping mentions with right boundaries, in per cent.

    Returns
    -------
    DataFrame
        Columns `tagger`, `left`, `right`, `left_or_right`, `both`: of `edges`, as in the report's chart.
    """
    rows = []
    for item in entries:
        if item.source == source:
            share = (100 * edges(item.notions).set_index("edge")["share"]).round(1)
            rows.append({"tagger": item.tagger, **share.rename({"either": "left_or_right"})})
    frame = pd.DataFrame(rows, columns=["tagger", "left", "right", "left_or_right", "both"])
    frame.attrs["decimals"] = 1
    return frame


def differences(entries: Sequence[Entry], *, least: int, notion: str = "strict") -> pd.DataFrame:
    """The classes on which two taggers differ most, by the difference of their recalls.

    Parameters
    ----------
    entries : sequence of Entry
    least : int
        Gold mentions that a class must have.
    notion : str
        Under which the taggers are compared.

    Returns
    -------
    DataFrame
        Columns `source`, `class`, `gold`, `one`, `other`, `recall_one`, `recall_other`, `difference`; the
        largest difference first, ties by name. A class that is the whole is left out.
    """
    columns = ["source", "class", "gold", "one", "other", "recall_one", "recall_other", "difference"]
    found = []
    for one, other in pairs_of(entries):
        first, second = (_recalls(s.scores, notion) for s in (one, other))
        both = first.merge(second[["class", "recall"]], on="class", suffixes=("_one", "_other"))
        both["difference"] = both["recall_one"] - both["recall_other"]
        kept = ~both["class"].isin(whole_names(one.scores)) & (both["gold"] >= least)
        both = both[kept & both["difference"].notna()].astype({"gold": "int64"})
        found.append(both.assign(source=one.source, one=one.tagger, other=other.tagger)[columns])
    frame = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=columns)
    order = frame.assign(size=-frame["difference"].astype(float).abs())
    return frame.loc[
        order.sort_values(["size", "source", "class", "one", "other"], kind="stable").index
    ].reset_index(drop=True)


def _recalls(scores: Scores, notion: str) -> pd.DataFrame:
    table = scores.counted
    return rows_under(table[table["unit"] == "mention"], notion)[["class", "gold", "recall"]]


def discovered_tables(found: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """What was found, by title, a table a suite or corpus."""
    frames = [f for f in found.values() if len(f)]
    if not frames:
        return {}
    whole = pd.concat(frames, ignore_index=True)
    return {
        f"{source}: discovered faults": whole.loc[whole["source"] == source, list(SHOWN)].reset_index(
            drop=True
        )
        for source in dict.fromkeys(whole["source"])
    }


def brief(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows and columns of a table that fit a screen."""
    if "required" in frame:
        return frame[["run", "corpus"]].join(printed(frame).drop(columns=["run", "corpus"], errors="ignore"))
    if "verdict" in frame:
        kept = ["run", "corpus", "class", *COUNTS, "precision", "recall", *COLUMNS]
        kept += TRANSFERRED
        kept = [c for c in kept if c in frame and c not in ("observed", "rest")]
        return frame[kept].rename(columns=COUNT_HEADS)
    if "composition" in frame:
        return frame[list(EXPECTED)]
    if "recall_one" in frame:
        return frame.head(MOST_SHOWN)
    return frame
