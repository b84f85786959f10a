"""NumPy functions for runs of equal rows, groups of equal rows, and consecutive pieces of an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .text import Flags, Ints


def mark_run_starts(*columns: NDArray[Any]) -> Flags:
    """Return a mask that is True for the first row and for each row that differs from the previous one.

    Examples
    --------
    >>> mark_run_starts(np.array([3, 3, 5]), np.array([1, 1, 1])).tolist()
    [True, False, True]
    """
    flags = np.ones(len(columns[0]), dtype=bool)
    flags[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return flags


def bounds_from_lengths(lengths: ArrayLike) -> Ints:
    """Return the boundaries of consecutive pieces of an array, given the lengths of the pieces.

    Piece `i` extends from boundary `i` to boundary `i + 1`, which is excluded.

    Examples
    --------
    >>> bounds_from_lengths([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def concatenate_ranges(first: Ints, lengths: NDArray[np.integer[Any]]) -> Ints:
    """Concatenate ranges of consecutive integers, given the first integer and the length of each range.

    Examples
    --------
    >>> concatenate_ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    edges = bounds_from_lengths(lengths)
    return np.arange(edges[-1]) + np.repeat(first - edges[:-1], lengths)


def group_rows(codes: ArrayLike) -> list[NDArray[np.intp]]:
    """Return one array of row numbers for each distinct value in `codes`, in ascending order of the values.

    Examples
    --------
    >>> [rows.tolist() for rows in group_rows([7, 2, 7, 5])]
    [[1], [3], [0, 2]]
    """
    values = np.asarray(codes)
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(values[order])) + 1) if len(order) else []
