"""Conversion of offsets between code points and UTF-8 bytes, UTF-16 units or non-space characters."""

from __future__ import annotations

import numpy as np

from .arrays import bounds_from_lengths
from .numbers import Unit
from .text import CharKind, Ints, TextColumn


class OffsetMap:
    """Converter between offsets in code points and offsets in another unit, for a column of texts.

    Examples
    --------
    >>> bytes_ = OffsetMap(TextColumn(["α-β"]), "bytes")
    >>> bytes_.to_unit(np.array([0, 0]), np.array([1, 3])).tolist()
    [2, 5]
    >>> bytes_.from_unit(np.array([0, 0, 0]), np.array([2, 1, 9])).tolist()
    [1, -1, -1]
    """

    def __init__(self, column: TextColumn, unit: Unit) -> None:
        self._column = column
        # places of characters with more than one unit, and the number of extra units before each place
        if unit == "characters":
            self._wide = np.zeros(0, dtype=np.int64)
        else:
            self._wide = np.flatnonzero(column.codes >= (0x80 if unit == "bytes" else 0x10000))
        codes = column.codes[self._wide]
        more = np.ones(len(codes), dtype=np.int64)
        if unit == "bytes":
            more += (codes >= 0x800).astype(np.int64) + (codes >= 0x10000)
        self._extra_bytes: Ints = bounds_from_lengths(more)

    def _units(self, places: Ints) -> Ints:
        """Return the number of units before each of the given positions in the concatenated texts."""
        return np.asarray(places + self._extra_bytes[np.searchsorted(self._wide, places)])

    def spans_to_unit(self, row: int, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Convert half-open spans in text number `row` from code points to the unit of the `OffsetMap`."""
        if not len(self._wide):
            return spans
        edges = np.array(spans, dtype=np.int64).reshape(-1, 2)
        units = self.to_unit(np.full(edges.shape, row), edges)
        return [(start, end) for start, end in units.tolist()]

    @property
    def lengths(self) -> Ints:
        """Length of each text, in the unit of the `OffsetMap`."""
        return self._units(self._column.ends) - self._units(self._column.starts)

    def to_unit(self, rows: Ints, offsets: Ints) -> Ints:
        """Convert offsets within texts from code points to the unit of the `OffsetMap`."""
        base = self._column.starts[rows]
        return self._units(base + offsets) - self._units(base)

    def from_unit(self, rows: Ints, offsets: Ints) -> Ints:
        """Convert offsets to code points; an offset outside its text or inside a character becomes -1."""
        base = self._column.starts[rows]
        wanted = self._units(base) + offsets
        place = wanted - self._extra_bytes[np.searchsorted(self._wide + self._extra_bytes[:-1], wanted)]
        # no place has this number of units before it if the offset is inside a character
        good = (offsets >= 0) & (place <= self._column.ends[rows]) & (self._units(place) == wanted)
        return np.where(good, place - base, -1)


class NonSpaceCharacters:
    """Non-space characters of a column of texts, numbered from 0 in each text.

    Examples
    --------
    >>> packed = NonSpaceCharacters(TextColumn(["a b", " c d"]))
    >>> packed.squeezed_texts()
    ['ab', 'cd']
    >>> [edge.tolist() for edge in packed.spans(np.array([1]), np.array([0]), np.array([1]))]
    [[1], [4]]
    """

    def __init__(self, column: TextColumn) -> None:
        self._column = column
        inner = ~column.is_of_kind(CharKind.SPACE)
        self._places = np.flatnonzero(inner)
        # number of non-space characters before each place of the column, and before each text
        self._before: Ints = bounds_from_lengths(inner)
        self._first = self._before[column.starts]

    @property
    def counts(self) -> Ints:
        """Number of non-space characters in each text."""
        return np.asarray(self._before[self._column.ends] - self._first)

    def squeezed_texts(self) -> list[str]:
        """Return the texts without white space."""
        joined = self._column.codes[self._places].tobytes().decode("utf-32-le", "surrogatepass")
        first = self._first.tolist()
        return [joined[a : a + n] for a, n in zip(first, self.counts.tolist(), strict=True)]

    def spans(self, rows: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Convert spans of numbered non-space characters to half-open spans of code points.

        `first` and `last` are the numbers of a span's first and last non-space character in its text. A span
        outside its text becomes (-1, -1).
        """
        base = self._first[rows]
        good = (first >= 0) & (last >= first) & (last < self.counts[rows])
        if not len(self._places):
            return np.full(len(rows), -1), np.full(len(rows), -1)
        top = len(self._places) - 1
        begins = self._column.starts[rows]
        start = self._places[np.clip(base + first, 0, top)] - begins
        end = self._places[np.clip(base + last, 0, top)] + 1 - begins
        return np.where(good, start, -1), np.where(good, end, -1)

    def numbers(self, rows: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Return the numbers of the first and last non-space character in each half-open span of code points.

        If a span contains only white space, the last number is less than the first.
        """
        base = self._column.starts[rows]
        first = self._before[base + starts] - self._first[rows]
        last = self._before[base + ends] - self._first[rows] - 1
        return first, last
