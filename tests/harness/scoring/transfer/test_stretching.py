"""Tests of stretched mentions and of forms of names."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.transfer.composition import (
    make_composition,
    make_forms_feature,
    match_forms,
)
from tagsuite.harness.scoring.transfer.standardise import fit_evidence, standardise_classes
from tagsuite.harness.scoring.transfer.stretching import score_stretched
from tagsuite.sentences.corpus import Corpus

MARK = re.compile(r"\[(.*?)\]")


def marked(texts: list[str], side: str = "gold") -> Corpus:
    """Return a corpus of texts with mentions in square brackets."""
    rows, plain = [], []
    for number, text in enumerate(texts):
        shift = 0
        for found in MARK.finditer(text):
            rows.append((number, found.start() - shift, found.end() - 2 - shift))
            shift += 2
        plain.append(MARK.sub(r"\1", text))
    mentions = pd.DataFrame(rows, columns=["text_id", "start", "end"])
    mentions = mentions.assign(mention_id=range(len(rows)), side=side, type="gp", score=np.nan)
    frame = pd.DataFrame({"text_id": range(len(texts)), "document_id": "", "text": plain})
    columns = ["mention_id", "text_id", "side", "start", "end", "type", "score"]
    return Corpus("made", frame.astype({"document_id": "str", "text": "str"}), mentions[columns])


def scored(gold: list[str], predicted: list[str]) -> Scores:
    """Score texts with gold and predicted mentions in square brackets."""
    return score(marked(gold), marked(predicted, "predicted").mentions, notions=["strict"])


def longer_names(scores: Scores) -> dict[str, float]:
    """Return each stretched name with its verdict."""
    found = {}
    for rows, longer in score_stretched(scores, "strict"):
        right = longer.get_tally("strict").get_verdicts("gold")
        texts = longer.corpus.texts["text"]
        for row in rows:
            text, start, end = longer.gold.iloc[row][["text_id", "start", "end"]]
            found[texts[text][start:end]] = float(right[row])
    return found


def test_names_are_stretched_over_heads_behind_and_organisms_before() -> None:
    scores = scored(
        ["human [p53] gene was", "a [BRCA1] mutation in mouse [Kit]", "[IL-2] promoters, and [TNF]-genes"],
        ["[human p53 gene] was", "a [BRCA1] mutation in [mouse Kit]", "[IL-2] promoters, and [TNF]-genes"],
    )
    assert longer_names(scores) == {
        "p53 gene": 0.0,
        "human p53": 0.0,
        "human p53 gene": 1.0,
        "mouse Kit": 1.0,
        "IL-2 promoters": 0.0,
    }


def test_a_name_is_not_stretched_over_another() -> None:
    scores = scored(["the [p53] [gene] and [rat] [Kit]", "[p53] gene [product]"], ["the p53 gene", "no"])
    assert list(longer_names(scores)) == ["p53 gene"], "in the second text: the word behind is free"


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    [
        ("p53", {"p and digits", "2 digits or more"}, {"1 capital or more", "ends in a head"}),
        ("human IL-2 genes", {"begins with an organism", "ends in a head's plural"}, {"p and digits"}),
        ("SP1", {"capitals, digits"}, {"capitals, hyphen, digits", "2 digits or more"}),
    ],
)
def test_forms(name: str, has: set[str], lacks: set[str]) -> None:
    found = set(match_forms(name).split("|"))
    assert has <= found
    assert not lacks & found
    assert found <= {v.name for v in make_forms_feature().values}


def habits(longer: bool, size: int = 300) -> Scores:
    """Score a suite with half of its names before "gene"; with `longer` the tagger includes that word."""
    generator = np.random.Generator(np.random.PCG64(1))
    letters = [chr(c) for c in range(ord("A"), ord("Z") + 1)]
    names = ["".join(generator.choice(letters, 4)) for _ in range(size)]
    ends = [" gene was" if i % 2 else " was" for i in range(size)]
    gold = [f"here [{n}]{end} seen" for n, end in zip(names, ends, strict=True)]
    taken = [f"here [{n} gene] was seen" if longer and i % 2 else gold[i] for i, n in enumerate(names)]
    return scored(gold, taken)


@pytest.mark.parametrize(("longer", "low", "high"), [(True, 0.85, 1.0), (False, 0.0, 0.15)])
def test_a_corpus_whose_names_take_the_word_along_is_foreseen(longer: bool, low: float, high: float) -> None:
    over = make_composition(marked([f"here [ABC{c} gene] was seen" for c in "DEFGHIJK"] * 10))
    table = standardise_classes(fit_evidence(habits(longer)), over, [Class("two", Query.parse("words = 2"))])
    assert low <= table["standardised"].iloc[1] <= high


def test_a_composition_without_forms_is_still_of_use() -> None:
    over = make_composition(marked([f"here [ABC{c} gene] was seen" for c in "DEFGHIJK"] * 10))
    bare = type(over)(over.name, over.frame.drop(columns="forms"))
    model = fit_evidence(habits(True), known_columns=bare.features)
    assert "forms" not in {f.column for f in model.model.features}
    assert standardise_classes(model, bare, [])["standardised"].iloc[0] > 0.7
