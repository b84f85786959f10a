"""Pieces that lie end to end: where each begins, and where the last one ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .text import Ints


def bounds(lengths: ArrayLike) -> Ints:
    """Piece `i` lies from ``bounds[i]`` to ``bounds[i + 1]``.

    Examples
    --------
    >>> bounds([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
