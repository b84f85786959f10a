"""Functions that search scored runs for faults, and make the section of the report about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from ...catalogues.core.messages import MessageFunction, say_nothing
from ...harness.scoring.classes import Class
from ...harness.scoring.discovery.discover import discover
from ...harness.scoring.search_options import DiscoverOptions
from ..cells import format_quantity
from ..model import Block, Column, Section, Table, TextBlock, make_identifier
from .cases import MISTAKES, make_address
from .findings import Findings, ScoredRun, get_main_notion

MAX_NAMED = 4
"""Maximum number of runs whose most important fault is named on the first screen."""
EVIDENCE_COLUMN = "evidence"
"""Column that shows whether the figures of a fault come from new cases or from the run itself."""
LINK_COLUMNS = {"tagger", "source", "measure"}
"""Columns that a table of faults needs for links to cases."""


def discover_entries(
    entries: Sequence[ScoredRun],
    search: DiscoverOptions | None = None,
    *,
    confidence: float = 0.95,
    say: MessageFunction = say_nothing,
) -> dict[str, pd.DataFrame]:
    """Search every run for combinations of features on which its tagger fails.

    Returns
    -------
    dict of str to DataFrame
        Table of `discover` for each run (``TAGGER on SOURCE``), with the columns `tagger` and `source`.
    """
    search = search or DiscoverOptions()
    found = {}
    for entry in entries:
        say(f"searching {entry.label} for faults")
        own = replace(search, notion=get_main_notion(entry.scores))
        table = discover(entry.scores, own, confidence=confidence)
        say(f"{format_quantity(len(table), 'significant fault')} found")
        table.insert(0, "tagger", entry.tagger)
        table.insert(1, "source", entry.source)
        found[entry.label] = table
    return found


def discovery_section(findings: Findings) -> Section:
    """Return the section with a sentence about each fault, followed by a table of all faults."""
    blocks: list[Block] = []
    for name, frame in findings.faults.items():
        if frame.empty:
            blocks.append(TextBlock((f"{name}: no significant fault was found.",)))
            continue
        if "words" in frame:
            blocks.append(TextBlock(tuple(_describe_faults(name, frame)), "list"))
        blocks.append(_table(name, frame))
    lead = "Feature combinations on which taggers fail, found in half of the mentions, tested on the rest"
    tested = any(EVIDENCE_COLUMN in frame for frame in findings.faults.values())
    lead += " or on new cases." if tested else "."
    return Section("discovered", "Discovered faults", lead, tuple(blocks), "Discovered")


def _describe_faults(name: str, frame: pd.DataFrame) -> list[str]:
    rows = frame[frame["words"].astype("bool")]
    if not set(frame.columns) >= LINK_COLUMNS:
        return [f"{name}: {words}." for words in rows["words"]]
    columns = (rows[c] for c in ("source", "tagger", "words"))
    return [f"On {source}, {tagger} {words}." for source, tagger, words in zip(*columns, strict=True)]


def describe_discovery(discovered: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return a sentence about the most important fault of each run, for the first screen."""
    known = [f for f in discovered.values() if len(f) and LINK_COLUMNS | {"words"} <= set(f.columns)]
    lines = []
    for frame in known[:MAX_NAMED]:
        row = frame.iloc[0]
        title = f"First of {len(frame)} faults" if len(frame) > 1 else "Fault"
        lines.append(f"{title} discovered on {row['source']}: {row['tagger']} {row['words']}.")
    return lines


def make_fault_classes(discovered: Mapping[str, pd.DataFrame]) -> dict[str, list[Class]]:
    """Return the queries of faults as classes, by suite or corpus, for filtering the cases in the report."""
    classes: dict[str, dict[str, Class]] = {}
    for frame in discovered.values():
        if set(frame.columns) >= LINK_COLUMNS:
            for source, query in zip(frame["source"], frame["query"], strict=True):
                classes.setdefault(source, {})[query] = Class.from_query(query, query)
    return {source: list(named.values()) for source, named in classes.items()}


def _table(name: str, frame: pd.DataFrame) -> Table:
    """Return the table of the faults found in a run, with the query and the figures of each fault."""
    frame = frame.copy()
    link = "link" if set(frame.columns) >= LINK_COLUMNS else ""
    if link:
        rows = (frame[c] for c in ("source", "tagger", "query", "measure"))
        frame[link] = [
            make_address(**{"source": s, "tagger": t, "class": q, "verdict": MISTAKES[m]})
            for s, t, q, m in zip(*rows, strict=True)
        ]
    columns = [
        Column("query", "query", "query", link=link),
        Column("measure", "measure"),
        Column("cases", "cases", "count"),
        Column(EVIDENCE_COLUMN, "tested on", "text"),
        Column("value", "value", "range"),
        Column("rest", "all others", "share"),
        Column(
            "difference",
            "difference from nearest",
            "difference",
            help="value minus the value for the most similar mentions outside the class",
        ),
    ]
    kept = tuple(c for c in columns if c.name in frame)
    return Table(make_identifier("discovered", name), f"Discovered faults: {name}", frame, kept)
