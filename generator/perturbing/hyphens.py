"""Hyphen, blank or nothing inside names: *IL-2*, *IL 2*, *IL2*."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..greek import LETTERS
from .edits import Edit, in_order
from .subject import Change, Draw, Subject

MARKS = ("-", " ", "")
_GREEK = "".join(LETTERS.values())
_SPELLED = "|".join(LETTERS)
_SITE = re.compile(
    # between letters and a number or a Greek letter; between a capital or number and the name of one
    rf"(?<=[A-Za-z])[- ]?(?=[0-9{_GREEK}])|(?<=[A-Z0-9])[- ]?(?=(?:{_SPELLED})(?![a-z]))"
)
_WORD = re.compile(r"[a-z]{3,}$")


def joined(mark: str) -> Change:
    """All places inside names where one of `MARKS` may stand get this one.

    After a word (*factor 2*) nothing is no choice, neither before nor after.
    """

    def changed(subject: Subject, draw: Draw) -> list[Edit]:  # noqa: ARG001 - a change's signature
        return in_order(
            edit for start, end in subject.zones for edit in _marks(subject.text[start:end], start, mark)
        )

    return changed


def _marks(name: str, base: int, mark: str) -> list[Edit]:
    found = []
    for site in _SITE.finditer(name):
        if site[0] == mark or ("" in (site[0], mark) and _WORD.search(name, 0, site.start())):
            continue
        found.append(Edit(base + site.start(), base + site.end(), mark))
    return found


def variants(subjects: Sequence[Subject]) -> dict[str, Change]:  # noqa: ARG001 - as all have it
    """The same mark in all names of a text."""
    return {"hyphen": joined("-"), "blank": joined(" "), "nothing": joined("")}
