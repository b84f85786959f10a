"""Material of suites: fillers (entities and look-alikes), contexts and their slots, as columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError
from ..catalogues.entity_features import entity_features
from ..catalogues.query import Query
from ..catalogues.taxonomy import LIST_PREFIX
from ..catalogues.values import column_texts
from ..catalogues.word_lists import require_lists
from ..sentences.lists import find_names
from .fitting.slot_rules import COMPOUND, SlotRules, make_slot_rules
from .recipe import PartOptions
from .writing.articles import choose_articles
from .writing.templates import Templates, check_form, compile_templates, find_closing_marks

Ints = NDArray[np.int32]
Result = TypeVar("Result")

LIST_MEMBERS = "list_members"
"""Column of contexts that were made by lengthening a list: how many members; 0 in all others."""


@dataclass(frozen=True)
class Material:
    """Everything that can be combined.

    Attributes
    ----------
    fillers : DataFrame
        One row a form: `entity_id`, `data`, all entity features; entities first, then others.
    gold : array of bool
        Per filler whether it is an entity, and so a gold mention where it stands.
    contexts : DataFrame
        One row a context: `context_id`, `slots` (the template), the context features.
    slots : DataFrame
        One row a slot, sorted by context and place: `context_id`, `slot`, the slot features.
    tag : str
        The tag of mentions in gold.sgml, and their type.
    made : int
        How many fillers at the end were made from others (transformed forms); no query selects them.
    lists : mapping of name to container of str
        The user's lists.
    contrasts : tuple of str
        The features that minimal pairs contrast.
    cache : dict
        What functions found out about the fillers, by their names: once for all parts and their spaces.
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
        """What a function finds out about the fillers, asked once."""
        if find.__name__ not in self.cache:
            self.cache[find.__name__] = find(self.fillers)
        found: Result = self.cache[find.__name__]
        return found

    @cached_property
    def forms(self) -> list[str]:
        """The form of each filler."""
        forms: list[str] = self.fillers["data"].tolist()
        for form in forms:
            check_form(form, self.tag)
        return forms

    @cached_property
    def form_code(self) -> NDArray[np.int32]:
        """For each filler a number that equal forms share."""
        codes, _ = pd.factorize(pd.Series(self.forms, dtype="str"))
        return codes.astype(np.int32)

    @cached_property
    def form_bytes(self) -> pa.BinaryArray:
        """The forms in UTF-8."""
        return pa.array([f.encode() for f in self.forms], type=pa.binary())

    @cached_property
    def form_characters(self) -> Ints:
        """The lengths of the forms in code points."""
        return np.fromiter(map(len, self.forms), dtype=np.int32, count=len(self.forms))

    @cached_property
    def fits(self) -> SlotRules:
        """Who may stand where."""
        return make_slot_rules(self.fillers, self.forms, self.is_name, self.slots)

    @cached_property
    def is_name(self) -> NDArray[np.bool_]:
        """Which forms read as names; the others read as symbols."""
        return find_names(self.forms)

    @cached_property
    def takes_an(self) -> NDArray[np.bool_]:
        """Which forms take *an*."""
        return choose_articles(self.forms)

    @cached_property
    def closing_mark(self) -> NDArray[np.uint8]:
        """Which mark of double punctuation each form ends with."""
        return find_closing_marks(self.forms)

    @cached_property
    def templates(self) -> Templates:
        """The contexts' templates, cut into pieces."""
        compiled = compile_templates(self.contexts["slots"].tolist())
        counted = np.zeros(len(self.contexts), dtype=np.int64)
        np.add.at(counted, self.slot_context, 1)
        if not np.array_equal(counted, compiled.slot_counts):
            wrong = int(np.flatnonzero(counted != compiled.slot_counts)[0])
            raise InputError(
                "the slots table does not agree with the template",
                found=self.contexts["slots"].iloc[wrong],
                allowed=f"{counted[wrong]} slots",
            )
        return compiled

    @cached_property
    def slot_context(self) -> Ints:
        """For each slot the row of its context."""
        rows = pd.Index(self.contexts["context_id"]).get_indexer(pd.Index(self.slots["context_id"]))
        found: Ints = rows.astype(np.int32)
        return found

    @cached_property
    def entry_partner(self) -> NDArray[np.int64]:
        """For each slot that of its partner in an appositive; -1 elsewhere."""
        side, context = column_texts(self.slots, "appositive_side"), self.slot_context
        first = np.flatnonzero(
            (side[:-1] == "outside") & (side[1:] == "inside") & (context[:-1] == context[1:])
        )
        found = np.full(len(side), -1, dtype=np.int64)
        found[first], found[first + 1] = first + 1, first
        return found

    @cached_property
    def first_slot(self) -> NDArray[np.int64]:
        """For each context the row of its first slot."""
        return np.searchsorted(self.slot_context, np.arange(len(self.contexts))).astype(np.int64)

    @cached_property
    def environments(self) -> pd.DataFrame:
        """One row a slot with slot and context features."""
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
    """Put catalogues together, each in its own order; slots are sorted to their contexts.

    Raises
    ------
    InputError
        When a context is listed twice or a slot belongs to none.
    """
    contexts = contexts.reset_index(drop=True)
    index = pd.Index(contexts["context_id"])
    if not index.is_unique:
        twice = contexts["context_id"][index.duplicated()].iloc[0]
        raise InputError("a context stands twice in the catalogues", found=str(twice), allowed="one of each")
    rows = index.get_indexer(pd.Index(slots["context_id"]))
    if (rows < 0).any():
        raise InputError("a slot of no context", found=str(slots["context_id"].iloc[int(np.argmin(rows))]))
    order = np.lexsort((slots["slot"].to_numpy(), rows))
    slots = slots.take(order).reset_index(drop=True)
    lists = lists or {}
    fillers = add_list_columns(entities.reset_index(drop=True), lists)
    gold = np.ones(len(fillers), dtype=bool)
    if look_alikes is not None and len(look_alikes):
        fillers = pd.concat([fillers, add_list_columns(look_alikes, lists)], ignore_index=True)
        gold = np.concatenate((gold, np.zeros(len(look_alikes), dtype=bool)))
    return Material(fillers, gold, contexts, slots, tag, lists=lists)


def add_fillers(material: Material, frames: Sequence[pd.DataFrame]) -> Material:
    """The material with more entities at the end, which were made and are not selected by queries."""
    added = sum(map(len, frames))
    if not added:
        return material
    fillers = pd.concat([material.fillers, *frames], ignore_index=True)
    gold = np.concatenate((material.gold, np.ones(added, dtype=bool)))
    return replace(material, fillers=fillers, gold=gold, made=material.made + added)


def select_fillers(material: Material, query: str, *, gold: bool = True) -> Ints:
    """The rows of entities (or, with `gold` false, of look-alikes) that a query selects."""
    parsed = Query.parse(query, ("entity",))
    require_lists(parsed.features, material.fillers.columns)
    chosen = parsed.evaluate(material.fillers) & (material.gold == gold)
    if not has_compound_kind(parsed):
        chosen &= ~is_compound(material.fillers)
    chosen[len(chosen) - material.made :] = False
    return np.flatnonzero(chosen).astype(np.int32)


def has_compound_kind(query: Query) -> bool:
    """Whether a query names the kind of several names in one string, which is not chosen otherwise."""
    asked = any(f.qualified_name == "entity.kind" for f in query.features)
    return asked and re.search(rf"\b{COMPOUND}\b", str(query)) is not None


def is_compound(entities: pd.DataFrame) -> NDArray[np.bool_]:
    """Which entities are several names in one string."""
    if "kind" not in entities:
        return np.zeros(len(entities), dtype=bool)
    return np.asarray(entities["kind"].astype("str") == COMPOUND, dtype=bool)


@dataclass(frozen=True)
class Places:
    """Chosen contexts and the slots of them that a query selects.

    Attributes
    ----------
    contexts : array of int32
        Rows of chosen contexts, in the catalogue's order.
    slots : array of int32
        Rows of chosen slots, in order; a context without slots has none here.
    """

    contexts: Ints
    slots: Ints


def select_places(
    material: Material, query: str, list_lengths: Sequence[int] = (), *, gold: bool = True
) -> Places:
    """The contexts that a query selects, and the slots where entities (with `gold` false: others) are put.

    Contexts that were made with longer or shorter lists are chosen only where `list_lengths` names their
    length. A context with slots is chosen when at least one of its slots satisfies the query (over slot and
    context features); only these slots take each entity in turn. A context without slots satisfies it by its
    own features.

    Slots of fp contexts are for what is no entity. A query that asks for tp contexts chooses those of them
    that it would choose among tp contexts, so that ``type = tp and position = initial`` says where
    look-alikes stand, too.
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
    """Refuse an empty choice.

    Raises
    ------
    InputError
        With the query that selected nothing.
    """
    if len(selected) == 0:
        raise InputError(
            f"no {noun} satisfies the query", found=query, allowed="a query that selects at least one"
        )


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


def replace_forms(
    entities: pd.DataFrame, forms: Sequence[str], lists: Mapping[str, Container[str]] | None = None
) -> pd.DataFrame:
    """Entities with new forms, one for each row, and their features.

    Parameters
    ----------
    entities : DataFrame
        Where the forms come from; whether each is a name or a symbol is kept.
    forms : sequence of str
        The new forms.
    lists : mapping of name to container of str, optional
        The user's lists, for the columns ``in_list.NAME``.
    """
    fresh = entities.reset_index(drop=True)
    fresh["data"] = pd.Series(list(forms), dtype="str")
    given = fresh[["name_vs_symbol"]] if "name_vs_symbol" in fresh else None
    computed = entity_features(fresh["data"], given=given, lists=lists)
    for column in computed.columns:
        if column in fresh and column != "data":
            fresh[column] = computed[column]
    return fresh


def add_list_columns(entities: pd.DataFrame, lists: Mapping[str, Container[str]]) -> pd.DataFrame:
    """Entities with a column ``in_list.NAME`` for each list; a column of that name is replaced."""
    if not lists:
        return entities
    names = [LIST_PREFIX + name for name in lists]
    found = entity_features(entities["data"], lists=lists, columns=names)
    return entities.assign(**{name: found[name] for name in names})
