"""The search: every combination of up to three conditions, counted; of four, from the best of three."""

from __future__ import annotations

import numpy as np

from ..arrays import Ints, Numbers
from ..options import DiscoverOptions
from ..threads import one_thread
from .space import LEAST_SURPRISE, Found, Space, count
from .triples import Conditions, triples

MOST_KEPT = 1500
"""Candidates of each depth that go on, the most surprising first."""
MOST_AXES = 48
"""With more axes than this, those on which a single condition or a pair surprises most go on to triples."""
MOST_OF_FAMILY = 4
"""Of these, so many at most of one feature."""
BLOCK = 1 << 14
"""Mentions that are counted at once."""


@one_thread()
def search(space: Space, options: DiscoverOptions) -> list[Found]:
    """All candidates, the most surprising first.

    A candidate has enough mentions, is clearly worse than all mentions together, and is worse than the worst
    combination with one condition fewer by the effect asked for.
    """
    if not space.errors or not space.axes:
        return []
    counted = _Counted(space)
    found = _singles(space, counted, options)
    if options.depth < 2:
        return sorted(found, key=lambda f: f.key)
    found += _pairs(space, counted, options)
    if options.depth >= 3:
        promising = _promising(space, counted)
        found += _best(triples(space, counted.conditions(promising), options))
    if options.depth >= 4:
        found += _fours(space, [f for f in found if len(f.axes) == 3], options)
    return sorted(found, key=lambda f: f.key)


class _Counted:
    """Mentions and wrong mentions of every condition and of every two together.

    Attributes
    ----------
    axis, value : array
        Of each condition.
    cases, wrong : array
        Condition × condition; each by itself on the diagonal.
    """

    def __init__(self, space: Space) -> None:
        choices = [size - 1 for size in space.sizes]
        self.first = np.cumsum([0, *choices])
        self.axis = np.repeat(np.arange(len(choices)), choices)
        self.value = np.arange(self.first[-1]) - self.first[self.axis]
        # conditions to count, and each condition as a sum of these, [condition, counted]
        of, terms = _independent(space, self.axis, self.first)
        counts = []
        for begin, end in ((0, space.errors), (space.errors, space.size)):
            common = np.zeros((len(of) + 1, len(of) + 1))
            for at in range(begin, end, BLOCK):
                codes = space.codes[:, at : min(at + BLOCK, end)]
                # which mentions meet each condition, [condition, mention]; all mentions meet the last row
                met = np.ones((len(of) + 1, codes.shape[1]), dtype=np.float32)
                met[:-1] = codes[self.axis[of]] == self.value[of, None]
                # sums of so few are exact
                common += met @ met.T
            counts.append(terms @ common @ terms.T)
        self.wrong = counts[0]
        self.cases = counts[0] + counts[1]

    @property
    def rate(self) -> Numbers:
        """The share of wrong mentions, [condition, condition]."""
        return np.asarray(self.wrong / np.maximum(self.cases, 1.0))

    def conditions(self, axes: list[int]) -> Conditions:
        """The conditions of some axes."""
        of = np.flatnonzero(np.isin(self.axis, axes))
        return Conditions(self.axis[of], self.value[of], self.rate[np.ix_(of, of)])


def _independent(space: Space, axis: Ints, first: Ints) -> tuple[Ints, Numbers]:
    """Return the conditions to count, and how all conditions follow from these and from all mentions.

    Where every mention meets one condition of an axis, the last condition holds for the mentions that meet
    none of the others.
    """
    ends = first[1:]
    complete = space.codes.max(axis=1) < ends - first[:-1]
    of = np.delete(np.arange(len(axis)), ends[complete] - 1)
    terms = np.zeros((len(axis), len(of) + 1))
    terms[of, np.arange(len(of))] = 1.0
    for last in (ends[complete] - 1).tolist():
        terms[last, :-1] -= axis[of] == axis[last]
        terms[last, -1] = 1.0
    return of, terms


def _singles(space: Space, counted: _Counted, options: DiscoverOptions) -> list[Found]:
    cases, wrong = np.diagonal(counted.cases), np.diagonal(counted.wrong)
    good = (cases >= options.fewest) & (wrong / np.maximum(cases, 1.0) - space.base >= options.effect)
    return _gather(space, counted, (np.flatnonzero(good),))


def _pairs(space: Space, counted: _Counted, options: DiscoverOptions) -> list[Found]:
    rate = counted.rate
    own = np.diagonal(rate)
    # whether two conditions of different axes are worse than either, [condition, condition]
    good = counted.axis[:, None] < counted.axis
    good &= (counted.cases >= options.fewest) & (rate - np.maximum(own[:, None], own) >= options.effect)
    return _gather(space, counted, np.nonzero(good))


def _promising(space: Space, counted: _Counted) -> list[int]:
    """The axes that go on to triples: all of them unless there are very many.

    Thresholds of one number, and values of one set, say much the same: only the best few of them do.
    """
    count = len(space.axes)
    if count <= MOST_AXES:
        return list(range(count))
    # what is most surprising about each condition, alone or with another, [condition]; then by axis
    much = space.surprise(counted.cases, counted.wrong).max(axis=1, initial=-np.inf)
    best = np.full(count, -np.inf)
    np.maximum.at(best, counted.axis, much)
    taken: dict[str, int] = {}
    chosen: list[int] = []
    for at in np.lexsort((np.arange(count), -best)).tolist():
        family = space.axes[at].family
        if taken.get(family, 0) < MOST_OF_FAMILY and len(chosen) < MOST_AXES:
            taken[family] = taken.get(family, 0) + 1
            chosen.append(at)
    return sorted(chosen)


def _fours(space: Space, triples: list[Found], options: DiscoverOptions) -> list[Found]:
    """A fourth condition on the most surprising triples; a fault of four shows in its triples already."""
    found: dict[tuple[object, ...], Found] = {}
    offsets = np.cumsum([0, *space.sizes])
    for three in _best(triples):
        rows = np.flatnonzero(space.inside(three))
        # values counted through over all axes, [axis, mention inside]; one table holds every axis
        keys = space.codes[:, rows].astype(np.int64) + offsets[:-1, None]
        cases = np.bincount(keys.ravel(), minlength=int(offsets[-1]))
        wrong = np.bincount(keys[:, rows < space.errors].ravel(), minlength=int(offsets[-1]))
        for axis in range(len(space.axes)):
            if axis in three.axes:
                continue
            for value in range(space.sizes[axis] - 1):
                n, w = int(cases[offsets[axis] + value]), int(wrong[offsets[axis] + value])
                if n < options.fewest or w / n - three.wrong / three.cases < options.effect:
                    continue
                both = sorted([*zip(three.axes, three.values, strict=True), (axis, value)])
                axes, values = tuple(a for a, _ in both), tuple(v for _, v in both)
                surprise = float(space.surprise(np.array([n]), np.array([w]))[0])
                if surprise >= LEAST_SURPRISE and (axes, values) not in found:
                    one = Found(axes, values, n, w, surprise)
                    if all(w / n - rate(space, p) >= options.effect for p in one.parents):
                        found[axes, values] = one
    return _best(list(found.values()))


def rate(space: Space, found: Found) -> float:
    """The share of wrong mentions of a combination; 0 where it selects none."""
    chosen = space.packed(found)
    cases = int(count(chosen))
    return int(count(chosen & space.errors_packed)) / cases if cases else 0.0


def _gather(space: Space, counted: _Counted, place: tuple[Ints, ...]) -> list[Found]:
    """The most surprising of some conditions, or pairs of conditions, as candidates."""
    of = (place[0], place[-1])
    # mentions and wrong ones of each candidate, [candidate]
    cases, wrong = counted.cases[of], counted.wrong[of]
    much = space.surprise(cases, wrong)
    kept = np.flatnonzero(much >= LEAST_SURPRISE)
    kept = kept[np.argsort(-much[kept], kind="stable")[:MOST_KEPT]]
    axes = np.array([counted.axis[p[kept]] for p in place]).T.tolist()
    values = np.array([counted.value[p[kept]] for p in place]).T.tolist()
    figures = (x[kept].tolist() for x in (cases, wrong, much))
    rows = zip(axes, values, *figures, strict=True)
    return _best([Found(tuple(a), tuple(v), int(n), int(w), s) for a, v, n, w, s in rows])


def _best(found: list[Found]) -> list[Found]:
    return sorted(found, key=lambda f: f.key)[:MOST_KEPT]
