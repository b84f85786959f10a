"""Sentences begun with a capital on request: the form that begins them is written so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .adjust import Mentions
from .cases import Cases
from .entity_forms import with_forms
from .material import Material, extended
from .planned_parts import PlannedPart


def capitalised(material: Material, parts: list[PlannedPart]) -> tuple[Material, list[PlannedPart]]:
    """The material with a capitalised variant of each small-letter form, and parts that use them.

    A variant keeps its entry's identity. It stands where a slot begins its sentence; elsewhere forms stay as
    they are.
    """
    forms = material.forms
    small = np.array([f[:1].islower() and len(f[:1].upper()) == 1 for f in forms], dtype=bool) & material.gold
    rows = np.flatnonzero(small)
    if not len(rows):
        return material, parts
    capital = [forms[r][0].upper() + forms[r][1:] for r in rows.tolist()]
    fresh = with_forms(material.fillers.take(rows), capital, material.lists)
    variant = np.arange(len(material.fillers) + len(fresh), dtype=np.int32)
    variant[rows] = np.arange(len(material.fillers), len(material.fillers) + len(fresh), dtype=np.int32)
    whole = extended(material, [fresh])
    initial = (material.slots["position"].astype("str") == "initial").to_numpy(dtype=bool)
    mentions = Mentions(material)
    return whole, [replace(p, blocks=_blocks(p.blocks, mentions, initial, variant)) for p in parts]


def _blocks(
    blocks: Callable[[], Iterator[Cases]],
    mentions: Mentions,
    initial: NDArray[np.bool_],
    variant: NDArray[np.int32],
) -> Callable[[], Iterator[Cases]]:
    def changed() -> Iterator[Cases]:
        for block in blocks():
            rows, _ = mentions.slots(block)
            yield replace(block, fillers=np.where(initial[rows], variant[block.fillers], block.fillers))

    return changed
