"""``zip`` and ``each``: entities and places side by side instead of crossed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...catalogues.core.arrays import group_rows
from ..cases import Blocks, Cases
from ..combination_space import CombinationSpace
from ..material import Ints


class EntityQueue:
    """Gives out the entities of each pool in turn, those first that nobody had yet."""

    def __init__(self, space: CombinationSpace) -> None:
        self._pools: list[list[int]] = [pool.tolist() for pool in space.distinct_pools]
        self._had: set[int] = set()
        # of each pool where the first that nobody had stands, and how many were given out again
        self._next, self._again = [0] * len(self._pools), [0] * len(self._pools)

    def peek_unused(self, number: int) -> int | None:
        """The first entity of a pool that nobody had; None when there is none."""
        pool, at = self._pools[number], self._next[number]
        while at < len(pool) and pool[at] in self._had:
            at += 1
        self._next[number] = at
        return pool[at] if at < len(pool) else None

    def take_unused(self, number: int) -> int | None:
        """Give out the first entity of a pool that nobody had; None when there is none."""
        found = self.peek_unused(number)
        if found is not None:
            self._had.add(found)
        return found

    def take_used(self, number: int) -> int:
        """The entity whose turn it is in a pool, all of which were had."""
        pool, turn = self._pools[number], self._again[number]
        self._again[number] += 1
        return pool[turn % len(pool)]


def make_zip_cases(space: CombinationSpace) -> tuple[int, Blocks]:
    """Put each chosen slot, in order, beside the first entity that fits and was in none before it.

    Where everything fits, that is the first entity in the first slot, the second in the second, until one
    side is used up. Returns the number of cases, and the cases.
    """
    turns, number = EntityQueue(space), space.pool_number.tolist()
    pairs = [(slot, turns.take_unused(number[slot])) for slot in space.places.slots.tolist()]
    slots, fillers = _columns([(slot, filler) for slot, filler in pairs if filler is not None])
    return len(slots), lambda: _cases(space, slots, fillers)


def make_each_cases(space: CombinationSpace) -> tuple[int, Blocks]:
    """Take every context once, and every entity that some chosen slot takes.

    The shorter side begins again. When a context comes up again its next chosen slot is taken, as long as it
    takes an entity that no other had. Contexts without slots stand alone. Returns the number of cases, and
    the cases.
    """
    slots = [space.slots_of(c).tolist() for c in space.slotted.tolist()]
    number = space.pool_number.tolist()
    # the pools that hold somebody whom nobody had
    left = {number[slot] for slot in space.places.slots.tolist()}
    turns = EntityQueue(space)
    found: list[tuple[int, int]] = []
    turn = 0
    while left or turn == 0:
        for own in slots:
            slot = own[turn % len(own)]
            filler = turns.take_unused(number[slot]) if number[slot] in left else None
            if filler is None and turn == 0:
                filler = turns.take_used(number[slot])
            if filler is not None:
                found.append((slot, filler))
        left = {pool for pool in left if turns.peek_unused(pool) is not None}
        turn += 1
    rows, fillers = _columns(found)

    def blocks() -> Iterator[Cases]:
        yield from _cases(space, rows, fillers)
        if len(space.slotless):
            yield Cases.from_slotless(space.slotless, space.filling.part)

    return len(rows) + len(space.slotless), blocks


def _columns(pairs: list[tuple[int, int]]) -> tuple[Ints, Ints]:
    columns = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _cases(space: CombinationSpace, slots: Ints, fillers: Ints) -> Iterator[Cases]:
    """One case for each slot and filler, slot by slot in order of first appearance."""
    for rows in sorted(group_rows(slots), key=lambda rows: int(rows[0])):
        slot = int(slots[rows[0]])
        filled = space.complete(slot, fillers[rows])
        yield Cases.from_context(int(space.material.slot_context[slot]), filled, space.filling.part)
