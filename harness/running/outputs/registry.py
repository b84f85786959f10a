"""The forms of output that taggers have, by name: each is a module here with ``read(printed) -> Placed``.

This module is light: a form's own module is imported when there is something to read.
"""

from __future__ import annotations

from ....sentences.formats.registry import OUTPUT_NAMES

FORM_MODULES = {
    "sgml": "sgml",
    "token_tag": "tokens",
    "conll": "tokens",
    "offsets": "offsets",
    "openai_batch": "openai_batch",
    "names": "names",
    **dict.fromkeys(OUTPUT_NAMES, "documents"),
}
OUTPUT_FORMS = tuple(FORM_MODULES)
TEXT_FORMS = frozenset({"sgml", "token_tag", "conll"})
"""Output forms that print the text again; the others give places by case identifier."""
