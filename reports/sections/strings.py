"""What becomes of answers that are strings: errors by kind, and the strings that stand nowhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...harness.running.outcomes import ANSWERED
from ...harness.scoring.views.breakdown import breakdown, invented
from ..model import Block, Column, Section, Table
from .entries import Entry
from .tables import identifier

MOST = 50
"""Strings of a class that are listed."""


def strings_section(entries: Sequence[Entry]) -> Section:
    """Tables of every tagger that answers with strings; no blocks where none does."""
    blocks: list[Block] = []
    for entry in entries:
        scores = entry.scores
        if scores.nowhere is None:
            continue
        names = scores.names
        unread = _unread(entry)
        errors = pd.concat([breakdown(scores, name, unread) for name in names], ignore_index=True)
        wide = errors.pivot(index="class", columns="error", values="count").loc[names]
        kinds = list(dict.fromkeys(errors["error"]))
        frame = wide[kinds].reset_index()
        columns = (Column("class", "class"), *(Column(kind, kind, "count") for kind in kinds))
        caption = f"Errors by kind: {entry.tagger} on {entry.source}"
        blocks.append(Table(identifier("errors", entry.tagger, entry.source), caption, frame, columns))
        listed = pd.concat([invented(scores, name).head(MOST) for name in names], ignore_index=True)
        if len(listed):
            shown = (
                Column("class", "class"),
                Column("data", "string"),
                Column("type", "type"),
                Column("count", "times", "count"),
            )
            caption = f"Invented: strings that stand nowhere in their text, {entry.tagger} on {entry.source}"
            blocks.append(Table(identifier("invented", entry.tagger, entry.source), caption, listed, shown))
    lead = "Each error is of one kind; an invented string is a false positive of the classes of its form."
    return Section("strings", "Strings without places", lead, tuple(blocks), "Strings")


def _unread(entry: Entry) -> NDArray[np.int64]:
    """The texts without a readable answer."""
    if entry.run is None:
        return np.zeros(0, dtype=np.int64)
    outcomes = entry.run.outcomes
    bad = outcomes.loc[~outcomes["outcome"].astype("str").isin(ANSWERED), "case_id"]
    return np.flatnonzero(entry.scores.corpus.texts["text_id"].isin(bad).to_numpy())
