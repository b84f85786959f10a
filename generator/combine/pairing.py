"""``zip`` and ``each``: entities and places side by side instead of crossed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...catalogues.core.bounds import grouped
from ...catalogues.core.errors import InputError
from ..cases import Cases
from ..combination_space import CombinationSpace
from ..material import Ints

Blocks = Callable[[], Iterator[Cases]]


class Turns:
    """Gives out the entities of each pool in turn, those first that nobody had yet."""

    def __init__(self, space: CombinationSpace) -> None:
        self._space = space
        self._had = np.zeros(len(space.material.fillers), dtype=bool)
        self._next: dict[int, int] = {}
        self._again: dict[int, int] = {}

    def left(self, slot: int) -> int | None:
        """The first entity that may stand in a slot and that nobody had; None when there is none."""
        number, pool = int(self._space.pool_number[slot]), self._space.pool_of(slot)
        at = self._next.get(number, 0)
        while at < len(pool) and self._had[pool[at]]:
            at += 1
        self._next[number] = at
        return int(pool[at]) if at < len(pool) else None

    def fresh(self, slot: int) -> int | None:
        """Give out the first entity that may stand in a slot and that nobody had; None when there is none."""
        found = self.left(slot)
        if found is not None:
            self._had[found] = True
        return found

    def again(self, slot: int) -> int:
        """The entity whose turn it is among those that may stand in a slot, all of which were had."""
        number, pool = int(self._space.pool_number[slot]), self._space.pool_of(slot)
        turn = self._again.get(number, 0)
        self._again[number] = turn + 1
        return int(pool[turn % len(pool)])


def zip_pairs(space: CombinationSpace) -> tuple[Ints, Ints]:
    """Each chosen slot, in order, beside the first entity that fits and was in none before it.

    Where everything fits, that is the first entity in the first slot, the second in the second, until one
    side is used up.
    """
    turns = Turns(space)
    pairs = [(slot, turns.fresh(slot)) for slot in space.places.slots.tolist()]
    return _columns([(slot, filler) for slot, filler in pairs if filler is not None])


def zip_cases(space: CombinationSpace) -> tuple[int, Blocks]:
    """How many cases `zip_pairs` gives, and the cases.

    Raises
    ------
    InputError
        As the cases are made, when there are none.
    """
    slots, fillers = zip_pairs(space)

    def blocks() -> Iterator[Cases]:
        if not len(slots):
            raise InputError("nothing to put side by side", allowed="queries that select entities and slots")
        yield from _cases(space, slots, fillers)

    return len(slots), blocks


def each_pairs(space: CombinationSpace) -> tuple[Ints, Ints]:
    """Every context with slots once, and every entity that some chosen slot takes; slots and entities.

    The shorter side begins again. When a context comes up again its next chosen slot is taken, as long as it
    takes an entity that no other had.
    """
    slots = [space.slots_of(c).tolist() for c in space.slotted.tolist()]
    number = space.pool_number.tolist()
    # the pools that hold somebody whom nobody had, each with one of its slots
    left = {number[slot]: slot for slot in space.places.slots.tolist()}
    turns = Turns(space)
    found: list[tuple[int, int]] = []
    turn = 0
    while left or turn == 0:
        for own in slots:
            slot = own[turn % len(own)]
            filler = turns.fresh(slot) if number[slot] in left else None
            if filler is None and turn == 0:
                filler = turns.again(slot)
            if filler is not None:
                found.append((slot, filler))
        left = {pool: slot for pool, slot in left.items() if turns.left(slot) is not None}
        turn += 1
    return _columns(found)


def each_cases(space: CombinationSpace) -> tuple[int, Blocks]:
    """How many cases `each_pairs` gives, and the cases; contexts without slots stand alone.

    Raises
    ------
    InputError
        As the cases are made, when there is no entity for contexts with slots.
    """
    slots, fillers = each_pairs(space)

    def blocks() -> Iterator[Cases]:
        if len(space.slotted):
            if not len(space.fillers):
                raise InputError("no entity for the contexts", allowed="a query that selects at least one")
            yield from _cases(space, slots, fillers)
        if len(space.bare):
            yield Cases.bare(space.bare, space.filling.part)

    return len(slots) + len(space.bare), blocks


def _columns(pairs: list[tuple[int, int]]) -> tuple[Ints, Ints]:
    columns = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _cases(space: CombinationSpace, slots: Ints, fillers: Ints) -> Iterator[Cases]:
    """One case for each slot and filler, slot by slot in order of first appearance."""
    for rows in sorted(grouped(slots), key=lambda rows: int(rows[0])):
        slot = int(slots[rows[0]])
        filled = space.complete(slot, fillers[rows])
        yield Cases.of_context(int(space.material.slot_context[slot]), filled, space.filling.part)
