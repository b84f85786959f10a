"""Tests of the neutral text: any number of words, no repeated cycle of sentences, and no gene names."""

from __future__ import annotations

import re

import pytest

from tagsuite.sentences.neutral import find_named_sentences, pick_sentences, read_neutral_sentences


@pytest.mark.parametrize("words", [0, 1, 2, 3, 7, 24, 25, 26, 29, 30, 31, 100, 384, 4096, 9000])
@pytest.mark.parametrize("turn", [0, 1])
def test_there_are_as_many_words_as_asked(words: int, turn: int) -> None:
    found = pick_sentences(words, turn)
    assert sum(len(sentence.split()) for sentence in found) == words


def test_four_thousand_words_repeat_no_sentence() -> None:
    found = pick_sentences(4000)
    assert len(set(found)) == len(found)


def test_sentences_with_names_are_avoided() -> None:
    avoid = find_named_sentences(["Fever", "ICE", "lever"], ["plant"])
    pattern = re.compile(r"\b(?:[Ff]ever|[Ll]ever|[Pp]lants?)\b")
    assert avoid == {s for s in read_neutral_sentences() if pattern.search(s)}
    for words in (100, 9000):
        found = pick_sentences(words, avoid=avoid)
        assert sum(len(sentence.split()) for sentence in found) == words
        assert avoid.isdisjoint(found)


def test_nothing_looks_like_a_name() -> None:
    for sentence in read_neutral_sentences():
        assert re.fullmatch(
            r"[A-Z][a-z]*(?:[ ,:]+[a-z]+)*\.",
            re.sub(r"\b(?:March|April|May|December|February)\b", "month", sentence),
        ), sentence
