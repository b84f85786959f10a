"""How far a tagger reads: where a case was found, as a picture and a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...harness.probing.findings import Length
from ...harness.probing.sightings import Sightings
from ...harness.probing.windows import Windows
from ...harness.scoring.statistics.intervals import wilson
from ..model import Block, Chart, Column, Report, Section, Table, Words
from ..numbers import capitalised

PARTS = 16
"""Equal parts of the longest text for which a share is shown."""


def length_report(found: Length, version: str) -> Report:
    """A report of a probe alone."""
    return Report(
        title=f"How far {found.tagger} reads",
        about="The same case at many places of neutral text.",
        tested=(
            f"{found.calls:,} texts of at most {found.most:,} words, with “{found.case.mention}” in "
            f"“{found.case.text}”",
        ),
        verdict=(f"{capitalised(found.verdict)}.",),
        sections=(length_section(found),),
        version=version,
    )


def length_section(found: Length) -> Section:
    """The verdict, the share found by place, what happens at seams, and what each unit explains."""
    probes = found.probes()
    shares = by_place(probes, found.most)
    blocks: list[Block] = [
        Chart(
            "length-places",
            "Found, by words before the mention",
            "rows",
            shares.assign(series="found", value=shares["found"])[["group", "series", "value", "low", "high"]],
            note="Wilson's interval. Places in texts that repeat the case, and single cases in neutral text.",
        )
    ]
    if found.windows is not None:
        blocks.append(_seams(found.sightings, found.windows))
    units = found.units()
    if len(units):
        kinds = {"unit": "text", "explains": "verdict"}
        names = [name for name in units.columns if name != "explains"]
        shown = units.assign(explains=np.where(units["explains"], "explains all", "does not"))
        columns = [Column(n, n.replace("_", " "), kinds.get(n, "count")) for n in [*names, "explains"]]  # type: ignore[arg-type]  # a column's kinds
        blocks.append(
            Table(
                "length-units",
                "In which unit it is",
                shown,
                tuple(columns),
                note="A limit explains what was seen when all that is longer is lost, and only that.",
            )
        )
    blocks.append(
        Table(
            "length-places-table",
            "Places and how many were found",
            shares,
            (
                Column("group", "words before"),
                Column("places", "places", "count"),
                Column("found", "found", "range", low="low", high="high"),
                Column("twice", "found twice", "count"),
                Column("cut", "found in part", "count"),
            ),
        )
    )
    if found.notes:
        blocks.append(Words(tuple(f"{capitalised(note)}." for note in found.notes), "list"))
    lead = f"{capitalised(found.verdict)}; {found.calls:,} texts were sent."
    return Section("length", "How far it reads", lead, tuple(blocks), short="Length")


def by_place(probes: pd.DataFrame, most: int) -> pd.DataFrame:
    """Shares found in equal parts of the longest text; parts without a place are left out."""
    part = np.minimum(probes["words_before"].to_numpy() * PARTS // most, PARTS - 1)
    rows = []
    for number in np.unique(part).tolist():
        own = probes[part == number]
        found = int(own["found"].sum())
        low, high = wilson(found, len(own))
        rows.append(
            {
                "group": f"{number * most // PARTS:,} to {(number + 1) * most // PARTS - 1:,}",
                "places": len(own),
                "found": found / len(own),
                "low": float(low),
                "high": float(high),
                "twice": int((own["times"] > 1).sum()),
                "cut": int((own["changed"] != "").sum()),
            }
        )
    return pd.DataFrame(rows)


def _seams(s: Sightings, windows: Windows) -> Chart:
    """What becomes of a mention by its place in the step from one window to the next."""
    begin = s.begin(windows.unit)
    # the first window has no neighbour before it
    later = begin >= windows.step
    at = (begin % windows.step)[later]
    cut = np.array([bool(p) for p in s.pieces])
    series = {
        "found": (s.times > 0)[later],
        "found twice": (s.times > 1)[later],
        "found in part": cut[later],
    }
    rows = []
    for name, flags in series.items():
        for place in np.unique(at).tolist():
            share = float(flags[at == place].mean())
            rows.append(
                {
                    "label": f"{place:,} {windows.unit}",
                    "series": name,
                    "x": place / windows.step,
                    "y": share,
                    "marked": False,
                }
            )
    return Chart(
        "length-seams",
        "At the seams",
        "lines",
        pd.DataFrame(rows),
        x=f"place in the step of {windows.step:,} {windows.unit}",
        y="share of places",
    )
