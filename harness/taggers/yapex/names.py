"""Step 6 of Yapex: find the protein name in a noun phrase."""

from __future__ import annotations

from typing import NamedTuple

from .chunks import Token
from .words import CORE, EXTERNAL, FEATURES, NONE, POTENTIAL, SPECIFIER, STRONG


class Name(NamedTuple):
    """Protein name: its half-open offsets, and those of its core terms with their specifiers."""

    start: int
    end: int
    cores: tuple[tuple[int, int], ...]


def name_of(phrase: list[Token]) -> Name | None:
    """Return the protein name in a minimal noun phrase, or None."""
    owner = _adjoin(phrase)
    first, last = 0, len(phrase)
    # from the right: external and plural feature terms with their specifiers, and words of no category
    while last > first:
        head = phrase[owner[last - 1]].word
        if head.category == NONE or head.category == EXTERNAL or (head.category in FEATURES and head.plural):
            last = owner[last - 1]
        else:
            break
    # from the left: numerals with measuring units
    while first < last and phrase[first].word.numeral:
        if phrase[first].word.unit:
            first += 1
        elif first + 1 < last and phrase[first + 1].word.unit:
            first += 2
        else:
            break
    if first >= last or not _selected(phrase, owner, first, last):
        return None
    cores = tuple(
        (phrase[i].start, phrase[_reach(owner, i, last)].end)
        for i in range(first, last)
        if phrase[i].word.category == CORE
    )
    return Name(phrase[first].start, phrase[last - 1].end, cores)


def _adjoin(phrase: list[Token]) -> list[int]:
    """Return, for each specifier, the index of the term before it; for other words, their own index."""
    owner = list(range(len(phrase)))
    for i in range(1, len(phrase)):
        before = phrase[owner[i - 1]].word.category
        if phrase[i].word.category == SPECIFIER and before not in (NONE, SPECIFIER):
            owner[i] = owner[i - 1]
    return owner


def _reach(owner: list[int], place: int, last: int) -> int:
    while place + 1 < last and owner[place + 1] == owner[place]:
        place += 1
    return place


def _selected(phrase: list[Token], owner: list[int], first: int, last: int) -> bool:
    categories = [phrase[i].word.category for i in range(first, last)]
    if CORE in categories:
        return True
    if STRONG in categories and last - first > 1:
        return True
    if any(owner[i] != i and phrase[owner[i]].word.category in FEATURES for i in range(first, last)):
        return True
    return POTENTIAL in categories and any(t.word.category in FEATURES for t in phrase)
