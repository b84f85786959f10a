"""Texts as bytes of UTF-8: where characters stand in them. A large input is looked at piece by piece."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .text import Ints

Bytes: TypeAlias = NDArray[np.uint8]

STRETCH = 1 << 16
"""Bytes that are looked at at once: memory of that size is used again and stays in a core's cache."""


def places_of(data: Bytes, characters: bytes) -> Ints:
    r"""Where any of some ASCII characters stands, in order.

    Examples
    --------
    >>> places_of(np.frombuffer(b"a\nb\r\n", dtype=np.uint8), b"\n\r").tolist()
    [1, 3, 4]
    """
    wanted = [np.uint8(character) for character in characters]
    found = [np.zeros(0, np.int64)]
    for low in range(0, len(data), STRETCH):
        piece = data[low : low + STRETCH]
        found.append(low + np.flatnonzero(np.logical_or.reduce([piece == one for one in wanted])))
    return np.concatenate(found)


def inner_bytes(data: Bytes) -> Ints:
    """Where bytes stand that begin no character, in order.

    Examples
    --------
    >>> inner_bytes(np.frombuffer("aβ".encode(), dtype=np.uint8)).tolist()
    [2]
    """
    # 0x80 to 0xBF, as signed numbers
    signed = data.view(np.int8)
    pieces = range(0, len(data), STRETCH)
    found = [low + np.flatnonzero(signed[low : low + STRETCH] < -64) for low in pieces]
    return np.concatenate([np.zeros(0, np.int64), *found])
