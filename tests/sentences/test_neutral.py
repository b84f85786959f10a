"""Neutral prose: any number of words, no period, nothing that a gene tagger should find."""

from __future__ import annotations

import re

import pytest
from tagsuite.sentences.neutral import ORDERS, neutral, sentences


@pytest.mark.parametrize("words", [0, 1, 2, 3, 7, 24, 25, 26, 29, 30, 31, 100, 384, 4096, 9000])
@pytest.mark.parametrize("order", ORDERS)
def test_there_are_as_many_words_as_asked(words: int, order: str) -> None:
    found = neutral(words, order)  # type: ignore[arg-type]  # one of the orders
    assert sum(len(sentence.split()) for sentence in found) == words


def test_four_thousand_words_repeat_no_sentence() -> None:
    found = neutral(4000)
    assert len(set(found)) == len(found)


def test_nothing_looks_like_a_name() -> None:
    for sentence in sentences():
        assert re.fullmatch(
            r"[A-Z][a-z]*(?:[ ,:]+[a-z]+)*\.",
            re.sub(r"\b(?:March|April|May|December|February)\b", "month", sentence),
        ), sentence


def test_orders_differ_in_letters_and_marks() -> None:
    texts = {order: " ".join(neutral(384, order)) for order in ORDERS}
    assert len(texts["mixed"]) < 0.9 * len(texts["long"])
    assert texts["broken"].count(".") > 1.5 * texts["mixed"].count(".")
