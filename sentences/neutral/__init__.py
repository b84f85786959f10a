"""Neutral text that can be added before and after a case: medical sentences without genes or abbreviations.

The sentences in `text.txt` were written for tagsuite. A text of any number of words can be made from them. No
sentence is repeated before all have been used. The only exception is the last one or two sentences, which are
chosen by their number of words.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import read_bundled_rows
from ..known_names import find_texts_with_names


@functools.cache
def read_neutral_sentences() -> tuple[str, ...]:
    """Return all neutral sentences, in file order."""
    return tuple(row[0] for row in read_bundled_rows(__package__, "text.txt"))


def find_named_sentences(names: Iterable[str], types: Iterable[str]) -> frozenset[str]:
    """Return the neutral sentences that contain one of the names or types (see `find_texts_with_names`).

    Raises
    ------
    InputError
        If all neutral sentences contain a name or type.
    """
    sentences = read_neutral_sentences()
    found = find_texts_with_names(sentences, names, types)
    if all(found):
        raise InputError(
            "no neutral sentence can be added: each contains a name or entity type that occurs in the texts"
        )
    return frozenset(s for s, has_name in zip(sentences, found, strict=True) if has_name)


def note_named_sentences(named: frozenset[str]) -> str:
    """Return a note about the neutral sentences that are not used because they contain a name or type."""
    total = len(read_neutral_sentences())
    return (
        f"{len(named)} of {total} neutral sentences are not used, because they contain a name or entity type "
        "that occurs in the texts"
    )


@functools.cache
def order_sentences(turn: int = 0) -> tuple[str, ...]:
    """Return all neutral sentences in a shuffled order that depends only on the number `turn`.

    Examples
    --------
    >>> sorted(order_sentences(1)) == sorted(read_neutral_sentences())
    True
    """

    def mixed(sentence: str) -> bytes:
        return hashlib.blake2b(f"{turn} {sentence}".encode(), digest_size=8).digest()

    return tuple(sorted(read_neutral_sentences(), key=mixed))


def pick_sentences(
    words: int, turn: int = 0, without: Iterable[str] = (), avoid: frozenset[str] = frozenset()
) -> list[str]:
    """Return neutral sentences with a given total number of words.

    Parameters
    ----------
    words : int
        Total number of words.
    turn : int
        Number that determines the order of the sentences.
    without : iterable of str
        Sentences already used elsewhere in the text; they are chosen only after all others.
    avoid : frozenset of str
        Sentences that are never chosen (see `find_named_sentences`).

    Raises
    ------
    InputError
        If no choice of sentences has exactly this number of words.

    Examples
    --------
    >>> sum(len(sentence.split()) for sentence in pick_sentences(100))
    100
    """
    taken = {*without, *avoid}
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
            taken, turn = set(avoid), turn + 1
    usable = [s for s in order_sentences(turn) if s not in avoid]
    unused = [s for s in usable if s not in taken]
    filling = _find_filling(left, unused) or _find_filling(left, usable)
    if left and not filling:
        raise InputError(
            "no combination of neutral sentences has the requested number of words",
            found=f"{len(usable)} sentences without names or entity types of the texts; {left} words missing",
        )
    return chosen + filling


_MAX_FILLING_WORDS = 30
"""Maximum total number of words in the last one or two sentences, which bring a text to its exact length."""


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
