"""Finished shards on disk: what makes a run that was killed resume."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_path
from ....catalogues.core.tables import say
from .shard import Shard

SEAL = 32
"""Bytes of the digest that ends a shard's file."""


class ShardStore:
    """A folder of finished shards: of an unfinished run, or of a run in the cache.

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
        """Look through the shards that stand here; damaged ones are dropped with a message."""
        for number in range(count):
            path = self.path(number)
            if not path.is_file():
                continue
            if self._content(number) is None:
                path.unlink()
                say(f"tagsuite: {path}: the shard is damaged or cut off; it is dropped and run again")
            else:
                self._finished.add(number)

    def has(self, number: int) -> bool:
        """Whether a shard is finished."""
        return number in self._finished

    def put(self, number: int, shard: Shard) -> None:
        """Write a finished shard, whole or not at all, and wait until it is on the disk."""
        content = shard.to_bytes()
        with atomic_path(self.path(number), durable=True) as temporary, temporary.open("wb") as stream:
            stream.write(content)
            stream.write(_seal(number, content))
        self._finished.add(number)

    def read(self, number: int) -> Shard | None:
        """Read a shard; None when its file is not there or does not hold it whole."""
        content = self._content(number)
        return None if content is None else Shard.from_bytes(content)

    def get(self, number: int) -> Shard:
        """Read a finished shard.

        Raises
        ------
        InputError
            When it was damaged while the run went on.
        """
        shard = self.read(number)
        if shard is None:
            raise InputError(
                "the shard is damaged or cut off",
                file=self.path(number),
                allowed="the same command again: it is dropped and run again",
            )
        return shard

    def _content(self, number: int) -> bytes | None:
        """A shard's bytes without their digest; None when the file does not hold them whole."""
        try:
            stored = self.path(number).read_bytes()
        except FileNotFoundError:
            return None
        content, seal = stored[:-SEAL], stored[-SEAL:]
        return content if seal == _seal(number, content) else None


def _seal(number: int, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=SEAL, salt=number.to_bytes(16, "big")).digest()
