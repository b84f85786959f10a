"""Cases of a product, which puts every selected entity into every selected slot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..cases import Cases, count_cases
from ..combination_space import CombinationSpace
from ..recipe import DEFAULT_MAX_CASES

BLOCK_SIZE = 1 << 17
"""Approximate number of mentions per block."""


def count_product(space: CombinationSpace, *, full: bool, most: int = DEFAULT_MAX_CASES) -> int:
    """Return the number of cases of the product.

    If `full` is True, the other slots of each sentence are also filled with every combination of fillers. To
    count these cases, they are generated; the result is at most `most` + 1.
    """
    if full:
        return count_cases(make_product_cases(space, full=True), most)
    return len(space.slotless) + int(space.pool_sizes[space.places.slots].sum())


def make_product_cases(space: CombinationSpace, *, full: bool) -> Iterator[Cases]:
    """Generate all cases of the product in blocks, context by context."""
    part = space.filling.part
    singles: list[int] = []
    for context in space.places.contexts.tolist():
        slots = int(space.material.templates.slot_counts[context])
        if slots == 1:
            slot = int(space.material.first_slot[context])
            if singles and space.pool_number[slot] != space.pool_number[singles[0]]:
                yield from _cross_single_slots(space, singles)
                singles = []
            singles.append(slot)
            continue
        yield from _cross_single_slots(space, singles)
        singles = []
        if slots == 0:
            yield Cases.from_slotless(np.array([context], dtype=np.int32), part)
        elif full:
            for filled in space.enumerate_fillings(context, BLOCK_SIZE):
                yield Cases.from_context(context, filled, part)
        else:
            for slot in space.slots_of(context).tolist():
                filled = space.complete(slot, space.pool_of(slot))
                step = max(BLOCK_SIZE // slots, 1)
                for low in range(0, len(filled), step):
                    yield Cases.from_context(context, filled[low : low + step], part)
    yield from _cross_single_slots(space, singles)


def _cross_single_slots(space: CombinationSpace, slots: list[int]) -> Iterator[Cases]:
    """Combine every entity with every sentence.

    Each sentence must have exactly one slot, and all slots must have the same pool.
    """
    if not slots:
        return
    fillers, part = space.pool_of(slots[0]), space.filling.part
    if not len(fillers):
        return
    contexts = space.material.slot_context[np.array(slots)]
    step = max(BLOCK_SIZE // len(fillers), 1)
    for low in range(0, len(contexts), step):
        group = contexts[low : low + step]
        for first in range(0, len(fillers), BLOCK_SIZE):
            piece = fillers[first : first + BLOCK_SIZE]
            yield Cases(np.repeat(group, len(piece)), np.tile(piece, len(group)), part)
