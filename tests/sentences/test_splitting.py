"""Tests of the sentence splitter: a table of places that end a sentence and places that do not."""

from __future__ import annotations

import numpy as np
import pytest

from tagsuite.catalogues.core.text import TextColumn
from tagsuite.sentences.sentence_splitter import split_sentences
from tagsuite.sentences.spans import merge_intervals

TABLE = [
    # text with mentions in <>, sentences, why
    ("One rose. Two fell.", ["One rose.", "Two fell."], "a full stop before a capital"),
    ("One rose (twice.) Two fell.", ["One rose (twice.)", "Two fell."], "a closing bracket after the stop"),
    ("Did it? Yes! 3 did.", ["Did it?", "Yes!", "3 did."], "other marks, and a digit"),
    ("In E. Coli it rose.", ["In E. Coli it rose."], "a single capital letter"),
    ("It fell. bif rose.", ["It fell. bif rose."], "a lower-case letter goes on"),
    ("It fell. <bif> rose.", ["It fell.", "bif rose."], "but a mention may begin a sentence"),
    ("We lost <Fig>. It rose.", ["We lost Fig.", "It rose."], "a mention is no abbreviation"),
    ("The <Who? Me> gene.", ["The Who? Me gene."], "no boundary within a mention"),
    ("Title\nFirst line. Second.\n\nEnd", ["Title", "First line.", "Second.", "End"], "line breaks"),
    ("", [""], "nothing"),
]


def spans(marked: str) -> tuple[str, list[tuple[int, int]]]:
    text, found = "", []
    for number, piece in enumerate(marked.replace(">", "<").split("<")):
        if number % 2:
            found.append((len(text), len(text) + len(piece)))
        text += piece
    return text, found


@pytest.mark.parametrize(("marked", "expected", "why"), TABLE)
def test_sentences(marked: str, expected: list[str], why: str) -> None:
    text, zones = spans(marked)
    # texts before and after do not change the sentences of a text
    texts = ["Before.", text, "Behind. It."]
    column = TextColumn(texts)
    base = int(column.starts[1])
    starts = np.array([base + a for a, _ in zones], dtype=np.int64)
    ends = np.array([base + b for _, b in zones], dtype=np.int64)
    found = split_sentences(column, *merge_intervals(starts, ends))
    whole = "\n".join(texts) + "\n"
    own = found.text_rows == 1
    pieces = [whole[a:b] for a, b in zip(found.starts[own], found.ends[own], strict=True)]
    assert [p for p in pieces if p] == [e for e in expected if e], why
    assert (found.text_rows == 0).sum() == 1
    assert (found.text_rows == 2).sum() == 2


def test_zones_unite_what_overlaps_and_keep_what_touches_apart() -> None:
    starts, ends = merge_intervals(np.array([5, 0, 2, 9]), np.array([7, 3, 5, 12]))
    assert starts.tolist() == [0, 5, 9]
    assert ends.tolist() == [5, 7, 12]
