"""Marked places of a long axis, a bit each: whether a place is marked, and how many are up to it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Ints

WORD = 64
BLOCK = 1 << 16
"""Places that are looked up at once, so that what is made on the way stays small."""
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


class Marks:
    """Marks of an axis that is extended piece by piece; it is asked when it is complete.

    A place costs two bits, where a number for each place would cost 32 or more.

    Examples
    --------
    >>> marks = Marks()
    >>> marks.extend(np.array([True, False, True]))
    >>> marks.extend(np.array([False, True]))
    >>> marks.at(np.array([0, 1, 4])).tolist(), marks.up_to(np.array([0, 1, 4])).tolist()
    ([True, False, True], [1, 1, 3])
    """

    def __init__(self) -> None:
        self._packed: list[NDArray[np.uint8]] = []
        self._rest = np.zeros(0, dtype=np.bool_)

    def extend(self, marked: Flags) -> None:
        """Lengthen the axis; only whole words are packed, the rest waits for the next piece."""
        flags = np.concatenate((self._rest, marked))
        whole = len(flags) // WORD * WORD
        self._packed.append(np.packbits(flags[:whole], bitorder="little"))
        self._rest = flags[whole:]

    @cached_property
    def _words(self) -> NDArray[np.uint64]:
        """The axis in words: bit ``i % 64`` of word ``i // 64`` is the mark of place `i`."""
        last = np.zeros(WORD, dtype=np.bool_)
        last[: len(self._rest)] = self._rest
        whole = np.concatenate((*self._packed, np.packbits(last, bitorder="little")))
        self._packed = []
        words: NDArray[np.uint64] = whole.view("<u8")
        return words

    @cached_property
    def _before(self) -> Ints:
        """How many marks stand before each word."""
        counts = np.bitwise_count(self._words)
        before: Ints = np.cumsum(counts, dtype=np.int64) - counts
        return before

    def at(self, places: Ints) -> Flags:
        """Whether each place is marked."""
        word, bit = np.divmod(places, WORD)
        return np.asarray(self._words[word] >> bit.astype(np.uint64) & np.uint64(1), dtype=np.bool_)

    def up_to(self, places: Ints) -> Ints:
        """How many marks stand at or before each place."""
        counts: Ints = np.empty(len(places), dtype=np.int64)
        for begin in range(0, len(places), BLOCK):
            word, bit = np.divmod(places[begin : begin + BLOCK], WORD)
            # of each place's word, the bits up to its own
            low = self._words[word] & (_ALL >> (WORD - 1 - bit).astype(np.uint64))
            np.add(self._before[word], np.bitwise_count(low), out=counts[begin : begin + BLOCK])
        return counts
