"""What varies from one repetition or variant of a tagger to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from ...harness.repeat_tables import RepeatedScores
from ..model import Block, Column, Section, Table
from .entries import Entry
from .figures import main_notion
from .tables import CORRECTED, identifier, judged

REPEATS = (
    Column("class", "class"),
    Column("cases", "cases", "count"),
    Column("flip_share", "flips", "range", "flip_low", "flip_high", help="cases not always answered alike"),
    Column("agreement", "agreement", "share", help="pairs of repetitions that answer a case alike"),
    Column("recall", "mean recall", "range"),
    Column("precision", "mean precision", "range"),
    Column("f1", "mean F", "range"),
    Column("recall_any", "any", "share", help="found in any repetition"),
    Column("recall_majority", "majority", "share", help="found in more than half of the repetitions"),
    Column("recall_all", "all", "share", help="found in every repetition"),
)
EFFECTS = (
    Column("class", "class"),
    Column("factor", "option"),
    Column("level", "value", "query"),
    Column("gold", "mentions", "count"),
    Column("recall", "recall", "share"),
    Column("effect", "effect", "difference"),
    Column("told", "verdict", help=CORRECTED),
    Column("precision", "precision", "share"),
    Column("precision_effect", "effect", "difference"),
    Column("precision_told", "verdict", help=CORRECTED),
    Column("f1", "F", "share"),
    Column("f1_effect", "effect", "difference"),
    Column("f1_told", "verdict", help=CORRECTED),
)


def repeats_section(entries: Sequence[Entry]) -> Section:
    """Return flips, agreement, recall, precision and F by class, of the runs with repetitions."""
    blocks: list[Block] = []
    for entry in entries:
        if entry.run is None or entry.run.times < 2:
            continue
        table = RepeatedScores.of(entry.notions, entry.run, main_notion(entry.notions)).table()
        caption = f"{entry.tagger} on {entry.source}: {entry.run.times} repetitions"
        identity = identifier("repeats", entry.tagger, entry.source)
        blocks.append(Table(identity, caption, table[table["cases"] > 0], REPEATS))
    lead = (
        "The same cases were asked again. A case flips where not all repetitions gave the same answer; "
        "all other figures of this report are those of the first repetition."
    )
    return Section("repeats", "What another repetition says", lead, tuple(blocks), "Repetitions")


def effects_section(effects: Mapping[str, pd.DataFrame]) -> Section:
    """Return the effects of each value of a varied option, by folder of variants."""
    blocks: list[Block] = []
    for name, table in effects.items():
        frame = table[table["gold"] > 0].reset_index(drop=True)
        frame = frame.assign(
            **{f"{prefix}told": judged(frame[f"{prefix}p_bh"]) for prefix in ("", "precision_", "f1_")}
        )
        caption = f"Recall, precision and F of each value in {name}"
        blocks.append(Table(identifier("effects", name), caption, frame, EFFECTS))
    lead = (
        "Each value of an option compared with the other values, on the same texts, averaged over what else "
        "varies. Verdicts on a measure are corrected for its number of tests; two values of an option are "
        "one."
    )
    return Section("effects", "What each option does", lead, tuple(blocks), "Effects")
