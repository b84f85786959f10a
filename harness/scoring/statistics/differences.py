"""The difference of two shares of mentions that share entities, contexts or documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .groups import Sharing
from .jackknife import Spread, Sums, spread
from .shares import Estimate, difference_estimate, share_estimate, student
from .sums import estimate


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
class EffectsApart:
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


EFFECTS = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
"""Weights of class, rest, class, rest: the effect on either tagger."""


def difference(first: list[Sums], second: list[Sums], design: Sharing, confidence: float) -> Difference:
    """First share less second, from sums by the same groups.

    Parameters
    ----------
    first, second : list of Sums
        A class and the rest, or one tagger and another on the same class.
    design : Sharing
    confidence : float
    """
    found = spread([first, second], design.common)
    # where both shares have all ways, what is known of both is what is known of each
    one, other = (
        share_estimate(s[0].share, float(s[0].whole.sum()), found.of(i), confidence, design.name)
        if all(found.ways)
        else estimate(s, design, confidence)
        for i, s in enumerate((first, second))
    )
    methods = dict.fromkeys(e.method for e in (one, other) if not np.isnan(e.value))
    apart = difference_estimate(one, other, found, method="; ".join(methods))
    return Difference(one, other, apart, *_tested(apart, found, confidence))


def effects_apart(
    first: tuple[list[Sums], list[Sums]],
    second: tuple[list[Sums], list[Sums]],
    design: Sharing,
    confidence: float,
) -> EffectsApart:
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
    own, others = (difference(*sums, design, confidence) for sums in (first, second))
    found = spread([*first, *second], design.common, EFFECTS)
    # the rule of three asks how many mentions an effect rests on: those of its smaller side
    sides = [
        replace(d.estimate, whole=float(np.nanmin([d.first.whole, d.second.whole])))
        if not np.isnan(d.estimate.value)
        else d.estimate
        for d in (own, others)
    ]
    method = "; ".join(dict.fromkeys((own.estimate.method, others.estimate.method)))
    apart = difference_estimate(sides[0], sides[1], found, method=method, most=2.0)
    return EffectsApart(own, others, apart, _tested(apart, found, confidence)[0])


def _tested(apart: Estimate, found: Spread, confidence: float) -> tuple[float, float]:
    """The p value of no difference, and the standard error that an interval implies."""
    if np.isnan(apart.value):
        return float("nan"), float("nan")
    freedom = apart.freedom if not np.isnan(apart.freedom) else float(np.nanmin(found.groups)) - 1.0
    freedom = max(freedom, 1.0)
    quantile = float(student(confidence, freedom))
    error = (apart.high - apart.low) / 2.0 / quantile
    near = apart.value - apart.low if apart.value > 0 else apart.high - apart.value
    return p_value(apart.value, near / quantile, freedom), error


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
