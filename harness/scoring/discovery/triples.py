"""Combinations of three conditions: there are hundreds of thousands, so they are screened on a sample first.

One pass over the sample per pair of features counts the combinations with any third feature at once. What
could still qualify, four standard errors in its favour, is then counted exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Ints, Numbers
from ..options import DiscoverOptions
from ..sampling import sample
from .space import LEAST_SURPRISE, Found, Space, count

SAMPLE = 12_000
"""Wrong mentions, and right ones, that the screen counts at most."""
BLOCK = 2048
SLACK = 4.0
MOST_SCREENED = 40_000
"""Combinations that are counted exactly at most, the most promising first."""
CHUNK = 512


@dataclass(frozen=True)
class _Side:
    """A sample of the wrong or of the right mentions.

    Attributes
    ----------
    codes : array
        Axes × mentions, counted through over all axes, so that one table holds every axis.
    plain : array
        Axes × mentions, each axis from 0.
    share : float
        Which part of its side the sample is.
    """

    codes: Ints
    plain: Ints
    share: float

    def counts(self, pair: tuple[int, int], sizes: list[int], offsets: Ints) -> Ints:
        """Mentions by the values of a pair of axes and of every axis after these."""
        f, g = pair
        start = int(offsets[g + 1])
        width = int(offsets[-1]) - start
        cells = sizes[f] * sizes[g]
        table = np.zeros(cells * width, dtype=np.int64)
        for at in range(0, self.codes.shape[1], BLOCK):
            block = slice(at, at + BLOCK)
            key = (self.plain[f, block] * sizes[g] + self.plain[g, block]) * width - start
            table += np.bincount((self.codes[g + 1 :, block] + key).ravel(), minlength=cells * width)
        return table.reshape(sizes[f], sizes[g], width)


def triples(
    space: Space, rates: dict[tuple[int, int], Numbers], axes: list[int], options: DiscoverOptions
) -> list[Found]:
    """All candidates of three conditions.

    Parameters
    ----------
    space : Space
    rates : dict
        The share of wrong mentions by the values of each pair of axes.
    axes : list of int
        Those to combine, ascending.
    options : DiscoverOptions
    """
    sizes = [space.sizes[a] for a in axes]
    offsets = np.cumsum([0, *sizes])
    wrong = _side(space, axes, offsets, 0, space.errors)
    right = _side(space, axes, offsets, space.errors, space.size)
    rows: list[Ints] = []
    promise: list[Numbers] = []
    last = np.zeros(offsets[-1], dtype=bool)
    last[offsets[1:] - 1] = True
    # for each axis the shares of wrong mentions, [its value, value of any later axis]
    later = [
        np.concatenate([rates[f, h][:-1] for h in axes[i:]], axis=1) for i, f in enumerate(axes[:-1], start=1)
    ]
    for i in range(len(axes) - 2):
        for j in range(i + 1, len(axes) - 1):
            f, g = axes[i], axes[j]
            start = int(offsets[j + 1])
            # mentions of either side, [value of f, value of g, value of any later axis]
            tables = [s.counts((i, j), sizes, offsets)[:-1, :-1] for s in (wrong, right)]
            # the worst of the three pairs within, same shape
            parent = np.maximum(later[i][:, None, start - offsets[i + 1] :], later[j])
            np.maximum(parent, rates[f, g][:-1, :-1, None], out=parent)
            place, hope = _screen(space, tables, (wrong.share, right.share), parent, options, last[start:])
            if not len(hope):
                continue
            # axis and value of the third condition, [candidate]
            which = np.searchsorted(offsets, place[2] + start, side="right") - 1
            third = np.asarray(axes)[which]
            value = place[2] + start - offsets[which]
            size = len(hope)
            rows.append(
                np.column_stack([np.full(size, f), np.full(size, g), third, place[0], place[1], value])
            )
            promise.append(hope)
    if not rows:
        return []
    listed, hopes = np.concatenate(rows), np.concatenate(promise)
    order = np.argsort(-hopes, kind="stable")[:MOST_SCREENED]
    return _exact(space, listed[np.sort(order)], rates, options)


def _side(space: Space, axes: list[int], offsets: Ints, begin: int, end: int) -> _Side:
    size = end - begin
    places = begin + sample(size, SAMPLE, seed=0)
    plain = space.codes[axes][:, places].astype(np.int64)
    return _Side(plain + offsets[:-1, None], plain, len(places) / size if size else 1.0)


def _screen(
    space: Space,
    tables: list[Ints],
    shares: tuple[float, float],
    parent: Numbers,
    options: DiscoverOptions,
    last: Flags,
) -> tuple[tuple[Ints, ...], Numbers]:
    """Which cells may be candidates, at the most favourable counts that the sample leaves possible."""
    # estimated counts, [value, value, value of any later axis]
    wrong = tables[0] / shares[0]
    right = tables[1] / shares[1]
    # where a side was counted in full there is nothing to allow for
    if shares[0] < 1.0:
        wrong = wrong + SLACK * np.sqrt(wrong / shares[0])
    if shares[1] < 1.0:
        right = np.maximum(right - SLACK * np.sqrt(right / shares[1]), 0.0)
    cases = np.maximum(wrong + right, options.fewest)
    good = wrong - cases * (parent + options.effect) >= 0
    good[:, :, last] = False
    place = np.nonzero(good)
    if not len(place[0]):
        return place, np.zeros(0)
    hope = space.surprise(cases[place], wrong[place])
    kept = hope >= LEAST_SURPRISE
    return tuple(p[kept] for p in place), hope[kept]


def _exact(
    space: Space, listed: Ints, rates: dict[tuple[int, int], Numbers], options: DiscoverOptions
) -> list[Found]:
    first, bits = space.conditions
    found: list[Found] = []
    for at in range(0, len(listed), CHUNK):
        rows = listed[at : at + CHUNK]
        # mentions that all three conditions select, [candidate, word of 64 mentions]
        inside = bits[first[rows[:, 0]] + rows[:, 3]] & bits[first[rows[:, 1]] + rows[:, 4]]
        inside &= bits[first[rows[:, 2]] + rows[:, 5]]
        cases = count(inside)
        wrong = count(inside & space.errors_packed)
        worst = np.array(
            [
                max(rates[f, g][a, b], rates[f, h][a, c], rates[g, h][b, c])
                for f, g, h, a, b, c in rows.tolist()
            ]
        )
        much = space.surprise(cases.astype(np.float64), wrong.astype(np.float64))
        good = (cases >= options.fewest) & (much >= LEAST_SURPRISE)
        good &= wrong - cases * (worst + options.effect) >= 0
        for i in np.flatnonzero(good).tolist():
            f, g, h, a, b, c = rows[i].tolist()
            found.append(Found((f, g, h), (a, b, c), int(cases[i]), int(wrong[i]), float(much[i])))
    return found
