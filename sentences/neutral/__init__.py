"""Neutral prose, into which a case is put: ordinary sentences of medicine without a gene or an abbreviation.

The sentences are our own (`text.txt`). They are taken in an order that is always the same, each once before
any comes a second time (but for the last two, which fill what is left), and add up to any number of words.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable

from ...catalogues.core.files import bundled_rows


@functools.cache
def sentences() -> tuple[str, ...]:
    """All sentences, as they stand in the file."""
    return tuple(row[0] for row in bundled_rows(__package__, "text.txt"))


@functools.cache
def arranged(turn: int = 0) -> tuple[str, ...]:
    """All sentences; each `turn` has an order of its own.

    Examples
    --------
    >>> sorted(arranged(1)) == sorted(sentences())
    True
    """

    def mixed(sentence: str) -> bytes:
        return hashlib.blake2b(f"{turn} {sentence}".encode(), digest_size=8).digest()

    return tuple(sorted(sentences(), key=mixed))


def neutral(words: int, turn: int = 0, without: Iterable[str] = ()) -> list[str]:
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
    while left > _LONG:
        for sentence in arranged(turn):
            if sentence not in taken and left > _LONG:
                chosen.append(sentence)
                taken.add(sentence)
                left -= len(sentence.split())
        if left > _LONG:
            # all of them stand in the text: they come once more, in another order
            taken, turn = set(), turn + 1
    unused = [s for s in arranged(turn) if s not in taken]
    return chosen + (_filling(left, unused) or _filling(left, arranged(turn)))


_LONG = 30
"""Words that one or two sentences can fill: more than any has."""


def _filling(words: int, unused: Iterable[str]) -> list[str]:
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
