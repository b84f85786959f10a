"""The charts of a report: the figures of Olsson et al. (2002), and suites against corpora."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...harness.scoring.boundaries import edges
from ...harness.scoring.classes import ALL
from ...harness.scoring.notions import TABLE_1
from ..model import Chart
from .entries import Entry
from .tables import identifier

EDGES = {"left": "left", "right": "right", "either": "left or right", "both": "left and right"}


def notion_chart(entries: Sequence[Entry], source: str) -> Chart | None:
    """Olsson et al. (2002), figure 1: F under each notion."""
    frames = []
    for entry in entries:
        if entry.source != source:
            continue
        table = entry.notions.table
        rows = table[(table["class"] == ALL) & (table["type"] == "all") & table["notion"].isin(TABLE_1)]
        rows = rows.drop_duplicates("notion")
        order = {n: i for i, n in enumerate(TABLE_1)}
        rows = rows.sort_values("notion", key=lambda column: column.map(order))
        frames.append(
            pd.DataFrame(
                {
                    "group": rows["notion"].str.replace("_", " "),
                    "series": entry.tagger,
                    "value": rows["f1"],
                    "low": rows["f1_low"],
                    "high": rows["f1_high"],
                }
            )
        )
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    if frame.empty or frame["value"].isna().all():
        return None
    return Chart(
        identifier("figure-notions", source),
        f"F under each notion of correctness, {source}",
        "bars",
        frame,
        y="F",
        note="The more a bar falls from sloppy to strict, the more a tagger loses at boundaries.",
    )


def boundary_chart(entries: Sequence[Entry], source: str) -> Chart | None:
    """Olsson et al. (2002), figure 2: how likely the boundaries are right, given a sloppy match."""
    frames = []
    for entry in entries:
        if entry.source != source:
            continue
        found = edges(entry.notions)
        frames.append(
            pd.DataFrame(
                {
                    "group": [EDGES[str(e)] for e in found["edge"]],
                    "series": entry.tagger,
                    "value": found["share"],
                    "low": found["low"],
                    "high": found["high"],
                    "pairs": found["pairs"],
                }
            )
        )
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    if frame.empty or frame["value"].isna().all():
        return None
    return Chart(
        identifier("figure-boundaries", source),
        f"Boundaries that are right, given an overlap, {source}",
        "bars",
        frame,
        y="share",
        note="Of the mentions that a tagger touches at all, how many have the gold's boundary.",
    )


def scatter_chart(figures: pd.DataFrame, suite: str, corpus: str, *, least: int = 1) -> Chart | None:
    """Recall of each class on a suite beside that on a corpus."""
    columns = ["tagger", "class", "recall", "gold"]
    parts = [figures.loc[figures["source"] == name, columns] for name in (suite, corpus)]
    both = parts[0].merge(parts[1], on=["tagger", "class"], suffixes=("_suite", "_corpus"))
    both = both[(both["gold_suite"] >= least) & (both["gold_corpus"] >= least)]
    both = both.dropna().reset_index(drop=True)
    if len(both) < 2:
        return None
    frame = pd.DataFrame(
        {
            "label": both["class"],
            "series": both["tagger"],
            "x": both["recall_suite"],
            "y": both["recall_corpus"],
            "size": both["gold_corpus"],
        }
    )
    return Chart(
        identifier("figure-scatter", suite, corpus),
        f"Recall of each class: {suite} against {corpus}",
        "points",
        frame,
        x=f"recall in {suite}",
        y=f"recall in {corpus}",
        note=f"On the line a class is as hard in {corpus} as in {suite}; below it, harder.",
    )
