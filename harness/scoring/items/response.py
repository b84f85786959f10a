"""The two-parameter logistic model of item response (Birnbaum 1968), items being mentions.

A tagger of ability t finds a mention of difficulty b and discrimination a with probability
1 / (1 + exp(-a (t - b))).
Taggers are few and mentions many, so that what is estimated for each mention must not be estimated together
with the taggers (Neyman and Scott 1948): difficulties and discriminations are drawn from a population and
summed over a grid (Bock and Aitkin 1981), and abilities and the population's spread maximise what is left,
under weak priors. Difficulty 0 is that of the average mention, discrimination 1 that of the median one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Numbers
from ..threads import one_thread

SPREAD_OF_DISCRIMINATION = 0.5
"""Standard deviation of the logarithms of discriminations."""
SPREAD_OF_ABILITY = 3.0
"""Of the prior of abilities, weak: nearly all taggers lie within two of the average mention."""
SPREAD_OF_SPREAD = 1.0
"""Of the prior of the logarithm of difficulties' standard deviation, which has its mode at 1."""
REACH = 4.5
STEPS, FEW_STEPS = 61, 9
"""Places of the grid for difficulty and for discrimination."""
STEP = 1e-4


@dataclass(frozen=True)
class Response:
    """A fitted model.

    Attributes
    ----------
    ability : array
        Of each tagger.
    spread : float
        Standard deviation of the population's difficulties.
    difficulty, difficulty_error, discrimination : array
        Of each mention: means (and the standard deviation) given its answers.
    influence : array
        Taggers × mentions: by how much each mention moves each ability.
    """

    ability: Numbers
    spread: float
    difficulty: Numbers
    difficulty_error: Numbers
    discrimination: Numbers
    influence: Numbers


@one_thread()
def respond(answers: Numbers) -> Response:
    """Fit the model.

    Parameters
    ----------
    answers : array
        Mentions × taggers: 1 found, 0 not, a part in between, NaN where it does not count.
    """
    from scipy.optimize import minimize

    # mentions with the same answers are alike: patterns × taggers, and how many mentions have each
    known, which, counts = np.unique(
        np.where(np.isnan(answers), -1.0, answers), axis=0, return_inverse=True, return_counts=True
    )
    grid = _Grid(known, counts.astype(np.float64))
    rate = np.nanmean(answers, axis=0)
    start = np.append(np.log((rate + 0.01) / (1.01 - rate)), 0.0)
    done = minimize(grid.loss, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-13, "gtol": 1e-6})
    best = np.asarray(done.x)
    # curvature of the penalised likelihood, from its slopes a step to either side
    steps = np.eye(len(best)) * STEP
    curvature = np.array([(grid.loss(best + s)[1] - grid.loss(best - s)[1]) / (2 * STEP) for s in steps])
    slopes = grid.slopes(best)
    influence = np.linalg.solve((curvature + curvature.T) / 2, slopes.T)[:-1]
    difficulty, error, discrimination = grid.items(best)
    place = which.ravel()
    return Response(
        best[:-1],
        float(np.exp(best[-1])),
        difficulty[place],
        error[place],
        discrimination[place],
        influence[:, place],
    )


class _Grid:
    """The likelihood of patterns of answers, summed over a grid of difficulties and discriminations."""

    def __init__(self, patterns: Numbers, counts: Numbers) -> None:
        self.answered = (patterns >= 0).astype(np.float64)
        self.right = np.where(patterns >= 0, patterns, 0.0)
        self.counts = counts
        z, log_a = np.linspace(-REACH, REACH, STEPS), np.linspace(-REACH, REACH, FEW_STEPS)
        self.z = np.repeat(z, FEW_STEPS)
        self.a = np.exp(SPREAD_OF_DISCRIMINATION * np.tile(log_a, STEPS))
        prior = -0.5 * (self.z**2 + np.tile(log_a, STEPS) ** 2)
        self.prior = prior - np.log(np.exp(prior).sum())

    def _at(self, x: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Probabilities and slopes in the spread (taggers × grid), patterns × grid, and likelihoods."""
        from scipy.special import expit, log_expit, logsumexp

        difficulty = np.exp(x[-1]) * self.z
        logit = self.a * (x[:-1, None] - difficulty)
        # patterns × grid: the likelihood of each pattern at each place, with the population's weight of it
        each = self.right @ log_expit(logit) + (self.answered - self.right) @ log_expit(-logit) + self.prior
        whole = logsumexp(each, axis=1)
        return expit(logit), -self.a * difficulty, np.exp(each - whole[:, None]), whole

    def slopes(self, x: Numbers) -> Numbers:
        """Patterns × parameters: how the likelihood of a mention with each pattern rises."""
        return self._slopes(*self._at(x)[:3])

    def _slopes(self, p: Numbers, spreading: Numbers, weights: Numbers) -> Numbers:
        own = self.right * (weights @ self.a)[:, None] - self.answered * (weights @ (self.a * p).T)
        other = self.right * (weights @ spreading)[:, None] - self.answered * (weights @ (spreading * p).T)
        return np.column_stack((own, other.sum(axis=1)))

    def loss(self, x: Numbers) -> tuple[float, Numbers]:
        """The negative penalised likelihood and its slope."""
        strict = np.append(np.full(len(x) - 1, SPREAD_OF_ABILITY**-2), SPREAD_OF_SPREAD**-2)
        *at, whole = self._at(x)
        value = -float(self.counts @ whole) + 0.5 * float(strict @ x**2)
        return value, -(self.counts @ self._slopes(*at)) + strict * x

    def items(self, x: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Of each pattern the mean difficulty, its standard deviation, and the mean discrimination."""
        _, _, weights, _ = self._at(x)
        difficulty = np.exp(x[-1]) * self.z
        mean = weights @ difficulty
        return mean, np.sqrt(np.maximum(weights @ difficulty**2 - mean**2, 0.0)), weights @ self.a
