"""Recalibration: a suite's model bent to a few annotated mentions.

The linear predictor f of the model becomes c + b0 + b1·(f − c) + d·x: a level and a slope (c is the mean
over the composition, so that the level hangs on b0 alone), and a small deviation for every column. All have
priors that were chosen on training parts of corpora; with no annotated mention the priors are what is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Numbers

LEVEL = 0.8
"""Standard deviation of the level's prior, in log odds."""
SLOPE, SLOPES = 0.9, 0.15
"""Mean and standard deviation of the slope's prior: corpora are a little less extreme than suites."""
DEVIATION = 0.2
"""Standard deviation of the prior of every column's deviation."""
ROUNDS = 100
NEAR = 1e-8


@dataclass(frozen=True)
class Recalibrated:
    """A fitted recalibration.

    Attributes
    ----------
    centre : float
        The mean of the linear predictor over the composition.
    coefficients : array
        Level, slope, and the columns' deviations.
    priors : array
        The prior variance of each.
    seen : array
        Annotated mentions × coefficients, times the prior variances.
    precision : array
        Inverse of the covariance of the annotated mentions' working responses.
    """

    centre: float
    coefficients: Numbers
    priors: Numbers
    seen: Numbers
    precision: Numbers

    @property
    def level(self) -> float:
        """By how much log odds differ from what the suite's model says of the whole."""
        return float(self.coefficients[0])

    @property
    def slope(self) -> float:
        """How much of the model's differences is left."""
        return float(self.coefficients[1])

    def variance(self, slopes: Numbers) -> Numbers:
        """The posterior variance of linear functions of the coefficients, one a row."""
        # functions × annotated mentions: the covariance of each with the mentions' predictors
        shared = slopes @ self.seen.T
        return np.asarray((slopes**2) @ self.priors - ((shared @ self.precision) * shared).sum(axis=1))


def recalibrated(f: Numbers, x: Numbers, right: Numbers, weights: Numbers, centre: float) -> Recalibrated:
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
    priors = np.r_[LEVEL**2, SLOPES**2, np.full(size, DEVIATION**2)]
    means = np.r_[0.0, SLOPE, np.zeros(size)]
    begun = centre + z @ means
    seen = z * priors
    kernel = seen @ z.T
    dual = np.zeros(len(f))

    def loss(dual: Numbers) -> float:
        bent = kernel @ dual
        eta = begun + bent
        return float(weights @ (np.logaddexp(0.0, eta) - right * eta) + 0.5 * dual @ bent)

    value = loss(dual)
    for _ in range(ROUNDS):
        eta = begun + kernel @ dual
        p = expit(eta)
        steep = np.maximum(weights * p * (1.0 - p), 1e-12)
        aim = np.linalg.solve(kernel + np.diag(1.0 / steep), eta - begun + weights * (right - p) / steep)
        # a step that makes it worse is halved
        step, length = aim - dual, 1.0
        while (new := loss(dual + length * step)) > value + 1e-12 and length > NEAR:
            length /= 2.0
        dual = dual + length * step
        done = value - new < NEAR
        value = min(new, value)
        if done:
            break
    p = expit(begun + kernel @ dual)
    steep = np.maximum(weights * p * (1.0 - p), 1e-12)
    precision = np.linalg.inv(kernel + np.diag(1.0 / steep))
    return Recalibrated(centre, means + seen.T @ dual, priors, seen, precision)
