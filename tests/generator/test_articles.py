"""Tests of *a* and *an* before entities: the rules one by one, and a comparison with human judgements.

``judged_articles.tsv`` has 400 forms, all with different first runs of letters or digits. For each it gives
the article that an English-speaking biologist uses and how the beginning is read: letter by letter (*H-L-A*)
or as a word (*smad*). If both readings are common, either article is correct. The first 300 forms (drawn with
PCG64(20042)) are 100 from the bundled catalogue, 100 symbols from HGNC and 100 mentions from the BC2GM
training sentences; of the last two groups, only ambiguous forms were used. The other 100 (PCG64(20043): HGNC,
BC2GM test sentences) were drawn and judged after the rules were written.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tagsuite.generator.writing.articles import choose_articles, takes_an

JUDGED = Path(__file__).with_name("judged_articles.tsv")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("form", "expected", "why"),
    [
        ("HIV", True, "could be a word and is none"),
        ("snRNA", True, "small consonants before capitals"),
        ("UNCOUPLING PROTEIN", True, "a word set in capitals"),
        ("II-type kinase", False, "two"),
        ("VIII-like", True, "eight"),
        ("18-wheeler", True, "eighteen"),
        ("α-actinin", True, "alpha"),
        ("[beta]1 integrin", False, "what is in the brackets is read"),
    ],
)
def test_rules(form: str, expected: bool, why: str) -> None:
    assert takes_an(form) is expected, why


WRONG = {
    # form: why the rule is wrong
    "IIGlc": "a Roman numeral without a hyphen",
}


def test_agreement_with_judgements() -> None:
    with JUDGED.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [r["drawn"] for r in rows].count("first") == 300
    assert {r["article"] for r in rows} == {"a", "an", "either"}
    found = choose_articles(r["form"] for r in rows)
    right = [r["article"] in ("an" if an else "a", "either") for r, an in zip(rows, found, strict=True)]
    assert {r["form"] for r, good in zip(rows, right, strict=True) if not good} == set(WRONG)
    said = " ".join((ROOT / "docs" / "background" / "material.md").read_text(encoding="utf-8").split())
    for drawn in ("first", "second"):
        own = [good for r, good in zip(rows, right, strict=True) if r["drawn"] == drawn]
        assert f"|{drawn} {len(own)}|{sum(own)}|" in said
