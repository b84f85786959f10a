"""Minimal pairs as cases: two neighbours with the same number, alike but for one feature of one mention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ..cases import Cases
from ..combination_space import CombinationSpace
from .pairs import MinimalPairs

ATTEMPTS = 64
"""Fillings of one sentence that are tried for one that fits another sentence, too."""


def placed(space: CombinationSpace, contrast: MinimalPairs) -> MinimalPairs:
    """The pairs for which there is a place (or, of places, an entity) that fits both, in turn, with it.

    Raises
    ------
    InputError
        When no slot or no entity is chosen.
    """
    if not len(space.places.slots) or not len(space.fillers):
        raise InputError("pairs need entities and slots", allowed="queries that select some")
    found = (_slots_for if contrast.of_entities else _entities_for)(space, contrast.pairs)
    rows = np.array(list(found), dtype=np.int64).reshape(-1, 2)
    pairs = contrast.pairs[rows[:, 0]]
    first_made = len(space.material.fillers) - space.material.made
    made = int((pairs >= first_made).any(axis=1).sum()) if contrast.of_entities else 0
    return replace(contrast, pairs=pairs, transformed=made, beside=rows[:, 1])


def _slots_for(space: CombinationSpace, pairs: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """The pairs of entities that may stand in one chosen slot, and the slot of each."""
    slots = space.places.slots
    conditions = np.unique(space.condition[slots])
    # conditions × pairs: where both may stand
    may = np.stack([space.satisfy(c, pairs.T.reshape(-1).astype(np.int32)) for c in conditions.tolist()])
    may = may[:, : len(pairs)] & may[:, len(pairs) :]
    counterpart = space.filling.counterpart
    if counterpart is not None:
        # beside forms of two entries another name would stand: the pair would differ there too
        beside = counterpart[pairs]
        may[np.ix_([space.beside(c) for c in conditions.tolist()], beside[:, 0] != beside[:, 1])] = False
    of_slot = np.searchsorted(conditions, space.condition[slots])
    for pair in range(len(pairs)):
        at = _next(may[of_slot, pair], pair % len(slots))
        if at is not None:
            yield pair, int(slots[at])


def _entities_for(space: CombinationSpace, pairs: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """The pairs of slots that take one chosen entity, with others beside it, and the entity of each."""
    fillers = space.fillers
    # a sentence that was left out has another slot that nothing fits
    usable = set(space.places.slots.tolist())
    for pair, (one, other) in enumerate(pairs.tolist()):
        if not {one, other} <= usable:
            continue
        pool = np.isin(fillers, space.pool_of(one)) & np.isin(fillers, space.pool_of(other))
        at = _next(pool, pair % len(fillers))
        if at is not None and _filled(space, [one, other], int(fillers[at])) is not None:
            yield pair, int(fillers[at])


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
    space: CombinationSpace, contrasts: list[MinimalPairs], limit: int | None, first: int = 0
) -> Iterator[Cases]:
    """The cases of all pairs; each pair has one place (or, for places, one entity): see `placed`.

    `limit` keeps the first so many pairs of each contrast; numbers run from `first`.
    """
    number, told = first, space.material.contrasts
    for contrast in contrasts:
        code = told.index(contrast.feature) if told else -1
        for pair, beside in zip(
            contrast.pairs[:limit].tolist(), contrast.beside[:limit].tolist(), strict=True
        ):
            slots = [beside, beside] if contrast.of_entities else pair
            filled = (
                _exchanged(space, pair, beside, number)
                if contrast.of_entities
                else _filled(space, pair, beside)
            )
            if filled is None:
                raise ValueError("a pair of places that no names fit")
            marks = np.full(filled.shape, -1, dtype=np.int32)
            marks[[0, 1], [space.place_of(slot) for slot in slots]] = code
            yield Cases(
                space.material.slot_context[slots],
                filled.ravel(),
                space.filling.part,
                np.full(2, number, dtype=np.int64),
                contrast=marks.ravel(),
            )
            number += 1


def count_pairs(contrasts: list[MinimalPairs], limit: int | None) -> int:
    """How many pairs `pair_cases` gives."""
    return sum(len(c) if limit is None else min(len(c), limit) for c in contrasts)


def _exchanged(space: CombinationSpace, pair: list[int], slot: int, number: int) -> NDArray[np.int32]:
    """One sentence twice (2 × slots), with each of two entities in a slot and the same others beside it."""
    place, codes = space.place_of(slot), space.filling.codes
    for attempt in range(32):
        one = space.complete(slot, np.array(pair[:1], dtype=np.int32), given=number + (attempt << 40))
        if codes[pair[1]] not in np.delete(codes[one[0]], place):
            break
    filled = np.repeat(one, 2, axis=0)
    filled[1, place] = pair[1]
    return filled
