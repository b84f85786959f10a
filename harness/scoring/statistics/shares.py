"""Intervals of a share, and of the difference of two, from what resampling found.

A percentile interval collapses to a point where everything or nothing was found, and with few groups. So the
resampled variance is turned into an effective sample size, and the score interval of Wilson (1927) is taken
at that size, with Student's quantile at the variance's degrees of freedom. Differences are put together from
the two intervals (MOVER: Newcombe 1998; Zou and Donner 2008, with the correlation).
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
    """A share or a difference with its interval.

    Attributes
    ----------
    value, low, high : float
        NaN where undefined.
    method : str
        How the interval came about.
    effective_size : float
        The effective sample size (of a share).
    degrees_of_freedom : float
        Degrees of freedom.
    whole : float
        The denominator (of a share).
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
        """Degrees of freedom; so many that Student's distribution is the normal one where none are known."""
        return 1e9 if np.isnan(self.degrees_of_freedom) else self.degrees_of_freedom


def student_quantile(confidence: float, freedom: ArrayLike) -> Numbers:
    """The two-sided quantile of Student's distribution, at one degree of freedom or more."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(freedom, 1.0), 0.5 + confidence / 2.0), dtype=np.float64)


def normal_quantile(confidence: float) -> float:
    """The two-sided quantile of the normal distribution."""
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
    """The interval of shares, the effective sample sizes, and which had to be bounded from the groups.

    A share is worth as many independent mentions as have its variance. Where the variance is nought because
    all or nothing was found, as many as there are groups of the way that has the fewest: as if all mentions
    of a group were one. Where it is unknown, because nothing could be left out, as one.

    Parameters
    ----------
    share, whole : array_like
        The shares and their denominators.
    variance, groups, freedom : array_like
        What resampling gives for each; see `ShareVariance`.
    confidence : float
    unseen : float, optional
        What that which was not found may count as, if less than what was; see `score_interval`. A size that
        was bounded from the groups stands for all that was not found already.
    """
    p, n, v = (np.asarray(values, dtype=np.float64) for values in (share, whole, variance))
    own, unknown = p * (1.0 - p), np.isnan(v)
    bounded = np.asarray(unknown | (own <= 0.0) | (v <= 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.minimum(n, np.where(bounded, np.maximum(groups, 1.0), own / v))
    size = np.where(unknown, 1.0, size)
    # a group that stands alone gives no degrees of freedom; Wilson at size 1 is as wide as it gets
    quantile = student_quantile(confidence, np.where(bounded, np.inf, freedom))
    fewer = None if unseen is None else np.where(bounded, np.inf, unseen)
    low, high = score_interval(p, np.where(n > 0, size, np.nan), quantile, fewer)
    return low, high, size, bounded


def make_share_estimate(
    share: float,
    whole: float,
    found: ShareVariance,
    confidence: float,
    name: str,
    unseen: float | None = None,
) -> Estimate:
    """A share with its interval.

    Parameters
    ----------
    share, whole : float
        The share and its denominator.
    found : Spread
        What resampling gives for it alone.
    confidence : float
    name : str
        Of the design, for `Estimate.method`.
    unseen : float, optional
        What that which was not found may count as, if less than what was; see `score_interval`.
    """
    if not whole > 0:
        return Estimate(method=name_method(name, found.used_ways, bounded=False))
    groups, freedom = float(found.effective_groups[0]), float(found.degrees_of_freedom[0])
    low, high, size, bounded = estimate_share_interval(
        share, whole, found.variance[0, 0], groups, freedom, confidence, unseen
    )
    method = name_method(name, found.used_ways, bounded=bool(bounded))
    freedom = max(groups - 1.0, 1.0) if bounded else freedom
    return Estimate(share, float(low), float(high), method, float(size), freedom, whole)


def resample_share(
    sums: Sequence[ShareSums], pair_weight: float, confidence: float, name: str, unseen: float | None = None
) -> Estimate:
    """A share with its interval, from its sums by each way; see `spread` and `make_share_estimate`."""
    found = estimate_variance([sums], pair_weight)
    return make_share_estimate(sums[0].share, float(sums[0].whole.sum()), found, confidence, name, unseen)


def name_method(name: str, ways: tuple[bool, ...], *, bounded: bool) -> str:
    """The method in the column `interval`: ``jackknife: entities × contexts``, or what was fallen back on."""
    parts = name.split(" × ")
    if len(parts) == len(ways) and not all(ways):
        left = [p for p, usable in zip(parts, ways, strict=True) if usable]
        name = f"{' × '.join(left)} only" if left else f"one group of {name}"
    if bounded:
        return f"wilson, effective n: {name}"
    return f"jackknife: {name}"


def make_difference_estimate(
    first: Estimate,
    second: Estimate,
    found: ShareVariance,
    *,
    method: str,
    most: float = 1.0,
) -> Estimate:
    """The difference of two shares (first less second), from their intervals and their correlation.

    Parameters
    ----------
    first, second : Estimate
    found : Spread
        Of both shares.
    method : str
        For the result.
    most : float
        How far apart the two can be: 1, or 2 where they are differences themselves.
    """
    value = first.value - second.value
    if np.isnan(value):
        return Estimate(method=method)
    product = float(found.variance[0, 0] * found.variance[1, 1])
    rho = float(found.variance[0, 1]) / np.sqrt(product) if product > 0 else 0.0
    # where the two agree on every mention, so many more may still show that they do not (the rule of three)
    rho = float(np.clip(rho, -1.0, 1.0 - 3.0 / max(min(first.whole, second.whole), 3.0)))

    def reach(a: float, b: float) -> float:
        return float(np.sqrt(max(a * a + b * b - 2.0 * rho * (a * b), 0.0)))

    low = value - reach(first.value - first.low, second.high - second.value)
    high = value + reach(first.high - first.value, second.value - second.low)
    known = [
        f for f in (first.degrees_of_freedom, second.degrees_of_freedom) if product > 0 and not np.isnan(f)
    ]
    freedom = min(known, default=float("nan"))
    return Estimate(value, max(low, -most), min(high, most), method, degrees_of_freedom=freedom)
