"""Covering problem: kinds of entities, places, and which kinds fit which places.

A place is a slot, or a context without slots.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.arrays import bounds_from_lengths, concatenate_ranges, group_rows
from ...catalogues.values import column_texts
from ..attestation import is_attested
from ..combination_space import CombinationSpace
from ..material import Ints
from .combinations import Items, closed_features, make_items


@dataclass(frozen=True)
class CoveringProblem:
    """Kinds of entities and places in a part, described by their items (feature values).

    Attributes
    ----------
    space : CombinationSpace
        Combination space of the part.
    entities : Items
        Items of each kind of entity. Entities that have the same items and fit the same slots form a kind.
    members : list of arrays
        Fillers of each kind.
    allowed : array of bool, shape (classes of slots, kinds)
        True if entities of the kind fit the slots of the class. Slots with the same requirements and the same
        query for fillers form a class.
    places : Items
        Items of the places: all slots of usable contexts, then contexts without slots.
    slot_class : array of int64
        Class of the slot of each place; -1 for a context without slots.
    chosen : array of bool
        True for the places that the query selects; the other places are slots of the same sentences.
    contexts : array of int32
        Usable contexts.
    first_place : array of int64
        First place of each usable context, followed by the total number of places.
    """

    space: CombinationSpace
    entities: Items
    members: list[Ints]
    allowed: NDArray[np.bool_]
    places: Items
    slot_class: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    contexts: Ints
    first_place: NDArray[np.int64]
    _couples: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict, repr=False)

    @cached_property
    def attested(self) -> NDArray[np.bool_]:
        """Mask of the usable contexts that were found in a source."""
        return is_attested(self.space.material.contexts)[self.contexts]

    @cached_property
    def filler_kind(self) -> NDArray[np.int64]:
        """Kind of each filler; -1 for fillers that no query selects."""
        found = np.full(len(self.space.material.fillers), -1, dtype=np.int64)
        for kind, members in enumerate(self.members):
            found[members] = kind
        return found

    @cached_property
    def partner_places(self) -> list[list[tuple[int, int]]]:
        """For each usable context, the pairs of places in appositives whose names belong to one entry."""
        found: list[list[tuple[int, int]]] = []
        for context, first in zip(self.contexts.tolist(), self.first_place[:-1].tolist(), strict=True):
            partners = self.space.list_partners(context, same_entry=True)
            found.append([(first + a, first + b) for a, b in partners.items() if a < b])
        return found

    def list_couples(self, place: int, other: int) -> NDArray[np.int64]:
        """Return the pairs of fillers that fit the two places of an appositive, one pair per row."""
        counterpart = self.space.filling.counterpart
        if counterpart is None:
            raise ValueError("SlotFilling.counterpart must not be None for appositives of one entry")
        key = (int(self.slot_class[place]), int(self.slot_class[other]))
        if key not in self._couples:
            there, here = (self._members_in(kind) for kind in key)
            both = np.stack(
                (np.append(there, counterpart[here]), np.append(counterpart[there], here)), axis=1
            )
            self._couples[key] = np.unique(both.astype(np.int64), axis=0)
        return self._couples[key]

    def _members_in(self, kind: int) -> Ints:
        """Return the fillers that fit the slots of a class."""
        kinds = np.flatnonzero(self.allowed[kind])
        return np.concatenate([np.empty(0, dtype=np.int32), *(self.members[k] for k in kinds)])

    @cached_property
    def usable_kinds(self) -> NDArray[np.bool_]:
        """Mask of the kinds of entities that fit at least one selected place."""
        classes = np.unique(self.slot_class[self.chosen & (self.slot_class >= 0)])
        return np.asarray(self.allowed[classes].any(axis=0))


def make_problem(
    space: CombinationSpace, features: tuple[str, ...] = (), keep_expected: bool = True
) -> CoveringProblem:
    """Make the covering problem of a combination space.

    Parameters
    ----------
    space : CombinationSpace
        Combination space of the part.
    features : tuple of str
        Features to combine; all closed features if empty.
    keep_expected : bool
        If True, slots accept only the form that they expect (a name or a symbol), even if no rule is active.
    """
    material, bases = space.material, space.base_fillers
    fillers = np.unique(np.concatenate(bases)) if len(bases) > 1 else space.fillers
    classes, takes = _classes_of_slots(space, fillers, keep_expected)
    lost = np.zeros(len(material.contexts), dtype=bool)
    possible = np.asarray(takes.any(axis=1), dtype=bool)
    lost[material.slot_context[~possible[classes]]] = True
    contexts = space.places.contexts[~lost[space.places.contexts]]
    # places: the slots of each context; a context without slots is one place with slot -1
    slots = material.templates.slot_counts[contexts]
    many = np.maximum(slots, 1)
    rows = np.where(np.repeat(slots > 0, many), concatenate_ranges(material.first_slot[contexts], many), -1)
    items = make_items(material.fillers.take(fillers), closed_features(("entity",), features))
    bits = np.concatenate((np.packbits(items.has, axis=1), np.packbits(takes.T, axis=1)), axis=1)
    _, first, kind = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    # kinds in the order of their first members
    order = np.argsort(first)
    return CoveringProblem(
        space=space,
        entities=replace(items, has=items.has[first[order]]),
        members=[fillers[members] for members in group_rows(np.argsort(order)[kind.reshape(-1)])],
        allowed=takes[:, first[order]],
        places=_items_of_places(space, rows, np.repeat(contexts, many), features),
        slot_class=np.append(classes, -1)[rows],
        chosen=np.isin(rows, space.places.slots) | (rows < 0),
        contexts=contexts,
        first_place=bounds_from_lengths(many),
    )


def _classes_of_slots(
    space: CombinationSpace, fillers: Ints, keep_expected: bool
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the class of each slot, and a matrix (classes × fillers) that is True for fitting fillers."""
    expected = np.searchsorted(["", "name", "symbol"], column_texts(space.material.slots, "expects"))
    # in an appositive of one entry's names, the queries of both slots apply
    partner = np.append(space.base_number, -1)[space.entry_partner]
    keys = np.stack((space.base_number, space.condition, expected, partner), axis=1)
    distinct, classes = np.unique(keys, axis=0, return_inverse=True)
    is_name = space.material.is_name[fillers]
    # rows: slots that expect nothing, a name, a symbol
    reads = np.stack((np.ones(len(fillers), dtype=bool), is_name, ~is_name))
    takes = np.zeros((max(len(distinct), 1), len(fillers)), dtype=bool)
    for number, (base, condition, name_or_symbol, other) in enumerate(distinct.tolist()):
        takes[number] = np.isin(fillers, space.base_fillers[base]) & space.check_condition(condition, fillers)
        takes[number] &= reads[name_or_symbol * keep_expected]
        if other >= 0 and space.filling.counterpart is not None:
            takes[number] &= np.isin(space.filling.counterpart[fillers], space.base_fillers[other])
    return classes.reshape(-1), takes


def _items_of_places(
    space: CombinationSpace, rows: NDArray[np.int64], contexts: Ints, features: tuple[str, ...]
) -> Items:
    """Return the feature values of each place; a context without slots has only context features."""
    material, is_slot = space.material, rows >= 0
    both = pd.concat([material.environments, material.contexts], ignore_index=True)
    frame = both.take(np.where(is_slot, rows, len(material.environments) + contexts))
    for column in frame.columns:
        # a missing boolean makes the column an object column; `make_items` leaves these rows out
        if frame[column].dtype == object:
            frame[column] = frame[column].astype("boolean")
    return make_items(frame, closed_features(("slot", "context"), features), is_slot)
