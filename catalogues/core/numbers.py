"""Functions that parse whole numbers in files and check the units of offsets."""

from __future__ import annotations

import re
from typing import Any, Literal, get_args

from .errors import InputError

Unit = Literal["characters", "bytes", "utf16"]
UNITS: tuple[Unit, ...] = get_args(Unit)

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
MAX_OFFSET = 10**15
"""Largest accepted offset; sums of such offsets still fit into 64 bits."""
MAX_DIGITS = 20
"""Maximum number of digits in a number that is parsed, because parsing very long numbers is slow."""


class NumberTooLargeError(ValueError):
    """Error raised for a whole number that exceeds its limit."""


def parse_whole_number(value: Any, maximum: int = MAX_OFFSET) -> int:
    """Return a whole number (an offset, an id or a count) from a number or a string of decimal digits.

    Raises
    ------
    NumberTooLargeError
        If the absolute value exceeds `maximum`.
    ValueError
        If `value` is not a whole number.

    Examples
    --------
    >>> parse_whole_number(" 12 "), parse_whole_number(3.0)
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
        raise NumberTooLargeError("the number is too large for an offset")
    return number


def check_unit(value: str) -> Unit:
    """Return `value` if it is a unit of offsets, else raise InputError."""
    for unit in UNITS:
        if value == unit:
            return unit
    raise InputError("unknown unit of offsets", found=value, allowed=", ".join(UNITS))
