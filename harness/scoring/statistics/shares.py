"""Intervals of shares and of differences between shares, from resampled variances.

A percentile interval has no width if all or no mentions were found. Therefore the resampled variance is
converted to an effective sample size, and the interval is the score interval of Wilson (1927) at this size,
with Student's quantile at the degrees of freedom of the variance. The interval of a difference is computed
from the intervals of both shares and their correlation (MOVER: Newcombe 1998; Zou and Donner 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Flags, Numbers
from .intervals import score_interval
from .jackknife import ShareSums, ShareVariance, estimate_variance


@dataclass(frozen=True)
class Estimate:
    """Value of a share or a difference, with its interval.

    Attributes
    ----------
    value, low, high : float
        Value and ends of the interval; NaN if undefined.
    method : str
        Method of the interval.
    effective_size : float
        Effective sample size of a share.
    degrees_of_freedom : float
        Degrees of freedom of the variance.
    whole : float
        Denominator of a share.
    """

    value: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    method: str = ""
    effective_size: float = float("nan")
    degrees_of_freedom: float = float("nan")
    whole: float = float("nan")

    @property
    def known_degrees(self) -> float:
        """Degrees of freedom; 1e9 if unknown, which makes Student's distribution practically normal."""
        return 1e9 if np.isnan(self.degrees_of_freedom) else self.degrees_of_freedom


def student_quantile(confidence: float, freedom: ArrayLike) -> Numbers:
    """Return the two-sided quantile of Student's distribution, for at least one degree of freedom."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(freedom, 1.0), 0.5 + confidence / 2.0), dtype=np.float64)


def normal_quantile(confidence: float) -> float:
    """Return the two-sided quantile of the normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + confidence / 2.0))


def estimate_share_interval(
    share: ArrayLike,
    whole: ArrayLike,
    variance: ArrayLike,
    groups: ArrayLike,
    freedom: ArrayLike,
    confidence: float,
    unseen: float | None = None,
) -> tuple[Numbers, Numbers, Numbers, Flags]:
    """Estimate the intervals of shares.

    Returns the low ends, the high ends, the effective sample sizes, and a Boolean array that is True for each
    bounded sample size.

    The effective sample size is the number of independent mentions that gives the same variance. If the
    variance is 0, because all or no mentions were found, the size is bounded by the number of groups in the
    grouping with the fewest groups. If the variance is unknown, because there is only one group, the size is
    1.

    Parameters
    ----------
    share, whole : array_like
        Shares and their denominators.
    variance, groups, freedom : array_like
        Results of resampling; see `ShareVariance`.
    confidence : float
    unseen : float, optional
        Smaller sample size for the end of the interval that is closer to one half; see `score_interval`. It
        is ignored for bounded sizes.
    """
    p, n, v = (np.asarray(values, dtype=np.float64) for values in (share, whole, variance))
    binomial, unknown = p * (1.0 - p), np.isnan(v)
    bounded = np.asarray(unknown | (binomial <= 0.0) | (v <= 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.minimum(n, np.where(bounded, np.maximum(groups, 1.0), binomial / v))
    size = np.where(unknown, 1.0, size)
    # a single group gives no degrees of freedom; size 1 gives the widest interval
    quantile = student_quantile(confidence, np.where(bounded, np.inf, freedom))
    fewer = None if unseen is None else np.where(bounded, np.inf, unseen)
    low, high = score_interval(p, np.where(n > 0, size, np.nan), quantile, fewer)
    return low, high, size, bounded


def make_share_estimate(
    share: float,
    whole: float,
    variance: ShareVariance,
    confidence: float,
    name: str,
    unseen: float | None = None,
) -> Estimate:
    """Return a share with its interval.

    Parameters
    ----------
    share, whole : float
        The share and its denominator.
    variance : ShareVariance
        Variance of this share.
    confidence : float
    name : str
        Name of the design, for `Estimate.method`.
    unseen : float, optional
        Smaller sample size for the end of the interval that is closer to one half; see `score_interval`.
    """
    if not whole > 0:
        return Estimate(method=name_method(name, variance.used_ways, bounded=False))
    groups, freedom = float(variance.effective_groups[0]), float(variance.degrees_of_freedom[0])
    low, high, size, bounded = estimate_share_interval(
        share, whole, variance.variance[0, 0], groups, freedom, confidence, unseen
    )
    method = name_method(name, variance.used_ways, bounded=bool(bounded))
    freedom = max(groups - 1.0, 1.0) if bounded else freedom
    return Estimate(share, float(low), float(high), method, float(size), freedom, whole)


def resample_share(
    sums: Sequence[ShareSums], pair_weight: float, confidence: float, name: str, unseen: float | None = None
) -> Estimate:
    """Return a share with its interval, from sums by group; see `estimate_variance`."""
    variance = estimate_variance([sums], pair_weight)
    return make_share_estimate(sums[0].share, float(sums[0].whole.sum()), variance, confidence, name, unseen)


MAX_REQUIRED_GROUPS = 10_000
MENTIONS_PER_GROUP = 3
"""Maximum effective sample size of a one-sided bound, divided by the number of entities minus 1.

With few entities, most samples lack the rare entities that a tagger always misses, and the estimated variance
is too small. With this maximum, the bound reaches its nominal confidence (``benchmarks/coverage.py``).
"""


def compute_lower_bound(estimate: Estimate, groups: int, confidence: float) -> float:
    """Return a lower bound of a share that is reliable even with few entities.

    Parameters
    ----------
    estimate : Estimate
        The share, with its two-sided interval.
    groups : int
        Number of entities, or of documents in a corpus.
    confidence : float
        Confidence of the two-sided interval.
    """
    size = MENTIONS_PER_GROUP * (groups - 1)
    if not estimate.effective_size > size:
        return estimate.low
    quantile = student_quantile(confidence, estimate.known_degrees)
    return min(estimate.low, float(score_interval(estimate.value, size, quantile)[0]))


def count_required_groups(share: float, limit: float, confidence: float) -> int:
    """Return the number of groups needed for the lower bound of a share to reach a limit; 0 if it cannot."""
    sizes = np.arange(2, MAX_REQUIRED_GROUPS)
    low, _ = score_interval(share, MENTIONS_PER_GROUP * (sizes - 1), student_quantile(confidence, sizes - 1))
    reached = np.flatnonzero(low >= limit)
    return int(sizes[reached[0]]) if len(reached) else 0


def name_method(name: str, ways: tuple[bool, ...], *, bounded: bool) -> str:
    """Return the text for the column `interval`, such as ``jackknife: entities × contexts``."""
    parts = name.split(" × ")
    if len(parts) == len(ways) and not all(ways):
        used = [p for p, usable in zip(parts, ways, strict=True) if usable]
        name = f"{' × '.join(used)} only" if used else f"one group of {name}"
    if bounded:
        return f"wilson, effective n: {name}"
    return f"jackknife: {name}"


def make_difference_estimate(
    first: Estimate,
    second: Estimate,
    variance: ShareVariance,
    *,
    method: str,
    limit: float = 1.0,
) -> Estimate:
    """Return the first share minus the second, from their intervals and their correlation.

    Parameters
    ----------
    first, second : Estimate
    variance : ShareVariance
        Covariance matrix of both shares.
    method : str
        Text for `Estimate.method`.
    limit : float
        Largest possible difference: 1, or 2 if `first` and `second` are differences themselves.
    """
    value = first.value - second.value
    if np.isnan(value):
        return Estimate(method=method)
    product = float(variance.variance[0, 0] * variance.variance[1, 1])
    rho = float(variance.variance[0, 1]) / np.sqrt(product) if product > 0 else 0.0
    # even if both agree on all mentions, up to 3 / n may differ (rule of three)
    rho = float(np.clip(rho, -1.0, 1.0 - 3.0 / max(min(first.whole, second.whole), 3.0)))

    def reach(a: float, b: float) -> float:
        return float(np.sqrt(max(a * a + b * b - 2.0 * rho * (a * b), 0.0)))

    low = value - reach(first.value - first.low, second.high - second.value)
    high = value + reach(first.high - first.value, second.value - second.low)
    degrees = [
        f for f in (first.degrees_of_freedom, second.degrees_of_freedom) if product > 0 and not np.isnan(f)
    ]
    freedom = min(degrees, default=float("nan"))
    return Estimate(value, max(low, -limit), min(high, limit), method, degrees_of_freedom=freedom)
