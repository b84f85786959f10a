"""Corrections of p values for multiple tests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..arrays import Numbers


def benjamini_hochberg(p: ArrayLike) -> Numbers:
    """Return p values adjusted to control the false discovery rate (Benjamini and Hochberg 1995).

    Undefined p values stay undefined and do not count as tests.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5]).round(3).tolist()
    [0.04, 0.053, 0.053, 0.5]
    """
    values = np.asarray(p, dtype=np.float64)
    adjusted = np.full(len(values), np.nan)
    known = ~np.isnan(values)
    order = np.argsort(values[known])[::-1]
    count = len(order)
    # each p value times number of tests / rank, at most the adjusted value of the next larger p value, [test]
    raised = np.minimum.accumulate(values[known][order] * count / np.arange(count, 0, -1))
    adjusted[np.flatnonzero(known)[order]] = np.minimum(raised, 1.0)
    return adjusted


def add_corrected_p(table: pd.DataFrame, tests: Sequence[Hashable] | None = None) -> pd.DataFrame:
    """Return a table with corrected p values: `p_bh` (Benjamini and Hochberg) and `p_holm` (Holm).

    Parameters
    ----------
    table : DataFrame
        Table with a column `p`.
    tests : sequence, optional
        Identifier of the test in each row. Rows of the same test have the same p value, which counts once. If
        None, each row is a separate test.
    """
    names = pd.Series(range(len(table)) if tests is None else list(tests), dtype="object")
    of_row, _ = pd.factorize(names)
    # p value in the first row of each test, [test]
    first = np.unique(of_row, return_index=True)[1]
    p = table["p"].to_numpy(dtype=np.float64)[first]
    return table.assign(p_bh=benjamini_hochberg(p)[of_row], p_holm=holm(p)[of_row])


def holm(p: ArrayLike) -> Numbers:
    """Return p values adjusted to control the family-wise error rate (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, 0.5]).round(3).tolist()
    [0.04, 0.09, 0.09, 0.5]
    """
    values = np.asarray(p, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    adjusted = np.full(len(values), np.nan)
    # the smallest of n is multiplied by n, the next by n - 1, and so on; the results never decrease
    scaled = values[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted
