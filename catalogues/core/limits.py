"""How much one input may hold, unpacked: a small file cannot be made to fill the memory.

Text and XML are read whole, and so are pipes: up to `DEFAULT_MB`. What is packed (gzip, zip, Parquet) may
unpack to as much, or to `RATIO` times its size on disk where that is more: real tables of any size stay
readable, and a file of a few kilobytes that unpacks to gigabytes is refused before it does.

What a reader makes of the bytes takes several times as much memory as they do.
"""

from __future__ import annotations

import os

from .errors import InputError

DEFAULT_MB = 512
RATIO = 20
VARIABLE = "TAGSUITE_INPUT_MB"
"""Holds the limit in megabytes: an environment variable, since worker processes must know it too."""
RAISE = f"to raise the limit: tagsuite --input-mb N …, or {VARIABLE}=N"


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
