"""Fragments of discontinuous mentions as columns: those that touch joined, a number for each set of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..catalogues.core.text import Ints


def joined(owner: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Owner, start and end of fragments, those of one owner that touch joined, sorted by owner and start.

    Owners of which one fragment alone is left are contiguous, and left out.
    """
    if not len(owner):
        return owner, start, end
    order = np.lexsort((end, start, owner))
    owner, start, end = owner[order], start[order], end[order]
    # a running maximum over all owners at once: each owner is lifted above the one before
    lift = np.cumsum(np.concatenate(([False], owner[1:] != owner[:-1]))) * (int(end.max()) + 2)
    reach = np.maximum.accumulate(end + lift)
    heads = np.flatnonzero(np.concatenate(([True], (start + lift)[1:] > reach[:-1])))
    owner, start, end = owner[heads], start[heads], np.maximum.reduceat(end, heads)
    several = np.bincount(owner)[owner] > 1
    return owner[several], start[several], end[several]


def shapes(owner: Ints, start: Ints, end: Ints, hull: Ints) -> Ints:
    """A number for each mention's exact set of fragments, relative to its start: 0 where it is contiguous.

    Fragments are sorted by owner, as `joined` gives them; `hull` has each mention's start. The number depends
    on the fragments alone, so that two tables number alike: a 63-bit sum of mixed offsets (two different
    shapes of one hull share it with a probability of about 1e-19).
    """
    numbers = np.zeros(len(hull), dtype=np.int64)
    if not len(owner):
        return numbers
    begin = hull[owner]
    span = ((start - begin) << 32) | (end - begin)
    mixed = _mix(span.astype(np.uint64))
    heads = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
    sums = np.add.reduceat(mixed, heads)
    numbers[owner[heads]] = ((sums >> np.uint64(1)) | np.uint64(1)).astype(np.int64)
    return numbers


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
