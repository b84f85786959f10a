"""Step 7 of Yapex: find further occurrences of the names in a document with a local dictionary.

The paper uses regular expressions. Here a term is split into runs of letters and of digits. It matches the
same runs if they are adjacent or separated by one blank or hyphen, so that *IL-2*, *IL 2* and *IL2* are the
same term. The case of the first letter is ignored in words of at least four letters.
"""

from __future__ import annotations

import re
from itertools import pairwise

from .names import Name

PIECE = re.compile(r"[^\W\d_]+|\d+")
Key = tuple[str, ...]


def pieces(text: str) -> list[tuple[str, int, int]]:
    """Return the runs of letters and of digits with their half-open offsets."""
    return [(_fold(m[0]), m.start(), m.end()) for m in PIECE.finditer(text)]


def _fold(piece: str) -> str:
    return piece[0].lower() + piece[1:] if len(piece) > 3 and piece[1:].islower() else piece


class LocalDictionary:
    """Dictionary of the names in one document."""

    def __init__(self) -> None:
        self.terms: set[Key] = set()
        self.longest: dict[str, int] = {}

    def learn(self, text: str, names: list[Name]) -> None:
        """Add names and their core terms to the dictionary, except those shorter than three characters."""
        for name in names:
            for start, end in {(name.start, name.end), *name.cores}:
                if end - start < 3:
                    continue
                key = tuple(p for p, _, _ in pieces(text[start:end]))
                self.terms.add(key)
                self.longest[key[0]] = max(self.longest.get(key[0], 0), len(key))

    def find(self, text: str, names: list[Name]) -> list[Name]:
        """Return the given names together with the other occurrences of dictionary terms in the text."""
        found = pieces(text)
        taken = bytearray(len(text))
        for name in names:
            taken[name.start : name.end] = b"\1" * (name.end - name.start)
        more: list[Name] = []
        i = 0
        while i < len(found):
            step = 1
            for count in range(min(self.longest.get(found[i][0], 0), len(found) - i), 0, -1):
                start, end = found[i][1], found[i + count - 1][2]
                run = found[i : i + count]
                if tuple(p for p, _, _ in run) in self.terms and _stands(text, run, taken):
                    more.append(Name(start, end, ()))
                    step = count
                    break
            i += step
        return sorted([*names, *more]) if more else names


def _stands(text: str, run: list[tuple[str, int, int]], taken: bytearray) -> bool:
    """Return True if a sequence of pieces consists of whole words and does not overlap a known name."""
    start, end = run[0][1], run[-1][2]
    if any(taken[start:end]) or text[start - 1 : start].isalnum() or text[end : end + 1].isalnum():
        return False
    gaps = (text[a[2] : b[1]] for a, b in pairwise(run))
    return all(gap in ("", " ", "-") for gap in gaps)
