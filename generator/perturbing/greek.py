"""Greek letters and their names: *α* for *alpha*, *alpha* for *α*."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..greek import LETTERS, NAMES
from .edits import Edit, applied, in_order
from .subject import Change, Draw, Subject

OTHERS = ("mu", "nu", "xi", "pi", "psi", "eta")
"""Letters that are as often something else: a unit, a number, a word."""
_NAMED = [name for name in LETTERS if name not in OTHERS]
_SITE = re.compile(
    # a name is read as one where no small letter stands beside it
    rf"(?<![a-z{''.join(NAMES)}])(?:{'|'.join(sorted(_NAMED, key=len, reverse=True))})(?![a-z])"
    rf"|[{''.join(LETTERS[name] for name in _NAMED)}]"
)


def respelled_greek(subject: Subject, draw: Draw) -> list[Edit]:  # noqa: ARG001 - a change's signature
    """Each letter as its name and each name as its letter: done twice, it gives the text back.

    A text of which it would not (*αv* would become *alphav*) is left alone.
    """
    text = subject.text
    edits = _swapped(text)
    there = applied(text, edits)
    return edits if applied(there, _swapped(there)) == text else []


def _swapped(text: str) -> list[Edit]:
    return in_order(
        Edit(site.start(), site.end(), LETTERS.get(site[0]) or NAMES[site[0]])
        for site in _SITE.finditer(text)
    )


def variants(subjects: Sequence[Subject]) -> dict[str, Change]:  # noqa: ARG001 - as all have it
    """Letters and names change places."""
    return {"respelled": respelled_greek}
