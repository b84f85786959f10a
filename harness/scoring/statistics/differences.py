"""The difference of two shares of mentions that share entities, contexts or documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .groups import Dependence
from .jackknife import ShareSums, ShareVariance, estimate_variance
from .shares import Estimate, make_difference_estimate, make_share_estimate, student_quantile
from .sums import estimate_share


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


@dataclass(frozen=True)
class EffectDifference:
    """The effects of a class on two taggers, and how far these are apart.

    Attributes
    ----------
    first, second : Difference
        Of each tagger, the class less its rest.
    estimate : Estimate
        First effect less second.
    p : float
        Two-sided, of no difference.
    """

    first: Difference
    second: Difference
    estimate: Estimate
    p: float


EFFECT_WEIGHTS = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
"""Weights of class, rest, class, rest: the effect on either tagger."""


def estimate_difference(
    first: list[ShareSums], second: list[ShareSums], design: Dependence, confidence: float
) -> Difference:
    """First share less second, from sums by the same groups.

    Parameters
    ----------
    first, second : list of Sums
        A class and the rest, or one tagger and another on the same class.
    design : Sharing
    confidence : float
    """
    found = estimate_variance([first, second], design.pair_weight)
    # where both shares have all ways, what is known of both is what is known of each
    one, other = (
        make_share_estimate(
            s[0].share, float(s[0].whole.sum()), found.select_share(i), confidence, design.name
        )
        if all(found.used_ways)
        else estimate_share(s, design, confidence)
        for i, s in enumerate((first, second))
    )
    methods = dict.fromkeys(e.method for e in (one, other) if not np.isnan(e.value))
    apart = make_difference_estimate(one, other, found, method="; ".join(methods))
    return Difference(one, other, apart, *_test_difference(apart, found, confidence))


def compare_effects(
    first: tuple[list[ShareSums], list[ShareSums]],
    second: tuple[list[ShareSums], list[ShareSums]],
    design: Dependence,
    confidence: float,
) -> EffectDifference:
    """How far a class's effect on one tagger differs from that on another, both over the same texts.

    The effect is the class less its rest. All four shares are resampled together: what makes a document or a
    name hard for both taggers makes their effects alike and does not count as chance.

    Parameters
    ----------
    first, second : tuple of (list of Sums, list of Sums)
        Of each tagger the class and its rest, by the same groups.
    design : Sharing
    confidence : float
    """
    own, others = (estimate_difference(*sums, design, confidence) for sums in (first, second))
    found = estimate_variance([*first, *second], design.pair_weight, EFFECT_WEIGHTS)
    # the rule of three asks how many mentions an effect rests on: those of its smaller side
    sides = [
        replace(d.estimate, whole=float(np.nanmin([d.first.whole, d.second.whole])))
        if not np.isnan(d.estimate.value)
        else d.estimate
        for d in (own, others)
    ]
    method = "; ".join(dict.fromkeys((own.estimate.method, others.estimate.method)))
    apart = make_difference_estimate(sides[0], sides[1], found, method=method, most=2.0)
    return EffectDifference(own, others, apart, _test_difference(apart, found, confidence)[0])


def _test_difference(apart: Estimate, found: ShareVariance, confidence: float) -> tuple[float, float]:
    """The p value of no difference, and the standard error that an interval implies."""
    if np.isnan(apart.value):
        return float("nan"), float("nan")
    freedom = (
        apart.degrees_of_freedom
        if not np.isnan(apart.degrees_of_freedom)
        else float(np.nanmin(found.effective_groups)) - 1.0
    )
    freedom = max(freedom, 1.0)
    quantile = float(student_quantile(confidence, freedom))
    error = (apart.high - apart.low) / 2.0 / quantile
    near = apart.value - apart.low if apart.value > 0 else apart.high - apart.value
    return compute_p_value(apart.value, near / quantile, freedom), error


def compute_p_value(value: float, error: float, freedom: float) -> float:
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
