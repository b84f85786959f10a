"""A recipe's parts laid out: what each may combine, how many cases it gives, and the cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..catalogues.plumbing.errors import InputError
from .assemble import Cases
from .combine import product, sample
from .combine.strata import Strata
from .fill import Filling
from .material import Ints, Material, require, select_fillers, select_places
from .recipe import PartRecipe
from .spaces import Space


Progress = Callable[[int, int], None]


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
    """

    recipe: PartRecipe
    space: Space
    cases: int
    blocks: Callable[[], Iterator[Cases]]
    notes: tuple[str, ...] = ()


def space_of(material: Material, recipe: PartRecipe, seed: int, number: int) -> Space:
    """The choices of a part.

    Raises
    ------
    InputError
        When a query is wrong or selects nothing.
    """
    fillers = select_fillers(material, recipe.entities)
    places = select_places(material, recipe.contexts)
    require(places.contexts, "context", recipe.contexts)
    if len(places.slots):
        require(fillers, "entity", recipe.entities)
    by_place: dict[int, Ints] = {}
    for place, query in recipe.slots.items():
        if not place.isdigit() or int(place) < 1:
            raise InputError("not the number of a slot", found=place, allowed="1, 2, … as in the sentence")
        chosen = select_fillers(material, query)
        require(chosen, "entity", query)
        by_place[int(place) - 1] = chosen
    filling = Filling(
        codes=material.form_code,
        seed=seed,
        part=number,
        distinct=not recipe.repeat_forms,
        counterpart=None if recipe.appositives == "any" else counterparts(material.fillers),
    )
    space = Space(material, fillers, places, filling, by_place, appositive_pairs(material))
    space.check()
    return space


def plan_part(
    material: Material, recipe: PartRecipe, seed: int, number: int, progress: Progress | None = None
) -> PlannedPart:
    """Lay out a part; `progress` is told how far the choice of a covering suite is."""
    space = space_of(material, recipe, seed, number)
    if recipe.combine == "product":
        full = recipe.fill == "product"
        return PlannedPart(
            recipe, space, product.count(space, full=full), lambda: product.cases(space, full=full)
        )
    if recipe.combine == "sample":
        if recipe.size is None:
            raise InputError("a sample needs a size", allowed="--size N")
        strata = Strata.by(recipe.stratify) if recipe.stratify else None
        size = recipe.size
        drawn = list(sample.cases(space, size, full=recipe.fill == "product", strata=strata))
        return PlannedPart(recipe, space, sum(map(len, drawn)), lambda: iter(drawn))
    if recipe.combine == "tway":
        return _covering(space, recipe, progress)
    raise InputError("unknown combination", found=recipe.combine)


def _covering(space: Space, recipe: PartRecipe, progress: Progress | None) -> PlannedPart:
    from .covering.bounds import lower_bound
    from .covering.tway import cover

    t = recipe.t or 2
    found = cover(
        space, t, times=recipe.times, limit=recipe.limit, features=tuple(recipe.features), progress=progress
    )
    notes = [f"{found.attested:,} combinations of {t} can occur; {found.attested - found.open:,} are covered"]
    if t == 2 and recipe.limit is None:
        bound = lower_bound(found.problem, recipe.times)
        mentions = sum(len(c.kinds) or 1 for c in found.chosen)
        notes.append(f"{len(found.chosen)} cases, at least {bound.cases} are needed by the linear programme")
        notes.append(f"{mentions} mentions, at least {bound.pairs} are needed by the largest pair of features")
    return PlannedPart(recipe, space, len(found.chosen), found.blocks, tuple(notes))


def counterparts(fillers: pd.DataFrame) -> Ints:
    """For each filler the first form of the other kind (name, symbol) in the same entry of the same source, or -1."""
    partner = np.full(len(fillers), -1, dtype=np.int32)
    if not {"source_id", "name_vs_symbol"} <= set(fillers.columns):
        return partner
    authority = fillers["source_authority"].astype("str") if "source_authority" in fillers else ""
    entry = pd.Series(authority, index=fillers.index).fillna("") + "\t" + fillers["source_id"].astype("str")
    frame = pd.DataFrame(
        {
            "entry": entry.to_numpy(),
            "kind": fillers["name_vs_symbol"].astype("str").to_numpy(),
            "row": np.arange(len(fillers)),
        }
    )
    frame = frame[fillers["source_id"].notna().to_numpy() & np.isin(frame["kind"], ["name", "symbol"])]
    first = frame.drop_duplicates(["entry", "kind"]).set_index(["entry", "kind"])["row"]
    other = frame["kind"].map({"name": "symbol", "symbol": "name"})
    wanted = pd.MultiIndex.from_arrays([frame["entry"], other], names=["entry", "kind"])
    found = first.reindex(wanted).to_numpy(dtype=float)
    partner[frame["row"]] = np.where(np.isnan(found), -1, found).astype(np.int32)
    return partner


def appositive_pairs(material: Material) -> dict[int, dict[int, int]]:
    """For each context the slots that stand in apposition, each with its partner."""
    pairs: dict[int, dict[int, int]] = {}
    if "appositive_side" not in material.slots:
        return pairs
    side = material.slots["appositive_side"].astype("str").to_numpy()
    context = material.slot_context
    follows = (side[:-1] == "outside") & (side[1:] == "inside") & (context[:-1] == context[1:])
    for row in np.flatnonzero(follows).tolist():
        place = int(row - material.first_slot[context[row]])
        pairs.setdefault(int(context[row]), {}).update({place: place + 1, place + 1: place})
    return pairs
