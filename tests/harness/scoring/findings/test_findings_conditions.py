"""Tests of the searched conditions as queries, and of joined divisions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.discovery.conditions import (
    MAX_THRESHOLDS,
    MAX_WORDS,
    MIN_MENTIONS,
    build_axes,
)
from tagsuite.harness.scoring.discovery.discover import discover_table
from tagsuite.harness.scoring.discovery.phrases import describe_condition
from tagsuite.harness.scoring.discovery.split_halves import Finding, JudgingHalf, join_findings, make_groups
from tagsuite.harness.scoring.division import SCOPES
from tagsuite.harness.scoring.statistics.differences import Difference
from tagsuite.harness.scoring.statistics.shares import Estimate

FORMS = ["4-1BB", "14-3-3 protein", "p53", "IL-2", "mTOR", "BRCA1", "Sox2", "insulin", "protein kinase C"]


def mentions(size: int = 4000, seed: int = 5) -> pd.DataFrame:
    generator = np.random.Generator(np.random.PCG64(seed))
    data = generator.choice(FORMS, size)
    words = pd.Series(data).str.count(" ") + 1
    return pd.DataFrame(
        {
            "data": data,
            "words": words.astype("int32"),
            "characters": generator.integers(2, 60, size).astype("int32"),
            "preceding_word": pd.Categorical(generator.choice(["the", "and", "of", "4E"], size)),
            "following_word": pd.Categorical(
                pd.Series(generator.choice(["protein", "or"], size)).mask(generator.random(size) < 0.3)
            ),
            "left_punctuation": pd.Categorical(pd.Series(["("] * size).mask(generator.random(size) < 0.8)),
            "sentence_words": generator.integers(4, 30, size).astype("int32"),
        }
    )


def selected(query: str, table: pd.DataFrame) -> Any:
    return np.asarray(Query.parse(query, SCOPES).evaluate(table))


def test_every_condition_is_a_query_that_selects_what_its_code_says() -> None:
    table = mentions()
    axes = build_axes(table)
    assert {a.feature for a in axes} >= set(table.columns)
    for axis in axes:
        for code, label in enumerate(axis.queries):
            assert (selected(label, table) == (axis.codes == code)).all(), label
            assert "~" not in describe_condition(label), label


def test_thresholds_are_few_and_none_is_at_the_rim() -> None:
    table = mentions()
    table.loc[:2, "characters"] = 500
    cuts = [a for a in build_axes(table) if a.feature == "characters" and a.size == 3]
    assert 3 < len(cuts) <= MAX_THRESHOLDS
    assert all(min(np.bincount(a.codes, minlength=2)[:2]) >= MIN_MENTIONS for a in cuts)
    assert not any("500" in label for a in cuts for label in a.queries)


def test_rare_neighbours_are_no_conditions() -> None:
    table = mentions()
    table["preceding_word"] = table["preceding_word"].astype(str)
    table.loc[: MIN_MENTIONS - 2, "preceding_word"] = "seldom"
    (axis,) = (a for a in build_axes(table) if a.feature == "preceding_word")
    assert "preceding_word = seldom" not in axis.queries
    assert len(axis.queries) == 4 <= MAX_WORDS


def test_listed_values_alone_on_request() -> None:
    labels = [label for a in build_axes(mentions(), listed_only=True) for label in a.queries]
    assert "left_punctuation is present" in labels
    assert not [x for x in labels if "~" in x or "preceding_word" in x or x == "words >= 2"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("characters >= 30", "characters"),
        (r"data ~ /^\d+-/", "beginning with digits before a hyphen"),
        ("following_word = protein", 'before the word "protein"'),
        ('preceding_word = the and left_punctuation = "("', 'after the word "the"'),
    ],
)
def test_a_fault_in_these_conditions_is_found(fault: str, words: str) -> None:
    table = mentions(3000)
    bad = selected(fault, table)
    generator = np.random.Generator(np.random.PCG64(3))
    found = discover_table(table, generator.random(len(table)) >= np.where(bad, 0.9, 0.1), divisions=3)
    told = selected(found["query"].iloc[0], table)
    assert (told & bad).sum() / (told | bad).sum() >= 0.85
    assert words in found["words"].iloc[0]
    assert found["returned"].iloc[0] == found["divisions"].iloc[0] == 3


def finding(query: str, p: float, inside: list[int], value: float = 0.2) -> Finding:
    flags = np.zeros(100, dtype=bool)
    flags[inside] = True
    own, rest = Estimate(value, 0.1, 0.3), Estimate(0.9, 0.9, 0.9)
    # the p value of a difference is two-sided
    apart = Difference(own, rest, Estimate(value - 0.9, 0.0, 0.0), 2 * p, 0.1)
    judge = JudgingHalf(make_groups(100), np.arange(100), ~flags)
    return Finding("recall", (query,), (), judge, flags, flags, apart, "all", effect=0.1)


def test_findings_of_several_divisions_are_joined() -> None:
    ten = list(range(10))
    divisions = [
        [finding("words >= 4", 0.001, ten)],
        [finding("words >= 4", 0.002, ten), finding("case = lower", 0.01, list(range(50, 90)))],
        [finding("characters >= 20", 0.004, ten[:9])],
        [],
    ]
    first, other = sorted(join_findings(divisions, 0.05), key=lambda one: one.p_bh)
    assert first.query == "words >= 4"
    assert first.returned == 3
    assert first.p_bh == pytest.approx((1 + np.log(4)) * min(4 * 0.001, 2 * 0.004, 4 / 3 * 0.004))
    assert other.returned == 1
    assert other.p_bh > 0.05


@pytest.mark.parametrize(
    ("p", "value", "expected"),
    [(0.03, 0.2, (0.03, 1)), (0.001, 0.85, (1.0, 0))],
    ids=["one division is taken as it is", "a small effect is no finding"],
)
def test_one_division(p: float, value: float, expected: tuple[float, int]) -> None:
    (only,) = join_findings([[finding("words >= 4", p, [1, 2], value)]], 0.05)
    assert (only.p_bh, only.returned) == expected
