"""Pairing of entities with slots, for the combine methods `zip` and `each`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import numpy as np

from ...catalogues.core.arrays import group_rows
from ..cases import Blocks, Cases
from ..combination_space import CombinationSpace
from ..material import Ints


class EntityQueue:
    """Queues of entities, one queue for each pool of fillers; unused entities are taken first."""

    def __init__(self, space: CombinationSpace) -> None:
        self._pools: list[list[int]] = [pool.tolist() for pool in space.distinct_pools]
        self._had: set[int] = set()
        # for each pool: index of the first unused entity, and entities to use again
        self._next, self._again = [0] * len(self._pools), [cycle(pool) for pool in self._pools]

    def peek_unused(self, number: int) -> int | None:
        """Return the first unused entity of a pool; None if all were used."""
        pool, at = self._pools[number], self._next[number]
        while at < len(pool) and pool[at] in self._had:
            at += 1
        self._next[number] = at
        return pool[at] if at < len(pool) else None

    def take_unused(self, number: int) -> int | None:
        """Return the first unused entity of a pool, and mark it as used; None if all were used."""
        found = self.peek_unused(number)
        if found is not None:
            self._had.add(found)
        return found

    def take_used(self, number: int) -> int:
        """Return the next entity of a pool for repeated use, in the order of the pool."""
        return next(self._again[number])


def make_zip_cases(space: CombinationSpace) -> tuple[int, Blocks]:
    """Pair each selected slot, in order, with the first unused entity that fits it.

    If all entities fit all slots, the first entity is put into the first slot, the second into the second,
    and so on, until all entities or all slots are used. Returns the number of cases and a function that
    generates them.
    """
    turns, number = EntityQueue(space), space.pool_number.tolist()
    pairs = [(slot, turns.take_unused(number[slot])) for slot in space.places.slots.tolist()]
    slots, fillers = _columns([(slot, filler) for slot, filler in pairs if filler is not None])
    return len(slots), lambda: _cases(space, slots, fillers)


def make_each_cases(space: CombinationSpace) -> tuple[int, Blocks]:
    """Make cases that together use every context, and every entity that fits a selected slot.

    If there are fewer contexts than entities, contexts are repeated, and vice versa. When a context is
    repeated, an unused entity fills its next selected slot. Each context without slots gives one case.
    Returns the number of cases and a function that generates them.
    """
    slots = [space.slots_of(c).tolist() for c in space.slotted.tolist()]
    number = space.pool_number.tolist()
    # pools with unused entities
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
    """Generate a case for each pair of a slot and a filler, grouped by slot."""
    for rows in sorted(group_rows(slots), key=lambda rows: int(rows[0])):
        slot = int(slots[rows[0]])
        filled = space.complete(slot, fillers[rows])
        yield Cases.from_context(int(space.material.slot_context[slot]), filled, space.filling.part)
