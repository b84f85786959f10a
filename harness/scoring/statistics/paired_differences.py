"""Paired differences between two taggers per class, with p values corrected for the number of classes.

McNemar's exact test assumes independent cases. Cases of a suite share entities and contexts, and the test
would find significant differences between equal taggers. Therefore a randomisation test exchanges the results
of the two taggers for whole entities, and a second one exchanges them for whole contexts; the larger p value
is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ..arrays import Numbers
from ..verdicts import Verdicts
from .corrections import add_corrected_p
from .design import make_shared_designs
from .differences import estimate_difference
from .jackknife import ShareSums
from .shares import Estimate, normal_quantile
from .sums import MEASURES, Measure, sum_class

MAX_EXACT_GROUPS = 16
"""The test enumerates all exchanges if the taggers differ in at most this number of groups."""


def compare_paired(
    one: Verdicts,
    other: Verdicts,
    *,
    notion: str = "strict",
    names: Sequence[str] | None = None,
    measures: Sequence[Measure] = MEASURES,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Estimate the differences between two taggers (first minus second) for each class.

    Parameters
    ----------
    one, other : Verdicts
        Scorings of two taggers on the same texts with the same classes.
    notion : str
    names : sequence of str, optional
        Names of classes; all common classes if None.
    measures : sequence of str
        ``recall``, ``precision`` and ``f1``.
    confidence : float
        Confidence level of the intervals.

    Returns
    -------
    DataFrame
        One row per class and measure, with the largest difference first. `p` comes from `test_exchange`;
        `p_bh` (Benjamini and Hochberg) and `p_holm` (Holm) are corrected for the number of rows.

    Raises
    ------
    InputError
        If the two scorings cover different texts.
    """
    check_same_texts(one, other)
    designs = make_shared_designs([one, other])
    if names is None:
        other_names = set(other.class_names)
        names = [n for n in one.class_names if n in other_names]
    rows = []
    for name in names:
        sums = [sum_class(s, d, notion, name) for s, d in zip((one, other), designs, strict=True)]
        for measure in measures:
            paired = estimate_difference(sums[0][measure], sums[1][measure], designs[0], confidence)
            p_value = test_exchange(sums[0][measure], sums[1][measure])
            apart = _follow_test(paired.estimate, p_value, confidence)
            rows.append(
                {
                    "class": name,
                    "notion": notion,
                    "measure": measure,
                    "one": one.run,
                    "other": other.run,
                    "difference": apart.value,
                    "difference_low": apart.low,
                    "difference_high": apart.high,
                    "one_value": paired.first.value,
                    "other_value": paired.second.value,
                    "one_whole": sums[0][measure][0].whole.sum(),
                    "other_whole": sums[1][measure][0].whole.sum(),
                    "p": p_value,
                    "interval": apart.method,
                }
            )
    frame = add_corrected_p(pd.DataFrame(rows))
    frame["interval"] = frame.pop("interval")
    size = -frame["difference"].astype("float64").abs()
    order = frame.assign(size=size).sort_values(["size", "class", "measure"], kind="stable").index
    return frame.loc[order].reset_index(drop=True)


def test_exchange(first: Sequence[ShareSums], second: Sequence[ShareSums]) -> float:
    """Return the two-sided p value of the test for equal shares of two taggers.

    Under the hypothesis that the taggers are equal, their results can be exchanged within any group, which
    changes the sign of the group's contribution to the difference (Fisher's randomisation test, mid-p). For
    two crossed groupings, the test is made for each of them, and the larger p value is returned.

    Parameters
    ----------
    first, second : sequence of ShareSums
        Sums of each tagger over the same groups, for a single grouping, or for two groupings and their pairs.
    """
    whole = first[0].whole.sum() + second[0].whole.sum()
    if not whole or np.isnan(first[0].share) or np.isnan(second[0].share):
        return float("nan")
    pooled = (first[0].part.sum() + second[0].part.sum()) / whole
    contributions = [
        (one.part - other.part) - pooled * (one.whole - other.whole)
        for one, other in zip(first, second, strict=True)
    ]
    squares = [float((c**2).sum()) for c in contributions]
    crossed = squares[0] + squares[1] - squares[2] if len(squares) == 3 else squares[0]
    p_values = [
        _flip_signs(contributions[way], max(crossed, squares[way]))
        for way in range(min(len(first), 2))
        if max(first[way].used_groups, second[way].used_groups) >= 2
    ]
    return max(p_values, default=float("nan"))


def _flip_signs(contributions: Numbers, variance: float) -> float:
    """Return the mid-p value of a sum of contributions with random signs.

    For more than `MAX_EXACT_GROUPS` groups, a normal distribution with the given variance is used.
    """
    from scipy.special import ndtr

    sizes = np.abs(contributions[np.abs(contributions) > 1e-12])
    observed = abs(float(contributions.sum()))
    if not len(sizes):
        return 1.0
    if len(sizes) > MAX_EXACT_GROUPS:
        return float(2.0 * ndtr(-observed / np.sqrt(variance)))
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    tolerance = 1e-9 * float(sizes.sum())
    beyond = np.abs(sums) - observed
    return float((beyond > tolerance).mean() + 0.5 * (np.abs(beyond) <= tolerance).mean())


def _follow_test(apart: Estimate, p_value: float, confidence: float) -> Estimate:
    """Return a difference with an interval that excludes 0 if and only if the test finds a difference.

    If the interval and the test disagree, the test-based limit of Miettinen (1976) replaces the end of the
    interval that is closer to 0.
    """
    from scipy.special import ndtri

    excludes_zero = apart.low * apart.high > 0
    if np.isnan(apart.low) or np.isnan(p_value) or excludes_zero == (p_value <= 1.0 - confidence):
        return apart
    ratio = normal_quantile(confidence) / max(-float(ndtri(p_value / 2.0)), 1e-12)
    near = float(np.clip(apart.value * (1.0 - ratio), -1.0, 1.0))
    return replace(apart, low=near) if apart.value > 0 else replace(apart, high=near)


def check_same_texts(one: Verdicts, other: Verdicts) -> None:
    """Raise InputError if two scorings cover different texts."""
    first, second = one.corpus.texts, other.corpus.texts
    same = one.corpus is other.corpus or (
        len(first) == len(second) and bool((first["text"].to_numpy() == second["text"].to_numpy()).all())
    )
    if not same:
        raise InputError(
            "both runs must use the same suite or corpus",
            found=", ".join(f"{s.run} on {s.corpus.name}" for s in (one, other)),
        )
