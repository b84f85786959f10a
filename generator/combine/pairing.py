"""``zip`` and ``each``: entities and places side by side instead of crossed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ..assemble import Cases
from ..spaces import Space


def zip_count(space: Space) -> int:
    """How many cases `zip_cases` gives."""
    return min(len(space.fillers), len(space.places.slots))


def zip_cases(space: Space) -> Iterator[Cases]:
    """The first entity in the first slot, the second in the second, until one side is used up."""
    size = zip_count(space)
    if not size:
        raise InputError("nothing to put side by side", allowed="queries that select entities and slots")
    yield from _pairs(
        space, space.places.slots[:size].astype(np.int64), space.fillers[:size].astype(np.int64)
    )


def each_count(space: Space) -> int:
    """How many cases `each_cases` gives."""
    slotted, bare = _contexts(space)
    return (max(len(space.fillers), len(slotted)) if len(slotted) else 0) + len(bare)


def each_cases(space: Space) -> Iterator[Cases]:
    """Every entity once and every context once; contexts without slots stand alone.

    The shorter side begins again. When a context comes up again its next chosen slot is taken.
    """
    slotted, bare = _contexts(space)
    if len(slotted):
        if not len(space.fillers):
            raise InputError("no entity for the contexts", allowed="a query that selects at least one")
        size = max(len(space.fillers), len(slotted))
        number = np.arange(size)
        slots = [space.slots_of(c) for c in slotted.tolist()]
        rounds = number // len(slotted)
        chosen = np.array(
            [
                slots[i][r % len(slots[i])]
                for i, r in zip((number % len(slotted)).tolist(), rounds.tolist(), strict=True)
            ]
        )
        yield from _pairs(space, chosen, space.fillers[number % len(space.fillers)].astype(np.int64))
    if len(bare):
        yield Cases(bare, np.empty(0, dtype=np.int32), space.filling.part)


def _contexts(space: Space) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    contexts = space.places.contexts
    has_slots = space.material.templates.slots[contexts] > 0
    return contexts[has_slots], contexts[~has_slots]


def _pairs(space: Space, slots: NDArray[np.int64], fillers: NDArray[np.int64]) -> Iterator[Cases]:
    """One case for each slot and filler, slot by slot in order of first appearance."""
    distinct, first, inverse = np.unique(slots, return_index=True, return_inverse=True)
    for index in np.argsort(first, kind="stable").tolist():
        filled = space.complete(int(distinct[index]), fillers[inverse == index].astype(np.int32))
        context = int(space.material.slot_context[int(distinct[index])])
        yield Cases(np.full(len(filled), context, dtype=np.int32), filled.ravel(), space.filling.part)
