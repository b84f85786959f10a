"""Arrays of pieces that lie end to end, of codes, and of the bytes of UTF-8."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .text import Flags, Ints


def mark_run_starts(*columns: NDArray[Any]) -> Flags:
    """Which entries of sorted columns begin a run of equal ones: those that differ from the one before.

    Examples
    --------
    >>> begins(np.array([3, 3, 5]), np.array([1, 1, 1])).tolist()
    [True, False, True]
    """
    flags = np.ones(len(columns[0]), dtype=bool)
    flags[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return flags


def bounds_from_lengths(lengths: ArrayLike) -> Ints:
    """Piece `i` lies from ``bounds[i]`` to ``bounds[i + 1]``.

    Examples
    --------
    >>> bounds([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def concatenate_ranges(first: Ints, lengths: NDArray[np.integer[Any]]) -> Ints:
    """The numbers from each of `first` on, so many as `lengths` has for it; one piece after the other.

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    edges = bounds_from_lengths(lengths)
    return np.arange(edges[-1]) + np.repeat(first - edges[:-1], lengths)


def group_rows(codes: ArrayLike) -> list[NDArray[np.intp]]:
    """The rows of each code that occurs, in the order of the codes; rows of one code rise.

    Examples
    --------
    >>> [rows.tolist() for rows in grouped([7, 2, 7, 5])]
    [[1], [3], [0, 2]]
    """
    values = np.asarray(codes)
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(values[order])) + 1) if len(order) else []
