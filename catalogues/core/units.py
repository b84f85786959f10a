"""What offsets count: code points, UTF-8 bytes or UTF-16 units. `offsets` converts between them."""

from __future__ import annotations

from typing import Literal, get_args

from .errors import InputError

Unit = Literal["characters", "bytes", "utf16"]
UNITS: tuple[Unit, ...] = get_args(Unit)


def unit_of(value: str) -> Unit:
    """Check the name of a unit."""
    for unit in UNITS:
        if value == unit:
            return unit
    raise InputError("unknown unit of offsets", found=value, allowed=", ".join(UNITS))
