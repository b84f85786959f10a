"""Negative data: look-alikes in sentences written for them, and controls without any entity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..catalogues.core.bounds import bounds
from ..catalogues.core.errors import InputError
from ..catalogues.values import texts_of
from .cases import Cases
from .combination_space import CombinationSpace
from .combine.units import Units
from .material import Ints, Material, Part, Places, require, select_fillers, select_places
from .slot_filling import SlotFilling, stream

PURPOSE = 41


def share_of(positive: int, share: float) -> int:
    """How many cases beside `positive` others make up a share of all."""
    return round(positive * share / (1.0 - share))


def look_alike_spaces(part: Part) -> list[CombinationSpace]:
    """The places of look-alikes: a space for the contexts whose slots accept the same categories.

    Raises
    ------
    InputError
        When the query for look-alikes selects nothing, or no chosen context is written for what it selects.
    """
    material, options = part.material, part.options
    fillers = select_fillers(material, options.look_alikes or "all", gold=False)
    require(fillers, "look-alike", options.look_alikes)
    places = select_places(material, options.contexts, options.list_lengths, gold=False)
    filling = SlotFilling(material.form_code, part.seed, part.number, not options.repeat_forms)
    categories = texts_of(material.fillers, "look_alike_category")[fillers]
    spaces: list[CombinationSpace] = []
    for accepts, contexts in _by_acceptance(material, places).items():
        pools = [fillers[_accepted(categories, said)] for said in accepts]
        if all(map(len, pools)):
            slots = places.slots[np.isin(material.slot_context[places.slots], contexts)]
            spaces.append(
                CombinationSpace(material, pools[0], Places(contexts, slots), filling, dict(enumerate(pools)))
            )
    if not spaces:
        raise InputError(
            "no chosen context is for these look-alikes",
            found=f"{options.contexts} (look-alikes: {', '.join(sorted(set(categories)))})",
            allowed='fp contexts with slots, as <slot accepts="cell_line"/>',
        )
    return spaces


def _by_acceptance(material: Material, places: Places) -> dict[tuple[str, ...], Ints]:
    """Contexts by what each of their slots accepts ("" where nothing is said), in the catalogue's order."""
    accepts = texts_of(material.slots, "accepts").tolist()
    found: dict[tuple[str, ...], list[int]] = {}
    for context in places.contexts[material.templates.slots[places.contexts] > 0].tolist():
        first = int(material.first_slot[context])
        key = tuple(accepts[first : first + int(material.templates.slots[context])])
        found.setdefault(key, []).append(context)
    return {key: np.array(contexts, dtype=np.int32) for key, contexts in found.items()}


def _accepted(categories: NDArray[np.object_], accepts: str) -> NDArray[np.bool_]:
    """Which look-alikes a slot takes, by their categories; one that says nothing takes all."""
    return np.isin(categories, accepts.split("|")) if accepts else np.ones(len(categories), dtype=bool)


def look_alike_cases(spaces: Sequence[CombinationSpace], wanted: int) -> Iterator[Cases]:
    """Sentences whose slots hold look-alikes: different ones as long as there are, then over again."""
    units = [Units(space) for space in spaces]
    first = bounds([u.total for u in units])
    total = int(first[-1])
    rng = stream(spaces[0].filling.seed, spaces[0].filling.part, PURPOSE)
    left = wanted
    while left > 0 and total:
        size = min(left, total)
        # numbers run over the units of one space after another
        numbers = np.sort(rng.choice(total, size=size, replace=False, shuffle=False)).astype(np.int64)
        for unit, low, high in zip(units, first[:-1].tolist(), first[1:].tolist(), strict=True):
            yield from unit.cases(numbers[(numbers >= low) & (numbers < high)] - low)
        left -= size


def control_cases(space: CombinationSpace, wanted: int) -> Iterator[Cases]:
    """Contexts without slots, each in turn, over again when more are wanted than there are."""
    if not len(space.bare):
        return
    rows = np.resize(space.bare, wanted).astype(np.int32)
    step = 1 << 16
    for low in range(0, wanted, step):
        yield Cases.bare(rows[low : low + step], space.filling.part)
