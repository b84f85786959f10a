"""Tests of the slot attributes of the bundled contexts that are assigned by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.sentences.context_queries import choose_contexts
from tagsuite.sentences.contexts import read_contexts

WITH_SLOTS = sorted({entry.file for entry in read_contexts().entries if entry.slots})
"""Names of the bundled files with slots."""

MAMMALS = {"mammal", "human", "mouse", "rat"}
ANIMALS = {"animal", "vertebrate", *MAMMALS, "chicken", "frog", "fish", "fly", "worm"}
WORDS = {
    "plant": ("arabidopsis", "maize"),
    "mammal": ("bovine", "hamster", "porcine", "rabbit"),
    "worm": ("c", "elegans"),
    "mouse": ("mouse", "murine"),
    "yeast": ("cerevisiae", "yeast"),
    **{"bacterium": ("coli",), "fly": ("drosophila",), "frog": ("xenopus",), "fish": ("zebrafish",)},
    **{name: (name,) for name in ("chicken", "human", "rat")},
}
SPECIES = {word: name for name, words in WORDS.items() for word in words}
"""Organism that the word before a slot implies."""


def slots_of(*files: str) -> pd.DataFrame:
    contexts = read_contexts()
    ids = [entry.id for entry in contexts.entries if entry.file in files]
    joined = contexts.join_features()
    return joined[joined["context_id"].isin(ids) & joined["slot"].notna()]


@pytest.mark.parametrize("file", WITH_SLOTS)
def test_every_slot_is_judged(file: str) -> None:
    slots = slots_of(file)
    assert len(slots) > 30
    assert slots.loc[slots["accepts"].isna(), "slots"].tolist() == []


@pytest.mark.parametrize("category", [v.name for v in taxonomy().find("look_alike_category").values])
def test_each_category_of_look_alike_has_contexts_of_its_own(category: str) -> None:
    slots = slots_of("contexts_look_alikes.xml")
    mine = slots[slots["accepts"] == category]
    assert mine["context_id"].nunique() >= 15
    assert set(mine["context.type"]) == {"fp"}
    assert {"initial", "medial", "final"} <= set(mine["position"]) or category in ("unit", "grant_number")
    assert mine["right_punctuation"].nunique() >= 4
    assert mine["preceding_word"].nunique() >= 4


def test_neutral_contexts_accept_anything() -> None:
    slots = slots_of("contexts_neutral.xml")
    assert set(slots["accepts"]) == {"any"}
    assert slots["context_id"].nunique() >= 80
    assert slots["position"].value_counts().min() >= 15
    assert slots["slot.species"].isna().all()
    words = slots["slots"].str.findall(r"[a-z]+").explode()
    assert set(words) & {"gene", "protein", "expression", "mutant", "mrna", "cells"} == set()


def test_the_species_of_a_slot_is_the_one_that_the_word_before_it_names() -> None:
    slots = slots_of("contexts.xml")
    named = slots[slots["preceding_word_is_species"].astype(bool)]
    assert len(named) >= 20
    found = dict(zip(named["context_id"], named["slot.species"], strict=True))
    words = dict(zip(named["context_id"], named["preceding_word"], strict=True))
    assert found == {k: SPECIES[word] for k, word in words.items()}


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (r"^(?!.*animals).*(?:patients|pedigrees|twins|cohort|familial|[Ww]omen)", {"human"}),
        (r"\bmice\b", {"human", "mammal", "mouse"}),
        (r"\bSerum <>|carotid|hepatic|gluconeogenesis|platelet", {"human", "mammal", "vertebrate"}),
        (r"embryo|oocytes|neurons|spindles", ANIMALS),
        (r"guard cells|flowers", {"plant"}),
    ],
)
def test_organs_and_organisms_of_a_sentence_say_whose_gene_it_is(words: str, allowed: set[str]) -> None:
    slots = slots_of("contexts.xml")
    chosen = slots[slots["slots"].str.contains(words)]
    assert len(chosen) > 0
    assert chosen.loc[~chosen["slot.species"].isin(allowed), "slots"].tolist() == []


def test_contexts_of_rare_kinds_are_many_enough() -> None:
    species, article = "preceding_word_is_species", "preceding_word_is_article and appositive_side = outside"
    queries = [
        "appositive = name_after_symbol",
        "list_context = complex_coordination",
        "list_context = none and appositive = none and total_number_of_names > 1",
        f"{species} and position = final",
        f"{species} and list_type = asyndetic_coordination",
        "preceding_word_is_adjective and list_type = asyndetic_coordination",
        *(f"{article} and appositive = {kind}" for kind in ("symbol_after_name", "name_after_symbol")),
        *(f"tokenisation_hazards = {mark}" for mark in ("apostrophe", "bracket")),
    ]
    assert [query for query in queries if len(choose_contexts(read_contexts(), query)) < 20] == []


def test_both_sides_of_a_pair_accept_the_same() -> None:
    """Check that the slots of a name and its symbol accept the same entities."""
    slots = read_contexts().slots
    sides = slots[slots["appositive_side"] != "none"]
    pairs = sides.groupby("context_id", sort=False)
    columns = ["accepts", "slot.species"]
    for context_id, pair in pairs:
        outside = pair[pair["appositive_side"] == "outside"][columns].fillna("").to_numpy()
        inside = pair[pair["appositive_side"] == "inside"][columns].fillna("").to_numpy()
        assert (outside == inside).all(), context_id
