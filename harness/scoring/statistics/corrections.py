"""Corrections of p values for many tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]


def benjamini_hochberg(p: ArrayLike) -> Numbers:
    """Adjusted p values that control the false discovery rate (Benjamini and Hochberg 1995).

    Undefined p values stay undefined and are not counted.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5]).round(3).tolist()
    [0.04, 0.053, 0.053, 0.5]
    """
    values, order, size = _ordered(p)
    scaled = values[order] * size / np.arange(1, size + 1)
    return _back(values, order, np.minimum.accumulate(scaled[::-1])[::-1])


def holm(p: ArrayLike) -> Numbers:
    """Adjusted p values that control the probability of any false discovery (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, 0.5]).round(3).tolist()
    [0.04, 0.09, 0.09, 0.5]
    """
    values, order, size = _ordered(p)
    return _back(values, order, np.maximum.accumulate(values[order] * np.arange(size, 0, -1)))


def _ordered(p: ArrayLike) -> tuple[Numbers, NDArray[np.int64], int]:
    values = np.asarray(p, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    return values, order, len(order)


def _back(values: Numbers, order: NDArray[np.int64], adjusted: Numbers) -> Numbers:
    result = np.full(len(values), np.nan)
    result[order] = np.minimum(adjusted, 1.0)
    return result
