"""Recalibrate estimates of classes by one level and a few deviations, and shrink classes towards them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Numbers
from ..statistics.sums import Measure

SLOPE_MEAN, SLOPE_DEVIATION = 0.9, 0.15
"""Mean and standard deviation of the slope's prior: corpora are a little less extreme than suites."""
MIN_STRENGTH, MAX_STRENGTH = 1.0, 300.0
LEVEL_DEVIATION = 0.8
"""Standard deviation of the level's prior, in log odds."""
COLUMN_DEVIATION = 0.2
"""Standard deviation of the prior of every column's deviation."""
MAX_ROUNDS = 100
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Recalibration:
    """A fitted recalibration.

    Attributes
    ----------
    centre : float
        The mean of the linear predictor over the composition.
    coefficients : array
        Level, slope, and the columns' deviations.
    priors : array
        The prior variance of each.
    scaled_mentions : array
        Annotated mentions × coefficients, times the prior variances.
    precision : array
        Inverse of the covariance of the annotated mentions' working responses.
    """

    centre: float
    coefficients: Numbers
    priors: Numbers
    scaled_mentions: Numbers
    precision: Numbers

    @property
    def level(self) -> float:
        """By how much log odds differ from what the suite's model says of the whole."""
        return float(self.coefficients[0])

    @property
    def slope(self) -> float:
        """How much of the model's differences is left."""
        return float(self.coefficients[1])

    def compute_variance(self, slopes: Numbers) -> Numbers:
        """The posterior variance of linear functions of the coefficients, one a row."""
        # functions × annotated mentions: the covariance of each with the mentions' predictors
        shared = slopes @ self.scaled_mentions.T
        return np.asarray((slopes**2) @ self.priors - ((shared @ self.precision) * shared).sum(axis=1))


def recalibrate(f: Numbers, x: Numbers, right: Numbers, weights: Numbers, centre: float) -> Recalibration:
    """Fit a recalibration by Newton's method, in as many unknowns as there are mentions.

    Parameters
    ----------
    f : array
        The suite's linear predictor of each annotated mention.
    x : array
        Annotated mentions × columns of the model, without the intercept.
    right : array
        What each mention is worth, from 0 to 1.
    weights : array
        How many mentions each stands for.
    centre : float
        The mean of the linear predictor over the composition.
    """
    from scipy.special import expit

    size = x.shape[1]
    # mentions × coefficients
    z = np.concatenate((np.ones((len(f), 1)), (f - centre)[:, None], x), axis=1)
    priors = np.r_[LEVEL_DEVIATION**2, SLOPE_DEVIATION**2, np.full(size, COLUMN_DEVIATION**2)]
    means = np.r_[0.0, SLOPE_MEAN, np.zeros(size)]
    begun = centre + z @ means
    seen = z * priors
    kernel = seen @ z.T
    dual = np.zeros(len(f))

    def loss(dual: Numbers) -> float:
        bent = kernel @ dual
        eta = begun + bent
        return float(weights @ (np.logaddexp(0.0, eta) - right * eta) + 0.5 * dual @ bent)

    value = loss(dual)
    for _ in range(MAX_ROUNDS):
        eta = begun + kernel @ dual
        p = expit(eta)
        steep = np.maximum(weights * p * (1.0 - p), 1e-12)
        aim = np.linalg.solve(kernel + np.diag(1.0 / steep), eta - begun + weights * (right - p) / steep)
        # a step that makes it worse is halved
        step, length = aim - dual, 1.0
        while (new := loss(dual + length * step)) > value + 1e-12 and length > TOLERANCE:
            length /= 2.0
        dual = dual + length * step
        done = value - new < TOLERANCE
        value = min(new, value)
        if done:
            break
    p = expit(begun + kernel @ dual)
    steep = np.maximum(weights * p * (1.0 - p), 1e-12)
    precision = np.linalg.inv(kernel + np.diag(1.0 / steep))
    return Recalibration(centre, means + seen.T @ dual, priors, seen, precision)


STRENGTH_PRIORS: dict[Measure, tuple[float, float]] = {"recall": (50.0, 0.4), "precision": (70.0, 0.5)}
"""Median of the strength's prior and standard deviation of its logarithm, as training parts of corpora imply.

What is expected was fitted on the annotated mentions, so that classes seem nearer to it there than they are:
a weak prior would leave the strength too large. With too few annotated classes it is the median.
"""
MIN_CLASSES = 5
"""Classes with two mentions or more that an estimate needs."""


def estimate_strength(
    count: Numbers, found: Numbers, expected: Numbers, mentions: float, measure: Measure = "recall"
) -> float:
    """The strength that makes the numbers found in the annotated classes most probable.

    Classes overlap, so that their likelihoods cannot just be multiplied: what they say together is divided by
    the square root of how many classes a mention is in, between counting all and counting each mention once.

    Parameters
    ----------
    count, found : array
        Mentions of each class and how many were found; need not be whole.
    expected : array
        The recall (or precision) that the model expects of each class.
    mentions : float
        Annotated mentions in all.
    measure : str
    """
    from scipy.special import betaln

    median, spread = STRENGTH_PRIORS[measure]
    usable = (count >= 2.0) & np.isfinite(expected)
    if np.count_nonzero(usable) < MIN_CLASSES:
        return median
    k, w = count[usable], found[usable]
    p = np.clip(expected[usable], 0.01, 0.99)
    tried = np.exp(np.linspace(np.log(MIN_STRENGTH), np.log(MAX_STRENGTH), 120))
    s = tried[:, None]
    # strengths × classes: the log likelihood of each class under each strength
    each = betaln(w + s * p, k - w + s * (1.0 - p)) - betaln(s * p, s * (1.0 - p))
    alike = np.sqrt(max(float(k.sum()) / mentions, 1.0))
    score = each.sum(axis=1) / alike - 0.5 * (np.log(tried / median) / spread) ** 2
    return float(tried[int(score.argmax())])


def shrink_classes(
    count: Numbers, found: Numbers, expected: Numbers, variance: Numbers, strength: float
) -> tuple[Numbers, Numbers]:
    """The estimate of each class and its variance.

    What is expected was fitted on these mentions too, so that the errors of both parts are alike: their
    standard errors are added, not their variances. How far a class lies from the model is independent.

    Parameters
    ----------
    count, found, expected : array
        See `strength`.
    variance : array
        Of what is expected.
    strength : float
        The strength.
    """
    whole = count + strength
    value = (found + strength * expected) / whole
    own = value * (1.0 - value)
    together = (np.sqrt(count * own) + strength * np.sqrt(variance)) / whole
    return value, together**2 + (strength / whole) ** 2 * own / (strength + 1.0)
