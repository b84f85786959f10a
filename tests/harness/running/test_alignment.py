"""Mentions in altered output get their position in the text that was sent, or are counted as unplaced."""

from __future__ import annotations

import html
import re
import sys
import unicodedata
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.harness.running.outputs.alignment import Alignment, fold_text

CHANGES: dict[str, Callable[[str], str]] = {
    "nothing": lambda t: t,
    "blanks around every sign": lambda t: re.sub(r"([^\w\s])", r" \1 ", t),
    "no blanks": lambda t: "".join(t.split()),
    "tabs": lambda t: t.replace(" ", "\t"),
    "upper case": str.upper,
    "lower case": str.lower,
    "escaped": html.escape,
    "decomposed": lambda t: unicodedata.normalize("NFD", t),
    "compatibility": lambda t: unicodedata.normalize("NFKC", t),
    "treebank": lambda t: t.replace("(", "-LRB-").replace(")", "-RRB-").replace('"', "``"),
    "curly quotes": lambda t: t.replace("'", "’").replace('"', "”"),
}
LETTERS = st.text(st.sampled_from("abcXYZ019 -/(),.'\"&<αβéßﬁµ²"), min_size=1, max_size=40)


@pytest.mark.parametrize("change", CHANGES)
@given(parts=st.lists(LETTERS, min_size=3, max_size=3))
def test_a_mention_keeps_its_letters_whatever_is_done_to_the_text(change: str, parts: list[str]) -> None:
    text = " ".join(parts)
    altered = [CHANGES[change](p) for p in parts]
    given_text = " ".join(altered)
    span = (len(altered[0]) + 1, len(altered[0]) + 1 + len(altered[1]))
    alignment = Alignment(given_text, text)
    placed = alignment.map_spans([span])[0]
    if not fold_text(altered[1]) or fold_text(altered[1]) != fold_text(parts[1]):
        # nothing but white space; or letters that only their neighbours make an entity
        return
    if alignment.is_exact:
        assert placed is not None
        assert fold_text(text[placed[0] : placed[1]]) == fold_text(parts[1])


@given(left=LETTERS, inner=LETTERS, right=LETTERS, noise=LETTERS, where=st.integers(0, 2))
def test_what_is_placed_agrees_at_both_edges(
    left: str, inner: str, right: str, noise: str, where: int
) -> None:
    text = f"{left}{inner}{right}"
    altered = [noise + left + inner + right, left + noise + inner + right, left + inner + right + noise][
        where
    ]
    start = len(altered.partition(inner)[0])
    placed = Alignment(altered, text).map_spans([(start, start + len(inner))])[0]
    if placed is not None:
        low, high = placed
        assert 0 <= low < high <= len(text)


REPLACED = [
    ("the alpha form of it", "the α form of it", (4, 9), "α", "a letter spelt out"),
    ("we saw kinase x9 in it", "we saw kinase in it", (7, 16), "", "unsent words at the edge"),
    ("the p53 gene was", "the p53 was", (4, 7), "p53", "words put in elsewhere"),
    ("p53 binds", "the p53 gene binds", (0, 3), "p53", "words left out elsewhere"),
    ("p53 binds", "p53 binds", (3, 4), "", "a mention of white space"),
]


@pytest.mark.parametrize(
    ("given_text", "sent", "span", "word", "why"), REPLACED, ids=[r[4] for r in REPLACED]
)
def test_replaced_stretches(given_text: str, sent: str, span: tuple[int, int], word: str, why: str) -> None:
    placed = Alignment(given_text, sent).map_spans([span])[0]
    assert ("" if placed is None else sent[placed[0] : placed[1]]) == word


def test_the_work_of_alignment_grows_with_the_length_alone() -> None:
    def calls(size: int) -> int:
        count = 0

        def note(_frame: FrameType, event: str, _argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        text = " ".join(f"word{i % 97} x{i % 1000}" for i in range(size))
        sys.setprofile(note)
        try:
            found = Alignment(text.replace("word5 ", "wirt5 yes "), text)
        finally:
            sys.setprofile(None)
        assert found.agreement > 0.9
        return count

    # eight times the text is eight times the work; quadratic would be 64 times
    assert calls(8000) < 9 * calls(1000)


def test_what_ends_otherwise_is_not_cut_off() -> None:
    sent = "the expression of IL2 was lower in treated cells"
    assert Alignment("the expression of IL2 was", sent).is_cut
    assert not Alignment("the expression of IL2 was zzz", sent).is_cut
