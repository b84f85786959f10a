"""A sample spread over templates and entities: none of them twice before all were used."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.bounds import grouped
from ..combination_space import CombinationSpace
from ..material import Ints
from .units import Units

NARROWED = 50
"""Halvings of the interval that a level is looked for in: it is then known as exactly as a number can be."""

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Spread:
    """Draws different pairs of a slot and an entity, evenly.

    What was drawn before is remembered, so that draws for one stratum after the other are spread over all of
    them. A context takes its turn with one of its chosen slots, the next time with the next.

    Parameters
    ----------
    units : Units
        What is drawn from.
    rng : Generator
        What decides between those that had as few turns.
    """

    def __init__(self, units: Units, rng: np.random.Generator) -> None:
        self._units, self._rng = units, rng
        self._space: CombinationSpace = units.space
        context_of = self._space.material.slot_context[units.slots]
        self._pool = self._space.pool_number[units.slots]
        # pools: their members in the order of their groups; × groups: where each begins
        self._ordered: list[Ints] = []
        self._begins: Longs = np.zeros((0, 0), dtype=np.int64)
        self._contexts, self._context = np.unique(context_of, return_inverse=True)
        self._slots_of = grouped(self._context)
        self._turns = np.zeros(len(self._contexts), dtype=np.int64)
        self._often = np.ones(len(self._contexts))
        self._rank = rng.permutation(len(self._contexts))
        self._used = np.zeros(len(self._space.material.fillers), dtype=np.int64)
        self._entity_rank = rng.permutation(len(self._space.material.fillers))

    def divide(self, groups: Longs) -> None:
        """Divide fillers into groups, by the number of each; `draw` takes one."""
        number = int(groups.max(initial=0)) + 1
        pools = self._space.distinct_pools
        # short whole numbers are sorted by their digits
        short = groups.astype(np.min_scalar_type(number))
        self._ordered = [pool.take(np.argsort(short.take(pool), kind="stable")) for pool in pools]
        counts = np.stack([np.bincount(groups.take(pool), minlength=number) for pool in pools])
        self._begins = np.pad(counts.cumsum(axis=1), ((0, 0), (1, 0)))

    def weigh(self, turns: NDArray[np.float64]) -> None:
        """Take each context so often beside others, in place of all equally often."""
        self._often = turns[self._contexts]

    def draw(self, size: int, slots: Flags, group: int) -> tuple[Longs, Longs]:
        """Different pairs of a chosen slot and an entity.

        Parameters
        ----------
        size : int
            How many; no more than there are.
        slots : array of bool
            Which of the units' slots.
        group : int
            Which fillers, of those that `divide` parted.

        Returns
        -------
        array, array
            Numbers of slots among the units', and fillers.
        """
        if not size:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        sizes = (self._begins[:, group + 1] - self._begins[:, group])[self._pool] * slots
        room = np.bincount(self._context, weights=sizes, minlength=len(self._contexts)).astype(np.int64)
        taken = levelled(self._turns, room, size, self._rank, self._often)
        slot = self._slots(taken, sizes)
        self._turns += taken
        filler = np.empty(len(slot), dtype=np.int64)
        for pool in np.unique(self._pool[slot]).tolist():
            mine = np.flatnonzero(self._pool[slot] == pool)
            filler[mine] = self._entities(self._members(pool, group), len(mine))
        return self._different(slot, filler, group, sizes)

    def _members(self, pool: int, group: int) -> Ints:
        """The fillers of a pool that are of a group."""
        begin, end = self._begins[pool, group : group + 2].tolist()
        return self._ordered[pool][begin:end]

    def some(self, rows: Ints, size: int) -> Longs:
        """Some of the contexts without slots."""
        return self._rng.permutation(rows)[:size].astype(np.int64)

    def _slots(self, taken: Longs, sizes: Longs) -> Longs:
        """The slots of contexts that are taken so many times, each context's by turns."""
        slots = self._slots_of
        found: list[NDArray[np.int64]] = []
        for context in np.flatnonzero(taken).tolist():
            own = slots[context]
            own = own[sizes[own] > 0]
            turn = int(self._turns[context])
            # the turn of each use, so that all slots of a context come up equally often
            found.append(own[(turn + np.arange(int(taken[context]))) % len(own)])
        slot = np.concatenate(found)
        return slot[self._rng.permutation(len(slot))]

    def _entities(self, pool: Ints, size: int) -> Longs:
        """Members of a pool, those that were used least first, over again when all were used."""
        order = pool[np.lexsort((self._entity_rank[pool], self._used[pool]))].astype(np.int64)
        rounds = [order]
        rounds += [order[self._rng.permutation(len(order))] for _ in range(size // max(len(order), 1))]
        found: Longs = np.concatenate(rounds)[:size]
        np.add.at(self._used, found, 1)
        return found

    def _different(self, slot: Longs, filler: Longs, group: int, sizes: Longs) -> tuple[Longs, Longs]:
        """The pairs, with another entity (or, where all had their turn there, slot) for those drawn twice."""
        width = len(self._used)
        code = slot * width + filler
        _, first = np.unique(code, return_index=True)
        twice = np.ones(len(code), dtype=bool)
        twice[first] = False
        if not twice.any():
            return slot, filler
        had = set(code[~twice].tolist())
        for row in np.flatnonzero(twice).tolist():
            self._used[filler[row]] -= 1
            # the slot whose turn it is, then the others
            for at in itertools.chain([int(slot[row])], np.flatnonzero(sizes).tolist()):
                pool = self._members(int(self._pool[at]), group)
                free = pool[[at * width + f not in had for f in pool.tolist()]]
                if len(free):
                    break
            best = int(free[np.lexsort((self._entity_rank[free], self._used[free]))[0]])
            slot[row], filler[row] = at, best
            self._used[best] += 1
            had.add(at * width + best)
        return slot, filler


def levelled(
    used: Longs, room: Longs, size: int, rank: Longs, often: NDArray[np.float64] | None = None
) -> Longs:
    """How many more turns each gets, so that all have had as equally many as their room allows.

    With `often`, each has had so many times as many as one with 1.

    Examples
    --------
    >>> levelled(np.array([0, 2, 0]), np.array([9, 9, 1]), 4, np.array([0, 1, 2])).tolist()
    [3, 0, 1]
    >>> levelled(np.array([0, 0]), np.array([9, 9]), 6, np.array([0, 1]), np.array([1.0, 2.0])).tolist()
    [2, 4]
    """
    often = np.ones(len(used)) if often is None else often
    size = int(min(size, room.sum()))
    # who has the first turn in a round; of those that a level gives .3 of a turn, three in ten have one
    early = (len(used) - rank) / (len(used) + 1)

    def taken_at(level: float) -> Longs:
        found: Longs = np.clip(np.floor(level * often + early).astype(np.int64) - used, 0, room)
        return found

    low, high = 0.0, float(((used + size + 1) / often).max(initial=0.0))
    for _ in range(NARROWED):
        level = (low + high) / 2
        taken = taken_at(level)
        number = int(taken.sum())
        if number == size:
            return taken
        low, high = (level, high) if number < size else (low, level)
    # of several that have their turn at the very same level the later ones wait
    taken = taken_at(high)
    last = np.flatnonzero(taken > taken_at(low))
    taken[last[np.argsort(-rank[last])][: int(taken.sum()) - size]] -= 1
    return taken
