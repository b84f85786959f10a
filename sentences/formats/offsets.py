"""Offsets in other units than code points: UTF-8 bytes, UTF-16 units, characters that are not white space."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ..tokens import SPACE, CodePoints, classes

Unit = Literal["characters", "bytes", "utf16"]
UNITS: tuple[Unit, ...] = ("characters", "bytes", "utf16")
Integers = NDArray[np.int64]


def unit_of(value: str) -> Unit:
    """Check the name of a unit."""
    for unit in UNITS:
        if value == unit:
            return unit
    raise InputError("unknown unit of offsets", found=value, allowed=", ".join(UNITS))


class OffsetMap:
    """Offsets of a column of texts in one unit, to and from code points.

    Examples
    --------
    >>> bytes_ = OffsetMap(CodePoints.of(["α-β"]), "bytes")
    >>> bytes_.to_unit(np.array([0, 0]), np.array([1, 3])).tolist()
    [2, 5]
    >>> bytes_.from_unit(np.array([0, 0, 0]), np.array([2, 1, 9])).tolist()
    [1, -1, -1]
    """

    def __init__(self, points: CodePoints, unit: Unit) -> None:
        self._bounds = points.bounds
        codes = points.codes
        size = np.ones(len(codes), dtype=np.int64)
        if unit == "bytes":
            size += (codes >= 0x80).astype(np.int64) + (codes >= 0x800) + (codes >= 0x10000)
        elif unit == "utf16":
            size += codes >= 0x10000
        self._before = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)

    def pairs(self, row: int, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Half-open spans of one text in the unit."""
        base = int(self._bounds[row])
        before = self._before
        return [
            (int(before[base + a] - before[base]), int(before[base + b] - before[base])) for a, b in spans
        ]

    @property
    def lengths(self) -> Integers:
        """Length of each text in the unit."""
        made: Integers = np.diff(self._before[self._bounds])
        return made

    def to_unit(self, rows: Integers, offsets: Integers) -> Integers:
        """Code point offsets within texts as offsets in the unit."""
        base = self._bounds[rows]
        made: Integers = self._before[base + offsets] - self._before[base]
        return made

    def from_unit(self, rows: Integers, offsets: Integers) -> Integers:
        """Offsets in the unit as code point offsets; -1 outside the text or inside a character."""
        base = self._bounds[rows]
        wanted = self._before[base] + offsets
        place = np.searchsorted(self._before, wanted)
        inside = (offsets >= 0) & (place <= self._bounds[rows + 1])
        exact = self._before[np.minimum(place, len(self._before) - 1)] == wanted
        return np.where(inside & exact, place - base, -1)


class NonSpace:
    """The characters of a column of texts that are not white space, numbered from 0 in each text."""

    def __init__(self, points: CodePoints) -> None:
        self.points = points
        self._inner = classes(points.codes) != SPACE
        self._places = np.flatnonzero(self._inner)
        self._before = np.concatenate([[0], np.cumsum(self._inner)]).astype(np.int64)
        self._first = self._before[points.bounds]

    @property
    def counts(self) -> Integers:
        """Number of such characters in each text."""
        return np.diff(self._first)

    def squeezed(self) -> list[str]:
        """The texts without their white space."""
        whole = self.points.codes[self._places].tobytes().decode("utf-32-le")
        edges = self._first.tolist()
        return [whole[a:b] for a, b in pairwise(edges)]

    def spans(self, rows: Integers, first: Integers, last: Integers) -> tuple[Integers, Integers]:
        """Half-open spans from the first to the last (inclusive) such character; (-1, -1) outside."""
        base = self._first[rows]
        good = (first >= 0) & (last >= first) & (base + last < self._first[rows + 1])
        if not len(self._places):
            return np.full(len(rows), -1), np.full(len(rows), -1)
        top = len(self._places) - 1
        start = self._places[np.clip(base + first, 0, top)] - self.points.bounds[rows]
        end = self._places[np.clip(base + last, 0, top)] + 1 - self.points.bounds[rows]
        return np.where(good, start, -1), np.where(good, end, -1)

    def numbers(self, rows: Integers, starts: Integers, ends: Integers) -> tuple[Integers, Integers]:
        """First and last (inclusive) such character of half-open spans; last < first for mere white space."""
        base = self.points.bounds[rows]
        first = self._before[base + starts] - self._first[rows]
        last = self._before[base + ends] - self._first[rows] - 1
        return first, last
