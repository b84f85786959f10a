"""What arrays of scoring are of, as annotations name it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.text import Flags, Ints

__all__ = ["Flags", "Ints", "Numbers"]

Numbers: TypeAlias = NDArray[np.float64]
