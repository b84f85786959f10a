"""Samples drawn by seed: so many at most, in the order in which they stood."""

from __future__ import annotations

import numpy as np

from .arrays import Ints


def sample(size: int, most: int, seed: int) -> Ints:
    """Positions of `most` of so many things, ascending; of all where there are no more.

    Examples
    --------
    >>> sample(3, 5, seed=0).tolist()
    [0, 1, 2]
    """
    if size <= most:
        return np.arange(size)
    generator = np.random.Generator(np.random.PCG64(seed))
    return np.sort(generator.choice(size, size=most, replace=False))
