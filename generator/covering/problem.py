"""What a covering suite is made from: kinds of entities, places, and which of them go together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.arrays import grouped
from ..attested import attested_contexts
from ..combination_space import CombinationSpace
from ..material import Ints
from .combinations import Items, closed_features, items_of

ANY, NAME, SYMBOL = 0, 1, 2
"""What a slot expects; the slots of an appositive pair want a name or a symbol whatever is lifted."""
_NONE = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class Problem:
    """A space, in items.

    Attributes
    ----------
    space : CombinationSpace
        What may be combined.
    entities : Items
        Items of kinds of entities: entities that agree in all features looked at, and in the slots that
        they may stand in, are one kind.
    members : list of arrays
        The fillers of each kind.
    allowed : array of bool
        Classes of slots by kinds of entities: who may stand where. A class is what a slot asks for, and the
        query that says who may stand in it.
    places : Items
        Items of the places: all slots of usable contexts, then contexts without slots.
    slot_row : array of int64
        For each place its slot (a row), or -1.
    kind : array of int64
        For each place the class of its slot, or -1 for a context without slots.
    chosen : array of bool
        The places that the query selects; the others are filled with them.
    contexts : array of int32
        The usable contexts.
    first : array of int64
        For each usable context its first place; one more at the end.
    """

    space: CombinationSpace
    entities: Items
    members: list[Ints]
    allowed: NDArray[np.bool_]
    places: Items
    slot_row: NDArray[np.int64]
    kind: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    contexts: Ints
    first: NDArray[np.int64]
    _couples: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict, repr=False)

    @cached_property
    def attested(self) -> NDArray[np.bool_]:
        """Which usable contexts were found in a source."""
        return attested_contexts(self.space.material.contexts)[self.contexts]

    @cached_property
    def kind_of(self) -> NDArray[np.int64]:
        """For each filler its kind, or -1."""
        found = np.full(len(self.space.material.fillers), -1, dtype=np.int64)
        for kind, members in enumerate(self.members):
            found[members] = kind
        return found

    @cached_property
    def pairs(self) -> list[list[tuple[int, int]]]:
        """For each usable context the places of an apposition of one entry's names, the first slot first."""
        found: list[list[tuple[int, int]]] = []
        for context, first in zip(self.contexts.tolist(), self.first[:-1].tolist(), strict=True):
            partners = self.space.own_pairs.get(context, {})
            found.append([(first + a, first + b) for a, b in sorted(partners.items()) if a < b])
        return found

    def couples(self, place: int, other: int) -> NDArray[np.int64]:
        """Who may stand in two places in apposition: couples × (filler there, filler here)."""
        counterpart = self.space.filling.counterpart
        if counterpart is None:
            raise ValueError("couples need counterparts")
        key = (int(self.kind[place]), int(self.kind[other]))
        if key not in self._couples:
            there = np.concatenate([self.members[k] for k in np.flatnonzero(self.allowed[key[0]])] or [_NONE])
            here = np.concatenate([self.members[k] for k in np.flatnonzero(self.allowed[key[1]])] or [_NONE])
            both = np.stack(
                (np.append(there, counterpart[here]), np.append(counterpart[there], here)), axis=1
            ).astype(np.int64)
            self._couples[key] = np.unique(both, axis=0)
        return self._couples[key]

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """The kinds of entities that some chosen place takes."""
        classes = np.unique(self.kind[self.chosen & (self.kind >= 0)])
        return np.asarray(self.allowed[classes].any(axis=0))


def make_problem(
    space: CombinationSpace, features: tuple[str, ...] = (), keep_expected: bool = True
) -> Problem:
    """Put a space in items.

    Parameters
    ----------
    space : CombinationSpace
        What may be combined.
    features : tuple of str
        The features to combine; all closed ones when empty.
    keep_expected : bool
        Whether a slot takes only what it expects, a name or a symbol, even where other rules are lifted.
    """
    material = space.material
    own = closed_features(("entity",), features)
    around = closed_features(("slot", "context"), features)
    bases = space.bases
    fillers = np.unique(np.concatenate(bases)) if len(bases) > 1 else space.fillers
    is_name = material.is_name[fillers]
    # in an apposition of one entry's names the queries choose both
    beside = (
        np.where(space.partner >= 0, space.base[np.maximum(space.partner, 0)], -1)
        if len(space.base)
        else space.base
    )
    keys = np.stack((space.base, space.condition, _expects(space)[: len(beside)], beside), axis=1).reshape(
        -1, 4
    )
    distinct, classes = np.unique(keys, axis=0, return_inverse=True)
    classes = classes.reshape(-1)
    reads = np.stack((np.ones(len(fillers), dtype=bool), is_name, ~is_name))
    # classes of slots × fillers: who may stand where
    takes = np.zeros((max(len(distinct), 1), len(fillers)), dtype=bool)
    for number, (base, condition, expected, other) in enumerate(distinct.tolist()):
        takes[number] = (
            np.isin(fillers, bases[base])
            & space.satisfy(condition, fillers)
            & reads[expected * keep_expected]
        )
        if other >= 0 and space.filling.counterpart is not None:
            takes[number] &= np.isin(space.filling.counterpart[fillers], bases[other])
    possible: list[bool] = np.any(takes, axis=1).tolist()
    contexts: list[int] = []
    rows: list[int] = []
    first = [0]
    bare = 0
    for context in space.places.contexts.tolist():
        begin = int(material.first_slot[context])
        slots = list(range(begin, begin + int(material.templates.slots[context])))
        if not all(possible[int(classes[s])] for s in slots):
            continue
        contexts.append(context)
        rows += slots or [-1 - context]
        bare += not slots
        first.append(len(rows))
    places_rows = np.array(rows, dtype=np.int64)
    is_slot = places_rows >= 0
    frame = (
        material.environments.take(np.maximum(places_rows, 0))
        if len(material.slots)
        else material.environments
    )
    places = items_of(frame, around) if is_slot.all() else _with_bare(space, places_rows, around)
    entity_items = items_of(material.fillers.take(fillers), own)
    bits = (np.packbits(entity_items.has, axis=1), np.packbits(takes.T, axis=1))
    _, firsts, inverse = np.unique(
        np.concatenate(bits, axis=1), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(firsts)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    kinds = rank[inverse.reshape(-1)]
    representative = firsts[order]
    chosen = np.isin(places_rows, space.places.slots) | ~is_slot
    return Problem(
        space=space,
        entities=replace(entity_items, has=entity_items.has[representative]),
        members=[fillers[rows] for rows in grouped(kinds)],
        allowed=takes[:, representative],
        places=places,
        slot_row=np.where(is_slot, places_rows, -1),
        kind=np.where(is_slot, classes[np.maximum(places_rows, 0)], -1),
        chosen=chosen,
        contexts=np.array(contexts, dtype=np.int32),
        first=np.array(first, dtype=np.int64),
    )


def _expects(space: CombinationSpace) -> NDArray[np.int64]:
    slots = space.material.slots
    if "expects" not in slots or not len(slots):
        return np.zeros(max(len(slots), 1), dtype=np.int64)
    wanted = slots["expects"].astype("str").map({"name": NAME, "symbol": SYMBOL})
    return np.asarray(wanted.fillna(ANY).to_numpy(dtype=np.int64), dtype=np.int64)


def _with_bare(space: CombinationSpace, rows: NDArray[np.int64], features: tuple[object, ...]) -> Items:
    """Items where some places are contexts without slots: these have context features only."""
    import pandas as pd

    material = space.material
    slot_rows, bare = rows[rows >= 0], -1 - rows[rows < 0]
    frame = pd.concat(
        [material.environments.take(slot_rows), material.contexts.take(bare)], ignore_index=True
    )
    for column in frame.columns:
        # booleans of slots are unknown, not missing, where there is no slot; `items_of` leaves them out
        if frame[column].dtype == object:
            frame[column] = frame[column].astype("boolean")
    present = np.concatenate((np.ones(len(slot_rows), dtype=bool), np.zeros(len(bare), dtype=bool)))
    found = items_of(frame, features, present)  # type: ignore[arg-type]
    back = np.empty(len(rows), dtype=np.int64)
    back[np.concatenate((np.flatnonzero(rows >= 0), np.flatnonzero(rows < 0)))] = np.arange(len(rows))
    return replace(found, has=found.has[back])
