"""Intervals for counts of independent trials (Wilson 1927)."""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Numbers


@lru_cache
def _normal_quantile(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2.0)


def wilson_interval(part: ArrayLike, whole: ArrayLike, confidence: float = 0.95) -> tuple[Numbers, Numbers]:
    """Return the score interval of Wilson (1927) for a share `part` / `whole` of independent trials.

    The interval is NaN if `whole` is 0. Both numbers may be fractional.

    Examples
    --------
    >>> low, high = wilson_interval(8, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.4902, 0.9433)
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, but is {confidence!r}")
    k = np.asarray(part, dtype=np.float64)
    n = np.asarray(whole, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = k / n
    return score_interval(share, n, _normal_quantile(confidence))


def score_interval(
    share: ArrayLike, size: ArrayLike, quantile: ArrayLike, unseen: ArrayLike | None = None
) -> tuple[Numbers, Numbers]:
    """Return Wilson's interval for fractional sample sizes and given quantiles; NaN if share or size is NaN.

    At distance d from the share p, Wilson's variance is (p (1 - p) + d (1 - 2 p) - d²) / size. With `unseen`,
    the terms in d are divided by this smaller size at the end that is closer to one half, because cases that
    were not observed may come in larger groups.

    Parameters
    ----------
    share, size, quantile : array
    unseen : array, optional
        Sample size for the terms in d at the end that is closer to one half, if smaller than `size`.

    Returns
    -------
    tuple of array
        Low and high ends of the intervals.

    Examples
    --------
    >>> low, high = score_interval(0.8, 10, 1.959964)
    >>> round(float(low), 4), round(float(high), 4)
    (0.4902, 0.9433)
    >>> low, high = score_interval(0.05, 1000, 1.959964, unseen=100)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0381, 0.0879)
    """
    p, n, z = (np.asarray(values, dtype=np.float64) for values in (share, size, quantile))
    fewer = n if unseen is None else np.minimum(n, np.asarray(unseen, dtype=np.float64))
    centre, half = _compute_ends(p, n, np.where(p > 0.5, fewer, n), z)
    low = centre - half
    if unseen is not None:
        centre, half = _compute_ends(p, n, np.where(p < 0.5, fewer, n), z)
    # for shares of 0 and 1, rounding must not move the end beyond the share
    low = np.where(p <= 0, np.minimum(p, 0.0), np.maximum(low, 0.0))
    high = np.where(p >= 1, np.maximum(p, 1.0), np.minimum(centre + half, 1.0))
    undefined = ~(n > 0) | np.isnan(p)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


def _compute_ends(p: Numbers, n: Numbers, added: Numbers, z: Numbers) -> tuple[Numbers, Numbers]:
    """Return the centre and the half width of a score interval.

    Some terms of the variance depend on the distance d from the share (see `score_interval`). `added` is the
    sample size in these terms, and `n` is the sample size in all other terms.
    """
    square = z * z
    with np.errstate(divide="ignore", invalid="ignore"):
        shrink = 1.0 + square / added
        centre = (p + square / (2.0 * added)) / shrink
        own = np.maximum(p * (1.0 - p), 0.0)
        variance = own / n + own * square / added * (1.0 / n - 1.0 / added) + square / (4.0 * added * added)
        return centre, z * np.sqrt(variance) / shrink


def wilson_f1_interval(f1: ArrayLike, trials: ArrayLike, confidence: float = 0.95) -> tuple[Numbers, Numbers]:
    """Return the score interval of F1, from the interval of q = tp / (tp + fp + fn).

    Since F1 = 2 q / (1 + q) increases with q, the ends of the Wilson interval of q are converted to those of
    F1.
    `trials` is tp + fp + fn.
    """
    f = np.asarray(f1, dtype=np.float64)
    n = np.asarray(trials, dtype=np.float64)
    share = f / (2.0 - f)
    low, high = wilson_interval(share * n, n, confidence)
    return 2.0 * low / (1.0 + low), 2.0 * high / (1.0 + high)
