"""Type aliases for arrays of numbers, used in annotations."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.text import Flags, Ints

__all__ = ["Codes", "Flags", "Ints", "Numbers"]

Numbers: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.integer[Any]]
"""Array of integers that identify types, classes or feature values; any integer type is allowed."""
