"""Differences between taggers, and between the two cases of minimal pairs."""

from __future__ import annotations

import pandas as pd

from ...harness.scoring.discovery.costs import pair_costs
from ...harness.scoring.discovery.discover import contrasted
from ...harness.scoring.statistics.paired import paired
from ..model import Block, Column, Section, Table, Words, identifier
from .cases import address
from .findings import Findings, main_notion, pairs_of, whole_names
from .verdict import MOST_PAIRS

APART = 0.05
"""The rate of false discoveries among the differences that are called real."""
CORRECTED = "at a false discovery rate of 5 % over all rows"


def judged(p: pd.Series) -> pd.Series:
    """Return the verdicts on differences, from their corrected p-values."""
    verdict = (p <= APART).map({True: "different", False: "may be chance"})
    return verdict.where(p.notna(), "undefined").astype("str")


def differences_section(findings: Findings) -> Section:
    """Return the paired differences in recall of each two taggers, class by class."""
    blocks: list[Block] = []
    for one, other in pairs_of(findings.entries)[:MOST_PAIRS]:
        notion = main_notion(one.scores)
        if notion not in other.scores.tallies or not one.scores.divisions:
            continue
        table = paired(
            one.scores, other.scores, notion=notion, measures=["recall"], confidence=findings.confidence
        )
        table = table[
            ~table["class"].isin(whole_names(one.scores))
            & (table["one_whole"] >= findings.least)
            & table["difference"].notna()
        ]
        if len(table):
            blocks.append(_differences_table(table, one.tagger, other.tagger, one.source))
    lead = (
        "Two taggers on the same mentions: the difference of their recalls, class by class. The verdicts "
        "are corrected for the number of rows: one in twenty of those called different may be chance."
    )
    return Section("differences", "Where the taggers differ", lead, tuple(blocks), "Differences")


def _differences_table(table: pd.DataFrame, one: str, other: str, source: str) -> Table:
    frame = table.reset_index(drop=True).copy()
    frame["judged"] = judged(frame["p_bh"])
    frame["link"] = [
        address(**{"source": source, "class": name, "verdict": "differ"}) for name in frame["class"]
    ]
    columns = (
        Column("class", "class", link="link"),
        Column("one_whole", "mentions", "count"),
        Column("one_value", one, "share"),
        Column("other_value", other, "share"),
        Column("difference", "difference", "difference"),
        Column("judged", "verdict", help=CORRECTED),
    )
    caption = f"Recall of {one} less that of {other} in {source}"
    return Table(identifier("differences", one, other, source), caption, frame, columns)


def costs_section(findings: Findings) -> Section:
    """Return the recall lost by changing one feature, for suites of minimal pairs."""
    blocks: list[Block] = []
    columns = (
        Column("feature", "feature"),
        Column("from", "from", "query"),
        Column("to", "to", "query"),
        Column("pairs", "pairs", "count"),
        Column("recall_from", "recall before", "share"),
        Column("recall_to", "after", "share"),
        Column("cost", "cost", "difference"),
        Column("others", "others", "number", help="how many other features change with it, on average"),
    )
    for entry in findings.entries:
        recipe = () if entry.run is None else contrasted(entry.run)
        notion = main_notion(entry.scores)
        found = pair_costs(entry.scores, notion=notion, recipe=recipe, confidence=findings.confidence)
        if len(found.table):
            caption = f"What each change costs {entry.tagger} in {entry.source}"
            id_ = identifier("costs", entry.tagger, entry.source)
            blocks.append(Table(id_, caption, found.table, columns))
        if found.pairs and found.notes:
            blocks.append(Words(tuple(f"{entry.label}: {note}" for note in found.notes)))
    lead = (
        "A minimal pair is two cases that were made to differ in one feature; the cost is the recall lost by "
        "the change. Where other features change with it, the cost is not that feature's alone."
    )
    return Section("costs", "What changing one feature costs", lead, tuple(blocks), "Costs")
