"""Tests of the choice of sentences to annotate, and of their weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring.transfer.planning import (
    AnnotationPlan,
    compute_expected_losses,
    compute_lure_weights,
    draw_sentences,
    find_candidates,
    join_plans,
    make_empty_plan,
    make_weights_path,
    read_plan,
    take_sentences,
    write_plan,
)
from tagsuite.sentences.corpus import MENTION_COLUMNS, Corpus

POOL = 40
LOSSES = np.array([0.1 + row % 7 for row in range(POOL)])
SMALL_FOUND, SMALL_MENTIONS = np.array([0, 1, 3, 0, 2]), np.array([1, 1, 4, 0, 3])
SMALL_LOSSES = {
    "alike": np.ones(5),
    "telling": 0.1 + np.abs(SMALL_FOUND - SMALL_MENTIONS * 6 / 9),
    "misleading": 0.1 + SMALL_FOUND,
    "none": np.zeros(5),
}
Orders = dict[tuple[int, ...], np.ndarray]


def every_next(losses: np.ndarray, before: tuple[int, ...]) -> dict[int, float]:
    """Yield the sentences that may be drawn next, with their probabilities."""
    found: dict[int, float] = {}
    seed = 0
    while len(found) < len(losses) - len(before):
        (row,), (chance,) = draw_sentences(losses, 1, seed, np.array(before, dtype=np.int64))
        assert found.setdefault(int(row), float(chance)) == chance
        seed += 1
    assert sum(found.values()) == pytest.approx(1.0, rel=1e-12)
    return found


def every_draw(number: int, expected: Callable[[tuple[int, ...]], np.ndarray]) -> Orders:
    """Yield all possible orders of drawing from a small pool, with the probability of each draw."""
    orders: Orders = {(): np.ones(0)}
    for _ in range(number):
        orders = {
            (*order, row): np.append(chances, chance)
            for order, chances in orders.items()
            for row, chance in every_next(expected(order), order).items()
        }
    return orders


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("losses", SMALL_LOSSES)
def test_weighted_sums_are_unbiased_to_the_last_digit(losses: str, number: int) -> None:
    """The mean over all possible draws equals the mean of the pool, for any expected losses."""

    def expected(order: tuple[int, ...]) -> np.ndarray:
        learned = bool(order) and SMALL_FOUND[order[0]] > 0
        return SMALL_LOSSES["misleading" if learned and losses == "telling" else losses]

    orders = every_draw(number, expected)
    assert sum(q.prod() for q in orders.values()) == pytest.approx(1.0, rel=1e-12)
    for of_each in (SMALL_FOUND, SMALL_MENTIONS):
        sums = [q.prod() * (compute_lure_weights(q, 5) @ of_each[list(order)]) for order, q in orders.items()]
        assert sum(sums) / number == pytest.approx(of_each.mean(), rel=1e-12)


@pytest.mark.parametrize("rounds", ["one", "two with one seed", "two with two seeds"])
@pytest.mark.parametrize("losses", SMALL_LOSSES)
def test_sentences_are_drawn_as_often_as_is_told(losses: str, rounds: str) -> None:
    """Each order of two sentences is drawn with its probability, in one round and in two."""
    tries, expected = 1500, SMALL_LOSSES[losses]
    orders = every_draw(2, lambda order: expected)
    seen = dict.fromkeys(orders, 0)
    for seed in range(tries):
        if rounds == "one":
            rows = draw_sentences(expected, 2, seed)[0]
        else:
            first = draw_sentences(expected, 1, seed)[0]
            other = seed if rounds == "two with one seed" else seed + tries
            rows = np.r_[first, draw_sentences(expected, 1, other, first)[0]]
        seen[tuple(rows.tolist())] += 1
    told = np.array([q.prod() for q in orders.values()]) * tries
    assert chisquare(list(seen.values()), told).pvalue > 1e-3


def test_where_all_are_drawn_all_weigh_the_same() -> None:
    rows, chances = draw_sentences(LOSSES, POOL, 1)
    assert sorted(rows) == list(range(POOL))
    assert compute_lure_weights(chances, POOL) == pytest.approx(np.ones(POOL))
    again, _ = draw_sentences(LOSSES, POOL, 1)
    other, _ = draw_sentences(LOSSES, POOL, 2)
    assert rows.tolist() == again.tolist() != other.tolist()
    second, left = draw_sentences(LOSSES, POOL - 6, 1, rows[:6])
    assert second.tolist() == rows[6:].tolist(), "two rounds are as one of both their numbers"
    assert left == pytest.approx(chances[6:], rel=1e-12)


def raw(*texts: str) -> Corpus:
    """Return a corpus without gold mentions."""
    frame = pd.DataFrame({"text_id": [f"s{i}" for i in range(len(texts))], "text": texts}).astype("str")
    frame.insert(1, "document_id", pd.Series([""] * len(texts), dtype="str"))
    none = pd.DataFrame({c: [] for c in MENTION_COLUMNS})
    return Corpus("raw", frame, none.astype({"text_id": "str", "start": "int64", "end": "int64"}))


@pytest.mark.parametrize(
    ("text", "proposed", "words"),
    [
        ("The p53 gene and BRCA1.", [], ["p53", "BRCA1"]),
        ("We saw it in 12 cells, mostly.", [], []),
        ("Wnt signals (TNF-α) rise", [], ["TNF-α"]),
        ("cdc25/wee1 bind mRNA.", [], ["cdc25/wee1", "mRNA"]),
        ("So wnt one and p53 act.", [(3, 10), (15, 18)], ["wnt one", "p53"]),
    ],
)
def test_what_was_proposed_or_is_formed_like_a_name_is_a_candidate(
    text: str, proposed: list[tuple[int, int]], words: list[str]
) -> None:
    given = pd.DataFrame(proposed, columns=["start", "end"], dtype="int64").assign(text_id="s0")
    found = find_candidates(raw(text), given)
    assert [text[s:e] for s, e in zip(found["start"], found["end"], strict=True)] == words


@pytest.mark.parametrize(
    ("p", "losses"),
    [
        # three mentions in two of three sentences; the mean is taken off
        ([0.5, 0.5, 0.5], [0.5**0.5, 0.5, 0.0]),
        ([1.0, 1.0, 0.0], [2 / 3, 2 / 3, 0.0]),
        ([], [0.0, 0.0, 0.0]),
    ],
)
def test_losses_are_of_the_mentions_that_are_given(p: list[float], losses: list[float]) -> None:
    pool = raw("So wnt one and p53 act.", "And wnt.", "BRCA1.")
    found = find_candidates(raw("p1 p2 p3"))
    found = found.iloc[: len(p)].assign(text_id=pd.Series(["s0", "s0", "s1"][: len(p)], dtype="str"))
    assert compute_expected_losses(lambda frame: np.array(p), [], pool, found) == pytest.approx(losses)


@pytest.mark.parametrize("kept", [4, 3, 1])
def test_weights_are_those_of_as_many_sentences_as_were_annotated(tmp_path: Path, kept: int) -> None:
    pool = raw("One.", "Two.", "Same.", "Same.", "Five.", "Six.")
    chosen = take_sentences(pool, np.array([3, 0, 2, 5]))
    chances = np.array([0.1, 0.3, 0.2, 0.4])
    path = make_weights_path(tmp_path / "todo")
    assert path.name == "todo.weights.csv"
    write_plan(make_empty_plan(6, path).extend(chosen, chances))
    done = take_sentences(chosen, np.arange(kept)[::-1])
    # white space does not matter; of the same text twice the first counts as drawn first
    spaced = Corpus("x", done.texts.assign(text=done.texts["text"] + "\n"), done.mentions)
    order = {4: [3, 0, 1, 2], 3: [0, 1, 2], 1: [0]}[kept]
    assert read_plan(path).compute_weights([spaced])[0] == pytest.approx(
        compute_lure_weights(chances[:kept], 6)[order]
    )


def test_sentences_out_of_plan_are_refused(
    rounds: tuple[Corpus, Corpus, Corpus, AnnotationPlan, AnnotationPlan],
) -> None:
    _, first, _, one, _ = rounds
    with pytest.raises(InputError, match=r"must be in the plan.*text s0"):
        one.compute_weights([raw("Another.")])
    with pytest.raises(InputError, match=r"weights.csv:2: .*not annotated.*text s3, sentence 1 of the plan"):
        one.compute_weights([take_sentences(first, np.array([1, 2]))])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "the file is empty; allowed: a file that tagsuite calibrate --plan wrote, with turn, text_id"),
        ("turn,text_id,text_sha256,probability,pool\n2,a,b,0.5,9\n", "invalid row in a file of weights"),
        ("turn,text_id,text_sha256,probability,pool\n1,a,b,x,9\n", "invalid row in a file of weights"),
    ],
)
def test_files_that_are_no_weights_are_refused(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "w.csv").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_plan(tmp_path / "w.csv")


@pytest.fixture
def rounds(tmp_path: Path) -> tuple[Corpus, Corpus, Corpus, AnnotationPlan, AnnotationPlan]:
    """Return a pool, a round of three sentences, a round of two, and the plans of both."""
    pool = raw("One.", "Two.", "Same.", "Same.", "Five.", "Six.", "Seven.")
    rows = np.array([3, 0, 5])
    first = take_sentences(pool, rows)
    one = make_empty_plan(7, make_weights_path(tmp_path / "first")).extend(first, np.array([0.1, 1 / 3, 0.2]))
    write_plan(one)
    one = read_plan(one.path)
    assert one.find_pool_rows(pool).tolist() == rows.tolist()
    second = take_sentences(pool, np.array([2, 1]))
    two = replace(one.extend(second, np.array([0.3, 0.7])), path=make_weights_path(tmp_path / "second"))
    write_plan(two)
    return pool, first, second, one, read_plan(two.path)


def test_one_goes_on_from_what_was_annotated(
    rounds: tuple[Corpus, Corpus, Corpus, AnnotationPlan, AnnotationPlan],
) -> None:
    """Only two of three sentences were annotated before the second round."""
    pool, first, _, one, _ = rounds
    done = take_sentences(first, np.array([0, 1]))
    more = take_sentences(pool, np.array([4]))
    two = replace(
        one.take_first(2).extend(more, np.array([0.5])), path=one.path.with_name("more.weights.csv")
    )
    ((whole, members),) = join_plans([one, two], [done, more])
    assert (whole.path, members) == (two.path, [0, 1])
    assert np.concatenate(whole.compute_weights([done, more])) == pytest.approx(
        compute_lure_weights(np.array([0.1, 1 / 3, 0.5]), 7)
    )


@pytest.mark.parametrize("begun", [6, 3])
def test_plans_of_different_draws_are_weighed_apart(
    rounds: tuple[Corpus, Corpus, Corpus, AnnotationPlan, AnnotationPlan], begun: int
) -> None:
    """Plans are not joined, even if they begin with the same sentence."""
    pool, first, _, one, _ = rounds
    other = take_sentences(pool, np.array([begun, 4]))
    apart = make_empty_plan(7, one.path.with_name("other.weights.csv")).extend(other, np.array([0.2, 0.2]))
    assert [members for _, members in join_plans([one, None, apart], [first, pool, other])] == [[0], [2]]
