"""Rules that determine which entities fit which slots.

A slot has requirements: the kinds that it accepts, a name or a symbol, and the species, number and function
that the sentence implies. Entities with the same properties form a class, and so do slots with the same
requirements. Each rule is a small matrix: classes of entities × classes of slots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.entities import OTHER_KIND, default_kind
from ...catalogues.entity_features import entity_features
from ...catalogues.entity_features.morphology import classify_noun
from ...catalogues.organisms import is_compatible
from ...catalogues.taxonomy import taxonomy
from ...catalogues.value_codes import combine_codes
from ...catalogues.values import column_texts
from ...sentences.words import read_determiners, read_gene_words, read_word_list

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

RULES = {
    "kind": "the kinds or types that the slots accept",
    "expects": "a name or a symbol, as the slots require",
    "species": "the species that the sentences are about",
    "number": "singular or plural, as the slots and their articles require",
    "head": "a name whose first and last words fit the words around the slots",
    "function": "the function of the product in the sentences",
}
"""Names of the rules and their descriptions, in the order in which the rules are applied."""

ANY_KIND = "any"
"""Value of the slot feature `accepts` for slots that also take entities other than genes."""
COMPOUND = "compound"
"""Kind of entities that are several names in one string; only a query for this kind selects them."""
GENE_OR_PRODUCT = ("gene", "entity", COMPOUND, "")
"""Kinds whose names can mean a gene or its product, so that slots for either accept them."""


@dataclass(frozen=True)
class SlotRules:
    """Rules that determine which entities fit which slots.

    Attributes
    ----------
    entity_class, slot_class : array of int32
        Class of each filler and of each slot.
    rules : dict of str to array of bool
        For each rule, a matrix: classes of entities × classes of slots.
    active : tuple of str
        Rules that are applied.
    """

    entity_class: Ints
    slot_class: Ints
    rules: dict[str, Flags]
    active: tuple[str, ...] = tuple(RULES)

    @cached_property
    def allowed(self) -> Flags:
        """Matrix (classes of entities × classes of slots): True if all active rules are satisfied."""
        found = np.ones(next(iter(self.rules.values())).shape, dtype=bool)
        for rule in self.active:
            found &= self.rules[rule]
        return found

    def check_fillers(self, slot_class: int, fillers: Ints) -> Flags:
        """Return a mask of the fillers that fit the slots of a class."""
        return self.allowed[:, slot_class].take(self.entity_class.take(fillers))

    def check_expected(self, slot_class: int, fillers: Ints) -> Flags:
        """Return a mask of the fillers whose form (name or symbol) the slots of a class expect.

        The rule is evaluated even if it is not active.
        """
        return self.rules["expects"][:, slot_class].take(self.entity_class.take(fillers))

    def find_broken_rule(self, slot_class: int, fillers: Ints) -> str:
        """Apply the rules in order; return the rule that excludes the last filler, or "" if one fits."""
        left = np.ones(self.allowed.shape[0], dtype=bool)
        present = np.unique(self.entity_class[fillers])
        for rule in self.active:
            left &= self.rules[rule][:, slot_class]
            if not left[present].any():
                return rule
        return ""


def make_slot_rules(
    fillers: pd.DataFrame, forms: Sequence[str], is_name: Flags, slots: pd.DataFrame
) -> SlotRules:
    """Divide fillers and slots into classes, and evaluate each rule for them.

    Parameters
    ----------
    fillers : DataFrame
        Entities with their features; missing columns count as absent values.
    forms : sequence of str
        Forms of the entities.
    is_name : array of bool
        True for forms that look like names rather than symbols.
    slots : DataFrame
        Slots with their features.
    """
    known = taxonomy()
    kind, entity_type, given, organism, does = (
        column_texts(fillers, c) for c in ("kind", "type", "name_vs_symbol", "species", "function")
    )
    ends, begins = _find_heads(forms)
    plural = is_plural(fillers, forms)
    noun = _find_noun_forms(fillers, forms, plural)
    own, of_entity = _distinct_columns(
        {
            "kind": kind,
            "type": entity_type,
            "given": given,
            "reads": np.where(is_name, "name", "symbol").astype(object),
            "species": organism,
            "number": np.where(plural, "plural", "singular").astype(object),
            "noun": noun,
            "ends": ends,
            "begins": begins,
            "function": does,
        }
    )
    accepts, wanted, grammar, head, function = (
        column_texts(slots, known.find(f"slot.{c}").column)
        for c in ("accepts", "species", "number", "head", "function")
    )
    after, before = (column_texts(slots, c) for c in ("following_word", "preceding_word"))
    # *a* before a slot, or the *s* of a plural after it; both matter only for entities with a noun form
    glued = (after == "s") & (column_texts(slots, "right_punctuation") == "")
    counting = (np.isin(before, ["a", "an"]) | glued) & (noun != "").any()
    counted = np.where(counting, "counted", "").astype(object)
    # word class before a slot: an organism, a determiner, or nothing
    led_by = np.where(np.isin(before, list(read_word_list("species"))), "species", "").astype(object)
    led_by[column_texts(slots, "position") == "initial"] = "nothing"
    led_by[np.isin(before, list(read_determiners()))] = "determiner"
    required, of_slot = _distinct_columns(
        {
            "accepts": accepts,
            "expects": column_texts(slots, "expects"),
            "species": wanted,
            "number": grammar,
            "counted": counted,
            "head": head,
            "noun": np.where(np.isin(after, list(read_gene_words("label"))), "noun", "").astype(object),
            "led_by": led_by,
            "function": function,
        }
    )

    def rule(of: Sequence[str], on: Sequence[str], may: Callable[..., bool]) -> Flags:
        """Evaluate a rule on the given properties for each entity class and slot class."""
        row, entities = _distinct_rows([own[c] for c in of])
        column, places = _distinct_rows([required[c] for c in on])
        # distinct values of entities × of slots, then classes of entities × classes of slots
        answers = np.array([[may(*e, *s) for s in places] for e in entities], dtype=bool)
        return answers.reshape(len(entities), len(places))[row[:, None], column[None, :]]

    return SlotRules(
        of_entity,
        of_slot,
        {
            "kind": rule(["kind", "type"], ["accepts"], accepts_entity),
            "expects": rule(
                ["reads", "given"],
                ["expects"],
                lambda reads, given, expects: not expects or (reads == expects and given in ("", expects)),
            ),
            "species": rule(["species"], ["species"], is_compatible),
            "number": rule(["number", "noun"], ["number", "counted"], _numbers_agree),
            "head": rule(["ends", "begins", "number"], ["head", "noun", "led_by", "accepts"], _heads_agree),
            "function": rule(
                ["function"], ["function"], lambda own, required: not required or required in own.split("|")
            ),
        },
    )


def _numbers_agree(number: str, noun: str, required: str, counted: str) -> bool:
    """Return True if an entity has the required grammatical number, and suits the article before the slot.

    `noun` is the noun form of the entity (see `_find_noun_forms`).
    """
    if not noun:
        return required in ("", number)
    if counted:
        return noun == "countable"
    return not required or (noun != "unknown" and (noun == "plural") == (required == "plural"))


def _find_noun_forms(fillers: pd.DataFrame, forms: Sequence[str], plural: Flags) -> NDArray[np.object_]:
    """Return the noun form of each entity.

    The form is ``countable``, ``uncountable``, ``singular`` (countable or not), ``plural`` or ``unknown``. If
    the catalogue does not give it, it is derived from the form of the entity; for genes, it is "" instead.
    """
    found, types = column_texts(fillers, "noun_form"), column_texts(fillers, "type")
    others = [name for name in set(types) if name and default_kind(name) == OTHER_KIND]
    for row in np.flatnonzero((found == "") & np.isin(types, others)).tolist():
        found[row] = "plural" if plural[row] else classify_noun(forms[row]) or "unknown"
    return found


def _heads_agree(
    ends: str, begins: str, number: str, head: str, noun: str, led_by: str, accepts: str
) -> bool:
    """Return True if the first and last words of a form are compatible with a slot and its context."""
    # sentences do not begin with a lower-case species name
    if (led_by == "species" and begins) or (led_by == "nothing" and begins == "lower-case species"):
        return False
    if head:
        # a required noun is correct whatever word follows (*the CD38 gene product*)
        return ends == head.lower()
    if ends in read_gene_words("article") and number == "singular" and led_by != "determiner":
        return False
    if ends in read_gene_words("dna") and accepts_proteins_only(accepts):
        return False
    return not (noun and ends in read_gene_words("label"))


def _find_heads(forms: Sequence[str]) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Return the noun at the end of each form, and the organism at its beginning; "" if there is none."""
    nouns = read_gene_words("label").keys() | read_gene_words("article").keys()
    organisms = read_word_list("species")
    words = [form.lower().split() for form in forms]
    ends = [w[-1] if len(w) > 1 and w[-1] in nouns else "" for w in words]
    begins = [
        f"{'lower-case ' * form[:1].islower()}species" if len(w) > 1 and w[0] in organisms else ""
        for form, w in zip(forms, words, strict=True)
    ]
    return np.array(ends, dtype=object), np.array(begins, dtype=object)


def accepts_entity(kind: str, entity_type: str, accepts: str) -> bool:
    """Return True if a slot accepts entities of a kind and type.

    Examples
    --------
    >>> accepts_entity("gene", "", "protein|complex"), accepts_entity("RNA", "", "protein")
    (True, False)
    >>> accepts_entity("other", "disease", "disease"), accepts_entity("other", "disease", "")
    (True, True)
    """
    accepted = accepts.split("|")
    if not accepts or ANY_KIND in accepted or (entity_type and entity_type in accepted):
        return True
    return "gene" in accepted or "protein" in accepted if kind in GENE_OR_PRODUCT else kind in accepted


def accepts_proteins_only(accepts: str) -> bool:
    """Return True if a slot accepts gene products but not genes.

    Examples
    --------
    >>> accepts_proteins_only("protein|complex"), accepts_proteins_only("gene|protein")
    (True, False)
    """
    return bool(accepts) and not {"gene", ANY_KIND} & set(accepts.split("|"))


def number_organisms(fillers: pd.DataFrame) -> tuple[Ints, Flags]:
    """Return the number of each entity's organism, and a matrix that is True for compatible organisms."""
    own, names = pd.factorize(column_texts(fillers, "species"), sort=True)
    return own.astype(np.int32), np.array([[is_compatible(a, b) for b in names] for a in names], dtype=bool)


def _distinct_rows(columns: Sequence[NDArray[np.object_]]) -> tuple[NDArray[np.int64], list[tuple[str, ...]]]:
    """Return the index of each row of some columns among the distinct rows, and the distinct rows."""
    coded = (pd.factorize(column, sort=True) for column in columns)
    return combine_codes([(codes, values.tolist()) for codes, values in coded])


def _distinct_columns(
    columns: Mapping[str, NDArray[np.object_]],
) -> tuple[dict[str, NDArray[np.object_]], Ints]:
    """Return the columns of the distinct rows, and the index of each original row among them."""
    code, _ = _distinct_rows(list(columns.values()))
    _, first = np.unique(code, return_index=True)
    return {name: column[first] for name, column in columns.items()}, code.astype(np.int32)


def is_plural(fillers: pd.DataFrame, forms: Sequence[str]) -> Flags:
    """Return a mask of the forms that are plural nouns.

    A name is plural if its last word is plural. In names with a complement (*bags of marbles*), the
    first word is tested instead.
    """
    names = ("plural_position", "contains_function_word")
    missing = [n for n in names if n not in fillers]
    computed = entity_features(pd.Series(list(forms), dtype="str"), columns=missing) if missing else fillers
    places, words = ((computed if n in missing else fillers)[n] for n in names)
    held = places.astype("str").where(places.notna(), "")
    final = held.str.contains("final").to_numpy(dtype=bool)
    initial = held.str.contains("initial").to_numpy(dtype=bool)
    complement = words.fillna(0).to_numpy(dtype=float) > 0
    return np.asarray(np.where(complement, initial, final), dtype=bool)
