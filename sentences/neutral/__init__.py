"""Neutral text to surround a case: medical sentences without genes or abbreviations.

The sentences (`text.txt`) were written for tagsuite. Any number of words can be requested. The order of the
sentences is fixed, and no sentence is repeated before all were used. The last one or two sentences, which
fill the remaining words, are an exception.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable

from ...catalogues.core.files import read_bundled_rows


@functools.cache
def read_neutral_sentences() -> tuple[str, ...]:
    """Return all neutral sentences, in file order."""
    return tuple(row[0] for row in read_bundled_rows(__package__, "text.txt"))


@functools.cache
def order_sentences(turn: int = 0) -> tuple[str, ...]:
    """Return all neutral sentences in a shuffled order that depends only on `turn`.

    Examples
    --------
    >>> sorted(order_sentences(1)) == sorted(read_neutral_sentences())
    True
    """

    def mixed(sentence: str) -> bytes:
        return hashlib.blake2b(f"{turn} {sentence}".encode(), digest_size=8).digest()

    return tuple(sorted(read_neutral_sentences(), key=mixed))


def pick_sentences(words: int, turn: int = 0, without: Iterable[str] = ()) -> list[str]:
    """Return neutral sentences with a given total number of words.

    Parameters
    ----------
    words : int
        Total number of words.
    turn : int
        Number that selects the order of the sentences.
    without : iterable of str
        Sentences already used elsewhere in the text; they are used only after all others.

    Examples
    --------
    >>> sum(len(sentence.split()) for sentence in pick_sentences(100))
    100
    """
    taken = set(without)
    chosen: list[str] = []
    left = words
    while left > _MAX_FILLING_WORDS:
        for sentence in order_sentences(turn):
            if sentence not in taken and left > _MAX_FILLING_WORDS:
                chosen.append(sentence)
                taken.add(sentence)
                left -= len(sentence.split())
        if left > _MAX_FILLING_WORDS:
            # all sentences are used: start again in another order
            taken, turn = set(), turn + 1
    unused = [s for s in order_sentences(turn) if s not in taken]
    return chosen + (_find_filling(left, unused) or _find_filling(left, order_sentences(turn)))


_MAX_FILLING_WORDS = 30
"""Number of words that one or two sentences can fill; no sentence is longer."""


def _find_filling(words: int, unused: Iterable[str]) -> list[str]:
    """Return one or two sentences with exactly `words` words in total, or an empty list if none fit."""
    first: dict[int, str] = {}
    for sentence in unused:
        size = len(sentence.split())
        if size == words:
            return [sentence]
        if words - size in first:
            return [first[words - size], sentence]
        first.setdefault(size, sentence)
    return []
