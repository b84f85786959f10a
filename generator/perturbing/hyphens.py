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


def joined(by: int) -> Change:
    """Each mark inside names replaced by the one so many places on: hyphen, blank, nothing, hyphen again.

    After a word (*factor 2*) there is always a mark: hyphen and blank take turns.
    """

    def changed(subject: Subject, draw: Draw) -> list[Edit]:  # noqa: ARG001 - a change's signature
        return in_order(
            edit for start, end in subject.zones for edit in _marks(subject.text[start:end], start, by)
        )

    return changed


def _marks(name: str, base: int, by: int) -> list[Edit]:
    found = []
    for site in _SITE.finditer(name):
        mark = site[0]
        word = _WORD.search(name, 0, site.start())
        if word is not None:
            if not mark:
                continue
            new = MARKS[1 - MARKS.index(mark)]
        else:
            new = MARKS[(MARKS.index(mark) + by) % len(MARKS)]
        found.append(Edit(base + site.start(), base + site.end(), new))
    return found


def variants(subjects: Sequence[Subject]) -> dict[str, Change]:  # noqa: ARG001 - as all have it
    """Each mark replaced by the next, or by the one after that."""
    return {"next_mark": joined(1), "last_mark": joined(2)}
