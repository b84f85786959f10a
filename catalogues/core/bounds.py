"""Pieces that lie end to end: where each begins, and where the last one ends; rows of equal codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .text import Ints


def bounds(lengths: ArrayLike) -> Ints:
    """Piece `i` lies from ``bounds[i]`` to ``bounds[i + 1]``.

    Examples
    --------
    >>> bounds([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def grouped(codes: ArrayLike) -> list[NDArray[np.intp]]:
    """The rows of each code that occurs, in the order of the codes; rows of one code rise.

    Examples
    --------
    >>> [rows.tolist() for rows in grouped([7, 2, 7, 5])]
    [[1], [3], [0, 2]]
    """
    values = np.asarray(codes)
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(values[order])) + 1) if len(order) else []
