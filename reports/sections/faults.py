"""Faults discovered in the runs of a report, in sentences and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from ...catalogues.core.tables import Say, say_nothing
from ...harness.scoring.classes import Class
from ...harness.scoring.discovery.discover import discover
from ...harness.scoring.options import DiscoverOptions
from ..model import Block, Section, Words
from ..numbers import counted
from .entries import Entry
from .figures import main_notion
from .tables import discovered_table

MOST_NAMED = 4
"""Discovered faults among the verdicts of the first screen, one a run."""


def discover_entries(
    entries: Sequence[Entry],
    search: DiscoverOptions | None = None,
    *,
    confidence: float = 0.95,
    say: Say = say_nothing,
) -> dict[str, pd.DataFrame]:
    """Search every run for combinations of features at which its tagger fails.

    Returns
    -------
    dict of str to DataFrame
        By ``TAGGER on SOURCE`` what `discover` gives, with the columns `tagger` and `source`.
    """
    search = search or DiscoverOptions()
    found = {}
    for entry in entries:
        say(f"searching {entry.tagger} on {entry.source} for faults")
        own = replace(search, notion=main_notion(entry.scores))
        table = discover(entry.scores, own, confidence=confidence)
        say(f"{counted(len(table), 'fault')} found that chance does not explain")
        table.insert(0, "tagger", entry.tagger)
        table.insert(1, "source", entry.source)
        found[f"{entry.tagger} on {entry.source}"] = table
    return found


def discovered_section(discovered: Mapping[str, pd.DataFrame]) -> Section:
    """The section: every fault as a sentence, then the queries with their figures."""
    blocks: list[Block] = []
    for name, frame in discovered.items():
        if frame.empty:
            blocks.append(Words((f"{name}: no fault was found that chance does not explain.",)))
            continue
        if "words" in frame:
            lines = [
                _sentence(name, {str(k): v for k, v in row.items()})
                for row in frame.to_dict("records")
                if row["words"]
            ]
            blocks.append(Words(tuple(lines), "list"))
        blocks.append(discovered_table(frame, name))
    lead = "Combinations of features at which a tagger fails, found on one half and judged on the other."
    return Section("discovered", "Discovered faults", lead, tuple(blocks), "Discovered")


def discovered_in_words(discovered: Mapping[str, pd.DataFrame]) -> list[str]:
    """For the first screen: the most convincing fault of each run."""
    lines = []
    for frame in discovered.values():
        if len(frame) and {"tagger", "source", "words"} <= set(frame.columns):
            row = frame.iloc[0]
            lines.append(f"Discovered on {row['source']}: {row['tagger']} {row['words']}.")
    return lines[:MOST_NAMED]


def discovered_classes(discovered: Mapping[str, pd.DataFrame]) -> dict[str, list[Class]]:
    """By suite or corpus, the discovered queries as classes, so that their cases can be read."""
    classes: dict[str, dict[str, Class]] = {}
    for frame in discovered.values():
        if {"source", "query"} <= set(frame.columns):
            for source, query in zip(frame["source"], frame["query"], strict=True):
                classes.setdefault(source, {})[query] = Class.of(query, query)
    return {source: list(named.values()) for source, named in classes.items()}


def _sentence(name: str, row: Mapping[str, object]) -> str:
    if "tagger" in row and "source" in row:
        return f"On {row['source']}, {row['tagger']} {row['words']}."
    return f"{name}: {row['words']}."
