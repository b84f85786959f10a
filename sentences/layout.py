"""Texts laid end to end: code points, kinds and slices as arrays, so that no loop runs over mentions."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

ALNUM, SPACE, UPPER, LOWER, DIGIT, OPENING, CLOSING, STOP, JOINER = (1 << n for n in range(9))
"""Bits of a character's kind; a character may have several, a mark that is none of these has 0."""

_QUOTES = "\"'`"


@dataclass(frozen=True)
class Layout:
    """Texts laid end to end, each followed by one line break.

    Attributes
    ----------
    codes : array of uint32
        The code points of all texts.
    kinds : array of uint16
        What each character is, as bits.
    starts, ends : arrays of int64
        Where each text begins and ends in `codes`.
    """

    codes: NDArray[np.uint32]
    kinds: NDArray[np.uint16]
    starts: Ints
    ends: Ints

    def has(self, bits: int) -> Flags:
        """Which characters have any of these bits."""
        found: Flags = (self.kinds & bits) != 0
        return found

    def slices(self, starts: Ints, ends: Ints) -> pa.LargeStringArray:
        """Cut the pieces [start, end) out of the laid-out text, all at once."""
        lengths = np.maximum(ends - starts, 0)
        shift = np.concatenate(([0], np.cumsum(lengths)))
        gathered = self.codes[np.repeat(starts - shift[:-1], lengths) + np.arange(shift[-1])]
        sizes = np.ones(len(gathered), dtype=np.int64)
        for bound in (0x80, 0x800, 0x10000):
            sizes += gathered >= bound
        total = np.concatenate(([0], np.cumsum(sizes)))
        data = gathered.tobytes().decode("utf-32-le").encode()
        return pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(total[shift]), pa.py_buffer(data))

    def distinct(self, starts: Ints, ends: Ints) -> tuple[list[str], Ints]:
        """The different pieces among [start, end), and for each slice the index of its piece."""
        coded = self.slices(starts, ends).dictionary_encode()
        return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)


def lay_out(texts: Sequence[str] | pd.Series) -> Layout:
    """Lay texts end to end."""
    column = pa.array(texts, type=pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    one = pa.ListArray.from_arrays([0, len(column)], column)
    joined = pc.binary_join(one, pa.scalar("\n", pa.large_string()))[0].as_py() + "\n"
    codes = np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32)
    lengths = pc.utf8_length(column).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum(lengths + 1) - 1
    return Layout(codes, _kinds(codes), ends - lengths, ends)


def _kinds(codes: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """Look each different code point up once."""
    present = np.flatnonzero(np.bincount(codes, minlength=1)) if len(codes) else np.empty(0, dtype=np.int64)
    table = np.zeros(int(present[-1]) + 1 if len(present) else 1, dtype=np.uint16)
    for code in present.tolist():
        table[code] = kind(chr(code))
    found: NDArray[np.uint16] = table[codes]
    return found


def kind(character: str) -> int:
    """A character's kind as bits, by Python's own tests and, for marks, Unicode's general category."""
    bits = 0
    if character.isalnum():
        bits |= ALNUM
    if character.isspace():
        bits |= SPACE
    if character.isupper():
        bits |= UPPER
    if character.islower():
        bits |= LOWER
    if character.isdigit():
        bits |= DIGIT
    category = unicodedata.category(character)
    if category in ("Ps", "Pi") or character in _QUOTES:
        bits |= OPENING
    if category in ("Pe", "Pf") or character in _QUOTES or character in ".,;:!?…":
        bits |= CLOSING
    if character in ".!?":
        bits |= STOP
    if character in "-‐‑'’":
        bits |= JOINER
    return bits


def inside(starts: Ints, ends: Ints, places: Ints) -> Ints:
    """For each place, the index of the interval that holds it, or -1; intervals are sorted and disjoint."""
    if not len(starts):
        return np.full(len(places), -1, dtype=np.int64)
    index = np.searchsorted(starts, places, side="right") - 1
    held = (index >= 0) & (places < ends[np.maximum(index, 0)])
    return np.where(held, index, -1)


def merge(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Unite intervals that overlap (those that only touch stay apart) into sorted, disjoint zones."""
    if not len(starts):
        return starts, ends
    order = np.lexsort((-ends, starts))
    first, last = starts[order], np.maximum.accumulate(ends[order])
    opens = np.concatenate(([True], first[1:] >= last[:-1]))
    at = np.flatnonzero(opens)
    return first[at], last[np.concatenate((at[1:], [len(first)])) - 1]
