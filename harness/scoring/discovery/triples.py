"""Combinations of three conditions: there are hundreds of thousands, so they are screened on a sample first.

For each condition one product of matrices counts what it has in common with any two of later axes. What could
still qualify, four standard errors in its favour, is then counted exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints, Numbers
from ..options import DiscoverOptions
from ..views.errors import sample
from .space import LEAST_SURPRISE, Found, Space

SAMPLE = 12_000
"""Wrong mentions, and right ones, that the screen counts at most."""
SLACK = 4.0
MOST_SCREENED = 40_000
"""Combinations that are counted exactly at most, the most promising first."""
CHUNK = 512


@dataclass(frozen=True)
class Conditions:
    """Conditions that are combined, in the order of their axes.

    Attributes
    ----------
    axis, value : array
        Of each condition.
    rate : array
        The share of wrong mentions, [condition, condition].
    """

    axis: Ints
    value: Ints
    rate: Numbers


@dataclass(frozen=True)
class _Side:
    """A sample of the wrong or of the right mentions.

    Attributes
    ----------
    met : array
        Mentions × conditions: 1 where it is met.
    share : float
        Which part of its side the sample is.
    """

    met: NDArray[np.float32]
    share: float

    def common(self, first: int, later: int) -> Numbers:
        """Mentions that meet one condition and any two of those from `later` on, [condition, condition]."""
        met = self.met[np.flatnonzero(self.met[:, first]), later:]
        # sums of so few are exact; a flag of an invalid operation is of what is read beyond a matrix
        with np.errstate(invalid="ignore"):
            return (met.T @ met).astype(np.float64)


def triples(space: Space, conditions: Conditions, options: DiscoverOptions) -> list[Found]:
    """All candidates of three conditions."""
    axis, rate = conditions.axis, conditions.rate
    sides = (
        _side(space, conditions, 0, space.errors),
        _side(space, conditions, space.errors, space.size),
    )
    # every two conditions of different axes, [pair]
    second, third = np.nonzero(axis[:, None] < axis)
    both = rate[second, third]
    rows: list[Ints] = []
    promise: list[Numbers] = []
    for first in range(len(axis)):
        # the conditions of later axes, and the pairs of these
        later = int(np.searchsorted(axis, axis[first], side="right"))
        pairs = slice(int(np.searchsorted(second, later)), None)
        b, c = second[pairs], third[pairs]
        wrong, right = (side.common(first, later)[b - later, c - later] / side.share for side in sides)
        # the worst of the three pairs within
        parent = np.maximum(np.maximum(rate[first, b], rate[first, c]), both[pairs])
        # where a side was counted in full there is nothing to allow for
        if sides[0].share < 1.0:
            wrong = wrong + SLACK * np.sqrt(wrong / sides[0].share)
        if sides[1].share < 1.0:
            right = np.maximum(right - SLACK * np.sqrt(right / sides[1].share), 0.0)
        cases = np.maximum(wrong + right, options.fewest)
        kept = np.flatnonzero(wrong - cases * (parent + options.effect) >= 0)
        hope = space.surprise(cases[kept], wrong[kept])
        kept, hope = kept[hope >= LEAST_SURPRISE], hope[hope >= LEAST_SURPRISE]
        rows.append(np.column_stack([np.full(len(kept), first), b[kept], c[kept]]))
        promise.append(hope)
    if not rows:
        return []
    listed, hopes = np.concatenate(rows), np.concatenate(promise)
    # of equal ones those of earlier axes first
    a, b, c = listed.T
    order = np.lexsort((c, b, a, axis[b], axis[a], -hopes))[:MOST_SCREENED]
    return _exact(space, conditions, listed[order], options)


def _side(space: Space, conditions: Conditions, begin: int, end: int) -> _Side:
    size = end - begin
    places = begin + sample(size, SAMPLE, seed=0)
    met = space.codes[:, places].T[:, conditions.axis] == conditions.value
    return _Side(met.astype(np.float32), len(places) / size if size else 1.0)


def _exact(space: Space, conditions: Conditions, listed: Ints, options: DiscoverOptions) -> list[Found]:
    first, bits = space.conditions
    axis, value, rate = conditions.axis, conditions.value, conditions.rate
    own = bits[first[axis] + value]
    found: list[Found] = []
    for at in range(0, len(listed), CHUNK):
        rows = listed[at : at + CHUNK]
        a, b, c = rows.T
        # mentions that all three conditions select, [candidate, word of 64 mentions]
        cases, wrong = space.counts(own[a] & own[b] & own[c])
        worst = np.maximum(np.maximum(rate[a, b], rate[a, c]), rate[b, c])
        much = space.surprise(cases, wrong)
        good = (cases >= options.fewest) & (much >= LEAST_SURPRISE)
        good &= wrong - cases * (worst + options.effect) >= 0
        for i in np.flatnonzero(good).tolist():
            axes, values = axis[rows[i]].tolist(), value[rows[i]].tolist()
            found.append(Found(tuple(axes), tuple(values), int(cases[i]), int(wrong[i]), float(much[i])))
    return found
