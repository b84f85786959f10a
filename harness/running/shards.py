"""Shards on disk: what makes a run that was killed resume, and a cluster give the same bytes."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...catalogues.plumbing.files import atomic_path
from .solving import Failure, Solved

SMALLEST, LARGEST, AIM = 500, 100_000, 8


def bounds(count: int, batch_size: int | None) -> list[tuple[int, int]]:
    """Cut an input into shards; a function of its size alone, never of the number of jobs.

    Without a declared size an input gives about eight shards of 500 to 100,000 cases: enough to keep a few
    cores busy, few enough that starting the tagger costs little.
    """
    size = batch_size or min(max(-(-count // AIM), SMALLEST), LARGEST)
    return [(low, min(low + size, count)) for low in range(0, count, size)]


def pack(solved: Solved) -> bytes:
    """A solved shard as bytes: two Arrow streams, mentions and cases."""
    sink = io.BytesIO()
    mentions = pa.table(
        {
            "case": pa.array(solved.case, pa.int64()),
            "start": pa.array(solved.start, pa.int64()),
            "end": pa.array(solved.end, pa.int64()),
            "type": pa.DictionaryArray.from_arrays(
                pa.array(solved.type), pa.array(solved.types, pa.string())
            ),
            "score": pa.array(solved.score, pa.float64()),
        }
    )
    rest = {
        "failures": [asdict(f) for f in solved.failures],
        "strays": solved.strays,
        "unmapped": solved.unmapped,
        "codes": solved.codes,
        "stderr": solved.stderr.decode("latin-1"),
        "attempts": solved.attempts,
        "seconds": solved.seconds,
        "peak_mb": solved.peak_mb,
    }
    cases = pa.table(
        {
            "outcome": pa.array(solved.outcome, pa.int8()),
            "way": pa.array(solved.way, pa.int8()),
            "unplaced": pa.array(solved.unplaced, pa.int32()),
        }
    ).replace_schema_metadata({"rest": json.dumps(rest)})
    for table in (mentions, cases):
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return sink.getvalue()


def unpack(content: bytes) -> Solved:
    """The opposite of `pack`."""
    source = pa.BufferReader(content)
    with pa.ipc.open_stream(source) as reader:
        mentions = reader.read_all()
    with pa.ipc.open_stream(source) as reader:
        cases = reader.read_all()
    rest = json.loads(cases.schema.metadata[b"rest"])

    def column(table: pa.Table, name: str) -> np.ndarray:
        return np.asarray(table[name].combine_chunks().to_numpy(zero_copy_only=False))

    codes = mentions["type"].combine_chunks()
    if isinstance(codes, pa.ChunkedArray):
        # a table without rows has no chunk
        codes = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([], pa.string()))
    return Solved(
        column(mentions, "case"),
        column(mentions, "start"),
        column(mentions, "end"),
        codes.indices.to_numpy(zero_copy_only=False),
        codes.dictionary.to_pylist(),
        column(mentions, "score"),
        column(cases, "outcome"),
        column(cases, "way"),
        column(cases, "unplaced"),
        [Failure(**f) for f in rest["failures"]],
        rest["strays"],
        rest["unmapped"],
        rest["codes"],
        rest["stderr"].encode("latin-1"),
        rest["attempts"],
        rest["seconds"],
        rest["peak_mb"],
    )


class Shelf:
    """The folder of finished shards of an unfinished run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, number: int) -> Path:
        """Where a shard stands when it is finished."""
        return self.folder / f"{number:06d}.shard"

    def has(self, number: int) -> bool:
        """Whether a shard is finished."""
        return self.path(number).is_file()

    def put(self, number: int, content: bytes) -> None:
        """Write a finished shard, whole or not at all."""
        with atomic_path(self.path(number)) as temporary:
            temporary.write_bytes(content)

    def get(self, number: int) -> Solved:
        """Read a finished shard."""
        return unpack(self.path(number).read_bytes())
