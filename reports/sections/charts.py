"""The charts of a report: the figures of Olsson et al. (2002), and suites against corpora."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pandas as pd

from ...harness.scoring.notions import TABLE_1
from ...harness.scoring.views.boundaries import edges
from ..model import Chart
from .entries import Entry
from .figures import overall
from .tables import identifier

EDGES = {"left": "left", "right": "right", "either": "left or right", "both": "left and right"}


def notion_chart(entries: Sequence[Entry], source: str) -> Chart | None:
    """Olsson et al. (2002), figure 1: F under each notion."""
    frames = []
    for entry in entries:
        if entry.source == source:
            rows = overall(entry.notions.table).set_index("notion")
            rows = rows.loc[[n for n in TABLE_1 if n in rows.index]]
            names = [str(n).replace("_", " ") for n in rows.index]
            frames.append(_bars(names, entry.tagger, rows["f1"], rows["f1_low"], rows["f1_high"]))
    return bar_chart(
        identifier("figure-notions", source),
        f"F under each notion of correctness, {source}",
        frames,
        y="F",
        note="The more a bar falls from sloppy to strict, the more a tagger loses at boundaries.",
    )


def boundary_chart(entries: Sequence[Entry], source: str) -> Chart | None:
    """Olsson et al. (2002), figure 2: the share of right boundaries, given a sloppy match."""
    frames = []
    for entry in entries:
        if entry.source == source:
            found = edges(entry.notions)
            names = [EDGES[str(e)] for e in found["edge"]]
            bars = _bars(names, entry.tagger, found["share"], found["low"], found["high"])
            frames.append(bars.assign(pairs=found["pairs"].to_numpy()))
    return bar_chart(
        identifier("figure-boundaries", source),
        f"Right boundaries, given an overlap, {source}",
        frames,
        y="share",
        note="Of the predicted mentions that overlap a gold mention, the share with its boundary.",
    )


def _bars(
    names: Sequence[str], tagger: str, value: pd.Series, low: pd.Series, high: pd.Series
) -> pd.DataFrame:
    """A tagger's bars with their intervals, one a name."""
    ends = {"low": low.to_numpy(), "high": high.to_numpy()}
    return pd.DataFrame({"group": list(names), "series": tagger, "value": value.to_numpy(), **ends})


def bar_chart(
    id_: str,
    caption: str,
    frames: Sequence[pd.DataFrame],
    *,
    kind: Literal["bars", "rows"] = "bars",
    y: str = "",
    note: str = "",
    most: int | None = None,
) -> Chart | None:
    """Series of bars side by side, in the first `most` groups; None where no value is known."""
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    if frame.empty or frame["value"].isna().all():
        return None
    if most is not None:
        groups = list(dict.fromkeys(frame.loc[frame["value"].notna(), "group"]))
        frame = frame[frame["group"].isin(groups[:most])].reset_index(drop=True)
        note = f"The first {most} of {len(groups)}; the table has all." if len(groups) > most else note
    return Chart(id_, caption, kind, frame, y=y, note=note)


def scatter_chart(points: pd.DataFrame, suite: str, corpus: str) -> Chart | None:
    """Recall of each class on a suite beside that on a corpus, of their `class_points`."""
    shown = points[points["measure"] == "recall"].reset_index(drop=True)
    if len(shown) < 2:
        return None
    frame = pd.DataFrame(
        {
            "label": shown["class"],
            "series": shown["run"],
            "x": shown["suite_value"],
            "y": shown["corpus_value"],
            "size": shown["corpus_whole"],
        }
    )
    return Chart(
        identifier("figure-scatter", suite, corpus),
        f"Recall of each class: {suite} against {corpus}",
        "points",
        frame,
        x=f"recall in {suite}",
        y=f"recall in {corpus}",
        note=f"A class on the line is as hard in {corpus} as in {suite}; one below it is harder.",
    )
