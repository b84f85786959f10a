"""A recipe's parts laid out: what each may combine, how many cases it gives, and the cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from .adjust import capped, total, weighted
from .assemble import Cases
from .choosing import look_alike_space, space_of
from .combine import pairing, product, sample
from .contrast.cases import Pairing, count_pairs, pair_cases
from .contrast.pairs import contrast_in, real_pairs, transformed
from .material import Material, select_fillers
from .negative import control_cases, look_alike_cases, share_of
from .recipe import PartRecipe
from .spaces import Space
from .targets import strata_of

Progress = Callable[[int, int], None]
Blocks = Callable[[], Iterator[Cases]]


@dataclass(frozen=True)
class PlannedPart:
    """A part before it is written.

    Attributes
    ----------
    recipe : PartRecipe
        What was asked.
    space : Space
        What may be combined.
    cases : int
        How many cases it gives.
    blocks : callable
        Gives the cases.
    notes : tuple of str
        What is worth telling.
    pairs : int
        How many minimal pairs are among them.
    """

    recipe: PartRecipe
    space: Space
    cases: int
    blocks: Blocks
    notes: tuple[str, ...] = ()
    pairs: int = 0


def pairings_of(
    material: Material, recipe: PartRecipe, first_made: int
) -> tuple[list[Pairing], list[pd.DataFrame]]:
    """The minimal pairs of a part, and the entities made for them; these get rows from `first_made` on.

    Raises
    ------
    InputError
        When no feature is named, or a feature gives no pair at all.
    """
    if not recipe.contrast:
        raise InputError("a contrast needs a feature", allowed="--contrast FEATURE")
    chosen = select_fillers(material, recipe.entities).astype(np.int64)
    found: list[Pairing] = []
    frames: list[pd.DataFrame] = []
    none = np.empty((0, 2), dtype=np.int64)
    for name in recipe.contrast:
        contrast = contrast_in(name)
        if contrast.feature.scope == "entity":
            real = real_pairs(material.fillers, contrast, ("entity",), chosen)
            alone = chosen[~np.isin(chosen, real)]
            made, sources = transformed(material.fillers, contrast, alone, material.lists)
            rows = np.arange(first_made, first_made + len(made))
            first_made += len(made)
            frames.append(made)
            both = np.concatenate((real, np.stack((sources, rows), axis=1)))
            found.append(Pairing(name, both, none, len(made)))
        else:
            from .material import select_places

            slots = select_places(material, recipe.contexts).slots.astype(np.int64)
            real = real_pairs(material.environments, contrast, ("slot", "context"), slots)
            found.append(Pairing(name, none, real))
        if not len(found[-1]):
            raise InputError("no two differ in this feature alone", found=name, allowed="wider queries")
    return found, frames


def plan_part(
    material: Material,
    recipe: PartRecipe,
    seed: int,
    number: int,
    *,
    pairings: Sequence[Pairing] = (),
    first_pair: int = 0,
    progress: Progress | None = None,
) -> PlannedPart:
    """Lay out a part.

    Parameters
    ----------
    material : Material
        The catalogues, transformed forms included.
    recipe : PartRecipe
        What is asked.
    seed, number : int
        What draws hang on.
    pairings : sequence of Pairing
        The minimal pairs of a contrast.
    first_pair : int
        The number of the first pair.
    progress : callable, optional
        Told how far the choice of a covering suite is.
    """
    space = space_of(material, recipe, seed, number)
    if recipe.controls is not None:
        slotted = space.places.contexts[material.templates.slots[space.places.contexts] > 0]
        main = replace(space, places=replace(space.places, contexts=slotted))
    else:
        main = space
    if recipe.combine == "contrast":
        pairs = count_pairs(list(pairings), recipe.size)
        notes = tuple(
            f"{p.feature}: {len(p) - p.transformed} real pairs, {p.transformed} with a transformed form"
            for p in pairings
        )
        part = PlannedPart(
            recipe,
            space,
            2 * pairs,
            lambda: pair_cases(main, list(pairings), recipe.size, first_pair),
            notes,
            pairs,
        )
    else:
        part = _combined(main, recipe, progress)
    if not len(space.places.slots) and recipe.entities != "all":
        part = replace(part, notes=(*part.notes, "no chosen context has a slot: no entity is used"))
    part = _adjusted(material, replace(part, space=space))
    return _with_negatives(material, part, seed, number)


def _combined(space: Space, recipe: PartRecipe, progress: Progress | None) -> PlannedPart:
    if recipe.combine == "product":
        full = recipe.fill == "product"
        size = product.count(space, full=full)
        return PlannedPart(recipe, space, size, lambda: product.cases(space, full=full))
    if recipe.combine == "sample":
        if recipe.size is None:
            raise InputError("a sample needs a size", allowed="--size N")
        full, strata = recipe.fill == "product", strata_of(recipe)
        drawn = list(sample.cases(space, recipe.size, full=full, strata=strata))
        size = total(drawn)
        notes = () if size == recipe.size else (f"the strata hold only {size:,} of {recipe.size:,} cases",)
        return PlannedPart(recipe, space, size, lambda: iter(drawn), notes)
    if recipe.combine == "zip":
        return PlannedPart(recipe, space, pairing.zip_count(space), lambda: pairing.zip_cases(space))
    if recipe.combine == "each":
        return PlannedPart(recipe, space, pairing.each_count(space), lambda: pairing.each_cases(space))
    return _covering(space, recipe, progress)


def _adjusted(material: Material, part: PlannedPart) -> PlannedPart:
    """The part with weights and limits; a covering suite's limits may uncover, which the verifier tells."""
    recipe = part.recipe
    if not recipe.weights and not recipe.max_per:
        return part

    def blocks() -> Iterator[Cases]:
        found = part.blocks()
        if recipe.weights:
            found = weighted(material, found, recipe.weights)
        return capped(material, found, recipe.max_per) if recipe.max_per else found

    return replace(part, blocks=blocks, cases=total(blocks()))


def _with_negatives(material: Material, part: PlannedPart, seed: int, number: int) -> PlannedPart:
    """The part with look-alikes in slots and controls beside it, in the shares asked for."""
    recipe = part.recipe
    wanted = bool(recipe.look_alikes) or recipe.negatives is not None
    if not wanted and recipe.controls is None:
        return part
    negatives = recipe.negatives or 0.0
    controls = recipe.controls or 0.0
    if negatives + controls >= 1.0:
        raise InputError("negatives and controls leave no room for entities", found=str(negatives + controls))
    whole = share_of(part.cases, negatives + controls)
    control_share = 0 if not controls else round(whole * controls / (negatives + controls))
    look_alikes = whole - control_share
    later: list[Blocks] = []
    notes = list(part.notes)
    size = part.cases
    if wanted:
        space = look_alike_space(material, recipe, seed, number)
        if recipe.negatives is None:
            look_alikes = product.count(space, full=False)
        later.append(lambda: look_alike_cases(space, look_alikes))
        notes.append(f"{look_alikes:,} cases with look-alikes in their slots")
        size += look_alikes
    if recipe.controls is not None:
        bare = int((material.templates.slots[part.space.places.contexts] == 0).sum())
        if control_share and not bare:
            raise InputError("no context without an entity to take as a control", found=recipe.contexts)
        later.append(lambda: control_cases(part.space, control_share))
        notes.append(f"{control_share:,} controls from {bare} contexts without slots")
        size += control_share
    blocks = part.blocks
    return replace(
        part, cases=size, notes=tuple(notes), blocks=lambda: chain(blocks(), *(more() for more in later))
    )


def _covering(space: Space, recipe: PartRecipe, progress: Progress | None) -> PlannedPart:
    from .covering.bounds import lower_bound
    from .covering.tway import cover

    t = recipe.t or 2
    found = cover(
        space, t, times=recipe.times, limit=recipe.limit, features=tuple(recipe.features), progress=progress
    )
    notes = [f"{found.attested:,} combinations of {t} can occur; {found.attested - found.open:,} are covered"]
    if found.repeated:
        notes.append(
            f"{found.repeated} cases repeat another word for word: no other entity or sentence has what they "
            f"cover, and {recipe.times} times each was asked"
        )
    if t == 2 and recipe.limit is None:
        bound = lower_bound(found.problem, recipe.times)
        mentions = sum(len(c.kinds) or 1 for c in found.chosen)
        notes.append(f"{len(found.chosen)} cases, at least {bound.cases} are needed by the linear programme")
        if bound.pairs:
            notes.append(
                f"{mentions} mentions, at least {bound.pairs} are needed by the largest pair of features"
            )
    return PlannedPart(recipe, space, len(found.chosen), found.blocks, tuple(notes))
