"""The forms of output that taggers have, by name: each is a module here with ``read(printed) -> Placed``.

This module is light: a form's own module is imported when there is something to read.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import NamedTuple

from ....catalogues.core.limits import Cost
from ....sentences.formats.registry import OUTPUT_NAMES


class _Home(NamedTuple):
    """Where a form is read.

    Attributes
    ----------
    module : str
    text : bool
        Whether it prints the text again; the others give places by case identifier.
    cost : Cost or None
        Memory that reading takes, for a form of lines; the formats of corpora have their own.
    """

    module: str
    text: bool = False
    cost: Cost | None = None


# white space that may end a word
_BLANKS = (b" ", b"\t", b"\v", b"\f", b"\r")
_HOMES = {
    "sgml": _Home("sgml", text=True, cost=Cost(6, {b"<": 150, b"\n": 500})),
    "token_tag": _Home("token_tag", text=True, cost=Cost(signs={b"\n": 800, **dict.fromkeys(_BLANKS, 300)})),
    "conll": _Home("conll", text=True, cost=Cost(signs={b"\n": 700})),
    "offsets": _Home("offsets", cost=Cost(signs={b"\n": 900})),
    "openai_batch": _Home("openai_batch", cost=Cost(6, {b"\n": 2000})),
    "names": _Home("names", cost=Cost(6, {b"\n": 600, b"{": 500, b"[": 100, b",": 600})),
    **{name: _Home("documents") for name in OUTPUT_NAMES},
}
OUTPUT_FORMS: tuple[str, ...] = tuple(_HOMES)
TEXT_FORMS = frozenset(name for name, home in _HOMES.items() if home.text)
"""Output forms that print the text again."""
COSTS = {name: home.cost for name, home in _HOMES.items() if home.cost is not None}


def module_of(form: str) -> ModuleType:
    """The module that reads a form: its ``read`` places the mentions of what was printed."""
    return importlib.import_module(f".{_HOMES[form].module}", __package__)
