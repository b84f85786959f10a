"""Windows that explain what was seen: their size, and how much two neighbours share.

A tagger that reads in windows of `size` with `overlap` reads from 0 to size, from step to step + size, and
so on, where step = size - overlap. At the seams a mention is found twice (two windows hold it), in part (a
window ends or begins within it), or not at all (no window holds it whole).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from .sightings import Flags, Sightings
from .texts import UNITS, Ints, Unit

WIDEST = 40
"""Sizes and steps in a row that are tried each: more than a long word has characters."""
EDGES = 4
"""Places from each sort of trace that are tried as the first edge: the first may be chance."""


@dataclass(frozen=True)
class Windows:
    """Windows in a unit.

    Attributes
    ----------
    unit : str
    size, step : int
    wrong : int
        Places that they do not explain.
    odd : int
        Places that want an explanation.
    alike : tuple of (int, int)
        Other sizes and steps that leave as many.
    """

    unit: Unit
    size: int
    step: int
    wrong: int = 0
    odd: int = 0
    alike: tuple[tuple[int, int], ...] = field(default=(), compare=False, repr=False)

    @property
    def overlap(self) -> int:
        """What two neighbours share; negative where something between them is never read."""
        return self.size - self.step

    def holding(self, begin: Ints, end: Ints) -> Ints:
        """How many windows hold each span whole."""
        last = begin // self.step
        first = np.maximum(-((self.size - end) // self.step), 0)
        return np.maximum(last - first + 1, 0)

    def ending(self, begin: Ints, end: Ints) -> Ints:
        """The first place within each span at which a window ends; -1 where none does."""
        index = np.maximum(-((self.size - begin - 1) // self.step), 0)
        at = index * self.step + self.size
        return np.where((at > begin) & (at < end), at, -1)

    def beginning(self, begin: Ints, end: Ints) -> Ints:
        """The first place within each span at which a window begins; -1 where none does."""
        at = np.maximum(begin // self.step + 1, 1) * self.step
        return np.where((at > begin) & (at < end), at, -1)


def fit_windows(sightings: Sightings) -> list[Windows]:
    """For each unit the windows that leave least unexplained, the best first; none without a trace."""
    odd = int(sightings.odd.sum())
    found: list[Windows] = []
    for unit in UNITS if odd else ():
        view = _View(sightings, unit)
        made = [
            Windows(unit, size, step, wrong, odd)
            for size, step in view.candidates()
            if (wrong := view.unexplained(size, step)) is not None
        ]
        if made:
            least = min(one.wrong for one in made)
            same = sorted((one for one in made if one.wrong == least), key=lambda one: (one.size, one.step))
            # several that explain alike differ by what no mention showed: the middle one is tried first
            middle = same.pop(len(same) // 2)
            found.append(replace(middle, alike=tuple((one.size, one.step) for one in same)))
    return sorted(found, key=lambda one: one.wrong)


def unexplained(windows: Windows, sightings: Sightings, *, twice: bool) -> int:
    """How many places windows leave unexplained.

    Parameters
    ----------
    windows : Windows
    sightings : Sightings
    twice : bool
        Whether the tagger gives a mention twice that two windows hold.
    """
    wrong = _View(sightings, windows.unit, twice=twice).unexplained(windows.size, windows.step)
    return len(sightings.times) if wrong is None else wrong


class _View:
    """What was seen, in a unit."""

    def __init__(self, sightings: Sightings, unit: Unit, *, twice: bool = False) -> None:
        begin, end = sightings.begin(unit), sightings.extent(unit, "before")
        order = np.argsort(begin, kind="stable")
        self.begin, self.end = begin[order], end[order]
        self.times = sightings.times[order]
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        ends, begins = sightings.cuts(unit)
        self.ends, self.begins = _ranked(ends, rank), _ranked(begins, rank)
        self.total = int(min((p.total(unit) for p, _ in sightings.asked), default=0))
        self.twice = twice or bool((self.times > 1).any())

    def candidates(self) -> Iterable[tuple[int, int]]:
        """Sizes and steps that the first traces allow."""
        sizes: set[tuple[int, int]] = {(low, high) for _, low, high in self._first(self.ends)}
        steps: set[tuple[int, int]] = {(low, high) for _, low, high in self._first(self.begins)}
        for low, high in _runs(self.times == 0)[:EDGES]:
            if low > 0 and high + 1 < len(self.times):
                sizes.add((int(self.end[:low].max()), int(self.end[low]) - 1))
                steps.add((int(self.begin[high]) + 1, int(self.begin[high + 1])))
        for low, high in _runs(self.times > 1)[:EDGES]:
            if low > 0 and high + 1 < len(self.times):
                steps.add((int(self.begin[low - 1]) + 1, int(self.begin[low])))
                sizes.add((int(self.end[high]), int(self.end[high + 1]) - 1))
        # from one window's end to the next is a step too
        places = sorted({low for _, low, _ in self.ends.tolist()})
        apart = {b - a for a, b in pairwise(places) if b - a > WIDEST}
        steps |= {(gap, gap) for gap in sorted(apart)[:EDGES]}
        for size_low, size_high in sorted(sizes):
            for step_low, step_high in sorted(steps):
                for size in range(max(size_low, 2), min(size_high, size_low + WIDEST) + 1):
                    for step in range(max(step_low, 2), min(step_high, step_low + WIDEST) + 1):
                        yield size, step

    @staticmethod
    def _first(rows: Ints) -> list[tuple[int, int, int]]:
        """Where the first few edges may lie; the places that two traces of one edge share."""
        kept: list[tuple[int, int, int]] = []
        for place, low, high in sorted(rows.tolist(), key=lambda row: row[1]):
            if kept and low <= kept[-1][2]:
                kept[-1] = (place, low, min(high, kept[-1][2]))
            elif len(kept) == EDGES:
                break
            else:
                kept.append((place, low, high))
        return kept

    def unexplained(self, size: int, step: int) -> int | None:
        """How many places windows of a size and step leave unexplained; None where they show nothing."""
        windows = Windows("words", size, step)
        if self.total < size:
            return None
        # behind the last whole window taggers differ: they read a shorter one, or one that ends with the text
        inner = self.end <= (self.total - size) // step * step + size
        holding = windows.holding(self.begin, self.end)
        ending, beginning = windows.ending(self.begin, self.end), windows.beginning(self.begin, self.end)
        seen = self.times > 0
        right = _fits(self.ends, ending, inner)
        left = _fits(self.begins, beginning, inner)
        cut = np.zeros(len(seen), dtype=bool)
        cut[self.ends[right, 0]] = True
        cut[self.begins[left, 0]] = True
        # a mention that a window holds may be given up for a part of it that another window gave
        wrong = np.where(holding > 0, ~seen & ~cut, seen)
        if self.twice:
            wrong |= (self.times > 1) != ((holding > 1) & seen)
        wrong &= inner
        stray = np.zeros(len(seen), dtype=bool)
        stray[self.ends[~right, 0]] = True
        stray[self.begins[~left, 0]] = True
        return int((wrong | (stray & inner)).sum())


def _ranked(rows: Ints, rank: Ints) -> Ints:
    found = rows.copy()
    found[:, 0] = rank[rows[:, 0]]
    return found


def _fits(rows: Ints, edges: Ints, inner: Flags) -> Flags:
    """Whether an edge lies where a mention is cut; behind the last whole window nothing is asked."""
    at = edges[rows[:, 0]]
    fits: Flags = ((at >= rows[:, 1]) & (at <= rows[:, 2])) | ~inner[rows[:, 0]]
    return fits


def _runs(flags: Flags) -> list[tuple[int, int]]:
    """First and last place of each run of true ones."""
    padded = np.concatenate(([False], flags, [False])).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded))
    return [(int(low), int(high) - 1) for low, high in zip(edges[::2], edges[1::2], strict=True)]
