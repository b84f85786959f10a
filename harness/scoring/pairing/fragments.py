"""Discontinuous mentions: their parts as intervals, and a number that stands for the exact set of parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ....sentences.spans import joined
from ....sentences.spans import shapes as shape_numbers
from ..arrays import Ints


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
    parts = Parts(*joined(owner, start, end))
    return parts if len(parts.owner) else None


def shapes(parts: Parts, start: Ints) -> Ints:
    """A number for each mention's exact set of parts, relative to its start: 0 where it is contiguous."""
    return shape_numbers(parts.owner, parts.start, parts.end, start)


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
