"""Power: what a class of this size could have shown at all."""

from __future__ import annotations

from ..statistics.differences import Difference
from ..statistics.shares import student

WORTH_SEEING = 0.1
"""A difference worth seeing, where the prediction names none."""
USUAL_POWER = 0.8
"""Cohen's (1988) convention."""


def power(found: Difference, effect: float, confidence: float) -> float:
    """Probability that the interval would exclude 0 if the true difference were `effect`.

    By the normal distribution, with the standard error that the interval implies.
    """
    from scipy.special import ndtr

    if not found.error > 0:
        return float("nan")
    limit = float(student(confidence, found.estimate.degrees))
    away = abs(effect) / found.error
    return float(ndtr(away - limit) + ndtr(-away - limit))


def detectable(found: Difference, confidence: float) -> float:
    """The smallest true difference that would be seen with probability .8; at most 1 can be."""
    from scipy.special import ndtri

    if not found.error > 0:
        return float("nan")
    limit = float(student(confidence, found.estimate.degrees))
    return min((limit + float(ndtri(USUAL_POWER))) * found.error, 1.0)
