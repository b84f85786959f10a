"""Whole numbers that a file gives as offsets, identifiers and counts, within bounds."""

from __future__ import annotations

from typing import Any

FARTHEST = 10**15
"""No text is so long; sums of such offsets still fit their columns."""


def whole(value: Any) -> int:
    """A number that a record gives as an offset, an id or a count: an integer, or its decimal digits.

    Raises
    ------
    ValueError
        For anything else, and for numbers beyond `FARTHEST`, which no column of ours holds.
    """
    if isinstance(value, str):
        text = value.strip()
        # Python reads a number of any length, in time that grows by the square of it
        number = int(text) if len(text) <= 20 else FARTHEST + 1
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        number = value
    else:
        raise ValueError("not a whole number")
    if abs(number) > FARTHEST:
        raise ValueError("a number too large for an offset")
    return number
