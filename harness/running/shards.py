"""Shards on disk: what makes a run that was killed resume, and a cluster give the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_path
from ...catalogues.core.tables import say
from .solving import Failure, Solved

SMALLEST, LARGEST, AIM = 500, 100_000, 6
SEAL = 32
"""Bytes of the digest that ends a shard's file."""


def bounds(count: int, batch_size: int | None) -> list[tuple[int, int]]:
    """Cut an input into shards; a function of its size alone, never of the number of jobs.

    Without a declared size an input gives about six shards of 500 to 100,000 cases: enough to keep a few
    cores busy, few enough that starting the tagger costs little.
    """
    size = batch_size or min(max(-(-count // AIM), SMALLEST), LARGEST)
    return [(low, min(low + size, count)) for low in range(0, count, size)]


ARRAYS = ("case", "start", "end", "type", "score", "parts", "outcome", "way", "unplaced")
"""The columns of a solved shard: mentions, then cases."""


def pack(solved: Solved) -> bytes:
    """A solved shard as bytes: its columns in NumPy's format, after all the rest in a line of JSON."""
    rest = {
        "types": solved.types,
        "failures": [asdict(f) for f in solved.failures],
        "strays": solved.strays,
        "merged": solved.merged,
        "unmapped": solved.unmapped,
        "dropped": solved.dropped,
        "codes": solved.codes,
        "stderr": solved.stderr.decode("latin-1"),
        "attempts": solved.attempts,
        "seconds": solved.seconds,
        "peak_mb": solved.peak_mb,
    }
    sink = io.BytesIO()
    sink.write(json.dumps(rest).encode() + b"\n")
    for name in ARRAYS:
        np.lib.format.write_array(sink, getattr(solved, name), allow_pickle=False)
    return sink.getvalue()


def unpack(content: bytes) -> Solved:
    """The opposite of `pack`."""
    source = io.BytesIO(content)
    rest = json.loads(source.readline())
    columns: dict[str, Any] = {name: np.lib.format.read_array(source, allow_pickle=False) for name in ARRAYS}
    rest["failures"] = [Failure(**f) for f in rest["failures"]]
    rest["stderr"] = rest["stderr"].encode("latin-1")
    return Solved(**columns, **rest)


class Shelf:
    """The folder of finished shards of an unfinished run.

    A shard's file ends with a digest of its number and its bytes: one that a power cut, a full disk or
    anything else has damaged is not taken for finished.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._finished: set[int] = set()

    def path(self, number: int) -> Path:
        """Where a shard stands when it is finished."""
        return self.folder / f"{number:06d}.shard"

    def survey(self, count: int) -> None:
        """Look through the shards that stand here; damaged ones are dropped, and said."""
        for number in range(count):
            path = self.path(number)
            if not path.is_file():
                continue
            if checked(path, number) is None:
                path.unlink()
                say(f"tagsuite: {path}: the shard is damaged or cut off; it is dropped and run again")
            else:
                self._finished.add(number)

    def has(self, number: int) -> bool:
        """Whether a shard is finished."""
        return number in self._finished

    def put(self, number: int, content: bytes) -> None:
        """Write a finished shard, whole or not at all, and wait until it is on the disk."""
        with atomic_path(self.path(number), durable=True) as temporary:
            temporary.write_bytes(content + _seal(number, content))
        self._finished.add(number)

    def get(self, number: int) -> Solved:
        """Read a finished shard.

        Raises
        ------
        InputError
            When it was damaged while the run went on.
        """
        content = checked(self.path(number), number)
        if content is None:
            raise InputError(
                "the shard is damaged or cut off",
                file=self.path(number),
                allowed="the same command again: it is dropped and run again",
            )
        return unpack(content)


def checked(path: Path, number: int) -> bytes | None:
    """A shard's bytes without their digest; None when the file does not hold them whole."""
    try:
        stored = path.read_bytes()
    except FileNotFoundError:
        return None
    content, seal = stored[:-SEAL], stored[-SEAL:]
    return content if seal == _seal(number, content) else None


def _seal(number: int, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=SEAL, salt=number.to_bytes(16, "big")).digest()
