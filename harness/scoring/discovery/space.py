"""The space of a search: mentions, their values on each axis, and which of them are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Codes, Flags, Ints, Numbers
from .axes import Axis

Bits = NDArray[np.uint64]

LEAST_SURPRISE = 3.0
"""Standard errors by which a combination is worse than all mentions, before it is looked at closer."""


@dataclass(frozen=True)
class Found:
    """A combination of conditions: which value of which axes.

    Attributes
    ----------
    axes, values : tuple of int
    cases, wrong : int
        Mentions that it selects, and those of them that are wrong.
    surprise : float
        Standard errors by which the wrong exceed their share in all.
    """

    axes: tuple[int, ...]
    values: tuple[int, ...]
    cases: int = 0
    wrong: int = 0
    surprise: float = 0.0

    @property
    def key(self) -> tuple[object, ...]:
        """The order of candidates: surprise, then fewer conditions, then the axes' order."""
        return (-self.surprise, len(self.axes), self.axes, self.values)

    @property
    def parents(self) -> list[Found]:
        """The combinations with one condition fewer, uncounted."""
        places = range(len(self.axes))
        return [
            Found(self.axes[:i] + self.axes[i + 1 :], self.values[:i] + self.values[i + 1 :]) for i in places
        ]


class Space:
    """The mentions of a search, the wrong ones first.

    Parameters
    ----------
    axes : sequence of Axis
    wrong : array of bool
        One flag a mention.
    rows : array, optional
        Positions of the mentions to search among; all when None.
    """

    def __init__(self, axes: Sequence[Axis], wrong: Flags, rows: Ints | None = None) -> None:
        self.axes = list(axes)
        chosen = np.arange(len(wrong)) if rows is None else rows
        flags = wrong[chosen]
        self.rows = np.concatenate((chosen[flags], chosen[~flags]))
        self.size = len(self.rows)
        self.errors = int(flags.sum())
        # values of each axis, [axis, mention], the wrong mentions first
        self.codes = np.empty((len(self.axes), self.size), dtype=np.int16)
        for i, axis in enumerate(self.axes):
            self.codes[i] = axis.codes[self.rows]
        self.sizes = [a.size for a in self.axes]
        self.base = self.errors / self.size if self.size else 0.0

    def surprise(self, cases: Numbers, wrong: Numbers) -> Numbers:
        """How many standard errors the wrong exceed their share, for draws without replacement."""
        return surprise(cases, wrong, self.size, self.errors)

    @cached_property
    def errors_packed(self) -> Bits:
        """The wrong mentions, a bit each."""
        return pack(np.arange(self.size) < self.errors)

    def counts(self, chosen: Bits) -> tuple[Numbers, Numbers]:
        """Return the number of mentions in each row, and of wrong mentions, which are the first bits."""
        words = -(-self.errors // 64)
        wrong = count(chosen[:, :words] & self.errors_packed[:words])
        return count(chosen).astype(np.float64), wrong.astype(np.float64)

    @cached_property
    def conditions(self) -> tuple[Ints, Bits]:
        """Every condition's mentions, a bit each, and the first row of each axis among them."""
        # flags of every condition, [condition, word of 64 mentions]
        first = np.cumsum([0, *(s - 1 for s in self.sizes)])
        rows = [pack(self.codes[a] == v) for a in range(len(self.axes)) for v in range(self.sizes[a] - 1)]
        return first, np.array(rows, dtype=np.uint64).reshape(int(first[-1]), -1)

    def packed(self, found: Found) -> Bits:
        """The mentions that a combination selects, a bit each; all of them for no condition."""
        first, bits = self.conditions
        rows = [int(first[a]) + v for a, v in zip(found.axes, found.values, strict=True)]
        if not rows:
            return pack(np.ones(self.size, dtype=bool))
        return np.asarray(np.bitwise_and.reduce(bits[rows], axis=0))

    def inside(self, found: Found) -> Flags:
        """Which mentions (in the search's order) a combination selects."""
        return selected(self.codes, found)


def selected(codes: Sequence[Codes] | NDArray[np.int16], found: Found) -> Flags:
    """Which mentions a combination selects, from their codes on every axis."""
    chosen = np.ones(len(codes[0]), dtype=bool)
    for axis, value in zip(found.axes, found.values, strict=True):
        chosen &= codes[axis] == value
    return chosen


def surprise(cases: Numbers, wrong: Numbers, size: float, errors: float) -> Numbers:
    """By how many standard errors the wrong of some cases exceed their share of all."""
    # hypergeometric standard error of the wrong among so many cases, [candidate]
    p = errors / size if size else 0.0
    left = np.maximum(size - cases, 1.0) / max(size, 1.0)
    error = np.sqrt(np.maximum(cases * p * (1.0 - p) * left, 1e-9))
    return np.asarray((wrong - cases * p) / error)


def pack(flags: Flags) -> Bits:
    """Flags as bits in 64-bit words."""
    packed = np.packbits(flags)
    return np.pad(packed, (0, -len(packed) % 8)).view(np.uint64)


def count(bits: Bits) -> Ints:
    """Number of set bits of each row."""
    return np.asarray(np.bitwise_count(bits).sum(axis=-1, dtype=np.int64))
