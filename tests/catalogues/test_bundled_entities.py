"""Tests of the bundled entities and look-alikes: numbers, values of features, and surface forms."""

from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

import pandas as pd
import pytest

from tagsuite.catalogues.entities import DEFAULT_ENTITY_QUERY, read_entities, read_look_alikes
from tagsuite.catalogues.entity_queries import count_coverage
from tagsuite.catalogues.query import Query

SHORTAGES = Path(__file__).parents[2] / "tools" / "curation" / "names" / "shortages.tsv"
LEAST = 20
NOT_VARIED = ("kind", "look_alike_category", "noun_form", "species", "function")
"""Features that depend on the sources, not on spelling; their numbers of entities are not checked."""


@pytest.fixture(scope="module")
def entities() -> pd.DataFrame:
    return read_entities()


def usual(entities: pd.DataFrame) -> pd.DataFrame:
    return entities[Query.parse(DEFAULT_ENTITY_QUERY, ("entity",)).evaluate(entities)]


def test_there_are_enough_entities_and_no_form_twice(entities: pd.DataFrame) -> None:
    assert len(entities) >= 3_000
    assert entities["entity_id"].is_unique
    # one form may stand twice where it is both a name and a symbol, or of two fields
    assert entities["data"].duplicated().sum() <= 5


def test_every_value_has_enough_entities_or_a_reason_why_not() -> None:
    rare = {
        f"{row['feature']}\t{row['value']}"
        for row in pd.DataFrame(count_coverage([], DEFAULT_ENTITY_QUERY)).to_dict("records")
        if row["feature"] not in NOT_VARIED and row["entities"] < LEAST
    }
    lines = SHORTAGES.read_text(encoding="utf-8").splitlines()
    reasons = dict(line.rsplit("\t", 1) for line in lines if not line.startswith("#"))
    assert rare == set(reasons)


SEVERAL = [
    ("a list of synonyms", r";"),
    ("a character reference", r"&#"),
    ("a record number", r"MGI:|HGNC:|FBgn"),
    ("the symbol after its name", r"\w \([A-Z][A-Z0-9-]+\)$"),
    ("numbers of several genes", r"\d/\d.*/\d|[A-Z]\d+/[A-Z]+\d+$"),
    ("several genes", r"([A-Z]{2,})\d+[:+]\1\d"),
    ("several alleles", r"\*.*\*"),
    ("underscores for spaces", r"[a-z]_[a-z]"),
    ("nothing but digits", r"^[\d.]+$"),
    ("a pseudogene's description", r"pseudogene|readthrough|non-protein coding"),
    ("white space at an edge", r"^\s|\s$"),
    ("an article", r"^[Tt]he "),
    ("a modifier without its noun", r"[- ]related$|-(like|specific|dependent|containing|mobility-group)$"),
]


@pytest.mark.parametrize(("what", "pattern"), SEVERAL, ids=[w for w, _ in SEVERAL])
def test_an_entity_of_the_default_choice_is_one_name(entities: pd.DataFrame, what: str, pattern: str) -> None:
    forms = usual(entities)["data"]
    assert forms[[re.search(pattern, form) is not None for form in forms]].tolist() == []


def test_look_alikes(entities: pd.DataFrame) -> None:
    look_alikes = read_look_alikes()
    assert len(look_alikes) >= 300
    counts = look_alikes["look_alike_category"].value_counts()
    assert counts.min() >= 15
    assert set(look_alikes["kind"]) == {"look_alike"}
    assert look_alikes["data"].is_unique
    assert not set(look_alikes["data"]) & set(entities["data"])


@pytest.fixture(scope="module")
def nomenclatures(shared_data: Path) -> dict[str, set[str]]:
    """Return the forms of each record by identifier, read without code of the package."""
    forms: dict[str, set[str]] = {}
    path = shared_data / "hgnc" / "hgnc_complete_set_2024-10-17.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            columns = ("symbol", "name", "alias_symbol", "alias_name", "prev_symbol", "prev_name")
            forms[row["hgnc_id"]] = {v.strip() for c in columns for v in row[c].split("|")}
    for line in (shared_data / "flybase" / "fbgn_annotation_ID.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            symbol, _, primary, secondary, annotation, *_ = line.split("\t")
            forms[primary] = {symbol, annotation}
            for identifier in filter(None, secondary.split(",")):
                forms.setdefault(identifier, set())
    return forms


def test_every_identifier_is_of_a_source_and_holds_its_form(
    entities: pd.DataFrame, nomenclatures: dict[str, set[str]]
) -> None:
    known = entities[entities["source_id"].notna() & entities["source_authority"].isin(["HGNC", "FlyBase"])]
    assert set(known["source_id"]) <= set(nomenclatures)
    of_sources = known[known["source_type"] == "database"]
    assert len(of_sources) > 1_500
    columns = (of_sources["data"], of_sources["source_id"])
    assert [d for d, i in zip(*columns, strict=True) if d not in nomenclatures[i]] == []
    made = known[known["source_type"] == "invention"]
    columns = (made["original_form_in_source"], made["source_id"])
    assert [d for d, i in zip(*columns, strict=True) if d.strip() not in nomenclatures[i]] == []


def test_look_alikes_are_no_forms_of_nomenclatures_or_of_a_corpus(
    nomenclatures: dict[str, set[str]], shared_data: Path
) -> None:
    forms = set().union(*nomenclatures.values())
    for part in ("train", "test"):
        annotations = (shared_data / "bc2gm" / part / "GENE.eval").read_text(encoding="utf-8")
        forms |= {line.split("|", 2)[2] for line in annotations.splitlines()}
    assert set(read_look_alikes()["data"]) & forms == set()
