"""A finished shard: Arrow tables of its mentions and its cases, from the process to the run folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..costs import NAMES as COST_NAMES
from ..costs import Costs
from ..outcomes import NAMES
from ..outputs.placed import STATUSES, WAYS, Answered, Normalised, Placed
from ..processes.process import End
from ..processes.stderr import Heard
from .arrow import categories, numbers
from .arrow import strings as texts_of

RECORD = b"record"
"""The key of the schema metadata under which a shard's record is written."""
_SAID = ("stderr", "aside")
PACKED = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
"""Columns of which most is missing or the same take a tenth of the bytes, and less time to write."""


@dataclass(frozen=True)
class Failure:
    """Why a case has an outcome other than ok.

    Attributes
    ----------
    message : str
        How its process ended, or what is wrong with its record.
    stderr : str
        The last line that the process printed on standard error.
    found : str
        What the record holds that cannot be used, where a parser can say it.
    reason : str
        What a parser says of the record; empty where it says nothing.
    """

    message: str
    stderr: str = ""
    found: str = ""
    reason: str = ""

    @property
    def whole_reason(self) -> str:
        """What is wrong with the record, else how its process ended."""
        return self.reason or ": ".join(filter(None, (self.message, self.stderr)))


@dataclass
class Record:
    """What is known of a shard as a whole; counted while it is run.

    Attributes
    ----------
    strays : int
        Records of output that belong to no case.
    merged : int
        Mentions that were made one with another of the same text, span and type.
    unmapped : dict
        Types that the type map does not know or drops, with their number.
    dropped : list of str
        Those that it drops.
    codes : Counter
        Exit codes and how many processes ended so; of a persistent tagger those that failed at the first case
        that they were asked.
    stderr : bytes
        What these processes printed there.
    aside : bytes
        What the other processes of a persistent tagger printed there.
    starts : int
        Processes that were started, for timings.json.
    ended : Counter
        Exit codes of all processes that ended, for timings.json.
    attempts, seconds, peak_mb :
        For timings.json.
    stripped : int
        Cases in whose answers something stood around the strings, of a form without offsets.
    undeclared : Counter
        Tags in refused records that the specification does not list.
    is_silent : bool
        Whether no output held anything.
    """

    strays: int = 0
    merged: int = 0
    unmapped: dict[str, int] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)
    stderr: bytes = b""
    aside: bytes = b""
    starts: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    seconds: float = 0.0
    peak_mb: float = 0.0
    stripped: int = 0
    undeclared: Counter[str] = field(default_factory=Counter)
    is_silent: bool = True

    def to_json(self) -> str:
        """As JSON; a byte of standard error is the character of the same number."""
        said = {name: getattr(self, name).decode("latin-1") for name in _SAID}
        return json.dumps({**vars(self), **said}, sort_keys=True)

    @classmethod
    def from_json(cls, content: bytes) -> Record:
        """The opposite of `to_json`."""
        values = json.loads(content)
        said = {name: values[name].encode("latin-1") for name in _SAID}
        counts = {name: Counter(values[name]) for name in ("codes", "ended", "undeclared")}
        return cls(**{**values, **said, **counts})

    def add_ends(self, ends: Iterable[End]) -> None:
        """Count processes that ended, for timings.json."""
        for end in ends:
            self.ended[str(end.code)] += 1
            self.peak_mb = max(self.peak_mb, end.peak_mb)

    def add_kept(self, left: Sequence[tuple[End, bytes]]) -> None:
        """Add how processes ended that were kept until the end, and their last words."""
        self.add_ends(end for end, _ in left)
        aside = Heard()
        for said in (self.aside, *(said for _, said in left)):
            aside.add(said)
        self.aside = aside.content


@dataclass(frozen=True)
class Shard:
    """A shard in which every case has its outcome.

    Attributes
    ----------
    mentions : Arrow record batch
        `case` (its place in the shard), `start`, `end`, `type`, `score`, `identifiers`; sorted by case,
        start, end, fragments and type.
    fragments : Arrow record batch
        Of discontinuous mentions: `mention` (its row in `mentions`), `start`, `end`.
    cases : Arrow record batch
        One row per case: `outcome`, `placed` (missing where it was not), `unplaced`, and for a case that
        failed `said`, `found`, `stderr` and `reason`, as in `Failure`; missing where there is nothing to say.
    costs : Arrow record batch
        A row a case: what it cost, NaN where nobody knows; see `costs`.
    replies : Arrow record batch
        What was printed for each case whose reply is kept: `case`, `reply`.
    strings : Arrow record batch or None
        What was answered in place of offsets: `case`, `text`, `type`, `score`, `status`, and `mention` (its
        row in `mentions`, missing where the string stands nowhere); None of any other form.
    record : Record
    """

    mentions: pa.RecordBatch
    fragments: pa.RecordBatch
    cases: pa.RecordBatch
    costs: pa.RecordBatch
    replies: pa.RecordBatch
    strings: pa.RecordBatch | None
    record: Record

    @classmethod
    def from_placed(
        cls,
        placed: Placed,
        found: Normalised,
        outcome: NDArray[np.int8],
        failures: Mapping[int, Failure],
        record: Record,
        costs: Costs,
        replies: Mapping[int, str],
    ) -> Shard:
        """Return the shard of what was found.

        Parameters
        ----------
        placed : Placed
            How each case of the shard was placed.
        found : Normalised
            The mentions and strings.
        outcome : array of int8
            Of each case, a place in `outcomes.NAMES`.
        failures : mapping
            By a case's place in the shard.
        record : Record
        costs : array
            What each case cost.
        replies : mapping
            By a case's place in the shard, in order.
        """
        rows, count = found.mentions, len(outcome)
        types = sorted({m.type for m in [*rows, *(said.mention for said in found.strings)]})
        mentions = {
            **{name: _integers(getattr(m, name) for m in rows) for name in ("case", "start", "end")},
            "type": _words((m.type for m in rows), types),
            "score": numbers(np.array([m.score for m in rows], dtype=np.float64)),
            "identifiers": _words(m.identifiers or None for m in rows),
        }
        parts = [(row, *span) for row, m in enumerate(rows) for span in m.fragments]
        columns = np.array(parts, dtype=np.int64).reshape(-1, 3).T
        fragments = dict(zip(("mention", "start", "end"), map(numbers, columns), strict=True))
        whys = [failures.get(case) for case in range(count)]
        cases = {
            "outcome": categories(outcome, NAMES),
            "placed": _words((placed.way.get(case) for case in range(count)), WAYS),
            "unplaced": numbers(np.array([placed.unplaced[case] for case in range(count)], dtype=np.int32)),
            "said": _words(None if why is None else why.message for why in whys),
            **{name: _words(getattr(why, name, "") or None for why in whys) for name in ("found", "stderr")},
            "reason": _words(None if why is None else why.whole_reason for why in whys),
        }
        kept = {"case": _integers(replies), "reply": texts_of(list(replies.values()))}
        spent = dict(zip(COST_NAMES, map(numbers, costs.T), strict=True))
        strings = _batch(_strings(found.strings, types)) if found.strings else None
        return cls(
            _batch(mentions), _batch(fragments), _batch(cases), _batch(spent), _batch(kept), strings, record
        )

    def to_bytes(self) -> bytes:
        """The tables as Arrow IPC streams, one after another; the record is metadata of the first schema."""
        sink = pa.BufferOutputStream()
        first = self.mentions.replace_schema_metadata({RECORD: self.record.to_json()})
        strings = [] if self.strings is None else [self.strings]
        for batch in (first, self.fragments, self.cases, self.costs, self.replies, *strings):
            with pa.ipc.new_stream(sink, batch.schema, options=PACKED) as writer:
                writer.write_batch(batch)
        content: bytes = sink.getvalue().to_pybytes()
        return content

    @classmethod
    def from_bytes(cls, content: bytes) -> Shard:
        """The opposite of `to_bytes`."""
        source = pa.BufferReader(content)
        batches: list[pa.RecordBatch] = []
        while source.tell() < source.size():
            batches += pa.ipc.open_stream(source)
        mentions, fragments, cases, costs, replies, *strings = batches
        record = Record.from_json(mentions.schema.metadata[RECORD])
        first = mentions.replace_schema_metadata(None)
        return cls(first, fragments, cases, costs, replies, strings[0] if strings else None, record)


def _batch(columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def _strings(said: Sequence[Answered], types: Sequence[str]) -> dict[str, pa.Array]:
    """Return what was answered in place of offsets."""
    mentions = [one.mention for one in said]
    rows = np.array([-1 if one.row is None else one.row for one in said], dtype=np.int64)
    return {
        "case": _integers(m.case for m in mentions),
        "text": _words(m.text for m in mentions),
        "type": _words((m.type for m in mentions), types),
        "score": numbers(np.array([m.score for m in mentions], dtype=np.float64)),
        "status": _words((m.status for m in mentions), STATUSES),
        "mention": numbers(rows, rows >= 0),
    }


def _integers(given: Iterable[int]) -> pa.Array:
    return numbers(np.array(list(given), dtype=np.int64))


def _words(texts: Iterable[str | None], known: Sequence[str] = ()) -> pa.Array:
    """Return a column of texts of which few differ; those `known` come first in its dictionary."""
    places = {word: place for place, word in enumerate(known)}
    codes = [-1 if text is None else places.setdefault(text, len(places)) for text in texts]
    return categories(np.array(codes, dtype=np.int32), list(places))
