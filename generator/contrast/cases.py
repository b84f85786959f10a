"""Minimal pairs as cases: two neighbours with the same number, alike but for one feature of one mention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ..assemble import Cases
from ..spaces import Space


@dataclass(frozen=True)
class Pairing:
    """The pairs of one contrast.

    Attributes
    ----------
    feature : str
        The contrasted feature.
    fillers : array
        Pairs of fillers (a contrast of entities), or none.
    slots : array
        Pairs of slots (a contrast of places), or none.
    transformed : int
        How many pairs have a transformed form.
    """

    feature: str
    fillers: NDArray[np.int64]
    slots: NDArray[np.int64]
    transformed: int = 0

    def __len__(self) -> int:
        return len(self.fillers) or len(self.slots)


def pair_cases(space: Space, pairings: list[Pairing], limit: int | None, first: int = 0) -> Iterator[Cases]:
    """The cases of all pairs; each pair gets one place (or, for places, one entity), in turn.

    `limit` keeps the first so many pairs of each contrast; numbers run from `first`.

    Raises
    ------
    InputError
        When no slot is chosen, or no entity.
    """
    if not len(space.places.slots) or not len(space.fillers):
        raise InputError("pairs need entities and slots", allowed="queries that select some")
    number = first
    for pairing in pairings:
        if len(pairing.fillers):
            for pair, focus in enumerate(pairing.fillers[:limit].tolist()):
                slot = int(space.places.slots[pair % len(space.places.slots)])
                yield _of_fillers(space, slot, focus, number, _code(space, pairing))
                number += 1
        else:
            for pair, slots in enumerate(pairing.slots[:limit].tolist()):
                filler = int(space.fillers[pair % len(space.fillers)])
                yield _of_slots(space, slots, filler, number, _code(space, pairing))
                number += 1


def count_pairs(pairings: list[Pairing], limit: int | None) -> int:
    """How many pairs `pair_cases` gives."""
    return sum(len(p) if limit is None else min(len(p), limit) for p in pairings)


def _code(space: Space, pairing: Pairing) -> int:
    """Which contrast of the material a pairing is."""
    return space.material.contrasts.index(pairing.feature) if space.material.contrasts else -1


def _marked(slots: int, place: int, code: int) -> NDArray[np.int32]:
    """One slot of a sentence marked with a contrast."""
    marks = np.full(slots, -1, dtype=np.int32)
    marks[place] = code
    return marks


def _of_fillers(space: Space, slot: int, focus: list[int], number: int, code: int) -> Cases:
    context = int(space.material.slot_context[slot])
    place = space.place_of(slot)
    codes = space.filling.codes
    for attempt in range(32):
        one = space.complete(slot, np.array(focus[:1], dtype=np.int32), given=number + (attempt << 40))
        if codes[focus[1]] not in np.delete(codes[one[0]], place):
            break
    filled = np.repeat(one, 2, axis=0)
    filled[1, place] = focus[1]
    return Cases(
        np.full(2, context, dtype=np.int32),
        filled.ravel(),
        space.filling.part,
        np.full(2, number, dtype=np.int64),
        contrast=np.tile(_marked(filled.shape[1], place, code), 2),
    )


def _of_slots(space: Space, slots: list[int], filler: int, number: int, code: int) -> Cases:
    contexts = space.material.slot_context[np.array(slots)]
    first = space.complete(slots[0], np.array([filler], dtype=np.int32), given=number)[0]
    others = np.delete(first, space.place_of(slots[0]))
    second = np.insert(others, space.place_of(slots[1]), filler)
    if len(second) != int(space.material.templates.slots[contexts[1]]):
        raise ValueError("a pair of places in sentences with different numbers of slots")
    return Cases(
        contexts.astype(np.int32),
        np.concatenate((first, second)).astype(np.int32),
        space.filling.part,
        np.full(2, number, dtype=np.int64),
        contrast=np.concatenate([_marked(len(first), space.place_of(s), code) for s in slots]),
    )
