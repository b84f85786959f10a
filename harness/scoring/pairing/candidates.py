"""Candidates: pairs of a gold and a predicted mention that share a token or have the same span."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..arrays import Codes, Flags, Ints, Numbers
from ..measures import jaccard
from .axes import Side


@dataclass(frozen=True)
class Candidates:
    """Pairs of a gold and a predicted mention that overlap or have the same span, sorted, without duplicates.

    Attributes
    ----------
    gold, predicted : array
        Positions of the two mentions among the sorted gold and predicted mentions.
    overlap : array of bool
        Whether the mentions share a token.
    same : array of bool
        Whether the mentions have the same span, including all parts.
    left, right : array of bool
        Whether the mentions overlap and start (`left`) or end (`right`) at the same code point.
    same_type : array of bool
        Whether the mentions have the same type.
    sides : tuple of Side
        Gold mentions and predicted mentions.
    """

    gold: Ints
    predicted: Ints
    overlap: Flags
    same: Flags
    left: Flags
    right: Flags
    same_type: Flags
    sides: tuple[Side, Side]

    def __len__(self) -> int:
        return len(self.gold)

    def take(self, mask: Flags) -> Candidates:
        """Return only the pairs for which the Boolean array `mask` is True."""
        if mask.all():
            return self
        names = ("gold", "predicted", "overlap", "same", "left", "right", "same_type")
        return Candidates(**{name: getattr(self, name)[mask] for name in names}, sides=self.sides)

    def match_types(self, mask: Flags, ignore_types: bool) -> Flags:
        """Return `mask`, set to False for pairs with different types unless types are ignored."""
        return mask if ignore_types else mask & self.same_type

    @cached_property
    def common_length(self) -> Ints:
        """Number of code points that the two mentions share."""
        g, p = self.sides
        a, b = g.parts, p.parts
        i, j = find_overlapping_intervals(a.start, a.end, b.start, b.end)
        shared = pd.Series(np.minimum(a.end[i], b.end[j]) - np.maximum(a.start[i], b.start[j]))
        by_pair = shared.groupby(a.owner[i] * len(p) + b.owner[j]).sum()
        return by_pair.reindex(self.gold * len(p) + self.predicted, fill_value=0).to_numpy(dtype=np.int64)

    @cached_property
    def jaccard(self) -> Numbers:
        """Jaccard coefficient of the two sets of code points; 1 for equal spans, even if they are empty."""
        g, p = self.sides
        alike = jaccard(self.common_length, g.size[self.gold], p.size[self.predicted])
        return np.where(self.same, 1.0, np.nan_to_num(alike))


def expand_ranges(low: Codes, high: Codes) -> tuple[Ints, Ints]:
    """Return all pairs of integers (i, j) with ``low[i] <= j < high[i]``, as two arrays."""
    count = np.maximum(high - low, 0)
    total = int(count.sum())
    if total == len(count) and bool((count == 1).all()):
        return np.arange(total), low.astype(np.int64)
    owner = np.repeat(np.arange(len(count)), count)
    begin = np.cumsum(count) - count
    return owner, np.arange(total) - np.repeat(begin - low, count)


def find_overlapping_intervals(
    first_a: Codes, last_a: Codes, first_b: Codes, last_b: Codes
) -> tuple[Ints, Ints]:
    """Return all pairs of half-open intervals, one from list a and one from list b, that share a point.

    Both lists are sorted by start. Empty intervals share no point with others. If the ends in b are sorted
    too, the intervals of b that overlap the same interval of a are consecutive. Otherwise, pairs in which b
    starts inside a and pairs in which a starts inside b are searched separately.
    """
    if bool((last_b[1:] >= last_b[:-1]).all()):
        a, b = expand_ranges(
            np.searchsorted(last_b, first_a, side="right"), np.searchsorted(first_b, last_a, side="left")
        )
    else:
        a, b = expand_ranges(
            np.searchsorted(first_b, first_a, side="left"), np.searchsorted(first_b, last_a, side="left")
        )
        also_b, also_a = expand_ranges(
            np.searchsorted(first_a, first_b, side="right"), np.searchsorted(first_a, last_b, side="left")
        )
        a, b = np.concatenate((a, also_a)), np.concatenate((b, also_b))
    full = (last_a[a] > first_a[a]) & (last_b[b] > first_b[b])
    return (a, b) if full.all() else (a[full], b[full])


def find_candidates(gold: Side, predicted: Side) -> Candidates:
    """Return all pairs of mentions that share a token, or whose spans are equal and contain no token."""
    g, p = find_overlapping_intervals(
        gold.first_token, gold.last_token, predicted.first_token, predicted.last_token
    )
    g, p = gold.parts.owner[g], predicted.parts.owner[p]
    without_token = _same_span_without_token(gold, predicted)
    key = np.unique(np.concatenate((g * len(predicted) + p, without_token)))
    overlap = ~np.isin(key, without_token)
    g, p = np.divmod(key, max(len(predicted), 1))
    starts = gold.start[g] == predicted.start[p]
    ends = gold.end[g] == predicted.end[p]
    return Candidates(
        gold=g,
        predicted=p,
        overlap=overlap,
        same=starts & ends & (gold.shape_code[g] == predicted.shape_code[p]),
        left=starts & overlap,
        right=ends & overlap,
        same_type=gold.type_code[g] == predicted.type_code[p],
        sides=(gold, predicted),
    )


def _same_span_without_token(gold: Side, predicted: Side) -> Ints:
    """Return the pairs of mentions with equal spans that contain no token, such as white space.

    A pair is encoded as one number: (gold position) × (number of predicted mentions) + (predicted position).
    """
    frames = []
    for side in (gold, predicted):
        spans = pd.DataFrame({"start": side.start, "end": side.end, "shape": side.shape_code})
        frames.append(spans.assign(place=np.arange(len(side)))[_has_no_token(side)])
    pairs = frames[0].merge(frames[1], on=["start", "end", "shape"])
    return (pairs["place_x"] * len(predicted) + pairs["place_y"]).to_numpy(dtype=np.int64)


def _has_no_token(side: Side) -> Flags:
    touching = side.last_token > side.first_token
    return np.asarray(np.bincount(side.parts.owner[touching], minlength=len(side)) == 0)
