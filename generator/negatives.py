"""Negative cases, which are fp contexts with look-alikes and control sentences without entities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.values import column_texts
from .cases import Cases
from .combination_space import CombinationSpace, drop_unfillable
from .combine import product, sample
from .fitting.slot_rules import SlotRules
from .material import Part, Places, require_selection, select_fillers, select_places
from .slot_filling import SlotFilling, make_stream

STREAM_KEY = 41


def make_look_alike_space(part: Part) -> CombinationSpace:
    """Make the combination space of look-alikes and the contexts whose slots accept them.

    Raises
    ------
    InputError
        If the query selects no look-alikes, or no selected context accepts their categories.
    """
    material, options = part.material, part.options
    fillers = select_fillers(material, options.look_alikes or "all", gold=False)
    require_selection(fillers, "look-alike", options.look_alikes)
    places = select_places(material, options.contexts, options.list_lengths, gold=False)
    filling = SlotFilling(material.form_code, part.seed, part.number, not options.repeat_forms)
    category, categories = pd.factorize(column_texts(material.fillers, "look_alike_category"), sort=True)
    slot_class, accepts = pd.factorize(column_texts(material.slots, "accepts"), sort=True)
    # a slot without `accepts` takes all categories
    taken = np.array([[not a or c in a.split("|") for a in accepts] for c in categories], dtype=bool)
    fits = SlotRules(category.astype(np.int32), slot_class.astype(np.int32), {"accepts": taken}, ("accepts",))
    slotted = places.contexts[material.templates.slot_counts[places.contexts] > 0]
    space = CombinationSpace(material, fillers, Places(slotted, places.slots), filling, fits)
    empty = np.unique(material.slot_context[space.pool_sizes == 0])
    contexts = slotted[~np.isin(slotted, empty)]
    if not len(contexts):
        names = sorted({str(categories[c]) for c in category[fillers].tolist()})
        raise InputError(
            f"no selected context accepts look-alikes ({', '.join(names)}); select fp contexts "
            f'with slots such as <slot accepts="{names[0]}"/>',
            found=options.contexts,
        )
    slots = places.slots[np.isin(material.slot_context[places.slots], contexts)]
    return drop_unfillable(CombinationSpace(material, fillers, Places(contexts, slots), filling, fits))


def make_look_alike_cases(space: CombinationSpace, case_count: int) -> Iterator[Cases]:
    """Generate cases with look-alikes; none is repeated until all possible cases have been used."""
    possible = product.count_product(space, full=False)
    while case_count >= possible:
        yield from product.make_product_cases(space, full=False)
        case_count -= possible
    yield from sample.draw_cases(space, case_count)


def make_control_cases(space: CombinationSpace, case_count: int) -> Iterator[Cases]:
    """Generate cases from contexts without slots; none is drawn again until all have been drawn."""
    rng = make_stream(space.filling.seed, space.filling.part, STREAM_KEY)
    while case_count > 0:
        drawn = rng.permutation(space.slotless)[:case_count]
        yield Cases.from_slotless(np.sort(drawn).astype(np.int32), space.filling.part)
        case_count -= len(drawn)
