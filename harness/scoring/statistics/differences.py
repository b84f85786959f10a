"""The difference of two shares of mentions that share entities, contexts or documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .design import Design
from .jackknife import Sums, spread
from .shares import Estimate, difference_estimate, share_estimate, student


@dataclass(frozen=True)
class Difference:
    """Two shares and how far they are apart.

    Attributes
    ----------
    first, second : Estimate
        Each with its own interval.
    estimate : Estimate
        First less second.
    p : float
        Two-sided, of no difference: Student's, with the error that the interval implies on the side of 0.
    error : float
        The standard error that the interval implies, both sides together.
    """

    first: Estimate
    second: Estimate
    estimate: Estimate
    p: float
    error: float


def difference(first: list[Sums], second: list[Sums], design: Design, confidence: float) -> Difference:
    """First share less second, from sums by the same groups.

    Parameters
    ----------
    first, second : list of Sums
        A class and the rest, or one tagger and another on the same class.
    design : Design
    confidence : float
    """
    found = spread([first, second], design.common)
    one, other = (
        share_estimate(
            s[0].share, float(s[0].whole.sum()), spread([s], design.common), confidence, design.name
        )
        for s in (first, second)
    )
    methods = dict.fromkeys(e.method for e in (one, other) if not np.isnan(e.value))
    apart = difference_estimate(one, other, found, method="; ".join(methods))
    if np.isnan(apart.value):
        return Difference(one, other, apart, float("nan"), float("nan"))
    freedom = apart.freedom if not np.isnan(apart.freedom) else float(np.nanmin(found.groups)) - 1.0
    freedom = max(freedom, 1.0)
    quantile = float(student(confidence, freedom))
    error = (apart.high - apart.low) / 2.0 / quantile
    near = apart.value - apart.low if apart.value > 0 else apart.high - apart.value
    return Difference(one, other, apart, p_value(apart.value, near / quantile, freedom), error)


def p_value(value: float, error: float, freedom: float) -> float:
    """Two-sided probability of so large a value when the true one is 0.

    Examples
    --------
    >>> round(p_value(1.96, 1.0, 1e9), 3)
    0.05
    """
    from scipy.special import stdtr

    if value == 0.0:
        return 1.0
    if not error > 0:
        return 0.0 if error == 0.0 else float("nan")
    return float(2.0 * stdtr(freedom, -abs(value) / error))
