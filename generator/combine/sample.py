"""Random samples of cases without replacement, from all possible cases or by strata."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...catalogues.core.errors import InputError
from ..cases import Cases
from ..combination_space import CombinationSpace
from ..slot_filling import make_stream
from . import product
from .mixture import Mixture
from .other_slots import FilledSlots
from .strata import Strata, allocate_cases
from .usage import NameUses, SentenceUses

STREAM_KEY = 11
BLOCK_SIZE = 1 << 16
"""Number of cases per block."""


def draw_cases(
    space: CombinationSpace, size: int, strata: Strata | None = None, mixture: Mixture | None = None
) -> Iterator[Cases]:
    """Draw `size` different cases.

    Names are drawn first, then sentences for these names, and finally names for the other slots. The least
    used names and sentences are preferred, so that no form or template is repeated until all others have been
    used.

    Parameters
    ----------
    space : CombinationSpace
        Combination space of the part.
    size : int
        Number of cases.
    strata : Strata, optional
        Strata among which the cases are divided.
    mixture : Mixture, optional
        Weights that reproduce the proportions of a corpus.

    Raises
    ------
    InputError
        If fewer than `size` cases are possible.
    """
    possible = product.count_product(space, full=False)
    if size > possible:
        raise InputError(
            "the sample is larger than the number of possible cases",
            found=str(size),
            allowed=f"at most {possible}",
        )
    if not size:
        return
    strata = strata or Strata()
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
