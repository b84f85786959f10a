"""Names that may have been meant, for messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_first(name: str, known: Iterable[str]) -> list[str]:
    """Known names, those that look like an unknown one before the others.

    Examples
    --------
    >>> nearest_first("hyphn", ["name", "case", "hyphen"])
    ['hyphen', 'name', 'case']
    """
    others = list(known)
    near = difflib.get_close_matches(name, others, n=3)
    return [*near, *(other for other in others if other not in near)]
