"""Zones: sorted, disjoint intervals of places in a column of texts, made from mentions that may overlap."""

from __future__ import annotations

import numpy as np

from ..catalogues.core.text import Flags, Ints


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


def covered(size: int, zone_starts: Ints, zone_ends: Ints) -> Flags:
    """Which of so many characters lie in a zone."""
    # +1 where a zone opens, -1 where one closes: the running sum is the number of zones open at each place
    edges = np.zeros(size + 1, dtype=np.int32)
    np.add.at(edges, zone_starts, 1)
    np.add.at(edges, zone_ends, -1)
    return np.asarray(np.cumsum(edges[:-1]) > 0)
