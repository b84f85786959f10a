"""Differences between two shares, with intervals that account for shared entities, contexts or documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .groups import Dependence
from .jackknife import ShareSums, ShareVariance, estimate_variance
from .shares import Estimate, make_difference_estimate, make_share_estimate, student_quantile
from .sums import estimate_share


@dataclass(frozen=True)
class Difference:
    """Two shares and their difference.

    Attributes
    ----------
    first, second : Estimate
        The two shares.
    estimate : Estimate
        First share minus second share.
    p : float
        Two-sided p value of the test for no difference (Student's distribution). The standard error in
        this test is computed from the half of the interval that is closer to 0.
    error : float
        Standard error, computed from the width of the interval.
    """

    first: Estimate
    second: Estimate
    estimate: Estimate
    p: float
    error: float


@dataclass(frozen=True)
class EffectDifference:
    """Effects of a class on the results of two taggers, and the difference between the effects.

    Attributes
    ----------
    first, second : Difference
        Effect for each tagger: share of the class minus share of the other mentions.
    estimate : Estimate
        First effect minus second effect.
    p : float
        Two-sided p value of the test for equal effects.
    """

    first: Difference
    second: Difference
    estimate: Estimate
    p: float


EFFECT_WEIGHTS = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
"""Weights of the shares (columns) in the effects of two taggers (rows).

The shares are those of the class and of the other mentions for the first tagger, then for the second tagger.
"""


def estimate_difference(
    first: list[ShareSums], second: list[ShareSums], design: Dependence, confidence: float
) -> Difference:
    """Estimate the first share minus the second share, from numerators and denominators summed by group.

    Parameters
    ----------
    first, second : list of ShareSums
        Sums of a class and of the other mentions, or of two taggers on the same class.
    design : Dependence
    confidence : float
    """
    variance = estimate_variance([first, second], design.pair_weight)
    # if all groupings can be resampled, the joint variances are also those of each share
    one, other = (
        make_share_estimate(
            s[0].share, float(s[0].whole.sum()), variance.select_share(i), confidence, design.name
        )
        if all(variance.used_ways)
        else estimate_share(s, design, confidence)
        for i, s in enumerate((first, second))
    )
    methods = dict.fromkeys(e.method for e in (one, other) if not np.isnan(e.value))
    apart = make_difference_estimate(one, other, variance, method="; ".join(methods))
    return Difference(one, other, apart, *_test_difference(apart, variance, confidence))


def compare_effects(
    first: tuple[list[ShareSums], list[ShareSums]],
    second: tuple[list[ShareSums], list[ShareSums]],
    design: Dependence,
    confidence: float,
) -> EffectDifference:
    """Compare the effects of a class on the results of two taggers on the same texts.

    An effect is the share of the class minus the share of the other mentions. All four shares are resampled
    together, because a document or a name that is difficult for both taggers makes their effects similar.

    Parameters
    ----------
    first, second : tuple of (list of ShareSums, list of ShareSums)
        Sums of the class and of the other mentions, for each tagger, over the same groups.
    design : Dependence
    confidence : float
    """
    first_effect, second_effect = (estimate_difference(*sums, design, confidence) for sums in (first, second))
    variance = estimate_variance([*first, *second], design.pair_weight, EFFECT_WEIGHTS)
    # the rule of three needs the number of mentions of an effect: that of its smaller part
    sides = [
        replace(d.estimate, whole=float(np.nanmin([d.first.whole, d.second.whole])))
        if not np.isnan(d.estimate.value)
        else d.estimate
        for d in (first_effect, second_effect)
    ]
    method = "; ".join(dict.fromkeys((first_effect.estimate.method, second_effect.estimate.method)))
    apart = make_difference_estimate(sides[0], sides[1], variance, method=method, limit=2.0)
    return EffectDifference(
        first_effect, second_effect, apart, _test_difference(apart, variance, confidence)[0]
    )


def _test_difference(apart: Estimate, variance: ShareVariance, confidence: float) -> tuple[float, float]:
    """Return the p value of the test for no difference, and the standard error of the difference."""
    if np.isnan(apart.value):
        return float("nan"), float("nan")
    freedom = (
        apart.degrees_of_freedom
        if not np.isnan(apart.degrees_of_freedom)
        else float(np.nanmin(variance.effective_groups)) - 1.0
    )
    freedom = max(freedom, 1.0)
    quantile = float(student_quantile(confidence, freedom))
    error = (apart.high - apart.low) / 2.0 / quantile
    near = apart.value - apart.low if apart.value > 0 else apart.high - apart.value
    return compute_p_value(apart.value, near / quantile, freedom), error


def compute_p_value(value: float, error: float, freedom: float) -> float:
    """Return the two-sided p value of the test that the true value is 0, by Student's distribution.

    Examples
    --------
    >>> round(compute_p_value(1.96, 1.0, 1e9), 3)
    0.05
    """
    from scipy.special import stdtr

    if value == 0.0:
        return 1.0
    if not error > 0:
        return 0.0 if error == 0.0 else float("nan")
    return float(2.0 * stdtr(freedom, -abs(value) / error))
