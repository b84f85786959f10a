"""Finished shards: tables of their cases, summaries, and their files, from which a killed run resumes."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ....catalogues.core.arrays import bounds_from_lengths
from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_path
from ....catalogues.core.messages import say
from ..costs import COST_COLUMNS as COST_NAMES
from ..costs import Costs
from ..outcomes import OUTCOME_NAMES
from ..outputs.placement import MATCH_KINDS, STATUSES, Mention, NormalisedMentions, Placement
from ..processes.guards import StderrExcerpt
from ..processes.process import ProcessEnd

IPC_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
"""Columns of which most is missing or the same take a tenth of the bytes, and less time to write."""
SEAL_BYTES, SHARD_LAYOUT = 32, b"shard 11"
"""Bytes of the digest that ends a shard's file, and the layout of what it is over."""
MAX_NAMED_CASES = 20
"""Cases that run.toml names for one kind of failure; outcomes.parquet has them all."""


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
    def full_reason(self) -> str:
        """What is wrong with the record, else how its process ended."""
        return self.reason or ": ".join(filter(None, (self.message, self.stderr)))


@dataclass
class Summary:
    """Counts of a shard while it is run; added up, those of the run.

    Attributes
    ----------
    mentions, unplaced, merged, strays, stripped : int
        Mentions that were kept; mentions without a place; repetitions that were made one; records that belong
        to no case; cases in whose answers something stood around the strings, of a form without offsets.
    types, outcomes, placed, strings : Counter
        Mentions of each type; cases of each outcome and way of being placed; strings of each status.
    unmapped, dropped : Counter
        Mentions of types that the type map does not know or drops; types that it drops.
    undeclared : Counter
        Tags in refused records that the specification does not list.
    codes : Counter
        Exit codes and how many processes ended so; of a persistent tagger those that failed at the first case
        that they were asked.
    failures : dict
        By outcome and message: the number of cases, the first cases' places in the input, the first details.
    is_silent : bool
        Whether no output held anything.
    stderr, aside : bytes
        What these processes printed there; what other processes of a persistent tagger printed there. Of a
        shard alone.
    starts, attempts, seconds, peak_mb, ended :
        For timings.json: processes that were started, attempts, memory; exit codes of all processes.
    """

    mentions: int = 0
    unplaced: int = 0
    merged: int = 0
    strays: int = 0
    stripped: int = 0
    types: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    placed: Counter[str] = field(default_factory=Counter)
    strings: Counter[str] = field(default_factory=Counter)
    unmapped: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    undeclared: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)
    is_silent: bool = True
    stderr: bytes = b""
    aside: bytes = b""
    starts: int = 0
    attempts: int = 0
    seconds: float = 0.0
    peak_mb: float = 0.0
    ended: Counter[str] = field(default_factory=Counter)

    def add(self, other: Summary, first: int) -> None:
        """Add the counts of another shard, whose cases begin at the place `first` of the input."""
        failures = [{**one, "cases": [first + case for case in one["cases"]]} for one in other.failures]
        self.failures = group_failures([*self.failures, *failures])
        self.is_silent = self.is_silent and other.is_silent
        for name, value in vars(other).items():
            own = getattr(self, name)
            if isinstance(own, Counter):
                own.update(value)
            elif type(own) is int:
                setattr(self, name, own + value)

    def add_ends(self, ends: Iterable[ProcessEnd], said: Iterable[bytes] = ()) -> None:
        """Add how processes ended, for timings.json, and what those printed that were kept until the end."""
        for end in ends:
            self.ended[str(end.code)] += 1
            self.peak_mb = max(self.peak_mb, end.peak_mb)
        aside = StderrExcerpt()
        for printed in (self.aside, *said):
            aside.add(printed)
        self.aside = aside.content


def group_failures(failures: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Join failures of one outcome and message: their number, the first cases, the first details."""
    kinds: dict[tuple[str, str], dict[str, Any]] = {}
    for one in failures:
        kind = kinds.setdefault((one["outcome"], one["said"]), {**one, "count": 0, "cases": []})
        kind["count"] += one["count"]
        kind["cases"] = [*kind["cases"], *one["cases"]][:MAX_NAMED_CASES]
        kind["found"] = kind["found"] or one["found"]
        kind["stderr"] = kind["stderr"] or one["stderr"]
    return [kinds[key] for key in sorted(kinds)]


@dataclass(frozen=True)
class Shard:
    """A shard in which every case has its outcome.

    Attributes
    ----------
    tables : dict of str to Arrow record batch
        By name, with the columns of `tables`. Identifiers of cases are their places in the shard, mentions
        are numbered from 0 and sorted by case, start, end, fragments and type.
    summary : Summary
    """

    tables: dict[str, pa.RecordBatch]
    summary: Summary

    @classmethod
    def from_placed(
        cls,
        placed: Placement,
        found: NormalisedMentions,
        outcome: Mapping[int, str],
        failures: Mapping[int, Failure],
        summary: Summary,
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
        outcome : mapping
            By a case's place in the shard.
        failures : mapping
            By a case's place in the shard.
        summary : Summary
            What was counted while it was run; the rest is added.
        costs : array
            What each case cost.
        replies : mapping
            By a case's place in the shard, in order.
        """
        rows, cases = found.mentions, range(len(outcome))
        outcomes = [outcome[case] for case in cases]
        whys = [failures.get(case) for case in cases]
        fragments = [(row, *span) for row, m in enumerate(rows) for span in m.fragments]
        tables = {
            "predictions": {
                "mention_id": numbers(range(len(rows))),
                "side": _make_text_column("predicted" for _ in rows),
                **_make_columns(rows),
                "start": numbers([m.start for m in rows]),
                "end": numbers([m.end for m in rows]),
                "identifiers": _make_text_column(m.identifiers or None for m in rows),
            },
            "fragments": {
                name: numbers([part[place] for part in fragments])
                for place, name in enumerate(("mention_id", "start", "end"))
            },
            "outcomes": {
                "case_id": numbers(cases),
                "outcome": _make_text_column(outcomes, OUTCOME_NAMES),
                "placed": _make_text_column((placed.match_kinds.get(case) for case in cases), MATCH_KINDS),
                "unplaced": numbers([placed.unplaced.get(case, 0) for case in cases]),
                "reason": _make_text_column(None if why is None else why.full_reason for why in whys),
            },
            "costs": {
                "case_id": numbers(cases),
                # what nobody knows is missing
                **{n: numbers(c, np.isnan(c)) for n, c in zip(COST_NAMES, costs.T, strict=True)},
            },
            "replies": {
                "case_id": numbers(list(replies)),
                "reply": _make_text_column(replies.values()),
            },
        }
        if found.strings:
            missing = np.array([one.mention_row is None for one in found.strings])
            tables["strings"] = {
                **_make_columns([one.mention for one in found.strings]),
                "text": _make_text_column(one.mention.text for one in found.strings),
                "status": _make_text_column((one.mention.status for one in found.strings), STATUSES),
                "mention_id": numbers([one.mention_row or 0 for one in found.strings], missing),
            }
        summary.mentions, summary.unplaced = len(rows), placed.unplaced.total()
        summary.types, summary.outcomes = Counter(m.type for m in rows), Counter(outcomes)
        summary.placed = Counter(placed.match_kinds.values())
        summary.strings = Counter(one.mention.status for one in found.strings)
        summary.failures = group_failures(
            {
                "outcome": outcomes[case],
                "said": why.message,
                "count": 1,
                "cases": [case],
                "found": why.found,
                "stderr": why.stderr,
            }
            for case, why in sorted(failures.items())
        )
        return cls({name: pa.RecordBatch.from_pydict(columns) for name, columns in tables.items()}, summary)

    def to_bytes(self) -> bytes:
        """Return a line with names and summary as JSON, and the tables as Arrow IPC streams."""
        sink = pa.BufferOutputStream()
        # any bytes are characters of the same number
        own = {k: v.decode("latin-1") if isinstance(v, bytes) else v for k, v in vars(self.summary).items()}
        sink.write(f"{json.dumps(list(self.tables))}\n{json.dumps(own)}\n".encode())
        for batch in self.tables.values():
            with pa.ipc.new_stream(sink, batch.schema, options=IPC_OPTIONS) as writer:
                writer.write_batch(batch)
        content: bytes = sink.getvalue().to_pybytes()
        return content

    @classmethod
    def from_bytes(cls, content: bytes) -> Shard:
        """Read what `to_bytes` returned."""
        names, line, rest = content.split(b"\n", 2)
        own = json.loads(line)
        for name, value in own.items():
            if isinstance(value, dict):
                own[name] = Counter(value)
            elif isinstance(value, str):
                own[name] = value.encode("latin-1")
        source = pa.BufferReader(rest)
        # each is read to the end of its stream
        batches = {name: list(pa.ipc.open_stream(source)) for name in json.loads(names)}
        return cls({name: batch for name, (batch,) in batches.items()}, Summary(**own))


def _make_columns(mentions: Sequence[Mention]) -> dict[str, pa.Array]:
    """Return the columns that mentions and strings have in common."""
    return {
        "text_id": numbers([m.case for m in mentions]),
        "type": _make_text_column((m.type for m in mentions), sorted({m.type for m in mentions})),
        "score": numbers(np.array([m.score for m in mentions], np.float64)),
    }


def _make_text_column(texts: Iterable[str | None], known: Iterable[str] = ()) -> pa.Array:
    """Return a column of texts, few of which differ; its dictionary begins with those that are known."""
    places = {word: place for place, word in enumerate(known)}
    codes = np.array(
        [-1 if text is None else places.setdefault(text, len(places)) for text in texts], np.int32
    )
    coded = [word.encode() for word in places]
    buffers = [None, pa.py_buffer(bounds_from_lengths(list(map(len, coded)))), pa.py_buffer(b"".join(coded))]
    words = pa.Array.from_buffers(pa.large_string(), len(coded), buffers).cast(pa.string())
    return pa.DictionaryArray.from_arrays(numbers(codes, codes < 0), words)


def numbers(values: NDArray[Any] | Sequence[int], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return a column of numbers.

    `pyarrow.array` is not used here: it imports pandas, which takes as long as a short run.
    """
    content = np.array(values, None if isinstance(values, np.ndarray) else np.int64, order="C")
    present = None
    if missing is not None and missing.any():
        present = pa.py_buffer(np.packbits(~missing, bitorder="little"))
        content[missing] = 0
    kind = pa.from_numpy_dtype(content.dtype)
    return pa.Array.from_buffers(kind, len(content), [present, pa.py_buffer(content)])


@dataclass
class ShardStore:
    """A folder of finished shards: of an unfinished run, or of a run in the cache.

    A shard's file ends with a digest of its number and its bytes: one that a power cut, a full disk or
    anything else has damaged is not taken for finished.

    Attributes
    ----------
    folder : Path
    finished : set of int
        Numbers of the shards that stand here, whole.
    """

    folder: Path
    finished: set[int] = field(default_factory=set)

    def find_finished(self, count: int) -> None:
        """Look through the shards that stand here; damaged ones are dropped with a message."""
        for number in range(count):
            try:
                self.read(number)
                self.finished.add(number)
            except FileNotFoundError:
                continue
            except InputError as error:
                say(f"tagsuite: {error.file}: the shard is damaged or cut off; it is dropped and run again")
                Path(error.file or "").unlink()

    def put(self, number: int, shard: Shard) -> None:
        """Write a finished shard, whole or not at all, and wait until it is on the disk."""
        content = shard.to_bytes()
        path = self.folder / f"{number:06d}.shard"
        with atomic_path(path, durable=True) as temporary, temporary.open("wb") as stream:
            stream.write(content)
            stream.write(_compute_seal(number, content))
        self.finished.add(number)

    def read(self, number: int) -> Shard:
        """Read a shard.

        Raises
        ------
        InputError
            When its file does not hold it whole.
        """
        path = self.folder / f"{number:06d}.shard"
        stored = path.read_bytes()
        content, seal = stored[:-SEAL_BYTES], stored[-SEAL_BYTES:]
        if seal != _compute_seal(number, content):
            raise InputError(
                "the shard is damaged or cut off",
                file=path,
                allowed="the same command again: it is dropped and run again",
            )
        return Shard.from_bytes(content)


def _compute_seal(number: int, content: bytes) -> bytes:
    return hashlib.blake2b(
        content, digest_size=SEAL_BYTES, salt=number.to_bytes(16, "big"), person=SHARD_LAYOUT
    ).digest()
