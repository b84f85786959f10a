"""Minimal pairs as cases: two neighbours with the same number, alike but for one feature of one mention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ..cases import Cases
from ..combination_space import CombinationSpace

ATTEMPTS = 64
"""Fillings of one sentence that are tried for one that fits another sentence, too."""


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
    beside : array
        For each pair its slot (a contrast of entities) or its entity (a contrast of places), once chosen.
    """

    feature: str
    fillers: NDArray[np.int64]
    slots: NDArray[np.int64]
    transformed: int = 0
    beside: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.fillers) or len(self.slots)


def placed(space: CombinationSpace, pairing: Pairing) -> Pairing:
    """The pairs for which there is a place (or, of places, an entity) that fits both, in turn, with it.

    Raises
    ------
    InputError
        When no slot or no entity is chosen.
    """
    slots, fillers = space.places.slots, space.fillers
    if not len(slots) or not len(fillers):
        raise InputError("pairs need entities and slots", allowed="queries that select some")
    found: list[tuple[int, int]] = []
    if len(pairing.fillers):
        conditions = np.unique(space.condition[slots])
        # conditions × pairs: where both may stand
        may = np.stack(
            [space.satisfy(c, pairing.fillers.T.reshape(-1).astype(np.int32)) for c in conditions.tolist()]
        )
        may = may[:, : len(pairing)] & may[:, len(pairing) :]
        counterpart = space.filling.counterpart
        if counterpart is not None:
            # beside forms of two entries another name would stand: the pair would differ there too
            beside = counterpart[pairing.fillers]
            may[np.ix_([space.beside(c) for c in conditions.tolist()], beside[:, 0] != beside[:, 1])] = False
        of_slot = np.searchsorted(conditions, space.condition[slots])
        for pair in range(len(pairing)):
            at = _next(may[of_slot, pair], pair % len(slots))
            if at is not None:
                found.append((pair, int(slots[at])))
    else:
        # a sentence that was left out has another slot that nothing fits
        usable = set(slots.tolist())
        for pair, (one, other) in enumerate(pairing.slots.tolist()):
            if not {one, other} <= usable:
                continue
            pool = np.isin(fillers, space.pool_of(one)) & np.isin(fillers, space.pool_of(other))
            at = _next(pool, pair % len(fillers))
            if at is not None and _filled(space, [one, other], int(fillers[at])) is not None:
                found.append((pair, int(fillers[at])))
    rows = np.array(found, dtype=np.int64).reshape(-1, 2)
    kept = rows[:, 0]
    first_made = len(space.material.fillers) - space.material.made
    made = int((pairing.fillers[kept] >= first_made).any(axis=1).sum()) if len(pairing.fillers) else 0
    return replace(
        pairing,
        fillers=pairing.fillers[kept] if len(pairing.fillers) else pairing.fillers,
        slots=pairing.slots[kept] if len(pairing.slots) else pairing.slots,
        transformed=made,
        beside=rows[:, 1],
    )


def _next(good: NDArray[np.bool_], begin: int) -> int | None:
    """The first place from some on, around, that is good."""
    found = np.flatnonzero(good)
    if not len(found):
        return None
    at = int(np.searchsorted(found, begin))
    return int(found[at % len(found)])


def _filled(space: CombinationSpace, slots: list[int], filler: int) -> NDArray[np.int32] | None:
    """Two sentences (2 × slots) with an entity in a slot of each, and others beside it that fit both.

    Others are drawn for the first sentence, `ATTEMPTS` times; None where those of none may stand in the
    second.
    """
    places = [space.place_of(slot) for slot in slots]
    # attempts × slots
    first = space.complete(slots[0], np.full(ATTEMPTS, filler, dtype=np.int32), given=slots[1])
    second = np.insert(np.delete(first, places[0], axis=1), places[1], filler, axis=1)
    context = int(space.material.slot_context[slots[1]])
    if second.shape[1] != int(space.material.templates.slots[context]):
        raise ValueError("a pair of places in sentences with different numbers of slots")
    conditions = space.condition[slots[1] - places[1] :][: second.shape[1]].tolist()
    fits = [space.satisfy(c, names) for c, names in zip(conditions, second.T, strict=True)]
    counterpart = space.filling.counterpart
    if counterpart is not None:
        partners = space.own_pairs.get(context, {})
        fits += [counterpart[second[:, one]] == second[:, other] for one, other in partners.items()]
    good = np.flatnonzero(np.logical_and.reduce(fits))
    return np.stack((first[good[0]], second[good[0]])) if len(good) else None


def pair_cases(
    space: CombinationSpace, pairings: list[Pairing], limit: int | None, first: int = 0
) -> Iterator[Cases]:
    """The cases of all pairs; each pair has one place (or, for places, one entity): see `placed`.

    `limit` keeps the first so many pairs of each contrast; numbers run from `first`.
    """
    number = first
    for pairing in pairings:
        code = _code(space, pairing)
        both = pairing.fillers if len(pairing.fillers) else pairing.slots
        for pair, beside in zip(both[:limit].tolist(), pairing.beside[:limit].tolist(), strict=True):
            make = _of_fillers if len(pairing.fillers) else _of_slots
            yield make(space, pair, beside, number, code)
            number += 1


def count_pairs(pairings: list[Pairing], limit: int | None) -> int:
    """How many pairs `pair_cases` gives."""
    return sum(len(p) if limit is None else min(len(p), limit) for p in pairings)


def _code(space: CombinationSpace, pairing: Pairing) -> int:
    """Which contrast of the material a pairing is."""
    return space.material.contrasts.index(pairing.feature) if space.material.contrasts else -1


def _marked(slots: int, place: int, code: int) -> NDArray[np.int32]:
    """One slot of a sentence marked with a contrast."""
    marks = np.full(slots, -1, dtype=np.int32)
    marks[place] = code
    return marks


def _of_fillers(space: CombinationSpace, focus: list[int], slot: int, number: int, code: int) -> Cases:
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


def _of_slots(space: CombinationSpace, slots: list[int], filler: int, number: int, code: int) -> Cases:
    both = _filled(space, slots, filler)
    if both is None:
        raise ValueError("a pair of places that no names fit")
    return Cases(
        space.material.slot_context[np.array(slots)].astype(np.int32),
        both.ravel(),
        space.filling.part,
        np.full(2, number, dtype=np.int64),
        contrast=np.concatenate([_marked(both.shape[1], space.place_of(s), code) for s in slots]),
    )
