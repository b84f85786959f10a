"""Words beside mentions: runs of letters and digits, cut where a mention begins or ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tagsuite.catalogues.core.text import TextColumn
from tagsuite.sentences.environment import words

# text, with [ and ] where a mention begins and ends; its words; why
TABLE = [
    ("the p53 gene", ["the", "p53", "gene"], "white space parts words"),
    ("anti[IL2]body", ["anti", "IL2", "body"], "a mention within a word cuts it at both edges"),
    ("[IL2]body", ["IL2", "body"], "one at the beginning of the text"),
    ("anti[IL2]", ["anti", "IL2"], "one at its end"),
    ("[IL2]", ["IL2"], "one that is the whole text"),
    ("[IL][2]x", ["IL", "2", "x"], "two that meet"),
    ("[a b]c", ["a", "b", "c"], "an edge after white space cuts nothing more"),
    ("α[β]γ", ["α", "β", "γ"], "letters of any script"),
    ("", [], "no text"),
    (", (", [], "no word"),
]


@pytest.mark.parametrize(("marked", "expected", "why"), TABLE)
def test_words_of_a_text(marked: str, expected: list[str], why: str) -> None:
    places = [i for i, sign in enumerate(marked) if sign in "[]"]
    edges = [place - before for before, place in enumerate(places)]
    text = marked.replace("[", "").replace("]", "")
    found = words(TextColumn([text]), np.array(edges[::2], dtype=np.int64), np.array(edges[1::2], np.int64))
    assert [text[a:b] for a, b in zip(found.starts, found.ends, strict=True)] == expected, why


@given(st.lists(st.text("aB1 -,é", max_size=12), min_size=1, max_size=4), st.data())
def test_words_are_the_runs_between_edges(texts: list[str], data: st.DataObject) -> None:
    column = TextColumn(texts)
    whole = "\n".join([*texts, ""])
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole) - 1), max_size=6)))
    starts, ends = np.array(cuts[:-1:2], dtype=np.int64), np.array(cuts[1::2], dtype=np.int64)
    edges = {*starts.tolist(), *ends.tolist()}
    expected: list[list[int]] = []
    for place, sign in enumerate(whole):
        if not sign.isalnum():
            continue
        if place in edges or not expected or expected[-1][1] != place:
            expected.append([place, place])
        expected[-1][1] = place + 1
    found = words(column, starts, ends)
    assert [list(pair) for pair in zip(found.starts.tolist(), found.ends.tolist(), strict=True)] == expected
