"""Shrinkage: a class's own mentions and what a model expects of it, weighed by how well the model does.

Empirical Bayes: (w + s · expected) / (k + s) for w of k mentions found. The strength s is estimated from all
annotated classes: under it the number found is beta-binomial.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Numbers
from ..statistics.sums import Measure

PRIORS: dict[Measure, tuple[float, float]] = {"recall": (50.0, 0.4), "precision": (70.0, 0.5)}
"""Median of the strength's prior and standard deviation of its logarithm, as training parts of corpora imply.

What is expected was fitted on the annotated mentions, so that classes seem nearer to it there than they are:
a weak prior would leave the strength too large. With too few annotated classes it is the median.
"""
LEAST, MOST = 1.0, 300.0
FEWEST = 5
"""Classes with two mentions or more that an estimate needs."""


def strength(
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

    median, spread = PRIORS[measure]
    usable = (count >= 2.0) & np.isfinite(expected)
    if np.count_nonzero(usable) < FEWEST:
        return median
    k, w = count[usable], found[usable]
    p = np.clip(expected[usable], 0.01, 0.99)
    tried = np.exp(np.linspace(np.log(LEAST), np.log(MOST), 120))
    s = tried[:, None]
    # strengths × classes: the log likelihood of each class under each strength
    each = betaln(w + s * p, k - w + s * (1.0 - p)) - betaln(s * p, s * (1.0 - p))
    alike = np.sqrt(max(float(k.sum()) / mentions, 1.0))
    score = each.sum(axis=1) / alike - 0.5 * (np.log(tried / median) / spread) ** 2
    return float(tried[int(score.argmax())])


def shrunk(
    count: Numbers, found: Numbers, expected: Numbers, variance: Numbers, s: float
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
    s : float
        The strength.
    """
    whole = count + s
    value = (found + s * expected) / whole
    own = value * (1.0 - value)
    together = (np.sqrt(count * own) + s * np.sqrt(variance)) / whole
    return value, together**2 + (s / whole) ** 2 * own / (s + 1.0)
