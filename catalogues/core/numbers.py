"""Whole numbers that a file gives as offsets, identifiers and counts, and the units of offsets."""

from __future__ import annotations

import re
from typing import Any, Literal, get_args

from .errors import InputError

Unit = Literal["characters", "bytes", "utf16"]
UNITS: tuple[Unit, ...] = get_args(Unit)

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
MAX_OFFSET = 10**15
"""No text is so long; sums of such offsets still fit their columns."""
MAX_DIGITS = 20
"""Beyond these a text is not made a number: Python takes time that grows by the square of their number."""


class NumberTooLargeError(ValueError):
    """A whole number, but beyond what it may be."""


def parse_whole_number(value: Any, maximum: int = MAX_OFFSET) -> int:
    """A number that a record gives as an offset, an id or a count: an integer, or its decimal digits.

    Raises
    ------
    TooLargeError
        For numbers beyond `maximum`, of either sign.
    ValueError
        For anything else.

    Examples
    --------
    >>> whole(" 12 "), whole(3.0)
    (12, 3)
    """
    if isinstance(value, str):
        text = value.strip()
        if WHOLE_NUMBER.fullmatch(text) is None:
            raise ValueError("not a whole number")
        number = int(text) if len(text) <= MAX_DIGITS else maximum + 1
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        number = value
    else:
        raise ValueError("not a whole number")
    if abs(number) > maximum:
        raise NumberTooLargeError("a number too large for an offset")
    return number


def check_unit(value: str) -> Unit:
    """Check the name of a unit."""
    for unit in UNITS:
        if value == unit:
            return unit
    raise InputError("unknown unit of offsets", found=value, allowed=", ".join(UNITS))
