"""Measures: what is computed from counts, scalars or arrays; 0/0 is undefined (NaN), never 0 or 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Numbers


def ratio(part: ArrayLike, whole: ArrayLike) -> Numbers:
    """`part` / `whole`; NaN where `whole` is 0.

    Examples
    --------
    >>> ratio([1, 0], [2, 0]).tolist()
    [0.5, nan]
    """
    a = np.asarray(part, dtype=np.float64)
    b = np.asarray(whole, dtype=np.float64)
    return np.asarray(np.divide(a, b, out=np.full(np.broadcast(a, b).shape, np.nan), where=b != 0))


def precision(predicted_matched: ArrayLike, predicted: ArrayLike) -> Numbers:
    """Share of the predicted that is right (van Rijsbergen 1979, ch. 7)."""
    return ratio(predicted_matched, predicted)


def recall(gold_matched: ArrayLike, gold: ArrayLike) -> Numbers:
    """Share of the gold that was found (van Rijsbergen 1979, ch. 7)."""
    return ratio(gold_matched, gold)


def f_score(p: ArrayLike, r: ArrayLike, beta: float = 1.0) -> Numbers:
    """F = (β² + 1) P R / (β² P + R), as in Olsson et al. 2002, footnote 3.

    Undefined (NaN) where P or R is, and where both are 0: the formula then is 0/0.

    Examples
    --------
    >>> f_score([0.5, 0.0], [1.0, 0.0]).round(3).tolist()
    [0.667, nan]
    """
    a = np.asarray(p, dtype=np.float64)
    b = np.asarray(r, dtype=np.float64)
    square = beta * beta
    return ratio((square + 1.0) * a * b, square * a + b)


def slot_error_rate(
    substitutions: ArrayLike, deletions: ArrayLike, insertions: ArrayLike, gold: ArrayLike
) -> Numbers:
    """SER = (S + D + I) / N (Makhoul et al. 1999); above 1 when there are more errors than gold mentions.

    Parameters
    ----------
    substitutions : array_like
        Pairs that are not right, or the sum of their shortfalls (1 - similarity).
    deletions, insertions : array_like
        Gold mentions without a partner; predicted mentions without one.
    gold : array_like
        Number of gold mentions.
    """
    errors = np.asarray(substitutions, dtype=np.float64) + np.asarray(deletions) + np.asarray(insertions)
    return ratio(errors, gold)


def jaccard(common: ArrayLike, left: ArrayLike, right: ArrayLike) -> Numbers:
    """|A ∩ B| / |A ∪ B| from the sizes of the intersection and of the two sets."""
    shared = np.asarray(common, dtype=np.float64)
    return ratio(shared, np.asarray(left) + np.asarray(right) - shared)


def dice(common: ArrayLike, left: ArrayLike, right: ArrayLike) -> Numbers:
    """2 |A ∩ B| / (|A| + |B|) from the sizes of the intersection and of the two sets."""
    return ratio(2.0 * np.asarray(common, dtype=np.float64), np.asarray(left) + np.asarray(right))
