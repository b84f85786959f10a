"""Tests of the words next to mentions: runs of letters and digits, cut at the edges of mentions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.core.text import TextColumn
from tagsuite.sentences.mention_surroundings import find_words


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
    found = find_words(column, starts, ends)
    assert [list(pair) for pair in zip(found.starts.tolist(), found.ends.tolist(), strict=True)] == expected
