"""Notions and schemes agree with their definitions, and have properties that hold for all options."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tagsuite.catalogues.core.text import TextColumn
from tagsuite.catalogues.core.tokens import tokenise
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.notions import ALL_NOTIONS as REGISTRY
from tagsuite.harness.scoring.notions import NOTIONS
from tagsuite.harness.scoring.options import PAIRINGS, Alternatives, Pairing
from tagsuite.harness.scoring.pairing.axes import TextAxes
from tagsuite.harness.scoring.scores import Scores

from .conftest import Made, make_pair

TEXTS = ["a-b c1", "", "β2 (x) _y z", " "]
COUNTS = ("gold", "predicted", "gold_matched", "predicted_matched")
EVERY = tuple(n.name for n in REGISTRY)
READ = tuple(n.name for n in REGISTRY if not n.no_alternatives_reason)
NAMES = tuple(n.name for n in NOTIONS)
TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")

Raw = tuple[int, tuple[tuple[int, int], ...], str]


@dataclass(frozen=True)
class Way:
    """Options for counting, with the notions that they support."""

    pairing: Pairing = "any"
    alternatives: Alternatives = "none"
    notions: tuple[str, ...] = EVERY
    ignore_types: bool = False


WAYS = (
    *(Way(pairing) for pairing in PAIRINGS),
    Way("one-to-one", ignore_types=True),
    Way(alternatives="optimal", notions=READ),
    Way(alternatives="optimal", notions=READ, ignore_types=True),
    Way(alternatives="published", notions=("strict",)),
)
ways = st.sampled_from(WAYS)
RELAXED = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def spans(draw: Any, most: int = 4) -> Raw:
    row = draw(st.sampled_from([0, 0, 2, 2, 3]))
    length = len(TEXTS[row])
    cuts = sorted(set(draw(st.lists(st.integers(0, length), min_size=2, max_size=most))))
    if len(cuts) < 2:
        cuts = [0, 1]
    edges = cuts if len(cuts) % 2 == 0 else cuts[:-1]
    return row, tuple(zip(edges[::2], edges[1::2], strict=True)), draw(st.sampled_from("AB"))


sides = st.lists(spans(), max_size=6)
others = st.lists(spans(most=2), max_size=4)


def counted(
    way: Way, gold: Sequence[Raw], predicted: Sequence[Raw], accepted: Sequence[Raw], **classes: Any
) -> Scores:
    pair = make_pair(
        TEXTS,
        [Made(*m) for m in gold],
        [Made(*m) for m in predicted],
        alternatives=[Made(*m) for m in accepted],
    )
    return score(
        *pair,
        notions=way.notions,
        pairing=way.pairing,
        alternatives=way.alternatives,
        ignore_types=way.ignore_types,
        **classes,
    )


def numbers(scores: Scores, name: str = "all") -> Any:
    """Return an array of notions × the four counts."""
    return np.array(
        [[getattr(scores.count_by_text(n, name), c).sum() for c in COUNTS] for n in scores.tallies],
        dtype=float,
    )


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
    """Return gold, predicted, gold_matched and predicted_matched, computed from the definitions."""
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
    """Return the size of the largest one-to-one pairing, found by trying all."""
    edges = [
        (i, j) for i, g in enumerate(gold) for j, p in enumerate(predicted) if satisfied(g, p, notion, False)
    ]
    for size in range(min(len(gold), len(predicted)), 0, -1):
        for chosen in itertools.combinations(edges, size):
            if len({i for i, _ in chosen}) == size == len({j for _, j in chosen}):
                return size
    return 0


@RELAXED
@given(gold=sides, predicted=sides, ignore=st.booleans())
def test_any_pairing_equals_the_definitions(gold: list[Raw], predicted: list[Raw], ignore: bool) -> None:
    scores = counted(Way(notions=NAMES, ignore_types=ignore), gold, predicted, [])
    for name, row in zip(scores.tallies, numbers(scores).tolist(), strict=True):
        assert tuple(row) == by_definition(gold, predicted, name, ignore), name


@RELAXED
@given(gold=sides.filter(lambda s: len(s) < 5), predicted=sides.filter(lambda s: len(s) < 5))
def test_one_to_one_pairs_as_many_as_can_be(gold: list[Raw], predicted: list[Raw]) -> None:
    names = ("strict", "sloppy", "left", "right", "left_or_right")
    scores = counted(Way("one-to-one", notions=names), gold, predicted, [])
    for name, row in zip(scores.tallies, numbers(scores).tolist(), strict=True):
        assert row[2:] == [most_pairs(gold, predicted, name)] * 2, name


@RELAXED
@given(gold=sides, predicted=sides, accepted=others, way=ways, random=st.randoms(use_true_random=False))
def test_order_changes_nothing(
    gold: list[Raw], predicted: list[Raw], accepted: list[Raw], way: Way, random: Any
) -> None:
    first = counted(way, gold, predicted, accepted)
    shuffled = [list(gold), list(predicted), list(accepted)]
    for side in shuffled:
        random.shuffle(side)
    second = counted(way, *shuffled)
    np.testing.assert_allclose(numbers(first), numbers(second), rtol=1e-12, atol=0)


@RELAXED
@given(
    gold=sides, predicted=sides, way=st.sampled_from([w for w in WAYS if w.alternatives == "none"])
)  # alternatives belong to the gold: there the roles are not the same
def test_exchanging_the_sides_exchanges_recall_and_precision(
    gold: list[Raw], predicted: list[Raw], way: Way
) -> None:
    mine = numbers(counted(way, gold, predicted, []))
    theirs = numbers(counted(way, predicted, gold, []))
    np.testing.assert_allclose(mine, theirs[:, [1, 0, 3, 2]])


@RELAXED
@example(  # in text 2 only the alternative has type B, and types are ignored
    gold=[(0, ((0, 1),), "A"), (2, ((0, 1),), "A")],
    predicted=[(0, ((0, 1),), "B"), (2, ((0, 2),), "A")],
    accepted=[(2, ((0, 2),), "B")],
    way=Way(alternatives="optimal", notions=READ, ignore_types=True),
    first={0},
)
@given(gold=sides, predicted=sides, accepted=others, way=ways, first=st.sets(st.sampled_from([0, 2, 3])))
def test_counts_add_over_any_split_of_the_corpus(
    gold: list[Raw], predicted: list[Raw], accepted: list[Raw], way: Way, first: set[int]
) -> None:
    whole = counted(way, gold, predicted, accepted)
    parts = [
        counted(
            way,
            *([m for m in side if (m[0] in first) == here] for side in (gold, predicted, accepted)),
        )
        for here in (True, False)
    ]
    np.testing.assert_allclose(numbers(whole), sum(numbers(p) for p in parts))
    for name in way.notions:
        total, one, other = (s.count_by_text(name) for s in (whole, *parts))
        added = one + other
        for column in COUNTS:
            np.testing.assert_allclose(getattr(total, column), getattr(added, column), err_msg=name)


@RELAXED
@given(gold=sides, predicted=sides, accepted=others, way=ways)
def test_classes_of_a_division_add_up_to_the_whole(
    gold: list[Raw], predicted: list[Raw], accepted: list[Raw], way: Way
) -> None:
    named = [Class.from_query("a", "length <= 2"), Class.from_query("b", "not length <= 2")]
    divided = {"classes": named, "by": ["length", "type", "case"]}
    scores = counted(way, gold, predicted, accepted, **divided)
    table = scores.wilson_table[scores.wilson_table["type"] == "all"]
    columns = [*COUNTS, "tp", "fp", "fn"]
    whole = table[table["class"] == "all"].set_index("notion")[columns].astype(float)
    for feature in ("length", "type", "case"):  # case is absent without letters
        parts = table[table["class"].str.match(rf"(mention\.)?{feature}\b")]
        added = parts.groupby("notion", sort=False)[columns].sum().reindex(whole.index, fill_value=0)
        np.testing.assert_allclose(added.astype(float), whole, err_msg=feature)
    np.testing.assert_allclose(numbers(scores, "a") + numbers(scores, "b"), numbers(scores))


@pytest.mark.parametrize("way", WAYS, ids=lambda w: f"{w.pairing}-{w.alternatives}-{w.ignore_types}")
@pytest.mark.parametrize(
    ("gold", "predicted", "undefined"),
    [
        ([], [], ("precision", "recall", "f1")),
        ([(0, ((0, 1),), "A")], [], ("precision", "f1")),
        ([], [(0, ((0, 1),), "A")], ("recall", "f1")),
    ],
)
def test_nothing_by_nothing_is_undefined(
    way: Way, gold: list[Raw], predicted: list[Raw], undefined: tuple[str, ...]
) -> None:
    table = counted(way, gold, predicted, []).table
    table = table[(table["class"] == "all") & (table["type"] == "all")]
    assert len(table) == len(way.notions)
    for measure in ("precision", "recall", "f1"):
        ends = [measure, f"{measure}_low", f"{measure}_high"]
        if measure in undefined:
            assert table[ends].isna().all(axis=None), (measure, table[ends])
        else:
            assert (table[measure] == 0).all(), measure


def total(scores: Scores, notion: str) -> float:
    return float(scores.count_by_text(notion).predicted_matched.sum())


@RELAXED
@given(
    gold=st.lists(spans(most=2), max_size=3),
    predicted=st.lists(spans(most=2), max_size=3),
    accepted=st.lists(spans(most=2), max_size=3),
)
def test_optimal_alternatives_are_the_best_choice_of_readings(
    gold: list[Raw], predicted: list[Raw], accepted: list[Raw]
) -> None:
    """Optimal alternatives give the best score over all choices of readings."""
    asked = ("strict", "sloppy", "muc_strict", "overlap_credit", "slot_error")
    found = counted(Way(alternatives="optimal", notions=asked), gold, predicted, accepted)
    readings = [[g, *(a for a in accepted if stands_for(a, g))] for g in gold]
    best = dict.fromkeys(asked, 0.0)
    plain = Way("one-to-one", notions=asked)
    for chosen in itertools.product(*readings):
        tried = counted(plain, chosen, predicted, [])
        best = {n: max(best[n], total(tried, n)) for n in asked}
    assert {n: pytest.approx(total(found, n)) for n in asked} == best


def stands_for(alternative: Raw, gold: Raw) -> bool:
    """Return True if an alternative shares a code point with a gold mention of its text and type."""
    if (alternative[0], alternative[2]) != (gold[0], gold[2]):
        return False
    return any(max(a, c) < min(b, d) for a, b in alternative[1] for c, d in gold[1])


words = st.text(alphabet="aB1-_ .β\u00b5\u0301\t\n", max_size=8)


@given(texts=st.lists(words, min_size=1, max_size=4), data=st.data())
def test_touched_tokens_are_the_tokeniser_s(texts: list[str], data: Any) -> None:
    frame = pd.DataFrame({"text_id": range(len(texts)), "text": pd.Series(texts, dtype="str")})
    axes = TextAxes.from_texts(frame)
    tokens = tokenise(TextColumn(texts))
    row = data.draw(st.integers(0, len(texts) - 1))
    start = data.draw(st.integers(0, len(texts[row])))
    end = data.draw(st.integers(start, len(texts[row])))
    base = axes.text_starts[row]
    first, last = axes.find_tokens(np.array([base + start]), np.array([base + end]))
    expected = [
        i
        for i in range(len(tokens))
        if tokens.row[i] == row and max(start, tokens.start[i]) < min(end, tokens.end[i])
    ]
    assert list(range(first[0], last[0])) == expected


def test_parts_that_touch_are_one() -> None:
    pair = make_pair(["ab cd ef gh"], [Made(0, ((0, 2), (2, 8)))], [Made(0, ((0, 8),))])
    assert (score(*pair).table["tp"] > 0).all()
