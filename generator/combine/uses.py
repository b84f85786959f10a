"""How often each name was used, and which comes next: no form twice before all others were used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..combination_space import CombinationSpace
from ..material import Ints
from .mixture import Mixture

Longs = NDArray[np.int64]


class NameUses:
    """Uses of each form in a sample.

    Names are taken in rounds: each form once before any is taken again. Within a round they come in an order
    in which each sort of names has its share (`Mixture`), as long as there are names of that sort.

    Parameters
    ----------
    space : CombinationSpace
        What is combined.
    rng : Generator
        Decides between names of the same sort.
    mixture : Mixture, optional
        Sorts of names and their weights; all names alike when None.

    Attributes
    ----------
    count : array of int64
        How often each form (by its number in `SlotFilling.codes`) was used.
    """

    def __init__(
        self, space: CombinationSpace, rng: np.random.Generator, mixture: Mixture | None = None
    ) -> None:
        self._codes = space.filling.codes.astype(np.int64)
        self._counterpart = space.filling.counterpart
        self.count = np.zeros(int(self._codes.max(initial=-1)) + 1, dtype=np.int64)
        names = np.unique(np.concatenate([np.empty(0, dtype=np.int32), *space.distinct_pools])).astype(
            np.int64
        )
        self._has_copies = len(np.unique(self._codes[names])) < len(names)
        self._first = _mixed(names, rng, mixture, None if mixture is None else mixture.weights)
        self._others = _mixed(names, rng, mixture, None if mixture is None else mixture.other_weights)

    def add(self, names: Ints | Longs) -> None:
        """Count a use of each of some names."""
        np.add.at(self.count, self._codes[names], 1)

    def levels(self, names: Longs, *, with_counterpart: bool = False) -> Longs:
        """How many uses each of some names has to wait for: those of its form, and of earlier copies of it.

        With `with_counterpart` the uses of the other form of its entry, which it brings along, count as well.
        """
        level, unit = self.count[self._codes[names]], self._codes[names]
        if with_counterpart and self._counterpart is not None:
            brought = self._codes[self._counterpart[names]]
            level, unit = np.maximum(level, self.count[brought]), np.minimum(unit, brought)
        elif not self._has_copies:
            return level
        return level + _earlier(unit)

    def order(self, pool: Ints, *, with_counterpart: bool = False) -> tuple[Longs, Longs]:
        """The names of a pool for another slot of a sentence, the least used first, and their `levels`."""
        inside = np.zeros(len(self._codes), dtype=bool)
        inside[pool] = True
        names = self._others[inside[self._others]]
        levels = self.levels(names, with_counterpart=with_counterpart)
        order = np.argsort(levels, kind="stable")
        return names[order], levels[order]

    def take(self, room: Longs, size: int, paired: NDArray[np.bool_]) -> tuple[Longs, Longs]:
        """Take names, the least used first, and count them.

        Parameters
        ----------
        room : array of int64
            How often each name can be used at most.
        size : int
            How many; no more than there is room for.
        paired : array of bool
            Which names bring the other form of their entry along wherever they can stand.

        Returns
        -------
        array, array
            Different names, and how often each is used.
        """
        names = self._first[room[self._first] > 0]
        times = np.zeros(len(self._codes), dtype=np.int64)
        while size:
            names = names[times[names] < room[names]]
            levels = self.levels(names)
            mates = np.flatnonzero(paired[names])
            if len(mates):
                levels[mates] = self.levels(names[mates], with_counterpart=True)
            taken = names[levels == levels.min()][:size]
            times[taken] += 1
            self.add(taken)
            size -= len(taken)
        found = np.flatnonzero(times)
        return found, times[found]


def _mixed(
    names: Longs, rng: np.random.Generator, mixture: Mixture | None, weights: NDArray[np.float64] | None
) -> Longs:
    """Names in random order; with weights, the first N of them have each sort's share for every N."""
    names = rng.permutation(names)
    if mixture is None or weights is None:
        return names
    sort = mixture.sort[names]
    start = rng.random(int(mixture.sort.max(initial=0)) + 1)
    share = np.bincount(sort, weights=weights[names])[sort]
    with np.errstate(divide="ignore"):
        turn = (_earlier(sort) + start[sort]) / share
    return names[np.argsort(turn, kind="stable")]


def _earlier(values: Longs) -> Longs:
    """For each value how many equal ones stand before it.

    Examples
    --------
    >>> _earlier(np.array([7, 3, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    found = np.empty(len(values), dtype=np.int64)
    found[order] = np.arange(len(values)) - np.repeat(begins, np.diff(begins, append=len(values)))
    return found
