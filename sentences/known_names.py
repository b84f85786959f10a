"""Search for names and types of entities in texts that should contain none of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MIN_FOLDED_LETTERS = 4
"""Minimum number of letters in a name for which letter case is ignored."""
_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


def find_texts_with_names(texts: Sequence[str], names: Iterable[str], types: Iterable[str]) -> list[bool]:
    """Return, for each text, True if it contains one of the names, or a word for one of the types.

    Only whole words are found. Letter case is ignored in words for types, and in names with at least four
    letters. Types of genes and gene products are ignored, because most texts about genes contain them.

    Examples
    --------
    >>> texts = ["Aspirin was given.", "A rare disease.", "This is his.", "A protein."]
    >>> find_texts_with_names(texts, ["aspirin", "HIS"], ["disease", "protein"])
    [True, True, False, False]
    """
    # imported here to keep the start of the command line fast
    from ..catalogues.entities import OTHER_KIND, default_kind

    longest = max(map(len, texts), default=0)
    exact = {name for name in names if len(name) <= longest}
    folded = {name.casefold() for name in exact if sum(map(str.isalpha, name)) >= MIN_FOLDED_LETTERS}
    for noun in {t.replace("_", " ").casefold() for t in types if t and default_kind(t) == OTHER_KIND}:
        folded |= {noun, f"{noun}s"}
    longest = max(map(len, exact | folded), default=0)

    def has_name(text: str) -> bool:
        spans = [match.span() for match in _WORD.finditer(text)]
        parts = (
            text[start:end]
            for at, (start, _) in enumerate(spans)
            for _, end in spans[at:]
            if end - start <= longest
        )
        return any(part in exact or part.casefold() in folded for part in parts)

    return [has_name(text) for text in texts]
