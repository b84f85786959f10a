"""Neutral prose, into which a case is put: ordinary sentences of medicine without a gene or an abbreviation.

The sentences are our own (`text.txt`). They are taken in an order that is always the same, each once before
any comes a second time (but for the last two, which fill what is left), and add up to any number of words.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from typing import Literal, get_args

from ...catalogues.core.files import bundled_rows

Order = Literal["mixed", "long", "broken"]
"""`mixed` is for every use; the others begin with sentences of long words, or of many punctuation marks."""
ORDERS: tuple[Order, ...] = get_args(Order)


@functools.cache
def sentences() -> tuple[str, ...]:
    """All sentences, as they stand in the file."""
    return tuple(row[0] for row in bundled_rows(__package__, "text.txt"))


@functools.cache
def arranged(order: Order = "mixed", turn: int = 0) -> tuple[str, ...]:
    """All sentences in an order; each `turn` has a `mixed` order of its own.

    Examples
    --------
    >>> sorted(arranged("mixed", 1)) == sorted(arranged("long")) == sorted(sentences())
    True
    """

    def mixed(sentence: str) -> bytes:
        return hashlib.blake2b(f"{turn} {sentence}".encode(), digest_size=8).digest()

    def letters(sentence: str) -> float:
        return len(sentence) / len(sentence.split())

    def marks(sentence: str) -> float:
        return sum(not (c.isalnum() or c.isspace()) for c in sentence) / len(sentence.split())

    by_chance = sorted(sentences(), key=mixed)
    if order == "mixed":
        return tuple(by_chance)
    if order == "broken":
        return tuple(sorted(by_chance, key=marks, reverse=True))
    return tuple(sorted(by_chance, key=letters, reverse=True))


def neutral(words: int, order: Order = "mixed", turn: int = 0, without: Iterable[str] = ()) -> list[str]:
    """Sentences that have a given number of words together.

    Parameters
    ----------
    words : int
    order, turn
        See `arranged`.
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
        for sentence in arranged(order, turn):
            if sentence not in taken and left > _LONG:
                chosen.append(sentence)
                taken.add(sentence)
                left -= len(sentence.split())
        if left > _LONG:
            # all of them stand in the text: they come once more, in another order
            taken, turn = set(), turn + 1
    unused = [s for s in arranged(order, turn) if s not in taken]
    return chosen + (_filling(left, unused) or _filling(left, arranged(order, turn)))


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
