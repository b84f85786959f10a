"""What a part of a suite may combine: entities, places for them, and who may stand in which slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError
from .fill import Filling
from .material import Ints, Material, Places, require, select_fillers, select_places
from .recipe import PartOptions


@dataclass(frozen=True)
class Part:
    """A part of a suite: what is asked, and what it is made from.

    Attributes
    ----------
    material : Material
        The catalogues.
    options : PartOptions
        What is asked.
    seed, number : int
        What draws hang on.
    """

    material: Material
    options: PartOptions
    seed: int = 0
    number: int = 0


@dataclass(frozen=True)
class Space:
    """The choices of one part.

    Attributes
    ----------
    material : Material
        The catalogues.
    fillers : array of int32
        What takes the chosen slots in turn.
    places : Places
        The chosen contexts and slots.
    by_place : mapping of int to array
        Other fillers for a slot by its place in the sentence (from 0).
    filling : Filling
        How the other slots are filled.
    pairs : mapping of int to dict
        For contexts with appositive pairs, from each slot to its partner.
    own_pools : mapping of (int, int) to array
        Narrower choices for a slot of a context (by row and place): appositives of one entry only.
    """

    material: Material
    fillers: Ints
    places: Places
    filling: Filling
    by_place: Mapping[int, Ints] = field(default_factory=dict)
    pairs: Mapping[int, dict[int, int]] = field(default_factory=dict)
    own_pools: Mapping[tuple[int, int], Ints] = field(default_factory=dict)

    def pool(self, place: int, context: int | None = None) -> Ints:
        """What may stand in a slot, by its place in the sentence and, where that matters, its context."""
        if context is not None and (context, place) in self.own_pools:
            return self.own_pools[context, place]
        return self.by_place.get(place, self.fillers)

    def pool_of(self, slot: int) -> Ints:
        """What may stand in a slot, by its row."""
        return self.pool(self.place_of(slot), int(self.material.slot_context[slot]))

    def pools(self, context: int) -> list[Ints]:
        """What may stand in each slot of a context."""
        return [self.pool(p, context) for p in range(int(self.material.templates.slots[context]))]

    def slots_of(self, context: int) -> Ints:
        """The chosen slots of a context, as rows."""
        first = int(np.searchsorted(self.places.slots, self.material.first_slot[context]))
        last = int(
            np.searchsorted(
                self.places.slots, self.material.first_slot[context] + self.material.templates.slots[context]
            )
        )
        return self.places.slots[first:last]

    def place_of(self, slot: int) -> int:
        """The place of a slot in its sentence."""
        return int(slot - self.material.first_slot[self.material.slot_context[slot]])

    def complete(self, slot: int, focus: Ints, given: int | None = None) -> NDArray[np.int32]:
        """Cases of a slot's context with each of some fillers in that slot: one row a case."""
        context = int(self.material.slot_context[slot])
        extra = None if given is None else np.array([given])
        return self.filling.complete(
            context, self.place_of(slot), focus, self.pools(context), extra, self.pairs.get(context)
        )

    def check(self) -> None:
        """Refuse a part that has contexts with slots but nothing to put there."""
        for place in range(int(self.material.templates.slots[self.places.contexts].max(initial=0))):
            if not len(self.pool(place)):
                raise InputError("no entity satisfies the query", allowed="a query that selects at least one")


def ranges(lengths: Sequence[int] | NDArray[np.int32]) -> NDArray[np.int64]:
    """Where each of some consecutive pieces begins, and where the last ends."""
    return np.concatenate(([0], np.cumsum(np.asarray(lengths, dtype=np.int64))))


def space_of(part: Part) -> Space:
    """The choices of a part.

    Raises
    ------
    InputError
        When a query is wrong or selects nothing.
    """
    material, options = part.material, part.options
    fillers = select_fillers(material, options.entities)
    places = select_places(material, options.contexts, options.list_lengths)
    require(places.contexts, "context", options.contexts)
    if len(places.slots):
        require(fillers, "entity", options.entities)
    by_place: dict[int, Ints] = {}
    for place, query in options.slots.items():
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
        seed=part.seed,
        part=part.number,
        distinct=not options.repeat_forms,
        counterpart=None if options.appositives == "any" else counterparts(material.fillers),
    )
    space = Space(material, fillers, places, filling, by_place, appositive_pairs(material))
    if options.appositives == "own":
        space = _own_pairs_only(space)
    space.check()
    return space


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
