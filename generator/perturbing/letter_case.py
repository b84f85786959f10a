"""Letter case: of names, and of the first word of the sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .edits import Edit, respelled, substituted
from .subject import Change, Draw, Subject

_FIRST_WORD = re.compile(r"[A-Za-z]?[a-z]+(?=[\s,])")


def upper(text: str) -> str:
    """ASCII letters as capitals; others stay, for a Greek capital may be read as a Latin one."""
    return "".join(c.upper() if c.isascii() else c for c in text)


def lower(text: str) -> str:
    """ASCII letters as small ones."""
    return "".join(c.lower() if c.isascii() else c for c in text)


def capital(text: str) -> str:
    """The first letter a capital, the others small."""
    return upper(text[:1]) + lower(text[1:])


def _of_names(change: Callable[[str], str]) -> Change:
    def changed(subject: Subject, draw: Draw) -> list[Edit]:  # noqa: ARG001 - a change's signature
        return substituted(subject.text, subject.zones, change)

    return changed


def first_word(subject: Subject, draw: Draw) -> list[Edit]:  # noqa: ARG001 - a change's signature
    """The first word of a text small in place of a capital, or the other way round; no name, no acronym."""
    found = _FIRST_WORD.match(subject.text)
    if found is None or any(start < found.end() for start, _ in subject.zones):
        return []
    return respelled(0, found[0][0], found[0][0].swapcase())


def variants(subjects: Sequence[Subject]) -> dict[str, Change]:  # noqa: ARG001 - as all have it
    """Names small, in capitals, with a capital; the sentence's first word."""
    return {
        "lower": _of_names(lower),
        "upper": _of_names(upper),
        "capital": _of_names(capital),
        "first_word": first_word,
    }
