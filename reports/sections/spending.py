"""What runs cost: seconds, tokens and price by class, where they are known."""

from __future__ import annotations

from collections.abc import Sequence

from ...harness.scoring.views.spending import count_shares, spending, telling
from ..model import Block, Column, Section, Table
from .entries import Entry
from .tables import identifier

NUMBERS = (
    Column("seconds", "seconds", "number"),
    Column("seconds_p95", "95 % within", "number", help="seconds within which 95 of 100 cases were answered"),
    Column("input_tokens", "tokens read", "count"),
    Column("output_tokens", "written", "count"),
    Column("price", "price", "number"),
    Column("shared", "shares", "count", help="cases whose seconds are a share of those of several"),
)

TIMES = {"seconds", "seconds_p95", "shared"}
"""Columns of seconds."""


def spending_section(entries: Sequence[Entry]) -> Section:
    """The section: a table a run that knows what its cases cost."""
    blocks: list[Block] = []
    for entry in entries:
        costs = None if entry.run is None else entry.run.costs
        if costs is None:
            continue
        found = spending(costs, entry.scores)
        names = set(telling(found))
        if count_shares(costs) and not (costs["shared"] == 0).any():
            # shares by characters tell no class from another but by the length of its texts
            names -= TIMES
        known = tuple(column for column in NUMBERS if column.name in names)
        if known:
            caption = f"{entry.tagger} on {entry.source}: what the cases of each class cost"
            columns = (Column("class", "class"), Column("cases", "cases", "count"), *known)
            blocks.append(Table(identifier("spending", entry.tagger, entry.source), caption, found, columns))
    lead = (
        "Seconds, tokens and price of cases, as the run's costs.parquet has them: of the requests that were "
        "answered. A case counts in each class of which it has mentions; one without an answer is slower "
        "than any other. Cases that were asked together have a share of their time, by characters of text; "
        "how many these are stands under shares. A run that has nothing but shares has no seconds here: "
        "score --show costs has them."
    )
    return Section("spending", "Seconds, tokens and price", lead, tuple(blocks), "Seconds and price")
