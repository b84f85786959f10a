"""Tests that features agree with hand-judged names and with HGNC at least as well as documented."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pandas as pd
import pytest

from tagsuite.catalogues.entity_features import entity_features

JUDGED = Path(__file__).with_name("judged_hgnc_names.tsv")
COLUMNS = {
    "past_participles": "contains_past_participle",
    "present_participles": "contains_present_participle",
    "plurals": "contains_plural",
    "Roman_numerals": "contains_Roman_numeral",
}
# every name on which the computed value differs from the judgement, and why it is left so
ERRORS = {
    ("contains_past_participle", "single-stranded DNA-binding protein 2"),  # strand is a verb as well
    (
        "contains_present_participle",
        "polycystic lipomembranous osteodysplasia with sclerosing leukoencephalopathy",
    ),
    ("contains_Roman_numeral", "cytochrome P450, subfamily IIJ (arachidonic acid epoxygenase) polypeptide 2"),
    ("contains_Roman_numeral", "transcription elongation factor B (SIII), polypeptide 1 pseudogene 25"),
    ("name_vs_symbol", "CK beta-11"),
}


ROMAN = Path(__file__).with_name("judged_roman_numerals.tsv")
ROMAN_ERRORS = {
    "Fc epsilon receptor Ig",  # Ig is immunoglobulin nearly everywhere else
    "neuronal pentraxin I",  # a word that no list has
}


@pytest.fixture(scope="module")
def judged() -> pd.DataFrame:
    return pd.read_csv(JUDGED, sep="\t", comment="#", dtype=str, keep_default_na=False)


def test_the_errors_are_the_documented_ones(judged: pd.DataFrame) -> None:
    found = entity_features(judged["name"])
    errors: set[tuple[str, str]] = set()
    for column, feature in COLUMNS.items():
        wrong = (judged[column] != "") != found[feature]
        errors |= {(feature, name) for name in judged.loc[wrong, "name"]}
    wrong = found["name_vs_symbol"].astype("str") != judged["name_vs_symbol"]
    errors |= {("name_vs_symbol", name) for name in judged.loc[wrong, "name"]}
    wrong = found["contains_Arabic_numeral"] != (judged["Arabic_numeral"] == "yes")
    errors |= {("contains_Arabic_numeral", name) for name in judged.loc[wrong, "name"]}
    assert errors == ERRORS


def test_the_errors_of_roman_numerals_are_the_documented_ones() -> None:
    frame = pd.read_csv(ROMAN, sep="\t", comment="#", dtype=str, keep_default_na=False)
    assert frame["sample"].value_counts().to_dict() == {"C": 160, "D": 100}
    for name, numerals in zip(frame["name"], frame["Roman_numerals"], strict=True):
        assert all(numeral in name for numeral in numerals.split())
    should = frame["Roman_numerals"] != ""
    assert should.sum() == 37 + 36
    found = entity_features(frame["name"])["contains_Roman_numeral"]
    assert set(frame.loc[should != found, "name"]) == ROMAN_ERRORS


def test_name_and_symbol_columns_of_the_nomenclature(shared_data: Path) -> None:
    """Test every hundredth record; docs/development/features-accuracy.md has the figures for all records."""
    path = shared_data / "hgnc" / "hgnc_complete_set_2024-10-17.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))[::100]
    for columns, expected, least in (
        (("symbol", "alias_symbol", "prev_symbol"), "symbol", 0.985),
        (("name", "alias_name", "prev_name"), "name", 0.98),
    ):
        forms = sorted({form for row in rows for c in columns for form in row[c].split("|") if form})
        found = entity_features(pd.Series(forms), columns=["name_vs_symbol"])["name_vs_symbol"]
        assert (found == expected).mean() >= least, expected
