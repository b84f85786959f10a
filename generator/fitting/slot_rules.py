"""Who may stand where: what a slot accepts and what an entity is, as classes of either.

A slot says which kinds it accepts, whether it expects a name or a symbol, and which species, number and
function the sentence asks for; an entity has all of these. Entities that agree in them are one class; slots
likewise. All is said by a small matrix for each rule: classes of entities × classes of slots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.entity_features import entity_features
from ...catalogues.organisms import is_compatible
from ...catalogues.taxonomy import taxonomy
from ...catalogues.values import column_texts
from ...sentences.words import read_determiners, read_gene_words, read_word_list

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

RULES = {
    "kind": "kinds that the slots accept",
    "expects": "a name or a symbol, as the slots expect",
    "species": "the species that the sentences speak of",
    "number": "a singular or a plural, as the slots ask",
    "head": "a name whose last and first words go with the slots",
    "function": "what the sentences say that the product does",
}
"""What slots ask for, in the order in which it is looked at."""

ANY_KIND = "any"
"""What a slot accepts that takes things that are no genes too."""
COMPOUND = "compound"
"""The kind of entities that only a query for it selects."""
GENE_OR_PRODUCT = ("gene", "entity", COMPOUND, "")
"""Kinds whose names serve for the gene and its product: a slot for either takes them."""


@dataclass(frozen=True)
class SlotRules:
    """Who may stand where.

    Attributes
    ----------
    entity_class, slot_class : array of int32
        The class of each filler and of each slot.
    rules : dict of str to array of bool
        For each rule, classes of entities × classes of slots.
    active : tuple of str
        The rules that are kept to.
    """

    entity_class: Ints
    slot_class: Ints
    rules: dict[str, Flags]
    active: tuple[str, ...] = tuple(RULES)

    @cached_property
    def allowed(self) -> Flags:
        """By all rules that are kept to: classes of entities × classes of slots."""
        found = np.ones(next(iter(self.rules.values())).shape, dtype=bool)
        for rule in self.active:
            found &= self.rules[rule]
        return found

    def check_fillers(self, slot_class: int, fillers: Ints) -> Flags:
        """Which fillers may stand in the slots of a class."""
        return self.allowed[:, slot_class].take(self.entity_class.take(fillers))

    def check_expected(self, slot_class: int, fillers: Ints) -> Flags:
        """Which fillers are the name or symbol that the slots of a class expect, kept to or not."""
        return self.rules["expects"][:, slot_class].take(self.entity_class.take(fillers))

    def find_broken_rule(self, slot_class: int, fillers: Ints) -> str:
        """The rule after which none of the fillers is left for a slot; "" where some is."""
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
    """The classes of some fillers and slots, and which go together.

    Parameters
    ----------
    fillers : DataFrame
        Entities with their features; a column that is missing says nothing.
    forms : sequence of str
        Their forms.
    is_name : array of bool
        Which of these read as names.
    slots : DataFrame
        Slots with what was judged of them.
    """
    known = taxonomy()
    kind, given, organism, does = (
        column_texts(fillers, c) for c in ("kind", "name_vs_symbol", "species", "function")
    )
    ends, begins = _find_heads(forms)
    own, of_entity = _distinct_rows(
        {
            "kind": kind,
            "given": given,
            "reads": np.where(is_name, "name", "symbol").astype(object),
            "species": organism,
            "number": np.where(is_plural(fillers, forms), "plural", "singular").astype(object),
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
    # what stands before a slot, as far as it matters: an organism, a determiner, nothing at all
    led_by = np.where(np.isin(before, list(read_word_list("species"))), "species", "").astype(object)
    led_by[column_texts(slots, "position") == "initial"] = "nothing"
    led_by[np.isin(before, list(read_determiners()))] = "determiner"
    asked, of_slot = _distinct_rows(
        {
            "accepts": accepts,
            "expects": column_texts(slots, "expects"),
            "species": wanted,
            "number": grammar,
            "head": head,
            "noun": np.where(np.isin(after, list(read_gene_words("label"))), "noun", "").astype(object),
            "led_by": led_by,
            "function": function,
        }
    )

    def rule(of: Sequence[str], on: Sequence[str], may: Callable[..., bool]) -> Flags:
        """Ask once for all classes that agree in what the rule looks at."""
        mine, row = _distinct_rows({c: own[c] for c in of})
        theirs, column = _distinct_rows({c: asked[c] for c in on})
        entities, places = (list(zip(*side.values(), strict=True)) for side in (mine, theirs))
        # distinct values of entities × of slots, then classes of entities × classes of slots
        answers = np.array([[may(*e, *s) for s in places] for e in entities], dtype=bool)
        return answers.reshape(len(entities), len(places))[row[:, None], column[None, :]]

    return SlotRules(
        of_entity,
        of_slot,
        {
            "kind": rule(["kind"], ["accepts"], accepts_kind),
            "expects": rule(
                ["reads", "given"],
                ["expects"],
                lambda reads, given, expects: not expects or (reads == expects and given in ("", expects)),
            ),
            "species": rule(["species"], ["species"], is_compatible),
            "number": rule(["number"], ["number"], lambda own, asked: not asked or own == asked),
            "head": rule(["ends", "begins", "number"], ["head", "noun", "led_by", "accepts"], _heads_agree),
            "function": rule(
                ["function"], ["function"], lambda own, asked: not asked or asked in own.split("|")
            ),
        },
    )


def _heads_agree(
    ends: str, begins: str, number: str, head: str, noun: str, led_by: str, accepts: str
) -> bool:
    """Whether the last and the first word of a form go with a slot and with what stands beside it."""
    # a sentence does not begin with a lower-case *human*
    if (led_by == "species" and begins) or (led_by == "nothing" and begins == "lower-case species"):
        return False
    if head:
        # a noun that is asked for is right whatever follows (*the CD38 gene product*)
        return ends == head.lower()
    if ends in read_gene_words("article") and number == "singular" and led_by != "determiner":
        return False
    if ends in read_gene_words("dna") and accepts_proteins_only(accepts):
        return False
    return not (noun and ends in read_gene_words("label"))


def _find_heads(forms: Sequence[str]) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """The noun that each form of several words ends in, and an organism that it begins with; else ""."""
    nouns, organisms = (
        read_gene_words("label").keys() | read_gene_words("article").keys(),
        read_word_list("species"),
    )
    words = [form.lower().split() for form in forms]
    ends = [w[-1] if len(w) > 1 and w[-1] in nouns else "" for w in words]
    begins = [
        f"{'lower-case ' * form[:1].islower()}species" if len(w) > 1 and w[0] in organisms else ""
        for form, w in zip(forms, words, strict=True)
    ]
    return np.array(ends, dtype=object), np.array(begins, dtype=object)


def accepts_kind(kind: str, accepts: str) -> bool:
    """Whether a slot takes entities of a kind.

    Examples
    --------
    >>> accepted("gene", "protein|complex"), accepted("RNA", "protein"), accepted("RNA", "")
    (True, False, True)
    """
    kinds = accepts.split("|")
    if not accepts or ANY_KIND in kinds:
        return True
    return "gene" in kinds or "protein" in kinds if kind in GENE_OR_PRODUCT else kind in kinds


def accepts_proteins_only(accepts: str) -> bool:
    """Whether a slot takes products and no genes.

    Examples
    --------
    >>> proteins_alone("protein|complex"), proteins_alone("gene|protein"), proteins_alone("")
    (True, False, False)
    """
    return bool(accepts) and not {"gene", ANY_KIND} & set(accepts.split("|"))


def number_organisms(fillers: pd.DataFrame) -> tuple[Ints, Flags]:
    """For each entity the number of its organism, and which organisms go together in a sentence."""
    own, names = pd.factorize(column_texts(fillers, "species"), sort=True)
    return own.astype(np.int32), np.array([[is_compatible(a, b) for b in names] for a in names], dtype=bool)


def _distinct_rows(columns: Mapping[str, NDArray[np.object_]]) -> tuple[dict[str, NDArray[np.object_]], Ints]:
    """The columns of their distinct rows, and for each row which of these it is."""
    code = np.zeros(len(next(iter(columns.values()))), dtype=np.int64)
    for column in columns.values():
        own, values = pd.factorize(column, sort=True)
        _, code = np.unique(code * max(len(values), 1) + own, return_inverse=True)
    _, first = np.unique(code, return_index=True)
    return {name: column[first] for name, column in columns.items()}, code.astype(np.int32)


def is_plural(fillers: pd.DataFrame, forms: Sequence[str]) -> Flags:
    """Which forms are plural nouns: by the last word, with a complement the first (*bag of marbles*)."""
    names = ("plural_position", "contains_function_word")
    missing = [n for n in names if n not in fillers]
    computed = entity_features(pd.Series(list(forms), dtype="str"), columns=missing) if missing else fillers
    places, words = ((computed if n in missing else fillers)[n] for n in names)
    held = places.astype("str").where(places.notna(), "")
    final = held.str.contains("final").to_numpy(dtype=bool)
    initial = held.str.contains("initial").to_numpy(dtype=bool)
    complement = words.fillna(0).to_numpy(dtype=float) > 0
    return np.asarray(np.where(complement, initial, final), dtype=bool)
