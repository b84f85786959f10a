"""Negative data: look-alikes in slots as non-entities, and controls without any entity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .assemble import Cases
from .combine.units import Units
from .fill import stream
from .spaces import Space

PURPOSE = 41


def share_of(positive: int, share: float) -> int:
    """How many cases beside `positive` others make up a share of all."""
    return round(positive * share / (1.0 - share))


def look_alike_cases(space: Space, wanted: int) -> Iterator[Cases]:
    """Sentences whose slots hold look-alikes: different ones as long as there are, then over again."""
    units = Units(space)
    rng = stream(space.filling.seed, space.filling.part, PURPOSE)
    left = wanted
    while left > 0 and units.total:
        size = min(left, units.total)
        yield from units.cases(units.draw(rng, size))
        left -= size


def control_cases(space: Space, wanted: int) -> Iterator[Cases]:
    """Contexts without slots, each in turn, over again when more are wanted than there are."""
    bare = space.places.contexts[space.material.templates.slots[space.places.contexts] == 0]
    if not len(bare):
        return
    rows = np.resize(bare, wanted).astype(np.int32)
    step = 1 << 16
    for low in range(0, wanted, step):
        yield Cases(rows[low : low + step], np.empty(0, dtype=np.int32), space.filling.part)
