"""The notions against a second implementation, mention by mention and straight from the definitions."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.notions import NOTIONS

NAMES = [n.name for n in NOTIONS]
TEXTS = ["a-b c1", "", "β2 (x) _y z", " "]
TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")

Raw = tuple[int, tuple[tuple[int, int], ...], str]


@st.composite
def spans(draw: Any) -> Raw:
    row = draw(st.sampled_from([0, 0, 2, 2, 3]))
    length = len(TEXTS[row])
    cuts = sorted(set(draw(st.lists(st.integers(0, length), min_size=2, max_size=4))))
    if len(cuts) < 2:
        cuts = [0, 1]
    edges = cuts if len(cuts) % 2 == 0 else cuts[:-1]
    parts = tuple(zip(edges[::2], edges[1::2], strict=True))
    return row, parts, draw(st.sampled_from("AB"))


sides = st.lists(spans(), max_size=6)


def tokens_of(raw: Raw) -> frozenset[tuple[int, int]]:
    row, parts, _ = raw
    return frozenset(
        (row, i)
        for i, t in enumerate(TOKEN.finditer(TEXTS[row]))
        if any(max(a, t.start()) < min(b, t.end()) for a, b in parts)
    )


def satisfied(one: Raw, other: Raw, notion: str, ignore_types: bool) -> bool:
    if one[0] != other[0] or not (ignore_types or one[2] == other[2]):
        return False
    if notion == "strict":
        return one[1] == other[1]
    if not tokens_of(one) & tokens_of(other):
        return False
    left = one[1][0][0] == other[1][0][0]
    right = one[1][-1][1] == other[1][-1][1]
    return {"sloppy": True, "left": left, "right": right, "left_or_right": left or right}[notion]


def by_definition(
    gold: list[Raw], predicted: list[Raw], notion: str, ignore: bool
) -> tuple[int, int, int, int]:
    """gold, predicted, gold_matched, predicted_matched, straight from the table of definitions."""
    if notion == "pnp":
        g = {(t, "" if ignore else m[2]) for m in gold for t in tokens_of(m)}
        p = {(t, "" if ignore else m[2]) for m in predicted for t in tokens_of(m)}
        return len(g), len(p), len(g & p), len(g & p)
    return (
        len(gold),
        len(predicted),
        sum(any(satisfied(g, p, notion, ignore) for p in predicted) for g in gold),
        sum(any(satisfied(g, p, notion, ignore) for g in gold) for p in predicted),
    )


def most_pairs(gold: list[Raw], predicted: list[Raw], notion: str) -> int:
    """The size of the largest one-to-one pairing, by trying all."""
    edges = [
        (i, j) for i, g in enumerate(gold) for j, p in enumerate(predicted) if satisfied(g, p, notion, False)
    ]
    for size in range(min(len(gold), len(predicted)), 0, -1):
        for chosen in itertools.combinations(edges, size):
            if len({i for i, _ in chosen}) == size == len({j for _, j in chosen}):
                return size
    return 0


def counted(scores: Any, notion: str) -> tuple[float, ...]:
    counts = scores.counts(notion)
    return tuple(
        getattr(counts, name).sum() for name in ("gold", "predicted", "gold_matched", "predicted_matched")
    )


def build(made: Callable[..., Any], mention: Any, gold: list[Raw], predicted: list[Raw]) -> Any:
    return made(TEXTS, [mention(*m) for m in gold], [mention(*m) for m in predicted])


RELAXED = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@RELAXED
@given(gold=sides, predicted=sides, ignore=st.booleans())
def test_any_pairing_equals_the_definitions(
    made: Any, mention: Any, gold: list[Raw], predicted: list[Raw], ignore: bool
) -> None:
    scores = score(*build(made, mention, gold, predicted), ignore_types=ignore)
    for name in NAMES:
        assert counted(scores, name) == by_definition(gold, predicted, name, ignore), name


@RELAXED
@given(gold=sides.filter(lambda s: len(s) < 5), predicted=sides.filter(lambda s: len(s) < 5))
def test_one_to_one_pairs_as_many_as_can_be(
    made: Any, mention: Any, gold: list[Raw], predicted: list[Raw]
) -> None:
    scores = score(*build(made, mention, gold, predicted), pairing="one-to-one")
    for name in ("strict", "sloppy", "left", "right", "left_or_right"):
        size = most_pairs(gold, predicted, name)
        assert counted(scores, name)[2:] == (size, size), name


@pytest.mark.parametrize(
    ("gold", "predicted", "expected", "why"),
    [
        (
            [(0, 7)],
            [(0, 7)],
            {"strict": (1, 1), "sloppy": (1, 1), "pnp": (3, 3), "left_or_right": (1, 1)},
            "the same",
        ),
        (
            [(0, 7)],
            [(0, 4)],
            {"strict": (0, 0), "sloppy": (1, 1), "left": (1, 1), "right": (0, 0), "pnp": (1, 1)},
            "too short on the right",
        ),
        (
            [(0, 7)],
            [(5, 7)],
            {"left": (0, 0), "right": (1, 1), "left_or_right": (1, 1), "pnp": (1, 1)},
            "too short on the left",
        ),
        (
            [(0, 4), (10, 17)],
            [(0, 17)],
            {
                "strict": (0, 0),
                "sloppy": (2, 1),
                "left": (1, 1),
                "right": (1, 1),
                "left_or_right": (2, 1),
                "pnp": (2, 2),
            },
            "one long mention over two gold ones: two numerators",
        ),
        (
            [(0, 2)],
            [(2, 4)],
            {"strict": (0, 0), "sloppy": (1, 1), "left": (0, 0), "right": (0, 0)},
            "they share a token but no character",
        ),
        ([(0, 4)], [(4, 5)], {"sloppy": (0, 0)}, "touching is not overlapping"),
        ([], [(0, 4)], {"strict": (0, 0), "pnp": (0, 0)}, "no gold"),
    ],
)
def test_small_cases(made: Any, mention: Any, gold: Any, predicted: Any, expected: Any, why: str) -> None:
    pair = made(["IL12-gene protein"], *([mention(0, (s,)) for s in side] for side in (gold, predicted)))
    scores = score(*pair, notions=[*expected])
    for name, matched in expected.items():
        assert counted(scores, name)[2:] == matched, f"{why}: {name}"


def test_published_counting_follows_table_1(made: Any, mention: Any) -> None:
    """LEFT OR RIGHT is the mean of LEFT and RIGHT, and R : P is the same under every notion of mentions."""
    gold = [mention(0, ((0, 4),)), mention(0, ((8, 14),)), mention(0, ((15, 18),))]
    predicted = [mention(0, ((0, 14),)), mention(0, ((15, 22),))]
    table = score(*made(["IL12 in kinase abc def"], gold, predicted), counting="published").table.set_index(
        "notion"
    )
    tp = table["tp"]
    assert tp["left_or_right"] == (tp["left"] + tp["right"]) / 2
    mentions = table[table["unit"] == "mention"]
    mentions = mentions[mentions["tp"] > 0]
    assert len(mentions) >= 3
    np.testing.assert_allclose(mentions["recall"] / mentions["precision"], 2 / 3)
