"""The vectorised tokeniser against Python's own regular expressions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tagsuite.sentences.tokens import PATTERNS, CodePoints, Rule, token_texts, tokenise

ALPHABET = st.characters(codec="utf-8")
COMMON = st.sampled_from("aZ9_- .(\u0301\u2003\n\x1cβ²𝛼")
TEXTS = st.lists(st.text(alphabet=st.one_of(COMMON, ALPHABET), max_size=25))


@pytest.mark.parametrize("rule", ["notions", "whitespace"])
@given(texts=TEXTS)
@settings(deadline=None, max_examples=60)
def test_tokens_are_the_matches_of_the_rule(rule: Rule, texts: list[str]) -> None:
    found = tokenise(texts, rule)
    expected = [(i, m.start(), m.end()) for i, t in enumerate(texts) for m in PATTERNS[rule].finditer(t)]
    assert list(zip(found.row.tolist(), found.start.tolist(), found.end.tolist(), strict=True)) == expected
    assert token_texts(texts, found) == [texts[r][s:e] for r, s, e in expected]
    assert found.bounds.tolist() == [sum(r < i for r, _, _ in expected) for i in range(len(texts) + 1)]


@given(texts=TEXTS.filter(lambda t: any(t)), data=st.data())
@settings(deadline=None, max_examples=60)
def test_touched_tokens_share_a_character(texts: list[str], data: st.DataObject) -> None:
    row = data.draw(st.sampled_from([i for i, t in enumerate(texts) if t]))
    start = data.draw(st.integers(0, len(texts[row]) - 1))
    end = data.draw(st.integers(start + 1, len(texts[row])))
    found = tokenise(texts)
    first, last = found.touched([row], [start], [end])
    touched = [
        i
        for i in range(len(found))
        if found.row[i] == row and max(found.start[i], start) < min(found.end[i], end)
    ]
    assert list(range(first[0], last[0])) == touched


def test_cuts_end_tokens() -> None:
    found = tokenise(["wtp53, x", "ab"], "whitespace", cuts=np.array([2, 5, 8]))
    assert token_texts(["wtp53, x", "ab"], found) == ["wt", "p53", ",", "x", "ab"]


def test_a_text_never_runs_into_the_next() -> None:
    assert tokenise(["ab", "cd"]).bounds.tolist() == [0, 1, 2]


def test_no_texts_and_empty_texts() -> None:
    assert len(tokenise([])) == 0
    assert tokenise(["", ""]).bounds.tolist() == [0, 0, 0]


def test_a_pandas_column_is_taken() -> None:
    points = CodePoints.of(pd.Series(["α-β", "x"], dtype="str"))
    assert points.lengths.tolist() == [3, 1]
    assert points.slices(np.array([0]), np.array([2]), np.array([3])) == ["β"]


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(ValueError, match="unknown rule 'moses'"):
        tokenise(["a"], "moses")  # type: ignore[arg-type]
