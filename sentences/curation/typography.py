"""Usual typography, for the odd spaces of a corpus; and what two printings of a sentence have in common."""

from __future__ import annotations

import re

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"([(\[]) +", r"\1"),
        (r" +([)\]])", r"\1"),
        # a mark that ends something; `P < .05` and `O2-. .OH` keep their space
        (r" +([,;:?!])(?= |$|[)\]])", r"\1"),
        (r" +\.$", "."),
        (r" +'s(?= )", "'s"),
        (r" \+ ?/ ?- ", " +/- "),
        (r"--", " -- "),
        (r" {2,}", " "),
    )
)
"""Pattern and replacement, in the order in which they are applied. Slots (``<>``) count as words."""


def usual(template: str) -> str:
    """The sentence in usual typography; only white space differs.

    Examples
    --------
    >>> usual("The protein ( <> ) fell by 25%--as did <> 's target .")
    "The protein (<>) fell by 25% -- as did <>'s target."
    """
    for pattern, replacement in _RULES:
        template = pattern.sub(replacement, template)
    return template.strip()


def letters(text: str) -> str:
    """Letters and digits of a text, in lower case: what two printings of a sentence have in common."""
    return re.sub(r"[\W_]+", "", text.casefold())
