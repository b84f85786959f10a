"""Finished shards: their tables, their summary, and the files from which a killed run is resumed."""

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
"""Arrow IPC options with compression, which reduces the files to about a tenth of their size."""
SEAL_BYTES, SHARD_LAYOUT = 32, b"shard 11"
"""Length in bytes of the checksum at the end of a shard file, and layout version of shard files."""
MAX_NAMED_CASES = 20
"""Maximum number of cases that run.toml lists per kind of failure; outcomes.parquet lists all cases."""


@dataclass(frozen=True)
class Failure:
    """Reason for an outcome other than ok.

    Attributes
    ----------
    message : str
        Description of the end of the tagger's process, or of the problem in its output for the case.
    stderr : str
        The last line that the process printed on standard error.
    found : str
        Unusable part of the output; empty if it is unknown.
    reason : str
        The parser's message about the output; may be empty.
    """

    message: str
    stderr: str = ""
    found: str = ""
    reason: str = ""

    @property
    def full_reason(self) -> str:
        """The parser's message about the output; if there is none, a description of how the process ended."""
        return self.reason or ": ".join(filter(None, (self.message, self.stderr)))


@dataclass
class Summary:
    """Counts of cases, mentions, failures and processes in a shard or in a complete run.

    Attributes
    ----------
    mentions, unplaced, merged : int
        Numbers of mentions in the output, mentions without a position in the text, and merged duplicates.
    strays, stripped : int
        Numbers of records that belong to no case, and of cases whose answer contains additional text.
    types, strings : Counter
        Numbers of mentions by type, and of strings by status.
    outcomes, placed : Counter
        Numbers of cases by outcome, and by kind of alignment.
    unmapped : Counter
        Number of mentions by type, for types that the type map drops or does not list.
    dropped : Counter
        Types that the type map drops.
    undeclared : Counter
        Numbers of tags by name, only for tags in unusable records that the specification does not list.
    codes : Counter
        Number of processes by exit code; for a persistent tagger, only processes that failed at their first
        case.
    failures : list of dict
        One dict per outcome and message, with the number of cases, the first cases, and an example.
    is_silent : bool
        True if all output was empty.
    stderr : bytes
        Standard error of processes whose end determined the outcome of a case; only for a shard.
    aside : bytes
        Standard error of all other processes of a persistent tagger; only for a shard.
    starts, attempts, seconds, peak_mb, ended
        Entries of timings.json: number of started processes, number of attempts, time in seconds, maximum
        memory in MiB, and number of processes by exit code.
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
        """Add the counts of another shard; `first` is the position in the input of its first case."""
        failures = [{**kind, "cases": [first + case for case in kind["cases"]]} for kind in other.failures]
        self.failures = group_failures([*self.failures, *failures])
        self.is_silent = self.is_silent and other.is_silent
        for name, value in vars(other).items():
            count = getattr(self, name)
            if isinstance(count, Counter):
                count.update(value)
            elif type(count) is int:
                setattr(self, name, count + value)

    def add_ends(self, ends: Iterable[ProcessEnd], said: Iterable[bytes] = ()) -> None:
        """Add the exit codes, the maximum memory and the standard error of ended processes."""
        for end in ends:
            self.ended[str(end.code)] += 1
            self.peak_mb = max(self.peak_mb, end.peak_mb)
        aside = StderrExcerpt()
        for printed in (self.aside, *said):
            aside.add(printed)
        self.aside = aside.content


def group_failures(failures: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Merge failures with the same outcome and message, and add up their numbers of cases."""
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for failure in failures:
        key = failure["outcome"], failure["said"]
        group = groups.setdefault(key, {**failure, "count": 0, "cases": []})
        group["count"] += failure["count"]
        group["cases"] = [*group["cases"], *failure["cases"]][:MAX_NAMED_CASES]
        group["found"] = group["found"] or failure["found"]
        group["stderr"] = group["stderr"] or failure["stderr"]
    return [groups[key] for key in sorted(groups)]


@dataclass(frozen=True)
class Shard:
    """Finished shard (part of a run's cases), in which every case has an outcome.

    Attributes
    ----------
    tables : dict of str to Arrow record batch
        Tables by name, with the columns in `tables.TABLES`. Cases are identified by their position in the
        shard; mentions are numbered from 0, in the order of case, start, end, fragments and type.
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
        """Make a shard from aligned mentions and outcomes.

        Parameters
        ----------
        placed : Placement
            Alignment of each case.
        found : NormalisedMentions
            Mentions with mapped types, and strings without offsets.
        outcome : mapping
            Outcomes by the position of a case in the shard.
        failures : mapping
            Failures by the position of a case in the shard.
        summary : Summary
            Summary of the shard's processes, to which the numbers of mentions and outcomes are added.
        costs : array
            Costs of each case.
        replies : mapping
            Stored replies by the position of a case in the shard; the positions are in ascending order.
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
                # unknown costs are missing values
                **{n: numbers(c, np.isnan(c)) for n, c in zip(COST_NAMES, costs.T, strict=True)},
            },
            "replies": {"case_id": numbers(list(replies)), "reply": _make_text_column(replies.values())},
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
        """Return the shard as bytes: a line of table names, the summary as JSON, and Arrow IPC streams."""
        sink = pa.BufferOutputStream()
        # Latin-1 maps each byte to the character with the same number
        own = vars(self.summary).items()
        values = {k: v.decode("latin-1") if isinstance(v, bytes) else v for k, v in own}
        sink.write(f"{json.dumps(list(self.tables))}\n{json.dumps(values)}\n".encode())
        for batch in self.tables.values():
            with pa.ipc.new_stream(sink, batch.schema, options=IPC_OPTIONS) as writer:
                writer.write_batch(batch)
        content: bytes = sink.getvalue().to_pybytes()
        return content

    @classmethod
    def from_bytes(cls, content: bytes) -> Shard:
        """Make a shard from the bytes that `to_bytes` returned for it."""
        names, line, rest = content.split(b"\n", 2)
        values = json.loads(line)
        for name, value in values.items():
            if isinstance(value, dict):
                values[name] = Counter(value)
            elif isinstance(value, str):
                values[name] = value.encode("latin-1")
        source = pa.BufferReader(rest)
        # each table is a stream of its own, read to its end
        batches = {name: list(pa.ipc.open_stream(source)) for name in json.loads(names)}
        return cls({name: batch for name, (batch,) in batches.items()}, Summary(**values))


def _make_columns(mentions: Sequence[Mention]) -> dict[str, pa.Array]:
    return {
        "text_id": numbers([m.case for m in mentions]),
        "type": _make_text_column((m.type for m in mentions), sorted({m.type for m in mentions})),
        "score": numbers(np.array([m.score for m in mentions], np.float64)),
    }


def _make_text_column(texts: Iterable[str | None], known: Iterable[str] = ()) -> pa.Array:
    """Return a dictionary-encoded Arrow column of texts; the dictionary begins with the texts in `known`."""
    places = {word: place for place, word in enumerate(known)}
    codes = np.array(
        [-1 if text is None else places.setdefault(text, len(places)) for text in texts], np.int32
    )
    coded = [word.encode() for word in places]
    buffers = [None, pa.py_buffer(bounds_from_lengths(list(map(len, coded)))), pa.py_buffer(b"".join(coded))]
    words = pa.Array.from_buffers(pa.large_string(), len(coded), buffers).cast(pa.string())
    return pa.DictionaryArray.from_arrays(numbers(codes, codes < 0), words)


def numbers(values: NDArray[Any] | Sequence[int], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Convert numbers to an Arrow array, with null where `missing` is True.

    `pyarrow.array` is not used, because it imports pandas, which takes as long as a short run.
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
    """Folder of finished shards, which belongs to an unfinished run or to the cache.

    Each file ends with a checksum of the shard's number and bytes, so that a file damaged by a power failure
    or a full disk is detected.

    Attributes
    ----------
    folder : Path
    finished : set of int
        Numbers of the finished shards in the folder.
    """

    folder: Path
    finished: set[int] = field(default_factory=set)

    def find_finished(self, count: int) -> None:
        """Find the finished shards in the folder; remove damaged files and print messages about them."""
        for number in range(count):
            try:
                self.read(number)
                self.finished.add(number)
            except FileNotFoundError:
                continue
            except InputError as error:
                say(f"tagsuite: {error.file}: the shard is damaged or truncated; it is removed and run again")
                Path(error.file or "").unlink()

    def put(self, number: int, shard: Shard) -> None:
        """Write a finished shard atomically, and wait until it is on the disk."""
        content = shard.to_bytes()
        path = self.folder / f"{number:06d}.shard"
        with atomic_path(path, durable=True) as temporary, temporary.open("wb") as stream:
            stream.write(content)
            stream.write(_compute_seal(number, content))
        self.finished.add(number)

    def read(self, number: int) -> Shard:
        """Read the finished shard with the given number.

        Raises
        ------
        InputError
            If the file of the shard is damaged or truncated.
        """
        path = self.folder / f"{number:06d}.shard"
        stored = path.read_bytes()
        content, seal = stored[:-SEAL_BYTES], stored[-SEAL_BYTES:]
        if seal != _compute_seal(number, content):
            raise InputError("the shard is damaged or truncated; repeat the command to replace it", file=path)
        return Shard.from_bytes(content)


def _compute_seal(number: int, content: bytes) -> bytes:
    return hashlib.blake2b(
        content, digest_size=SEAL_BYTES, salt=number.to_bytes(16, "big"), person=SHARD_LAYOUT
    ).digest()
