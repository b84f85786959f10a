"""Cases drawn without replacement, seeded, from all that could be made; over all of it or by strata."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ..adjust import picked
from ..cases import Cases
from ..combination_space import CombinationSpace
from ..slot_filling import stream
from . import product
from .spread import Spread
from .strata import Strata
from .units import Units

PURPOSE, FULL_PURPOSE = 11, 12
NUMBERED = 1 << 16
"""So many fillings are all made and numbered, to draw from."""


def cases(space: CombinationSpace, size: int, *, full: bool, strata: Strata | None = None) -> Iterator[Cases]:
    """Draw `size` different cases.

    Parameters
    ----------
    space : CombinationSpace
        What may be combined.
    size : int
        How many.
    full : bool
        Draw from all fillings of all slots; otherwise pairs of an entity and a slot, no template and no
        entity twice before all were used.
    strata : Strata, optional
        Share the cases out over combinations of feature values.

    Raises
    ------
    InputError
        When there are fewer cases than asked for.
    """
    possible = product.count(space, full=full)
    if size > possible:
        raise InputError(
            "a larger sample than there are cases", found=str(size), allowed=f"at most {possible}"
        )
    if full:
        if strata is not None:
            raise InputError("strata need the fill 'draw'", found="fill = product", allowed="fill = draw")
        yield from _full(space, size, possible)
        return
    units = Units(space)
    spread = Spread(units, stream(space.filling.seed, space.filling.part, PURPOSE))
    shared = strata or Strata(())
    weights = None if shared.mixture is None else shared.mixture.weights
    yield from units.of(*shared.draw(spread, units, size), weights)


def _full(space: CombinationSpace, size: int, possible: int) -> Iterator[Cases]:
    """Draw from all fillings: all of them numbered where few, else drawn slot by slot until enough differ."""
    rng = stream(space.filling.seed, space.filling.part, FULL_PURPOSE)
    if possible <= max(4 * size, NUMBERED):
        yield from _numbered(space, np.sort(rng.choice(possible, size=size, replace=False, shuffle=False)))
        return
    # a context that gives no case would only be drawn in vain
    ways = {c: space.count_drawn(c) for c in space.places.contexts.tolist() if space.count_full(c)}
    # contexts: the chance of each; as drawn fillings that are no cases are left out, all cases have the same
    contexts, chance = np.array(list(ways)), np.array(list(ways.values()), dtype=float)
    chance /= chance.sum()
    seen: set[tuple[int, ...]] = set()
    while len(seen) < size:
        drawn, numbers = np.unique(rng.choice(contexts, size=size - len(seen), p=chance), return_counts=True)
        for context, number in zip(drawn.tolist(), numbers.tolist(), strict=True):
            filled = space.draw_full(context, number, rng)
            seen.update((context, *row) for row in filled[space.filling.admitted(filled)].tolist())
    for row in sorted(seen):
        yield Cases.of_context(row[0], np.array([row[1:]], dtype=np.int32), space.filling.part)


def _numbered(space: CombinationSpace, numbers: NDArray[np.int64]) -> Iterator[Cases]:
    """The cases of the full product that have these numbers."""
    begin = 0
    for block in product.cases(space, full=True):
        wanted = numbers[(numbers >= begin) & (numbers < begin + len(block))] - begin
        begin += len(block)
        if len(wanted):
            yield picked(space.material, block, wanted)
