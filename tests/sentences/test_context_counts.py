"""How many of the bundled contexts have what a corpus has and what it lacks: lists, appositives, no names."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

import pytest
from tagsuite.sentences.context_queries import choose
from tagsuite.sentences.contexts import Contexts, read_contexts

BUNDLED = Path(str(importlib.resources.files("tagsuite"))) / "sentences"


@pytest.fixture(scope="module")
def attested() -> Contexts:
    return read_contexts(BUNDLED / "contexts_attested.xml")


@pytest.mark.parametrize(
    ("query", "least"),
    [
        ("list_context = coordination", 60),
        ("list_context = complex_coordination", 20),
        ("list_context = none and appositive = none and total_number_of_names > 1", 40),
        ("type = tp and total_number_of_names = 1", 400),
    ],
)
def test_attested_contexts(attested: Contexts, query: str, least: int) -> None:
    assert len(choose(attested, query)) >= least


def test_attested_and_invented_contexts_together() -> None:
    species, article = "preceding_word_is_species", "preceding_word_is_article and appositive_side = outside"
    queries = [
        "appositive = name_after_symbol",
        f"{species} and position = final",
        f"{species} and list_type = asyndetic_coordination",
        "preceding_word_is_adjective and list_type = asyndetic_coordination",
        *(f"{article} and appositive = {kind}" for kind in ("symbol_after_name", "name_after_symbol")),
        *(f"tokenisation_hazards = {mark}" for mark in ("apostrophe", "bracket")),
    ]
    assert [query for query in queries if len(choose(read_contexts(), query)) < 20] == []


def test_both_sides_of_a_pair_accept_the_same() -> None:
    """A name and its symbol are one entity, so what may stand there may not differ."""
    slots = read_contexts().slots
    sides = slots[slots["appositive_side"] != "none"]
    pairs = sides.groupby("context_id", sort=False)
    columns = ["accepts", "slot.species"]
    for context_id, pair in pairs:
        outside = pair[pair["appositive_side"] == "outside"][columns].fillna("").to_numpy()
        inside = pair[pair["appositive_side"] == "inside"][columns].fillna("").to_numpy()
        assert (outside == inside).all(), context_id
