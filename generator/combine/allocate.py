"""A number of cases shared out over strata: by weights, never more than a stratum holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def allocate(sizes: NDArray[np.int64], weights: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Share `total` out in proportion to weights; what a full stratum cannot take goes to the others.

    Whole numbers come from the largest remainders, ties from the first stratum. The shares sum to `total`,
    or to all that strata with a positive weight hold.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    open_ = (np.asarray(weights, dtype=float) > 0) & (sizes > 0)
    total = int(min(total, int(sizes[open_].sum())))
    shares = np.zeros(len(sizes), dtype=np.float64)
    left = float(total)
    while open_.any() and left > 1e-9:
        part = np.where(open_, weights, 0.0)
        wanted = shares + left * part / part.sum()
        full = open_ & (wanted >= sizes)
        if not full.any():
            shares = wanted
            break
        left -= float((sizes[full] - shares[full]).sum())
        shares[full] = sizes[full]
        open_ &= ~full
    counts = np.floor(shares + 1e-9).astype(np.int64)
    missing = total - int(counts.sum())
    if missing > 0:
        room = counts < sizes
        order = np.lexsort((np.arange(len(sizes)), -(shares - counts)))
        order = order[room[order] & (np.asarray(weights)[order] > 0)]
        while missing > 0 and len(order):
            take = order[:missing]
            counts[take] += 1
            missing -= len(take)
            order = order[counts[order] < sizes[order]]
    return counts
