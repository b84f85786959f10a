"""Which sentences to annotate next, and the weights that keep what follows unbiased."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring.transfer.planning import candidates, drawn, lure, planned
from tagsuite.harness.scoring.transfer.weights import read_weights, weights_path, write_weights
from tagsuite.sentences.corpus import MENTION_COLUMNS, Corpus

POOL = 40
GENERATOR = np.random.Generator(np.random.PCG64(8))
MENTIONS = GENERATOR.integers(0, 5, POOL)
FOUND = GENERATOR.binomial(MENTIONS, np.where(MENTIONS > 2, 0.3, 0.9))
LOSSES = {
    "alike": np.ones(POOL),
    "telling": 0.1 + np.abs(FOUND - MENTIONS * FOUND.sum() / MENTIONS.sum()),
    "misleading": 0.1 + FOUND,
    "none": np.zeros(POOL),
}


@pytest.mark.parametrize("losses", LOSSES)
def test_weighted_recall_is_unbiased(losses: str) -> None:
    """Over many seeds weighted sums are those of the pool, and so is their ratio, whatever was expected."""
    number, tries = 12, 4000
    sums = np.zeros((tries, 2))
    for seed in range(tries):
        rows, chances = drawn(LOSSES[losses], number, seed)
        weights = lure(chances, POOL)
        sums[seed] = weights @ FOUND[rows] / number, weights @ MENTIONS[rows] / number
    for drawn_sums, whole in zip(sums.T, (FOUND, MENTIONS), strict=True):
        error = drawn_sums.std() / np.sqrt(tries)
        assert abs(drawn_sums.mean() - whole.mean()) < 4 * error
    recall = sums[:, 0] / sums[:, 1]
    # a ratio of unbiased sums is off by something of the order of 1 / number
    assert recall.mean() == pytest.approx(FOUND.sum() / MENTIONS.sum(), abs=0.5 / number)


def test_unweighted_recall_is_biased_where_the_draw_is_not_even() -> None:
    recalls = []
    for seed in range(500):
        rows, _ = drawn(LOSSES["misleading"], 12, seed)
        recalls.append(FOUND[rows].sum() / MENTIONS[rows].sum())
    assert np.mean(recalls) - FOUND.sum() / MENTIONS.sum() > 0.05


def test_a_telling_draw_errs_less_than_an_even_one() -> None:
    errors = {}
    for name in ("alike", "telling"):
        found = []
        for seed in range(1500):
            rows, chances = drawn(LOSSES[name], 12, seed)
            weights = lure(chances, POOL)
            found.append(weights @ FOUND[rows] / (weights @ MENTIONS[rows]))
        errors[name] = np.std(found)
    assert errors["telling"] < 0.95 * errors["alike"]


def test_where_all_are_drawn_all_weigh_the_same() -> None:
    rows, chances = drawn(LOSSES["telling"], POOL, 1)
    assert sorted(rows) == list(range(POOL))
    assert lure(chances, POOL) == pytest.approx(np.ones(POOL))
    again, _ = drawn(LOSSES["telling"], POOL, 1)
    other, _ = drawn(LOSSES["telling"], POOL, 2)
    assert rows.tolist() == again.tolist() != other.tolist()
    with pytest.raises(InputError, match="more sentences are to be annotated than there are"):
        drawn(LOSSES["telling"], POOL + 1, 1)


def test_even_draws_have_even_weights() -> None:
    _, chances = drawn(np.zeros(POOL), 9, 1)
    assert lure(chances, POOL) == pytest.approx(np.ones(9))


def raw(*texts: str) -> Corpus:
    """Sentences without gold."""
    frame = pd.DataFrame({"text_id": [f"s{i}" for i in range(len(texts))], "text": texts}).astype("str")
    frame.insert(1, "document_id", pd.Series([""] * len(texts), dtype="str"))
    none = pd.DataFrame({c: [] for c in MENTION_COLUMNS})
    return Corpus("raw", frame, none.astype({"text_id": "str", "start": "int64", "end": "int64"}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The p53 gene and BRCA1.", ["p53", "BRCA1"]),
        ("We saw it in 12 cells, mostly.", []),
        ("Wnt signals (TNF-α) rise", ["TNF-α"]),
        ("cdc25/wee1 bind mRNA.", ["cdc25/wee1", "mRNA"]),
    ],
)
def test_what_is_formed_like_a_name_is_a_candidate(text: str, words: list[str]) -> None:
    found = candidates(raw(text))
    assert [text[s:e] for s, e in zip(found["start"], found["end"], strict=True)] == words


def test_what_was_proposed_comes_before_what_is_formed_like_a_name() -> None:
    pool = raw("So wnt one and p53 act.", "And wnt.")
    proposed = pd.DataFrame({"text_id": ["s0", "s0", "s1"], "start": [3, 15, 4], "end": [10, 18, 7]})
    found = candidates(pool, proposed)
    assert list(zip(found["text_id"], found["start"], found["end"], strict=True)) == [
        ("s0", 3, 10),
        ("s0", 15, 18),
        ("s1", 4, 7),
    ]


@pytest.fixture
def plan(tmp_path: Path) -> tuple[Corpus, np.ndarray, Path]:
    """Four of six sentences, two of which are alike, with the file of their weights."""
    pool = raw("One.", "Two.", "Same.", "Same.", "Five.", "Six.")
    chosen = planned(pool, np.array([3, 0, 2, 5]))
    chances = np.array([0.1, 0.3, 0.2, 0.4])
    path = weights_path(tmp_path / "todo")
    write_weights(chosen, chances, 6, path)
    return chosen, chances, path


@pytest.mark.parametrize("kept", [4, 3, 1])
def test_weights_are_those_of_as_many_sentences_as_were_annotated(
    plan: tuple[Corpus, np.ndarray, Path], kept: int
) -> None:
    chosen, chances, path = plan
    assert path.name == "todo.weights.csv"
    done = planned(chosen, np.arange(kept)[::-1])
    # the same text twice: the first is the first, wherever identifiers went
    expected = lure(chances[:kept], 6)
    if kept >= 3:
        expected = expected[[0, 1, 2, 3][:kept]]
        texts = done.texts["text"].tolist()
        order = [["Same.", "One.", "Same.", "Six."].index(t) for t in texts]
        seen = [i for i, t in enumerate(texts) if t == "Same."]
        order[seen[1]] = 2
        expected = expected[order]
    assert read_weights(path, done) == pytest.approx(expected)


def test_an_annotated_sentence_may_have_other_white_space(plan: tuple[Corpus, np.ndarray, Path]) -> None:
    chosen, chances, path = plan
    other = Corpus("x", chosen.texts.assign(text=chosen.texts["text"] + "\n"), chosen.mentions)
    assert read_weights(path, other) == pytest.approx(lure(chances, 6))


def test_sentences_out_of_plan_are_refused(plan: tuple[Corpus, np.ndarray, Path]) -> None:
    chosen, _, path = plan
    with pytest.raises(InputError, match=r"not in the plan.*text s0"):
        read_weights(path, raw("Another."))
    with pytest.raises(
        InputError, match=r"weights.csv:2: .*drawn before others is not annotated.*text s3 of turn 1"
    ):
        read_weights(path, planned(chosen, np.array([1, 3])))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "the file is empty; allowed: what tagsuite calibrate --plan wrote, with turn, text_id"),
        ("turn,text_id\n1,a,b,c\n1,a\n1,2,3,4,5\n", "not a readable CSV file"),
        ("turn,text_id\n1,a\n", "a column is missing"),
        ("turn,text_id,text_sha256,probability,pool\n2,a,b,0.5,9\n", "not a row of a plan"),
        ("turn,text_id,text_sha256,probability,pool\n1,a,b,0,9\n", "not a row of a plan"),
        ("turn,text_id,text_sha256,probability,pool\n1,a,b,x,9\n", "not a row of a plan"),
        ("turn,text_id,text_sha256,probability,pool\n1,a,b,0.5,0\n", "not a row of a plan"),
    ],
)
def test_files_that_are_no_weights_are_refused(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "w.csv").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_weights(tmp_path / "w.csv", raw("One."))
