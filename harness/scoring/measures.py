"""Measures that are computed from counts (scalars or arrays); 0/0 gives NaN, never 0 or 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Numbers


def ratio(part: ArrayLike, whole: ArrayLike) -> Numbers:
    """Return `part` / `whole`, with NaN where `whole` is 0.

    Examples
    --------
    >>> ratio([1, 0], [2, 0]).tolist()
    [0.5, nan]
    """
    a = np.asarray(part, dtype=np.float64)
    b = np.asarray(whole, dtype=np.float64)
    return np.asarray(np.divide(a, b, out=np.full(np.broadcast(a, b).shape, np.nan), where=b != 0))


def precision(predicted_matched: ArrayLike, predicted: ArrayLike) -> Numbers:
    """Return precision: the share of predicted units that are right (van Rijsbergen 1979, ch. 7)."""
    return ratio(predicted_matched, predicted)


def recall(gold_matched: ArrayLike, gold: ArrayLike) -> Numbers:
    """Return recall: the share of gold units that were found (van Rijsbergen 1979, ch. 7)."""
    return ratio(gold_matched, gold)


def f_score(p: ArrayLike, r: ArrayLike, beta: float = 1.0) -> Numbers:
    """Return F = (β² + 1) P R / (β² P + R), as in Olsson et al. 2002, footnote 3.

    F is NaN where P or R is NaN, and where both are 0, because the formula then gives 0/0.

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
    """Return the slot error rate (S + D + I) / N (Makhoul et al. 1999).

    It exceeds 1 when there are more errors than gold mentions.

    Parameters
    ----------
    substitutions : array_like
        Number of wrong pairs, or the sum of (1 - similarity) over all pairs.
    deletions, insertions : array_like
        Number of gold mentions, and of predicted mentions, without a partner.
    gold : array_like
        Number of gold mentions.
    """
    errors = np.asarray(substitutions, dtype=np.float64) + np.asarray(deletions) + np.asarray(insertions)
    return ratio(errors, gold)


def jaccard(common: ArrayLike, left: ArrayLike, right: ArrayLike) -> Numbers:
    """Return the Jaccard coefficient |A ∩ B| / |A ∪ B|, given the sizes of A ∩ B, A and B."""
    shared = np.asarray(common, dtype=np.float64)
    return ratio(shared, np.asarray(left) + np.asarray(right) - shared)


def dice(common: ArrayLike, left: ArrayLike, right: ArrayLike) -> Numbers:
    """Return the Dice coefficient 2 |A ∩ B| / (|A| + |B|), given the sizes of A ∩ B, A and B."""
    return ratio(2.0 * np.asarray(common, dtype=np.float64), np.asarray(left) + np.asarray(right))
