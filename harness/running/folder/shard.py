"""A finished shard: Arrow tables of its mentions and its cases, from the process to the run folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..costs import NAMES as COST_NAMES
from ..costs import Costs
from ..outcomes import NAMES
from ..outputs.placed import STATUSES, WAYS, Placed, coded
from ..processes.process import End
from ..processes.stderr import Heard
from .arrow import WORD, categories, numbers

MENTIONS = pa.schema(
    [
        ("case", pa.int64()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("type", WORD),
        ("score", pa.float64()),
    ]
)
FRAGMENTS = pa.schema([("mention", pa.int64()), ("start", pa.int64()), ("end", pa.int64())])
STRINGS = pa.schema(
    [
        ("case", pa.int64()),
        ("text", WORD),
        ("type", WORD),
        ("score", pa.float64()),
        ("status", WORD),
        ("mention", pa.int64()),
    ]
)
CASES = pa.schema(
    [
        ("outcome", WORD),
        ("placed", WORD),
        ("unplaced", pa.int32()),
        ("said", WORD),
        ("found", WORD),
        ("stderr", WORD),
    ]
)
COSTS = pa.schema([(name, pa.float64()) for name in COST_NAMES])
RECORD = b"record"
"""The key of the schema metadata under which a shard's record is written."""
_SAID = ("stderr", "aside")


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
    """

    message: str
    stderr: str = ""
    found: str = ""


@dataclass(frozen=True)
class Record:
    """What is known of a shard as a whole.

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
    codes : dict
        Exit codes and how many processes ended so; of a persistent tagger those that failed at the first case
        that they were asked.
    stderr : bytes
        What these processes printed there.
    aside : bytes
        What the other processes of a persistent tagger printed there.
    starts : int
        Processes that were started, for timings.json.
    ended : dict
        Exit codes of all processes that ended, for timings.json.
    attempts, seconds, peak_mb :
        For timings.json.
    stripped : int
        Cases in whose answers something stood around the strings, of a form without offsets.
    """

    strays: int = 0
    merged: int = 0
    unmapped: dict[str, int] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    stderr: bytes = b""
    aside: bytes = b""
    starts: int = 0
    ended: dict[str, int] = field(default_factory=dict)
    attempts: int = 0
    seconds: float = 0.0
    peak_mb: float = 0.0
    stripped: int = 0

    def to_json(self) -> str:
        """As JSON; a byte of standard error is the character of the same number."""
        said = {name: getattr(self, name).decode("latin-1") for name in _SAID}
        return json.dumps({**asdict(self), **said})

    @classmethod
    def from_json(cls, content: bytes) -> Record:
        """The opposite of `to_json`."""
        values = json.loads(content)
        return cls(**{**values, **{name: values[name].encode("latin-1") for name in _SAID}})

    def with_ended(self, ends: Iterable[tuple[End, bytes]]) -> Record:
        """The same, with how processes ended that were kept until the end, and their last words."""
        ended, peak, aside = Counter(self.ended), self.peak_mb, Heard()
        aside.add(self.aside)
        for end, said in ends:
            ended[str(end.code)] += 1
            peak = max(peak, end.peak_mb)
            aside.add(said)
        return replace(self, ended=dict(sorted(ended.items())), peak_mb=peak, aside=aside.content)


@dataclass(frozen=True)
class Shard:
    """A shard in which every case has its outcome.

    Attributes
    ----------
    mentions : Arrow record batch
        `case` (its place in the shard), `start`, `end`, `type`, `score`; sorted by case, start, end,
        fragments and type.
    fragments : Arrow record batch
        Of discontinuous mentions: `mention` (its row in `mentions`), `start`, `end`.
    cases : Arrow record batch
        A row a case: `outcome`, `placed` (missing where it was not), `unplaced`, and for a case that failed
        `said`, `found` and `stderr`, as in `Failure`; missing where there is nothing to say.
    costs : Arrow record batch
        A row a case: what it cost, NaN where nobody knows; see `costs`.
    strings : Arrow record batch
        What was answered in place of offsets: `case`, `text`, `type`, `score`, `status`, and `mention` (its
        row in `mentions`, missing where the string stands nowhere); no rows of any other form.
    record : Record
    """

    mentions: pa.RecordBatch
    fragments: pa.RecordBatch
    cases: pa.RecordBatch
    costs: pa.RecordBatch
    strings: pa.RecordBatch
    record: Record

    @classmethod
    def from_placed(
        cls,
        placed: Placed,
        outcome: NDArray[np.int8],
        failures: Mapping[int, Failure],
        record: Record,
        costs: Costs,
    ) -> Shard:
        """A shard of its mentions as they were placed.

        Parameters
        ----------
        placed : Placed
            Over the whole shard, types as the specification maps them.
        outcome : array of int8
            Of each case, a place in `outcomes.NAMES`.
        failures : mapping
            By a case's place in the shard.
        record : Record
        costs : array
            What each case cost.
        """
        mentions = [
            numbers(placed.case),
            numbers(placed.start),
            numbers(placed.end),
            categories(placed.type, placed.types),
            numbers(placed.score),
        ]
        failed = sorted(failures.items())
        cases = [
            categories(outcome, NAMES),
            # no way is the missing value
            categories(placed.way, WAYS),
            numbers(placed.unplaced),
            _texts({place: failure.message for place, failure in failed}, len(outcome)),
            _texts({place: failure.found for place, failure in failed if failure.found}, len(outcome)),
            _texts({place: failure.stderr for place, failure in failed if failure.stderr}, len(outcome)),
        ]
        return cls(
            pa.RecordBatch.from_arrays(mentions, schema=MENTIONS),
            pa.RecordBatch.from_arrays([numbers(column) for column in placed.parts.T], schema=FRAGMENTS),
            pa.RecordBatch.from_arrays(cases, schema=CASES),
            pa.RecordBatch.from_arrays([numbers(column) for column in costs.T], schema=COSTS),
            _strings(placed),
            record,
        )

    def to_bytes(self) -> bytes:
        """The tables as Arrow IPC streams, one after another; the record is metadata of the first schema."""
        sink = pa.BufferOutputStream()
        first = self.mentions.replace_schema_metadata({RECORD: self.record.to_json()})
        for batch in (first, self.fragments, self.cases, self.costs, self.strings):
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
        return bytes(sink.getvalue())

    @classmethod
    def from_bytes(cls, content: bytes) -> Shard:
        """The opposite of `to_bytes`."""
        source = pa.BufferReader(content)
        # each stream, to its end, has one batch
        streams = [list(pa.ipc.open_stream(source)) for _ in range(5)]
        (mentions,), (fragments,), (cases,), (costs,), (strings,) = streams
        record = Record.from_json(mentions.schema.metadata[RECORD])
        return cls(mentions.replace_schema_metadata(None), fragments, cases, costs, strings, record)


def _strings(placed: Placed) -> pa.RecordBatch:
    """What was answered in place of offsets."""
    strings = placed.strings
    if strings is None:
        return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in STRINGS], schema=STRINGS)
    codes, words = coded(strings.text)
    mention = strings.mentions(placed)
    columns = [
        numbers(strings.case),
        categories(codes, words),
        categories(strings.type, placed.types),
        numbers(strings.score),
        categories(strings.status, STATUSES),
        numbers(mention, mention >= 0),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=STRINGS)


def _texts(texts: Mapping[int, str], count: int) -> pa.Array:
    """A column of texts by their rows, missing in all others."""
    codes = np.full(count, -1, dtype=np.int32)
    codes[list(texts)], words = coded(texts.values())
    return categories(codes, words)
