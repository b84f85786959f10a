"""The axes: tokens are the tokeniser's, wrong spans are refused, fragments keep their shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tagsuite.catalogues.core.text import TextColumn
from tagsuite.catalogues.core.tokens import tokenise
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.pairing.axes import Axes

words = st.text(alphabet="aB1-_ .β\u00b5\u0301\t\n", max_size=8)


@given(texts=st.lists(words, min_size=1, max_size=4), data=st.data())
def test_touched_tokens_are_the_tokeniser_s(texts: list[str], data: Any) -> None:
    frame = pd.DataFrame({"text_id": range(len(texts)), "text": pd.Series(texts, dtype="str")})
    axes = Axes.of(frame)
    tokens = tokenise(TextColumn(texts))
    row = data.draw(st.integers(0, len(texts) - 1))
    start = data.draw(st.integers(0, len(texts[row])))
    end = data.draw(st.integers(start, len(texts[row])))
    base = axes.base[row]
    first, last = axes.touched(np.array([base + start]), np.array([base + end]))
    expected = [
        i
        for i in range(len(tokens))
        if tokens.row[i] == row and max(start, tokens.start[i]) < min(end, tokens.end[i])
    ]
    assert list(range(first[0], last[0])) == expected


@pytest.mark.parametrize(
    ("gold", "predicted", "strict", "why"),
    [
        (((0, 2), (6, 8)), ((0, 2), (6, 8)), 1, "the same parts"),
        (((0, 2), (6, 8)), ((0, 8),), 0, "the hull is not the mention"),
        (((0, 2), (6, 8)), ((0, 3), (6, 8)), 0, "other parts of the same hull"),
        (((0, 2), (2, 8)), ((0, 8),), 1, "parts that touch are one"),
    ],
)
def test_discontinuous_mentions_match_by_their_parts(
    made: Any, mention: Any, gold: Any, predicted: Any, strict: int, why: str
) -> None:
    pair = made(["ab cd ef gh"], [mention(0, gold)], [mention(0, predicted)])
    table = score(*pair).table.set_index("notion")
    assert table.loc["strict", "tp"] == strict, why
    assert table.loc["sloppy", "tp"] == 1


def test_what_lies_in_the_gap_does_not_overlap(made: Any, mention: Any) -> None:
    pair = made(["ab cd ef gh"], [mention(0, ((0, 2), (6, 8)))], [mention(0, ((3, 5),))])
    assert (score(*pair).table["tp"] == 0).all()
