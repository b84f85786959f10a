"""How far a tagger reads: where a case was found, as a picture and a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...harness.probing.findings import Length
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
    """Show the verdict and the share found by place."""
    probes = found.probes()
    shares = by_place(probes, found.most)
    blocks: list[Block] = [
        Chart(
            "length-places",
            "Found, by words before the mention",
            "rows",
            shares.assign(series="found", value=shares["found"])[["group", "series", "value", "low", "high"]],
            note="Wilson's interval. Places in texts that repeat the case, and single cases in neutral text.",
        ),
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
        ),
    ]
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
