"""Section on notions of correctness, with charts and a table as in Olsson et al. (2002)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...harness.scoring.notions import OLSSON_TABLE_1
from ...harness.scoring.views.boundaries import count_right_edges
from ..model import Block, Chart, Column, Section, Table, make_identifier
from .findings import Findings, ScoredRun, select_overall

EDGE_LABELS = {"left": "left", "right": "right", "either": "left or right", "both": "left and right"}


def notions_section(findings: Findings) -> Section:
    """Return the section with charts of F and of right boundaries, and a table of measures by notion."""
    blocks: list[Block] = []
    for source in findings.sources:
        entries = [e for e in findings.entries if e.source == source]
        parts = _notion_chart(entries, source), _boundary_chart(entries, source), _table(entries, source)
        blocks += [part for part in parts if part is not None]
    lead = (
        "Scores under several definitions of a correct mention; large differences mean many wrong boundaries."
    )
    return Section("notions", "Notions of correctness", lead, tuple(blocks), "Notions")


def _notion_chart(entries: Sequence[ScoredRun], source: str) -> Chart | None:
    """Return the chart of F under each notion (Olsson et al. 2002, figure 1)."""
    frames = []
    for entry in entries:
        rows = select_overall(entry.notion_scores.table).set_index("notion")
        rows = rows.loc[[n for n in OLSSON_TABLE_1 if n in rows.index]]
        names = [str(n).replace("_", " ") for n in rows.index]
        frames.append(_bars(names, entry.tagger, rows["f1"], rows["f1_low"], rows["f1_high"]))
    return _bar_chart(
        make_identifier("figure-notions", source),
        f"F under each notion of correctness on {source}",
        frames,
        "F",
        "A large drop from sloppy to strict means many wrong boundaries.",
    )


def _boundary_chart(entries: Sequence[ScoredRun], source: str) -> Chart | None:
    """Return the chart of the share of correct boundaries (Olsson et al. 2002, figure 2)."""
    frames = []
    for entry in entries:
        edges = count_right_edges(entry.notion_scores)
        names = [EDGE_LABELS[str(e)] for e in edges["edge"]]
        frames.append(_bars(names, entry.tagger, edges["share"], edges["low"], edges["high"]))
    return _bar_chart(
        make_identifier("figure-boundaries", source),
        f"Right boundaries among overlapping mentions on {source}",
        frames,
        "share",
        "Share of predicted mentions with the right boundary, among those that overlap a gold mention.",
    )


def _bars(
    names: Sequence[str], tagger: str, value: pd.Series, low: pd.Series, high: pd.Series
) -> pd.DataFrame:
    ends = {"low": low.to_numpy(), "high": high.to_numpy()}
    return pd.DataFrame({"group": list(names), "series": tagger, "value": value.to_numpy(), **ends})


def _bar_chart(id_: str, caption: str, frames: Sequence[pd.DataFrame], y: str, note: str) -> Chart | None:
    """Return a chart of grouped bars, or None if all values are missing."""
    frame = pd.concat(frames, ignore_index=True)
    return None if frame["value"].isna().all() else Chart(id_, caption, "bars", frame, y=y, note=note)


def _table(entries: Sequence[ScoredRun], source: str) -> Table | None:
    """Return the table of R, P and F under each notion (Olsson et al. 2002, table 1)."""
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
        make_identifier("notions", source),
        f"Figures under each notion of correctness on {source}",
        frame,
        columns,
    )
