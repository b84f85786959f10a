"""Notions of correctness: the figures and the table of Olsson et al. (2002)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...harness.scoring.notions import OLSSON_TABLE_1
from ...harness.scoring.views.boundaries import count_right_edges
from ..model import Block, Chart, Column, Section, Table, make_identifier
from .findings import Findings, ScoredRun, select_overall

EDGE_LABELS = {"left": "left", "right": "right", "either": "left or right", "both": "left and right"}


def notions_section(findings: Findings) -> Section:
    """Return F under each notion, right boundaries and the table of notions, for each source."""
    blocks: list[Block] = []
    for source in findings.sources:
        entries = [e for e in findings.entries if e.source == source]
        parts = _notion_chart(entries, source), _boundary_chart(entries, source), _table(entries, source)
        blocks += [part for part in parts if part is not None]
    lead = "What counts as right changes the figures; where they differ, boundaries are the problem."
    return Section("notions", "Notions of correctness", lead, tuple(blocks), "Notions")


def _notion_chart(entries: Sequence[ScoredRun], source: str) -> Chart | None:
    """Olsson et al. (2002), figure 1: F under each notion."""
    frames = []
    for entry in entries:
        rows = select_overall(entry.notion_scores.table).set_index("notion")
        rows = rows.loc[[n for n in OLSSON_TABLE_1 if n in rows.index]]
        names = [str(n).replace("_", " ") for n in rows.index]
        frames.append(_bars(names, entry.tagger, rows["f1"], rows["f1_low"], rows["f1_high"]))
    return _bar_chart(
        make_identifier("figure-notions", source),
        f"F under each notion of correctness, {source}",
        frames,
        "F",
        "The more a bar falls from sloppy to strict, the more a tagger loses at boundaries.",
    )


def _boundary_chart(entries: Sequence[ScoredRun], source: str) -> Chart | None:
    """Olsson et al. (2002), figure 2: the share of right boundaries, given a sloppy match."""
    frames = []
    for entry in entries:
        found = count_right_edges(entry.notion_scores)
        names = [EDGE_LABELS[str(e)] for e in found["edge"]]
        frames.append(_bars(names, entry.tagger, found["share"], found["low"], found["high"]))
    return _bar_chart(
        make_identifier("figure-boundaries", source),
        f"Right boundaries, given an overlap, {source}",
        frames,
        "share",
        "Of the predicted mentions that overlap a gold mention, the share with its boundary.",
    )


def _bars(
    names: Sequence[str], tagger: str, value: pd.Series, low: pd.Series, high: pd.Series
) -> pd.DataFrame:
    ends = {"low": low.to_numpy(), "high": high.to_numpy()}
    return pd.DataFrame({"group": list(names), "series": tagger, "value": value.to_numpy(), **ends})


def _bar_chart(id_: str, caption: str, frames: Sequence[pd.DataFrame], y: str, note: str) -> Chart | None:
    """Return bars side by side; None if no value is known."""
    frame = pd.concat(frames, ignore_index=True)
    return None if frame["value"].isna().all() else Chart(id_, caption, "bars", frame, y=y, note=note)


def _table(entries: Sequence[ScoredRun], source: str) -> Table | None:
    """Olsson et al. (2002), table 1: R, P and F of each tagger under each notion that has figures."""
    frame = pd.DataFrame({"notion": list(OLSSON_TABLE_1)})
    for entry in entries:
        rows = select_overall(entry.notion_scores.table).set_index("notion").reindex(list(OLSSON_TABLE_1))
        for letter, name in (("R", "recall"), ("P", "precision"), ("F", "f1")):
            frame[f"{entry.tagger} {letter}"] = rows[name].astype("float64").to_numpy()
    frame = frame[frame.drop(columns="notion").notna().any(axis=1)].reset_index(drop=True)
    if frame.empty:
        return None
    figures = [Column(name, name, "share") for name in map(str, frame.columns[1:])]
    columns = (Column("notion", "notion"), *figures)
    return Table(
        make_identifier("notions", source), f"{source} under each notion of correctness", frame, columns
    )
