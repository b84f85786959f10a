"""What a part of a suite may combine: entities, places for them, and who may stand in which slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError
from .fill import Filling
from .material import Ints, Material, Places


@dataclass(frozen=True)
class Space:
    """The choices of one part.

    Attributes
    ----------
    material : Material
        The catalogues.
    fillers : array of int32
        What takes the chosen slots in turn.
    places : Places
        The chosen contexts and slots.
    by_place : mapping of int to array
        Other fillers for a slot by its place in the sentence (from 0).
    filling : Filling
        How the other slots are filled.
    pairs : mapping of int to dict
        For contexts with appositive pairs, from each slot to its partner.
    own_pools : mapping of (int, int) to array
        Narrower choices for a slot of a context (by row and place): appositives of one entry only.
    """

    material: Material
    fillers: Ints
    places: Places
    filling: Filling
    by_place: Mapping[int, Ints] = field(default_factory=dict)
    pairs: Mapping[int, dict[int, int]] = field(default_factory=dict)
    own_pools: Mapping[tuple[int, int], Ints] = field(default_factory=dict)

    def pool(self, place: int, context: int | None = None) -> Ints:
        """What may stand in a slot, by its place in the sentence and, where that matters, its context."""
        if context is not None and (context, place) in self.own_pools:
            return self.own_pools[context, place]
        return self.by_place.get(place, self.fillers)

    def pool_of(self, slot: int) -> Ints:
        """What may stand in a slot, by its row."""
        return self.pool(self.place_of(slot), int(self.material.slot_context[slot]))

    def pools(self, context: int) -> list[Ints]:
        """What may stand in each slot of a context."""
        return [self.pool(p, context) for p in range(int(self.material.templates.slots[context]))]

    def slots_of(self, context: int) -> Ints:
        """The chosen slots of a context, as rows."""
        first = int(np.searchsorted(self.places.slots, self.material.first_slot[context]))
        last = int(
            np.searchsorted(
                self.places.slots, self.material.first_slot[context] + self.material.templates.slots[context]
            )
        )
        return self.places.slots[first:last]

    def place_of(self, slot: int) -> int:
        """The place of a slot in its sentence."""
        return int(slot - self.material.first_slot[self.material.slot_context[slot]])

    def complete(self, slot: int, focus: Ints, given: int | None = None) -> NDArray[np.int32]:
        """Cases of a slot's context with each of some fillers in that slot: one row a case."""
        context = int(self.material.slot_context[slot])
        extra = None if given is None else np.array([given])
        return self.filling.complete(
            context, self.place_of(slot), focus, self.pools(context), extra, self.pairs.get(context)
        )

    def check(self) -> None:
        """Refuse a part that has contexts with slots but nothing to put there."""
        for place in range(int(self.material.templates.slots[self.places.contexts].max(initial=0))):
            if not len(self.pool(place)):
                raise InputError("no entity satisfies the query", allowed="a query that selects at least one")


def ranges(lengths: Sequence[int] | NDArray[np.int32]) -> NDArray[np.int64]:
    """Where each of some consecutive pieces begins, and where the last ends."""
    return np.concatenate(([0], np.cumsum(np.asarray(lengths, dtype=np.int64))))
