"""What is summed over the shards of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from ..processes.stderr import Heard
from .arrow import codes_of, values
from .shard import Shard

SHOWN = 20
"""Cases that run.toml names for one kind of failure; outcomes.parquet has them all."""


@dataclass
class Kind:
    """Failures of one outcome with one message: their number, the first cases, the first details."""

    count: int = 0
    cases: list[Any] = field(default_factory=list)
    found: str = ""
    stderr: str = ""


@dataclass
class Totals:
    """What is summed over the shards for run.toml and timings.json.

    Attributes
    ----------
    mentions, strays, unplaced, merged : int
        Mentions that were kept; records of no case; mentions without a place; repetitions that were made one.
    types : Counter
        Mentions of each type.
    dropped : set of str
        Types that the specification drops.
    outcomes, placed : Counter
        Cases of each outcome, and of each way in which they were placed.
    unmapped : Counter
        Mentions of each type that the specification does not map.
    codes : Counter
        Processes by exit code, as a shard's record has them.
    failures : dict
        Failures by outcome and message.
    starts : int
        Processes that were started.
    aside : Heard
        What those processes of a persistent tagger printed that are no case's.
    timings : list of dict
        An entry a shard.
    strings : Counter
        Strings without offsets by status.
    stripped : int
        Cases in whose answers something stood around them.
    undeclared : Counter
        Tags in refused records that the specification does not list.
    is_silent : bool
        Whether no output held anything.
    """

    mentions: int = 0
    strays: int = 0
    unplaced: int = 0
    merged: int = 0
    types: Counter[str] = field(default_factory=Counter)
    dropped: set[str] = field(default_factory=set)
    outcomes: Counter[str] = field(default_factory=Counter)
    placed: Counter[str] = field(default_factory=Counter)
    unmapped: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    failures: dict[tuple[str, str], Kind] = field(default_factory=dict)
    starts: int = 0
    aside: Heard = field(default_factory=Heard)
    timings: list[dict[str, Any]] = field(default_factory=list)
    strings: Counter[str] = field(default_factory=Counter)
    stripped: int = 0
    undeclared: Counter[str] = field(default_factory=Counter)
    is_silent: bool = True

    def add(self, number: int, shard: Shard, ids: pa.Array) -> None:
        """Add a shard; `ids` has the identifier of each of its cases."""
        cases, record = shard.cases, shard.record
        self.mentions += len(shard.mentions)
        self.strays += record.strays
        self.unplaced += int(values(cases["unplaced"]).sum())
        self.merged += record.merged
        self.types.update(_counts(shard.mentions["type"]))
        self.dropped.update(record.dropped)
        self.outcomes.update(_counts(cases["outcome"]))
        self.placed.update(_counts(cases["placed"]))
        self.unmapped.update(record.unmapped)
        self.codes.update(record.codes)
        if shard.strings is not None:
            self.strings.update(_counts(shard.strings["status"]))
        self.stripped += record.stripped
        self.undeclared.update(record.undeclared)
        self.is_silent = self.is_silent and record.is_silent
        for place in np.flatnonzero(codes_of(cases["said"]) >= 0).tolist():
            outcome, message, found, stderr = (
                cases[name][place].as_py() for name in ("outcome", "said", "found", "stderr")
            )
            kind = self.failures.setdefault((outcome, message), Kind())
            kind.count += 1
            if len(kind.cases) < SHOWN:
                kind.cases.append(ids[place].as_py())
            kind.found = kind.found or found or ""
            kind.stderr = kind.stderr or stderr or ""
        self.aside.add(record.aside)
        self.starts += record.starts
        self.timings.append(
            {
                "shard": number,
                "cases": len(cases),
                "attempts": record.attempts,
                "starts": record.starts,
                "exit_codes": dict(sorted(record.ended.items())),
                "seconds": round(record.seconds, 3),
                "peak_mb": round(record.peak_mb, 1),
            }
        )


def _counts(column: pa.DictionaryArray) -> dict[str, int]:
    """How often each text of a column occurs."""
    words = column.dictionary.to_pylist()
    codes = codes_of(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(words)).tolist()
    return dict(zip(words, counts, strict=True))
