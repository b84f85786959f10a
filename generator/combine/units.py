"""What a sample is drawn from: all pairs of a slot and an entity, and the bare contexts, numbered."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.bounds import bounds
from ..cases import Cases
from ..combination_space import CombinationSpace


class Units:
    """All pairs of a slot and an entity that may stand there, and the bare contexts, numbered.

    Numbers run slot by slot in the catalogue's order, then over the contexts without slots.
    """

    def __init__(self, space: CombinationSpace) -> None:
        self.space = space
        self.slots = space.places.slots
        self.bare = space.bare
        self.first = bounds(space.sizes[self.slots])
        self.total = int(self.first[-1]) + len(self.bare)

    def split(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each number its slot (index into `slots`) and filler; -1 and the row for a bare context."""
        held = numbers < self.first[-1]
        slot = np.searchsorted(self.first, numbers, side="right") - 1
        slot = np.where(held, slot, -1)
        other = np.where(held, 0, numbers - self.first[-1])
        for index in np.unique(slot[held]).tolist():
            mine = slot == index
            pool = self.space.pool_of(int(self.slots[index]))
            other[mine] = pool[numbers[mine] - self.first[index]]
        other[~held] = self.bare[other[~held]] if len(self.bare) else other[~held]
        return slot, other

    def cases(self, numbers: NDArray[np.int64]) -> Iterator[Cases]:
        """The cases of sorted numbers."""
        slot, other = self.split(numbers)
        yield from self.of(slot[slot >= 0], other[slot >= 0], other[slot < 0])

    def of(
        self,
        slot: NDArray[np.int64],
        filler: NDArray[np.int64],
        bare: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
    ) -> Iterator[Cases]:
        """The cases of slots (numbers among `slots`) and entities there, and contexts without slots.

        Where there are `weights` of fillers, the other slots of a sentence are filled by these.
        """
        space, part = self.space, self.space.filling.part
        order = np.lexsort((filler, slot))
        slot, filler = slot[order], filler[order]
        bounds = np.flatnonzero(np.diff(slot, prepend=-2, append=-2))
        for low, high in itertools.pairwise(bounds.tolist()):
            row = int(self.slots[int(slot[low])])
            filled = space.complete(row, filler[low:high].astype(np.int32), weights=weights)
            context = int(space.material.slot_context[row])
            yield Cases.of_context(context, filled, part)
        for row in np.sort(bare).tolist():
            yield Cases.bare(np.array([row], dtype=np.int32), part)
