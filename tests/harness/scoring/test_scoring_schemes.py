"""Schemes of other programs, on cases that are small enough to count by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tagsuite.harness.scoring import measures
from tagsuite.harness.scoring.engine import score

from .conftest import Made, make_pair

TEXT = "aa bb cc dd ee ff gg hh"
PARTS = ("correct", "incorrect", "partial", "missed", "spurious")
SCHEMES = ("muc_strict", "muc_exact", "muc_partial", "muc_type")


def at(first: int, last: int, kind: str = "A") -> tuple[int, tuple[tuple[int, int], ...], str]:
    """Return the span from one word to another (inclusive)."""
    return 0, ((first * 3, last * 3 + 2),), kind


@pytest.mark.parametrize(
    ("gold", "predicted", "expected", "why"),
    [
        ([at(0, 1)], [at(0, 1)], dict.fromkeys(SCHEMES, (1, 0, 0, 0, 0)), "the same"),
        ([at(0, 1)], [at(0, 1, "B")],
         {"muc_strict": (0, 1, 0, 0, 0), "muc_exact": (1, 0, 0, 0, 0), "muc_partial": (1, 0, 0, 0, 0),
          "muc_type": (0, 1, 0, 0, 0)}, "same span, other type"),
        ([at(0, 1)], [at(1, 2)],
         {"muc_strict": (0, 1, 0, 0, 0), "muc_exact": (0, 1, 0, 0, 0), "muc_partial": (0, 0, 1, 0, 0),
          "muc_type": (1, 0, 0, 0, 0)}, "overlap, same type"),
        ([at(0, 1)], [at(3, 4)], dict.fromkeys(SCHEMES, (0, 0, 0, 1, 1)), "missed and spurious"),
        ([at(0, 3)], [at(0, 0), at(0, 3)], dict.fromkeys(SCHEMES, (1, 0, 0, 0, 1)),
         "the exact one is paired although the other comes first: order plays no part"),
        ([at(0, 1), at(2, 3)], [at(1, 2)],
         {"muc_strict": (0, 1, 0, 1, 0), "muc_partial": (0, 0, 1, 1, 0), "muc_type": (1, 0, 0, 1, 0)},
         "each serves once"),
        ([at(0, 1), at(1, 2)], [at(0, 2, "B"), at(0, 1)], {"muc_strict": (1, 1, 0, 0, 0)}, "two types"),
    ],
)  # fmt: skip
def test_message_understanding_schemes(gold: Any, predicted: Any, expected: Any, why: str) -> None:
    pair = make_pair([TEXT], [Made(*m) for m in gold], [Made(*m) for m in predicted])
    table = score(*pair, notions=list(SCHEMES)).table
    table = table[table["type"] == "all"].set_index("notion")
    for scheme, parts in expected.items():
        assert tuple(table.loc[scheme, list(PARTS)]) == parts, f"{why}: {scheme}"
        assert table.loc[scheme, "gold"] == sum(parts[:4])
        assert table.loc[scheme, "predicted"] == sum(parts[:3]) + parts[4]


def test_partial_credit_and_slot_error_rate() -> None:
    # pairs: equal (1), 2 of 5 code points, same span with another type; one missed, one spurious
    gold = [at(0, 0), at(1, 2), at(3, 3), at(4, 4)]
    predicted = [at(0, 0), at(1, 1), at(3, 3, "B"), at(6, 6)]
    pair = make_pair([TEXT], [Made(*m) for m in gold], [Made(*m) for m in predicted])
    table = score(*pair, notions=["overlap_credit", "slot_error"]).table
    table = table[table["type"] == "all"].set_index("notion")
    assert table.loc["overlap_credit", "tp"] == pytest.approx(1 + 2 / 5)
    assert table.loc["slot_error", "tp"] == pytest.approx(1 + 2 / 5 + 1 / 2)
    row = table.loc["slot_error"]
    assert (row["missed"], row["spurious"]) == (1, 1)
    assert row["substitutions"] == pytest.approx(3 / 5 + 1 / 2)
    assert row["ser"] == pytest.approx((3 / 5 + 1 / 2 + 2) / 4)


def test_labelled_runs_count_once_and_by_tokens() -> None:
    # code points differ, tokens are equal; the second prediction repeats the first
    gold = [Made(0, ((0, 5),))]
    predicted = [Made(0, ((0, 4),)), Made(0, ((0, 5),))]
    table = score(*make_pair([TEXT], gold, predicted), notions=["iob2_strict", "strict"]).table.set_index(
        "notion"
    )
    assert tuple(table.loc["iob2_strict", ["gold", "predicted", "tp"]]) == (1, 1, 1)
    assert tuple(table.loc["strict", ["gold", "predicted", "tp"]]) == (1, 2, 1)


def test_scheme_columns_stand_only_where_a_scheme_was_counted() -> None:
    pair = make_pair([TEXT], [Made(*at(0, 1))], [Made(*at(0, 1))])
    assert "ser" not in score(*pair).table
    both = score(*pair, notions=["strict", "muc_exact"]).table.set_index("notion")
    assert both["ser"].isna()["strict"]
    assert both.loc["muc_exact", "ser"] == 0


# (correct, incorrect, partial, missed, spurious) of all and of A. nervaluate 1.2.1 has the same rows of all;
# a mention of A that is paired with a B it counts as missed: its rows of A are muc_strict and muc_exact
# (0, 1, 0, 1, 1), muc_partial (0, 0, 1, 1, 1), muc_type (1, 0, 0, 1, 1), and those of B (1, 0, 0, 1, 1)
@pytest.mark.parametrize(
    ("scheme", "of_all", "of_a", "why"),
    [
        ("muc_strict", (1, 2, 0, 1, 1), (0, 2, 0, 0, 1), "paired with a B: incorrect, not missed"),
        ("muc_exact", (2, 1, 0, 1, 1), (1, 1, 0, 0, 1), "paired with a B: the span is right"),
        ("muc_partial", (2, 0, 1, 1, 1), (1, 0, 1, 0, 1), "paired with a B: the span is right"),
        ("muc_type", (2, 1, 0, 1, 1), (1, 1, 0, 0, 1), "paired with a B: incorrect, not missed"),
    ],
)
def test_rows_by_type_beside_nervaluate_s(scheme: str, of_all: Any, of_a: Any, why: str) -> None:
    text = " ".join(["ab"] * 12)
    gold = [at(0, 1), at(3, 3), at(5, 6, "B"), at(8, 8, "B")]
    predicted = [at(0, 1, "B"), at(3, 4), at(5, 6, "B"), at(10, 10)]
    pair = make_pair([text], [Made(*m) for m in gold], [Made(*m) for m in predicted])
    table = score(*pair, notions=[scheme]).table.set_index("type")
    counts = {kind: tuple(table.loc[kind, list(PARTS)]) for kind in ("all", "A", "B")}
    # paired with an A, a B is not spurious
    assert counts == {"all": of_all, "A": of_a, "B": (1, 0, 0, 1, 0)}, why
    if scheme in ("muc_strict", "muc_type"):
        # precision and recall by type agree with nervaluate's
        shares = table.loc[["A", "B"], ["precision", "recall"]].to_numpy().tolist()
        assert shares == [[of_a[0] / 2] * 2, [0.5, 0.5]]


def test_published_counting_follows_table_1() -> None:
    """LEFT OR RIGHT is the mean of LEFT and RIGHT; R : P is equal under all notions of mentions."""
    gold = [Made(0, ((0, 4),)), Made(0, ((8, 14),)), Made(0, ((15, 18),))]
    predicted = [Made(0, ((0, 14),)), Made(0, ((15, 22),))]
    table = score(
        *make_pair(["IL12 in kinase abc def"], gold, predicted), counting="published"
    ).table.set_index("notion")
    tp = table["tp"]
    assert tp["left_or_right"] == (tp["left"] + tp["right"]) / 2
    mentions = table[table["unit"] == "mention"]
    mentions = mentions[mentions["tp"] > 0]
    assert len(mentions) >= 3
    np.testing.assert_allclose(mentions["recall"] / mentions["precision"], 2 / 3)


UNDEFINED = float("nan")


@pytest.mark.parametrize(
    ("p", "r", "beta", "expected", "why"),
    [
        (1.0, 0.5, 1.0, 2 / 3, "harmonic mean"),
        (1.0, 0.5, 2.0, 5 * 0.5 / (4 + 0.5), "beta 2 leans to recall"),
        (0.5, 0.0, 1.0, 0.0, "one of them 0"),
        (0.0, 0.0, 1.0, UNDEFINED, "0/0"),
        (UNDEFINED, 0.0, 1.0, UNDEFINED, "nothing predicted: no precision, so no F"),
    ],
)
def test_f_score(p: float, r: float, beta: float, expected: float, why: str) -> None:
    assert measures.f_score(p, r, beta) == pytest.approx(expected, nan_ok=True), why
