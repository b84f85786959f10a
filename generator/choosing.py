"""The space of a part: its queries answered, appositive pairs found, slots given their fillers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from .fill import Filling
from .material import Ints, Material, require, select_fillers, select_places
from .recipe import PartRecipe
from .spaces import Space


def space_of(material: Material, recipe: PartRecipe, seed: int, number: int) -> Space:
    """The choices of a part.

    Raises
    ------
    InputError
        When a query is wrong or selects nothing.
    """
    fillers = select_fillers(material, recipe.entities)
    places = select_places(material, recipe.contexts, recipe.list_lengths)
    require(places.contexts, "context", recipe.contexts)
    if len(places.slots):
        require(fillers, "entity", recipe.entities)
    by_place: dict[int, Ints] = {}
    for place, query in recipe.slots.items():
        if not place.isdigit() or int(place) < 1:
            raise InputError("not the number of a slot", found=place, allowed="1, 2, … as in the sentence")
        most = int(material.templates.slots[places.contexts].max(initial=0))
        if int(place) > most:
            raise InputError("no chosen context has this slot", found=place, allowed=f"at most {most}")
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
    if recipe.appositives == "own":
        space = _own_pairs_only(space)
    space.check()
    return space


def look_alike_space(material: Material, recipe: PartRecipe, seed: int, number: int) -> Space:
    """The same places with look-alikes to put there.

    Raises
    ------
    InputError
        When the query for look-alikes selects nothing.
    """
    fillers = select_fillers(material, recipe.look_alikes or "all", gold=False)
    require(fillers, "look-alike", recipe.look_alikes)
    places = select_places(material, recipe.contexts, recipe.list_lengths)
    slotted = places.contexts[material.templates.slots[places.contexts] > 0]
    filling = Filling(material.form_code, seed, number, not recipe.repeat_forms)
    return Space(material, fillers, replace(places, contexts=slotted), filling)


def _own_pairs_only(space: Space) -> Space:
    """Only forms with a counterpart in their entry, of the kind expected, in appositive slots."""
    counterpart = space.filling.counterpart
    if counterpart is None:
        return space
    has_one = space.fillers[counterpart[space.fillers] >= 0]
    kinds = space.material.fillers["name_vs_symbol"].astype("str").to_numpy()[has_one]
    slots = space.material.slots
    pools: dict[tuple[int, int], Ints] = {}
    for context, partners in space.pairs.items():
        for place in partners:
            expected = slots["expects"].iloc[int(space.material.first_slot[context]) + place]
            pools[context, place] = has_one if pd.isna(expected) else has_one[kinds == expected]
    return replace(space, own_pools=pools)


def counterparts(fillers: pd.DataFrame) -> Ints:
    """For each filler the first form of the other kind (name, symbol) in its entry, or -1."""
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
