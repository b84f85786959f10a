"""Tables of the fillers (entities and look-alikes), contexts and slots from which suites are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError, unknown_name_error
from ..catalogues.entity_features import entity_features
from ..catalogues.feature import LIST_PREFIX
from ..catalogues.own_features import add_query_columns
from ..catalogues.query import Query
from ..catalogues.values import column_texts
from ..catalogues.word_lists import require_lists
from ..sentences.lists import find_names
from .fitting.slot_rules import COMPOUND, SlotRules, make_slot_rules
from .part_options import PartOptions
from .recipe import TAG_PATTERN
from .writing.articles import choose_articles
from .writing.templates import Templates, check_form, compile_templates

Ints = NDArray[np.int32]
Result = TypeVar("Result")

LIST_MEMBERS = "list_members"
"""Column of contexts: number of list members in versions from `add_list_lengths`; 0 in other contexts."""


@dataclass(frozen=True)
class Material:
    """Fillers, contexts and slots from which a suite is made.

    Attributes
    ----------
    fillers : DataFrame
        One row per form, with `entity_id`, `data` and all entity features; entities precede look-alikes.
    gold : array of bool
        True for fillers that are entities, so that their mentions are gold mentions.
    contexts : DataFrame
        One row per context: `context_id`, `slots` (the template) and the context features.
    slots : DataFrame
        One row per slot, sorted by context and slot number: `context_id`, `slot` and the slot features.
    tag : str
        Type of the entities that have no type in the catalogue.
    made : int
        Number of fillers that were made from other fillers, such as capitalised forms. They are the last rows
        of `fillers`, and queries do not select them.
    lists : mapping of name to container of str
        The user's word lists.
    contrasts : tuple of str
        Features in which minimal pairs differ.
    cache : dict
        Results of `compute_once`, by the name of the function; all parts of a suite share them.
    """

    fillers: pd.DataFrame
    gold: NDArray[np.bool_]
    contexts: pd.DataFrame
    slots: pd.DataFrame
    tag: str = "gp"
    made: int = 0
    lists: Mapping[str, Container[str]] = field(default_factory=dict)
    contrasts: tuple[str, ...] = ()
    cache: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def compute_once(self, find: Callable[[pd.DataFrame], Result]) -> Result:
        """Return `find(fillers)`, which is computed once and cached under the name of the function."""
        if find.__name__ not in self.cache:
            self.cache[find.__name__] = find(self.fillers)
        found: Result = self.cache[find.__name__]
        return found

    @cached_property
    def types(self) -> pd.Categorical[Any]:
        """Type of each filler, or `tag` if it has none; used to tag the mentions of the filler."""
        stated = column_texts(self.fillers, "type")
        types = pd.Categorical(np.where(stated == "", self.tag, stated))
        for name in types.categories:
            if not re.fullmatch(TAG_PATTERN, name):
                raise InputError(
                    "a type of the catalogue cannot be written as a tag in gold.sgml",
                    found=name,
                    allowed="letters, digits, '.', '_' and '-', with a letter first",
                )
        return types

    @cached_property
    def forms(self) -> list[str]:
        """Surface form of each filler."""
        forms: list[str] = self.fillers["data"].tolist()
        for form in forms:
            check_form(form, self.types.categories)
        return forms

    @cached_property
    def form_code(self) -> NDArray[np.int32]:
        """Integer code of the form of each filler; equal forms have equal codes."""
        codes, _ = pd.factorize(pd.Series(self.forms, dtype="str"))
        return codes.astype(np.int32)

    @cached_property
    def fits(self) -> SlotRules:
        """Rules that determine which fillers fit which slots."""
        return make_slot_rules(self.fillers, self.forms, self.is_name, self.slots)

    @cached_property
    def is_name(self) -> NDArray[np.bool_]:
        """Mask of the fillers whose forms look like names; all other forms look like symbols."""
        return find_names(self.forms)

    @cached_property
    def takes_an(self) -> NDArray[np.bool_]:
        """Mask of the fillers whose forms take the article *an*."""
        return choose_articles(self.forms)

    @cached_property
    def templates(self) -> Templates:
        """Templates of the contexts, split at their slots."""
        return compile_templates(self.contexts["slots"].tolist())

    @cached_property
    def slot_context(self) -> Ints:
        """For each slot, the row of its context in `contexts`."""
        rows = pd.Index(self.contexts["context_id"]).get_indexer(pd.Index(self.slots["context_id"]))
        found: Ints = rows.astype(np.int32)
        return found

    @cached_property
    def entry_partner(self) -> NDArray[np.int64]:
        """For each slot, the row of the other slot of the same appositive; -1 if there is none."""
        side, context = column_texts(self.slots, "appositive_side"), self.slot_context
        first = np.flatnonzero(
            (side[:-1] == "outside") & (side[1:] == "inside") & (context[:-1] == context[1:])
        )
        found = np.full(len(side), -1, dtype=np.int64)
        found[first], found[first + 1] = first + 1, first
        return found

    @cached_property
    def first_slot(self) -> NDArray[np.int64]:
        """For each context, the row of its first slot in `slots`."""
        return np.searchsorted(self.slot_context, np.arange(len(self.contexts))).astype(np.int64)

    @cached_property
    def environments(self) -> pd.DataFrame:
        """Table of slot and context features, with one row per slot."""
        columns = [
            c for c in self.contexts.columns if c not in ("context_id",) and c not in self.slots.columns
        ]
        taken = self.contexts[columns].take(self.slot_context)
        return pd.concat([self.slots.reset_index(drop=True), taken.reset_index(drop=True)], axis=1)


def assemble_material(
    entities: pd.DataFrame,
    contexts: pd.DataFrame,
    slots: pd.DataFrame,
    look_alikes: pd.DataFrame | None = None,
    tag: str = "gp",
    lists: Mapping[str, Container[str]] | None = None,
) -> Material:
    """Assemble the material of a suite from catalogues."""
    lists = lists or {}
    fillers = add_list_columns(entities.reset_index(drop=True), lists)
    gold = np.ones(len(fillers), dtype=bool)
    if look_alikes is not None and len(look_alikes):
        fillers = pd.concat([fillers, add_list_columns(look_alikes, lists)], ignore_index=True)
        gold = np.concatenate((gold, np.zeros(len(look_alikes), dtype=bool)))
    contexts, slots = contexts.reset_index(drop=True), slots.reset_index(drop=True)
    return Material(fillers, gold, contexts, slots, tag, lists=lists)


def add_fillers(material: Material, frames: Sequence[pd.DataFrame]) -> Material:
    """Return a copy of the material with additional entities, which queries do not select."""
    added = sum(map(len, frames))
    fillers = pd.concat([material.fillers, *frames], ignore_index=True)
    gold = np.concatenate((material.gold, np.ones(added, dtype=bool)))
    return replace(material, fillers=fillers, gold=gold, made=material.made + added)


def select_fillers(material: Material, query: str, types: Sequence[str] = (), *, gold: bool = True) -> Ints:
    """Return the rows of the entities (or, with ``gold=False``, of the look-alikes) that a query selects.

    If `types` are given, only entities of these types are selected.

    Raises
    ------
    InputError
        If the query is invalid, or the catalogue contains no entity of one of the types.
    """
    parsed = Query.parse(query, ("entity",))
    require_lists(parsed.features, material.fillers.columns)
    chosen = parsed.evaluate(material.fillers) & (material.gold == gold)
    for unknown in set(types) - set(material.types[material.gold]):
        known = sorted(set(material.types[material.gold]))
        raise unknown_name_error("type of entities", unknown, known)
    if types:
        chosen &= np.isin(material.types, types)
    if not has_compound_kind(parsed):
        chosen &= ~is_compound(material.fillers)
    chosen[len(chosen) - material.made :] = False
    return np.flatnonzero(chosen).astype(np.int32)


def has_compound_kind(query: Query) -> bool:
    """Return True if a query mentions the kind `compound`.

    Only such a query selects compounds, which are strings with several names.
    """
    asked = any(f.qualified_name == "entity.kind" for f in query.features)
    return asked and re.search(rf"\b{COMPOUND}\b", str(query)) is not None


def is_compound(entities: pd.DataFrame) -> NDArray[np.bool_]:
    """Return a mask of the entities that are strings with several names."""
    if "kind" not in entities:
        return np.zeros(len(entities), dtype=bool)
    return np.asarray(entities["kind"].astype("str") == COMPOUND, dtype=bool)


@dataclass(frozen=True)
class Places:
    """Selected contexts, and the slots in them that a query selects.

    Attributes
    ----------
    contexts : array of int32
        Rows of the selected contexts, in the order of the catalogue.
    slots : array of int32
        Rows of the selected slots, in ascending order.
    """

    contexts: Ints
    slots: Ints


def select_places(
    material: Material, query: str, list_lengths: Sequence[int] = (), *, gold: bool = True
) -> Places:
    """Select contexts, and the slots in them that take entities (with ``gold=False``: look-alikes).

    The query can use slot and context features. The slots that satisfy it are selected, with their contexts.
    A context without slots is selected if the context satisfies the query. Versions of list contexts are
    selected only if `list_lengths` contains their number of members.

    Slots of fp contexts take look-alikes, not entities. With ``gold=False``, the query is also evaluated as
    if fp contexts were tp contexts, so that ``type = tp and position = initial`` selects slots in them.
    """
    parsed = Query.parse(query, ("context", "slot"))
    places = material.environments
    chosen = parsed.evaluate(places)
    whole = parsed.evaluate(material.contexts) & (material.templates.slot_counts == 0)
    for_others = places["context.type"].to_numpy(dtype=object) == "fp"
    if not gold:
        chosen |= parsed.evaluate(places.assign(**{"context.type": "tp"}))
    chosen &= for_others != gold
    if LIST_MEMBERS in material.contexts:
        members = material.contexts[LIST_MEMBERS].to_numpy()
        real = (members == 0) | np.isin(members, list(list_lengths))
        chosen &= real[material.slot_context]
    slots = np.flatnonzero(chosen)
    contexts = np.union1d(material.slot_context[slots], np.flatnonzero(whole))
    return Places(contexts.astype(np.int32), slots.astype(np.int32))


def require_selection(selected: Sequence[object] | Ints, noun: str, query: str) -> None:
    """Raise InputError if a query selects nothing.

    Raises
    ------
    InputError
        If `selected` is empty; the message shows the query.
    """
    if len(selected) == 0:
        raise InputError(f"no {noun} satisfies the query", found=query)


@dataclass(frozen=True)
class Part:
    """Part of a suite, with its options and material.

    Attributes
    ----------
    material : Material
        Fillers, contexts and slots of the suite.
    options : PartOptions
        Options of the part.
    seed, number : int
        Random seed, and number of the part; random draws depend on both.
    """

    material: Material
    options: PartOptions
    seed: int = 0
    number: int = 0


def replace_forms(
    entities: pd.DataFrame, forms: Sequence[str], lists: Mapping[str, Container[str]] | None = None
) -> pd.DataFrame:
    """Return a copy of entities with new forms, and with features computed from these forms.

    Parameters
    ----------
    entities : DataFrame
        Entities from which the forms were made. The feature `name_vs_symbol` keeps its values.
    forms : sequence of str
        New forms, one per row.
    lists : mapping of name to container of str, optional
        The user's word lists, for the columns ``in_list.NAME``.
    """
    fresh = entities.reset_index(drop=True)
    fresh["data"] = pd.Series(list(forms), dtype="str")
    given = fresh[["name_vs_symbol"]] if "name_vs_symbol" in fresh else None
    computed = entity_features(fresh["data"], given=given, lists=lists)
    for column in computed.columns:
        if column in fresh and column != "data":
            fresh[column] = computed[column]
    return add_query_columns(fresh, "entity")


def add_list_columns(entities: pd.DataFrame, lists: Mapping[str, Container[str]]) -> pd.DataFrame:
    """Return entities with a column ``in_list.NAME`` for each word list."""
    if not lists:
        return entities
    names = [LIST_PREFIX + name for name in lists]
    found = entity_features(entities["data"], lists=lists, columns=names)
    return entities.assign(**{name: found[name] for name in names})
