"""How much one input may hold, unpacked: a small file cannot be made to fill the memory.

Text and XML are read whole, and so are pipes: up to `DEFAULT_MB`. What is packed (gzip, zip, Parquet) may
unpack to as much, or to `RATIO` times its size on disk where that is more: real tables of any size stay
readable, and a file of a few kilobytes that unpacks to gigabytes is refused before it does.

What is made of the bytes takes more memory than they do, and many tiny parts take the most: a `Cost` says
how much, from the signs that part them. Reading may take `TIMES` the limit, and `ROOM`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO

from .errors import InputError

DEFAULT_MB = 512
RATIO = 20
ROOM, TIMES = 128 << 20, 3.75
"""What the program takes by itself, and what reading may take, in limits: 2 GiB together by default."""
STRETCH = 1 << 20
"""Bytes in which signs are counted at once."""
VARIABLE = "TAGSUITE_INPUT_MB"
"""Holds the limit in megabytes: an environment variable, since worker processes must know it too."""
RAISE = f"to raise the limit: tagsuite --input-mb N …, or {VARIABLE}=N"


@dataclass(frozen=True)
class Cost:
    """Memory that reading a form of text takes, at most.

    Attributes
    ----------
    copies : int
        Bytes for each byte, itself included.
    signs : mapping of bytes to int
        Bytes besides for each of some signs: what stands between them becomes objects.
    strings : int
        How many of the copies are strings of Python, which one character makes two or four times as large.
    """

    copies: int = 4
    signs: Mapping[bytes, int] = field(default_factory=lambda: {b"\n": 350})
    strings: int = 1

    def at_most(self, size: int) -> int:
        """Bytes of memory that reading so many bytes takes, whatever they are."""
        return size * (self.copies + max(self.signs.values(), default=0))

    def of(self, content: bytes) -> int:
        """Bytes of memory that reading some content takes."""
        return len(content) * self.copies + sum(content.count(s) * each for s, each in self.signs.items())

    def wider(self, content: bytes) -> int:
        """Bytes that it takes besides, where each of its texts may hold the widest character of them all."""
        import numpy as np

        top = int(np.frombuffer(content, dtype=np.uint8).max(initial=0))
        # the first byte of UTF-8 tells: beyond the basic plane, beyond Latin-1, or neither
        width = 4 if top >= 0xF0 else 2 if top >= 0xC4 else 1
        return len(content) * self.strings * (width - 1)


def memory_limit(limit: int) -> int:
    """Memory that reading may take where the bytes read are limited so."""
    return ROOM + int(TIMES * limit)


def refuse_costly(path: str | os.PathLike[str], opened: Callable[[], IO[bytes]], cost: Cost) -> None:
    """Refuse a file whose reading would take more memory than the limit allows, before it is read.

    One that is itself larger than the limit is left to its reader, which says so.
    """
    limit = input_limit()
    size, total = 0, ROOM
    with opened() as stream:
        while size <= limit and (piece := stream.read(STRETCH)):
            size += len(piece)
            total += cost.of(piece) + cost.wider(piece)
    if size <= limit and total > memory_limit(limit):
        raise InputError(
            f"reading the file may take more than {memory_limit(limit) >> 20} MB of memory: "
            f"it holds too many parts for the limit of {limit >> 20} MB",
            file=path,
            found=f"{-(-size >> 20)} MB that may take {total >> 20} MB",
            allowed=f"a smaller one; {RAISE}",
        )


def input_limit() -> int:
    """The limit in bytes.

    Raises
    ------
    InputError
        When the environment variable holds no number of megabytes.
    """
    given = os.environ.get(VARIABLE, "")
    if not given:
        return DEFAULT_MB << 20
    if not (given.isascii() and given.isdecimal() and 0 < len(given) <= 9 and int(given)):
        raise InputError(f"{VARIABLE} is no number of megabytes", found=given, allowed="1, 2, 3, …")
    return int(given) << 20


def packed_limit(size: int) -> int:
    """The limit in bytes on what a packed file of `size` bytes may unpack to."""
    return max(input_limit(), RATIO * size)


def too_large(path: str | os.PathLike[str], limit: int, *, packed: bool = False) -> InputError:
    """The error of an input beyond its limit, which says how to raise it."""
    return InputError(
        f"the file {'unpacks to' if packed else 'holds'} more than {limit >> 20} MB",
        file=path,
        allowed=f"a smaller one; {RAISE}",
    )
