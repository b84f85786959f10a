"""Neutral prose, into which a case is put: ordinary sentences of medicine without a gene or an abbreviation.

The sentences are our own (`text.txt`). They are taken in an order that is always the same, each once before
any comes a second time (but for the last two, which fill what is left), and add up to any number of words.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable

from ...catalogues.core.files import read_bundled_rows


@functools.cache
def read_neutral_sentences() -> tuple[str, ...]:
    """All sentences, as they stand in the file."""
    return tuple(row[0] for row in read_bundled_rows(__package__, "text.txt"))


@functools.cache
def order_sentences(turn: int = 0) -> tuple[str, ...]:
    """All sentences; each `turn` has an order of its own.

    Examples
    --------
    >>> sorted(arranged(1)) == sorted(sentences())
    True
    """

    def mixed(sentence: str) -> bytes:
        return hashlib.blake2b(f"{turn} {sentence}".encode(), digest_size=8).digest()

    return tuple(sorted(read_neutral_sentences(), key=mixed))


def pick_sentences(words: int, turn: int = 0, without: Iterable[str] = ()) -> list[str]:
    """Sentences that have a given number of words together.

    Parameters
    ----------
    words : int
    turn : int
        Order of the sentences.
    without : iterable of str
        Sentences that are used elsewhere in the text: they come last.

    Examples
    --------
    >>> sum(len(sentence.split()) for sentence in neutral(100))
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
            # all of them stand in the text: they come once more, in another order
            taken, turn = set(), turn + 1
    unused = [s for s in order_sentences(turn) if s not in taken]
    return chosen + (_find_filling(left, unused) or _find_filling(left, order_sentences(turn)))


_MAX_FILLING_WORDS = 30
"""Words that one or two sentences can fill: more than any has."""


def _find_filling(words: int, unused: Iterable[str]) -> list[str]:
    """No sentence, one or two that have just as many words together; none where there are no such."""
    first: dict[int, str] = {}
    for sentence in unused:
        size = len(sentence.split())
        if size == words:
            return [sentence]
        if words - size in first:
            return [first[words - size], sentence]
        first.setdefault(size, sentence)
    return []
