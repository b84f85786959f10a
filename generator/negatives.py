"""Negative data: look-alikes in sentences written for them, and controls without any entity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.values import texts_of
from .cases import Cases
from .combination_space import CombinationSpace, usable
from .combine import product, sample
from .fitting.fits import Fits
from .material import Part, Places, require, select_fillers, select_places
from .slot_filling import SlotFilling, stream

PURPOSE = 41


def look_alike_space(part: Part) -> CombinationSpace:
    """The look-alikes that a query selects, and the contexts whose slots accept their categories.

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
    category, categories = pd.factorize(texts_of(material.fillers, "look_alike_category"), sort=True)
    asked, accepts = pd.factorize(texts_of(material.slots, "accepts"), sort=True)
    # a slot that says nothing takes all
    taken = np.array([[not a or c in a.split("|") for a in accepts] for c in categories], dtype=bool)
    fits = Fits(category.astype(np.int32), asked.astype(np.int32), {"accepts": taken}, ("accepts",))
    slotted = places.contexts[material.templates.slots[places.contexts] > 0]
    space = CombinationSpace(material, fillers, Places(slotted, places.slots), filling, fits=fits)
    empty = np.unique(material.slot_context[space.sizes == 0])
    contexts = slotted[~np.isin(slotted, empty)]
    if not len(contexts):
        names = sorted({str(categories[c]) for c in category[fillers].tolist()})
        raise InputError(
            "no chosen context is for these look-alikes",
            found=f"{options.contexts} (look-alikes: {', '.join(names)})",
            allowed='fp contexts with slots, as <slot accepts="cell_line"/>',
        )
    slots = places.slots[np.isin(material.slot_context[places.slots], contexts)]
    return usable(CombinationSpace(material, fillers, Places(contexts, slots), filling, fits=fits))


def look_alike_cases(space: CombinationSpace, wanted: int) -> Iterator[Cases]:
    """Sentences whose slots hold look-alikes: different ones as long as there are, then all again."""
    possible = product.count(space, full=False)
    while wanted >= possible:
        yield from product.cases(space, full=False)
        wanted -= possible
    yield from sample.cases(space, wanted, full=False)


def control_cases(space: CombinationSpace, wanted: int) -> Iterator[Cases]:
    """Contexts without slots in random order; each is used once before any is used again."""
    rng = stream(space.filling.seed, space.filling.part, PURPOSE)
    while wanted > 0:
        drawn = rng.permutation(space.bare)[:wanted]
        yield Cases.bare(np.sort(drawn).astype(np.int32), space.filling.part)
        wanted -= len(drawn)
