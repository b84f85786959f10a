"""The forms of output that taggers have, by name: each is a module here with ``read(printed) -> Placed``.

This module is light: a form's own module is imported when there is something to read.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from ....sentences.formats.registry import OUTPUT_NAMES

_MODULES = {
    "sgml": "sgml",
    "token_tag": "tokens",
    "conll": "tokens",
    "offsets": "offsets",
    "openai_batch": "openai_batch",
    "names": "names",
    **dict.fromkeys(OUTPUT_NAMES, "documents"),
}
OUTPUT_FORMS = tuple(_MODULES)
TEXT_FORMS = frozenset({"sgml", "token_tag", "conll"})
"""Output forms that print the text again; the others give places by case identifier."""


def module_of(form: str) -> ModuleType:
    """Return the module that reads a form: its ``read`` places the mentions of what was printed."""
    return importlib.import_module(f".{_MODULES[form]}", __package__)
