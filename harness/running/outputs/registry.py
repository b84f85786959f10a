"""Registry of output forms; each form has a module with a function ``read(printed) -> Placement``.

The module of a form is imported only when output is parsed.
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
"""Output forms that repeat the text, so that mentions need no offsets."""
