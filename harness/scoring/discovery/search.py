"""The search: every combination of up to three conditions, counted; of four, from the best of three."""

from __future__ import annotations

import numpy as np

from .space import LEAST_SURPRISE, Flags, Found, Ints, Limits, Numbers, Space, count
from .threes import threes

MOST_KEPT = 1500
"""Candidates of each depth that go on, the most surprising first."""
MOST_AXES = 48
"""With more axes than this, those on which a single condition or a pair surprises most go on to threes."""


def search(space: Space, limits: Limits) -> list[Found]:
    """All candidates, the most surprising first.

    A candidate has enough mentions, is clearly worse than all mentions together, and is worse than the worst
    combination with one condition fewer by the effect asked for.
    """
    if not space.errors or not space.axes:
        return []
    singles = [_table(space, (a,)) for a in range(len(space.axes))]
    found = _singles(space, singles, limits)
    if limits.depth < 2:
        return sorted(found, key=lambda f: f.key)
    kept = range(len(space.axes))
    pairs = {(f, g): _table(space, (f, g)) for f in kept for g in range(f + 1, len(space.axes))}
    found += _pairs(space, singles, pairs, limits)
    if limits.depth >= 3:
        promising = _promising(space, singles, pairs)
        found += _best(threes(space, {key: _rate(t) for key, t in pairs.items()}, promising, limits))
    if limits.depth >= 4:
        found += _fours(space, [f for f in found if len(f.axes) == 3], limits)
    return sorted(found, key=lambda f: f.key)


Table = tuple[Ints, Ints]


def _table(space: Space, axes: tuple[int, ...]) -> Table:
    """Mentions and wrong mentions by the values of one axis or two."""
    # one key a mention, [mention]; counted into [value] or [value, value]; the wrong ones stand first
    key = space.codes[axes[0]].astype(np.int64)
    shape = [space.sizes[a] for a in axes]
    for axis in axes[1:]:
        key = key * space.sizes[axis] + space.codes[axis]
    cells = int(np.prod(shape))
    return (
        np.bincount(key, minlength=cells).reshape(shape),
        np.bincount(key[: space.errors], minlength=cells).reshape(shape),
    )


def _rate(table: Table) -> Numbers:
    cases, wrong = table
    return np.asarray(wrong / np.maximum(cases, 1))


def _told(space: Space, axis: int) -> slice:
    """The values of an axis that are conditions: all but the last."""
    return slice(0, space.sizes[axis] - 1)


def _singles(space: Space, singles: list[Table], limits: Limits) -> list[Found]:
    found: list[Found] = []
    for axis, table in enumerate(singles):
        cases, wrong = (t[_told(space, axis)] for t in table)
        good = (cases >= limits.least) & (wrong / np.maximum(cases, 1) - space.base >= limits.effect)
        found += _gather(space, (axis,), cases, wrong, good)
    return _best(found)


def _pairs(
    space: Space, singles: list[Table], pairs: dict[tuple[int, int], Table], limits: Limits
) -> list[Found]:
    rates = [_rate(t) for t in singles]
    found: list[Found] = []
    for (f, g), table in pairs.items():
        told = np.s_[_told(space, f), _told(space, g)]
        cases, wrong = table[0][told], table[1][told]
        # the worse of both single conditions, [value of f, value of g]
        parent = np.maximum(rates[f][:-1, None], rates[g][None, :-1])
        good = (cases >= limits.least) & (wrong / np.maximum(cases, 1) - parent >= limits.effect)
        found += _gather(space, (f, g), cases, wrong, good)
    return _best(found)


def _promising(space: Space, singles: list[Table], pairs: dict[tuple[int, int], Table]) -> list[int]:
    """The axes that go on to threes: all of them unless there are very many."""
    count = len(space.axes)
    if count <= MOST_AXES:
        return list(range(count))
    best = np.zeros(count)
    for axes, table in [((a,), t) for a, t in enumerate(singles)] + list(pairs.items()):
        top = float(space.surprise(table[0].astype(float), table[1].astype(float)).max())
        for axis in axes:
            best[axis] = max(best[axis], top)
    return sorted(np.lexsort((np.arange(count), -best))[:MOST_AXES].tolist())


def _fours(space: Space, threes: list[Found], limits: Limits) -> list[Found]:
    """A fourth condition on the most surprising threes; a fault of four shows in its threes already."""
    found: dict[tuple[object, ...], Found] = {}
    offsets = np.cumsum([0, *space.sizes])
    for three in _best(threes):
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
                if n < limits.least or w / n - three.wrong / three.cases < limits.effect:
                    continue
                both = sorted([*zip(three.axes, three.values, strict=True), (axis, value)])
                axes, values = tuple(a for a, _ in both), tuple(v for _, v in both)
                surprise = float(space.surprise(np.array([n]), np.array([w]))[0])
                if surprise >= LEAST_SURPRISE and (axes, values) not in found:
                    one = Found(axes, values, n, w, surprise)
                    if all(w / n - rate(space, p) >= limits.effect for p in one.parents):
                        found[axes, values] = one
    return _best(list(found.values()))


def rate(space: Space, found: Found) -> float:
    """The share of wrong mentions of a combination; 0 where it selects none."""
    chosen = space.packed(found)
    cases = int(count(chosen))
    return int(count(chosen & space.errors_packed)) / cases if cases else 0.0


def _gather(space: Space, axes: tuple[int, ...], cases: Ints, wrong: Ints, good: Flags) -> list[Found]:
    # the candidates among the cells, [candidate], and their values, [candidate, axis]
    place = np.nonzero(good)
    n, w = cases[place].astype(float), wrong[place].astype(float)
    values = np.array(place).T.tolist()
    rows = zip(values, n.tolist(), w.tolist(), space.surprise(n, w).tolist(), strict=True)
    return [Found(axes, tuple(v), int(x), int(y), s) for v, x, y, s in rows if s >= LEAST_SURPRISE]


def _best(found: list[Found]) -> list[Found]:
    return sorted(found, key=lambda f: f.key)[:MOST_KEPT]
