"""What arrays of scoring are of, as annotations name it."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.text import Flags, Ints

__all__ = ["Codes", "Flags", "Ints", "Numbers"]

Numbers: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.integer[Any]]
"""Whole numbers that stand for something (a type, a cell, a class), of the narrowest type that holds them."""
