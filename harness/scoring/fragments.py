"""Discontinuous mentions: their parts as intervals, and a number that stands for the exact set of parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Parts:
    """Parts of mentions as intervals on the axis of code points, sorted by start.

    A contiguous mention is its own only part, so that code which works on parts works on all mentions.
    """

    owner: Ints
    start: Ints
    end: Ints

    def sizes(self, mentions: int) -> Ints:
        """Number of code points of each mention's parts together."""
        return np.bincount(self.owner, self.end - self.start, minlength=mentions).astype(np.int64)


def read_parts(mentions: pd.DataFrame, fragments: pd.DataFrame, shift: Ints) -> Parts | None:
    """The parts of the discontinuous ones among `mentions`, those that touch joined into one.

    Owners are positions in `mentions`; None when every mention is contiguous.
    """
    owner = pd.Index(mentions["mention_id"]).get_indexer(pd.Index(fragments["mention_id"])).astype(np.int64)
    here = owner >= 0
    owner = owner[here]
    if not len(owner):
        return None
    start = fragments["start"].to_numpy(dtype=np.int64)[here] + shift[owner]
    end = fragments["end"].to_numpy(dtype=np.int64)[here] + shift[owner]
    order = np.lexsort((end, start, owner))
    owner, start, end = owner[order], start[order], end[order]
    # a running maximum over all owners at once: each owner is lifted above the one before
    lift = np.cumsum(np.concatenate(([False], owner[1:] != owner[:-1]))) * (int(end.max()) + 2)
    reach = np.maximum.accumulate(end + lift)
    heads = np.flatnonzero(np.concatenate(([True], (start + lift)[1:] > reach[:-1])))
    joined = Parts(owner[heads], start[heads], np.maximum.reduceat(end, heads))
    several = np.bincount(joined.owner, minlength=len(mentions))[joined.owner] > 1
    if not several.any():
        return None
    return Parts(joined.owner[several], joined.start[several], joined.end[several])


def shapes(parts: Parts, start: Ints) -> Ints:
    """A number for each mention's exact set of parts, relative to its start: 0 where it is contiguous.

    The number depends on the parts alone, so that both sides number alike: a 63-bit sum of mixed offsets
    (two different shapes of one hull share it with a probability of about 1e-19).
    """
    numbers = np.zeros(len(start), dtype=np.int64)
    begin = start[parts.owner]
    span = ((parts.start - begin) << 32) | (parts.end - begin)
    mixed = _mix(span.astype(np.uint64))
    heads = np.flatnonzero(np.concatenate(([True], parts.owner[1:] != parts.owner[:-1])))
    sums = np.add.reduceat(mixed, heads)
    numbers[parts.owner[heads]] = ((sums >> np.uint64(1)) | np.uint64(1)).astype(np.int64)
    return numbers


def all_parts(parts: Parts, order: Ints | None, start: Ints, end: Ints) -> Parts:
    """The parts of all mentions, numbered in sorted order: `start` and `end` are the sorted hulls."""
    place = np.arange(len(start))
    if order is not None:
        place[order] = np.arange(len(start))
    broken = place[parts.owner]
    whole = np.ones(len(start), dtype=bool)
    whole[broken] = False
    contiguous = np.flatnonzero(whole)
    owner = np.concatenate((contiguous, broken))
    starts = np.concatenate((start[contiguous], parts.start))
    ends = np.concatenate((end[contiguous], parts.end))
    by_start = np.lexsort((owner, ends, starts))
    return Parts(owner[by_start], starts[by_start], ends[by_start])


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
