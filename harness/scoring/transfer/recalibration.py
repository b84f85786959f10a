"""Recalibration of a model by a level, a slope and column deviations, and shrinkage of class estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Numbers
from ..statistics.sums import Measure

SLOPE_MEAN, SLOPE_DEVIATION = 0.9, 0.15
"""Mean and standard deviation of the prior of the slope.

The mean is less than 1 because differences between features are smaller in corpora than in suites.
"""
MIN_STRENGTH, MAX_STRENGTH = 1.0, 300.0
LEVEL_DEVIATION = 0.8
"""Standard deviation of the level's prior, in log odds."""
COLUMN_DEVIATION = 0.2
"""Standard deviation of the prior for the deviation of a column."""
MAX_ROUNDS = 100
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Recalibration:
    """Fitted recalibration of a model.

    Attributes
    ----------
    centre : float
        Mean of the linear predictor over the composition.
    coefficients : array
        Level, slope, and deviation of each column.
    priors : array
        Prior variance of each coefficient.
    scaled_mentions : array
        Annotated mentions × coefficients: design matrix, multiplied by the prior variances.
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
        """Amount added to the mean linear predictor of the suite's model, in log odds."""
        return float(self.coefficients[0])

    @property
    def slope(self) -> float:
        """Factor that multiplies the differences predicted by the suite's model."""
        return float(self.coefficients[1])

    def compute_variance(self, slopes: Numbers) -> Numbers:
        """Return the posterior variances of linear functions of the coefficients, one per row of `slopes`."""
        # functions × annotated mentions: covariance with the predictors of the mentions
        shared = slopes @ self.scaled_mentions.T
        return np.asarray((slopes**2) @ self.priors - ((shared @ self.precision) * shared).sum(axis=1))


def recalibrate(f: Numbers, x: Numbers, right: Numbers, weights: Numbers, centre: float) -> Recalibration:
    """Fit a recalibration with Newton's method in its dual form, with one unknown per mention.

    Parameters
    ----------
    f : array
        Linear predictor of each annotated mention, computed with the suite's model.
    x : array
        Design matrix without the intercept: annotated mentions × columns of the model.
    right : array
        Verdict on each mention, from 0 to 1.
    weights : array
        Weight of each mention.
    centre : float
        Mean of the linear predictor over the composition.
    """
    from scipy.special import expit

    size = x.shape[1]
    # mentions × coefficients
    z = np.concatenate((np.ones((len(f), 1)), (f - centre)[:, None], x), axis=1)
    priors = np.r_[LEVEL_DEVIATION**2, SLOPE_DEVIATION**2, np.full(size, COLUMN_DEVIATION**2)]
    means = np.r_[0.0, SLOPE_MEAN, np.zeros(size)]
    start = centre + z @ means
    scaled = z * priors
    kernel = scaled @ z.T
    dual = np.zeros(len(f))

    def loss(dual: Numbers) -> float:
        change = kernel @ dual
        eta = start + change
        return float(weights @ (np.logaddexp(0.0, eta) - right * eta) + 0.5 * dual @ change)

    value = loss(dual)
    for _ in range(MAX_ROUNDS):
        eta = start + kernel @ dual
        p = expit(eta)
        steep = np.maximum(weights * p * (1.0 - p), 1e-12)
        aim = np.linalg.solve(kernel + np.diag(1.0 / steep), eta - start + weights * (right - p) / steep)
        # a step that increases the loss is halved
        step, length = aim - dual, 1.0
        while (new := loss(dual + length * step)) > value + 1e-12 and length > TOLERANCE:
            length /= 2.0
        dual = dual + length * step
        done = value - new < TOLERANCE
        value = min(new, value)
        if done:
            break
    p = expit(start + kernel @ dual)
    steep = np.maximum(weights * p * (1.0 - p), 1e-12)
    precision = np.linalg.inv(kernel + np.diag(1.0 / steep))
    return Recalibration(centre, means + scaled.T @ dual, priors, scaled, precision)


STRENGTH_PRIORS: dict[Measure, tuple[float, float]] = {"recall": (50.0, 0.4), "precision": (70.0, 0.5)}
"""Prior of the strength of shrinkage: its median, and the standard deviation of its logarithm.

The values were chosen on the training parts of several corpora. The predictions were fitted on the annotated
mentions from which the results of classes are computed, so they agree with these results better than they
would with new data. With a weaker prior, the strength would therefore be too large. If there are fewer than
`MIN_CLASSES` classes, the strength is the median.
"""
MIN_CLASSES = 5
"""Minimum number of classes with at least two mentions that are needed to estimate the strength."""


def estimate_strength(
    count: Numbers, found: Numbers, expected: Numbers, mentions: float, measure: Measure = "recall"
) -> float:
    """Estimate the strength of shrinkage by maximum penalised likelihood.

    Because classes overlap, the sum of their log likelihoods is divided by the square root of the mean number
    of classes per mention.

    Parameters
    ----------
    count, found : array
        Number of mentions in each class, and number of mentions found. The numbers may be fractional.
    expected : array
        Recall or precision that the model predicts for each class.
    mentions : float
        Total number of annotated mentions.
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
    # strengths × classes: log likelihood of each class
    each = betaln(w + s * p, k - w + s * (1.0 - p)) - betaln(s * p, s * (1.0 - p))
    overlap = np.sqrt(max(float(k.sum()) / mentions, 1.0))
    score = each.sum(axis=1) / overlap - 0.5 * (np.log(tried / median) / spread) ** 2
    return float(tried[int(score.argmax())])


def shrink_classes(
    count: Numbers, found: Numbers, expected: Numbers, variance: Numbers, strength: float
) -> tuple[Numbers, Numbers]:
    """Return the shrunken estimate of each class, and its variance.

    Predictions and observed results come from the same mentions, so that their errors are correlated.
    Therefore the standard errors of both are added, not the variances. The deviation of a class from the
    model is independent of these errors.

    Parameters
    ----------
    count, found, expected : array
        See `estimate_strength`.
    variance : array
        Variance of `expected`.
    strength : float
        Strength of shrinkage.
    """
    whole = count + strength
    value = (found + strength * expected) / whole
    binomial = value * (1.0 - value)
    error = (np.sqrt(count * binomial) + strength * np.sqrt(variance)) / whole
    return value, error**2 + (strength / whole) ** 2 * binomial / (strength + 1.0)
