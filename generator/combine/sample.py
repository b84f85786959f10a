"""Random samples of cases without replacement, from all possible cases or by strata."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ..cases import Cases, take_cases
from ..combination_space import CombinationSpace
from ..slot_filling import make_stream
from . import product
from .mixture import Mixture
from .other_slots import FilledSlots
from .strata import Strata, allocate_cases
from .usage import NameUses, SentenceUses

STREAM_KEY, FULL_STREAM_KEY = 11, 12
MAX_NUMBERED = 1 << 16
"""Maximum number of possible fillings that are enumerated before some are drawn."""
BLOCK_SIZE = 1 << 16
"""Number of cases per block."""


def draw_cases(
    space: CombinationSpace,
    size: int,
    *,
    full: bool,
    strata: Strata | None = None,
    mixture: Mixture | None = None,
) -> Iterator[Cases]:
    """Draw `size` different cases.

    Parameters
    ----------
    space : CombinationSpace
        Combination space of the part.
    size : int
        Number of cases.
    full : bool
        If True, draw from all fillings of all slots. Otherwise draw pairs of an entity and a slot; no form
        or template is used again before all others were used.
    strata : Strata, optional
        Strata among which the cases are divided.
    mixture : Mixture, optional
        Weights that reproduce the proportions of a corpus.

    Raises
    ------
    InputError
        If fewer than `size` cases are possible.
    """
    most = max(4 * size, MAX_NUMBERED)
    possible = product.count_product(space, full=full, most=most)
    if size > possible:
        raise InputError(
            "the sample is larger than the number of possible cases",
            found=str(size),
            allowed=f"at most {possible}",
        )
    if not full:
        if size:
            yield from _draw_pairs(space, size, strata or Strata(), mixture)
        return
    if strata is not None and strata.features:
        raise InputError("stratified samples need fill = draw", found="fill = product")
    yield from _draw_fillings(space, size, possible if possible <= most else None)


def _draw_pairs(
    space: CombinationSpace, size: int, strata: Strata, mixture: Mixture | None
) -> Iterator[Cases]:
    """Draw the least used names, then sentences for them, then names for the other slots."""
    rng = make_stream(space.filling.seed, space.filling.part, STREAM_KEY)
    uses = NameUses(space, rng, mixture)
    turns = SentenceUses(space, rng, size, None if mixture is None else mixture.context_weights)
    divided = strata.divide(space)
    sizes = np.array([len(stratum) for stratum in divided], dtype=np.int64)
    counts = allocate_cases(sizes, np.array([strata.weight(stratum) for stratum in divided]), size)
    bare = [np.empty(0, dtype=np.int64)]
    wanted = []
    for stratum, count in zip(divided, counts.tolist(), strict=True):
        both = np.array([stratum.pairs, len(stratum.slotless)])
        pairs, alone = allocate_cases(both, both.astype(float), count).tolist()
        bare.append(rng.permutation(stratum.slotless)[:alone].astype(np.int64))
        if pairs:
            room = np.where(stratum.names, turns.count_accepting_slots(stratum.slots), 0)
            wanted.append((stratum, pairs, room))
    # strata with few names per case first
    wanted.sort(key=lambda each: np.count_nonzero(each[2]) / each[1])
    drawn = []
    for number, (stratum, pairs, room) in enumerate(wanted):
        slot, name = turns.choose_slots(*uses.take_names(room, pairs, turns.needs_partner), stratum.slots)
        drawn.append(np.stack((space.places.slots[slot], name, np.full(pairs, number))))
    if drawn:
        slot, name, number = (whole := np.concatenate(drawn, axis=1))[:, np.lexsort(whole[1::-1])]
        filled = FilledSlots(space, uses, slot, name)
        filled.spread_out(number, [stratum.names for stratum, _, _ in wanted])
        context = space.material.slot_context[slot]
        for low in range(0, len(slot), BLOCK_SIZE):
            block = filled.filled[low : low + BLOCK_SIZE]
            yield Cases(context[low : low + BLOCK_SIZE], block[block >= 0], space.filling.part)
    yield Cases.from_slotless(np.sort(np.concatenate(bare)).astype(np.int32), space.filling.part)


def _draw_fillings(space: CombinationSpace, size: int, possible: int | None) -> Iterator[Cases]:
    """Draw different fillings from all possible ones.

    If the number of possible fillings is known, numbers of fillings are drawn; otherwise fillings are drawn
    until enough of them differ.
    """
    rng = make_stream(space.filling.seed, space.filling.part, FULL_STREAM_KEY)
    if possible is not None:
        yield from _pick_numbered(
            space, np.sort(rng.choice(possible, size=size, replace=False, shuffle=False))
        )
        return
    # contexts that allow no case are left out
    ways = {
        context: space.count_fillings(context)
        for context in space.places.contexts.tolist()
        if next(space.enumerate_fillings(context, 1), None) is not None
    }
    # probability of each context; invalid fillings are rejected, so all cases have the same probability
    contexts, chance = np.array(list(ways)), np.array(list(ways.values()), dtype=float)
    chance /= chance.sum()
    seen: set[tuple[int, ...]] = set()
    while len(seen) < size:
        drawn, numbers = np.unique(rng.choice(contexts, size=size - len(seen), p=chance), return_counts=True)
        for context, number in zip(drawn.tolist(), numbers.tolist(), strict=True):
            filled = space.draw_fillings(context, number, rng)
            seen.update((context, *row) for row in filled[space.filling.is_admitted(filled)].tolist())
    for row in sorted(seen):
        yield Cases.from_context(row[0], np.array([row[1:]], dtype=np.int32), space.filling.part)


def _pick_numbered(space: CombinationSpace, numbers: NDArray[np.int64]) -> Iterator[Cases]:
    """Generate the cases of the full product that have the given numbers."""
    begin = 0
    for block in product.make_product_cases(space, full=True):
        wanted = numbers[(numbers >= begin) & (numbers < begin + len(block))] - begin
        begin += len(block)
        if len(wanted):
            yield take_cases(space.material, block, wanted)
