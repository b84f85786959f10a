"""Sections on differences between taggers, and on costs of features in minimal pairs."""

from __future__ import annotations

import pandas as pd

from ...harness.scoring.discovery.feature_costs import estimate_feature_costs
from ...harness.scoring.statistics.paired_differences import compare_paired
from ..model import Block, Column, Section, Table, TextBlock, make_identifier
from .cases import make_address
from .findings import Findings, find_whole_classes, get_main_notion, pair_taggers
from .verdict import MAX_PAIRS

FALSE_DISCOVERY_RATE = 0.05
"""False discovery rate at which a difference gets the verdict "different"."""
CORRECTION_NOTE = "corrected for the number of rows (false discovery rate 5 %)"


def judge_differences(p: pd.Series) -> pd.Series:
    """Return the verdicts on differences, based on corrected p values."""
    verdict = (p <= FALSE_DISCOVERY_RATE).map({True: "different", False: "may be chance"})
    return verdict.where(p.notna(), "undefined").astype("str")


def differences_section(findings: Findings) -> Section:
    """Return the section on paired differences in recall between taggers, by class."""
    blocks: list[Block] = []
    for one, other in pair_taggers(findings.entries)[:MAX_PAIRS]:
        notion = get_main_notion(one.scores)
        if notion not in other.scores.tallies or not one.scores.divisions:
            continue
        table = compare_paired(
            one.scores, other.scores, notion=notion, measures=["recall"], confidence=findings.confidence
        )
        table = table[
            ~table["class"].isin(find_whole_classes(one.scores))
            & (table["one_whole"] >= findings.min_mentions)
            & table["difference"].notna()
        ]
        if len(table):
            blocks.append(_differences_table(table, one.tagger, other.tagger, one.source))
    lead = (
        "Difference in recall between two taggers on the same mentions, by class. The verdicts are corrected "
        "for the number of rows: about one in twenty classes marked as different may be due to chance."
    )
    return Section("differences", "Where the taggers differ", lead, tuple(blocks), "Differences")


def _differences_table(table: pd.DataFrame, one: str, other: str, source: str) -> Table:
    frame = table.reset_index(drop=True).copy()
    frame["judged"] = judge_differences(frame["p_bh"])
    frame["link"] = [
        make_address(**{"source": source, "class": name, "verdict": "differ"}) for name in frame["class"]
    ]
    columns = (
        Column("class", "class", link="link"),
        Column("one_whole", "mentions", "count"),
        Column("one_value", one, "share"),
        Column("other_value", other, "share"),
        Column("difference", "difference", "difference"),
        Column("judged", "verdict", help=CORRECTION_NOTE),
    )
    caption = f"Difference in recall on {source}: {one} minus {other}"
    return Table(make_identifier("differences", one, other, source), caption, frame, columns)


def feature_costs_section(findings: Findings) -> Section:
    """Return the section on costs: the recall lost by changing one feature in minimal pairs."""
    blocks: list[Block] = []
    columns = (
        Column("feature", "feature"),
        Column("from", "from", "query"),
        Column("to", "to", "query"),
        Column("pairs", "pairs", "count"),
        Column("recall_from", "recall before", "share"),
        Column("recall_to", "after", "share"),
        Column("cost", "cost", "difference"),
        Column("others", "others", "number", help="mean number of other features that also change in a pair"),
    )
    for entry in findings.entries:
        notion = get_main_notion(entry.scores)
        costs = estimate_feature_costs(entry.scores, notion=notion, confidence=findings.confidence)
        if len(costs.table):
            caption = f"Cost of each change for {entry.tagger} on {entry.source}"
            id_ = make_identifier("costs", entry.tagger, entry.source)
            blocks.append(Table(id_, caption, costs.table, columns))
        if costs.pairs and costs.notes:
            blocks.append(TextBlock(tuple(f"{entry.label}: {note}" for note in costs.notes)))
    lead = (
        "A minimal pair consists of two cases that differ in one feature. The cost of a change is the recall "
        "lost by it. If other features change as well, they may contribute to the cost."
    )
    return Section("costs", "Cost of changing one feature", lead, tuple(blocks), "Costs")
