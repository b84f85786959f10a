"""Jackknife by groups: variance of a share, estimated by leaving out each entity, context or document.

The jackknife needs no random numbers and works on sums, so that nothing is scored again. For two crossed
groupings, such as entities and contexts, the variances due to both are added, and the variance due to pairs
of groups (an entity in a context) is subtracted (Cameron, Gelbach and Miller 2011; Owen 2007 for crossed
random effects). Subtracting all of it is unbiased, but the result is too small half of the time. In suites,
only half of it is subtracted, which preserves the coverage of intervals with few groups
(``benchmarks/coverage.py``). In a corpus, most names occur once or twice, so that the three variances are
nearly equal. In this case, all of the variance due to pairs is subtracted, and the result is at least the
larger of the two other variances.

If a run is repeated, the variance due to repetitions is added, and the variance due to combinations of a pair
and a repetition is subtracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Codes, Flags, Numbers

PAIR_WEIGHT = 0.5
"""Fraction of the variance due to pairs to subtract, for entities × contexts."""
CORPUS_PAIR_WEIGHT = 1.0
"""Fraction of the variance due to pairs to subtract, for documents × surface forms."""


@dataclass(frozen=True)
class ShareSums:
    """Numerator and denominator of a share, summed by group.

    Attributes
    ----------
    part, whole : array
        Numerator and denominator in each group.
    """

    part: Numbers
    whole: Numbers

    def __sub__(self, other: ShareSums) -> ShareSums:
        """Subtract the numerator and the denominator of another share in each group."""
        return ShareSums(self.part - other.part, self.whole - other.whole)

    @property
    def share(self) -> float:
        """Sum of the numerators divided by the sum of the denominators; NaN if the latter is 0."""
        total = float(self.whole.sum())
        return float(self.part.sum()) / total if total else float("nan")

    @property
    def used_groups(self) -> int:
        """Number of groups with a denominator other than 0."""
        return int(np.count_nonzero(self.whole))

    @property
    def effective_groups(self) -> float:
        """Kish's effective number of groups, which is smaller if groups differ in size."""
        squares = float((self.whole**2).sum())
        return float(self.whole.sum()) ** 2 / squares if squares else 0.0

    def leave_one_out_changes(self) -> Numbers:
        """Return the change of the share when each group in turn is left out; NaN if no group remains."""
        part, whole = self.part.sum() - self.part, self.whole.sum() - self.whole
        shares = np.full(len(whole), np.nan)
        np.divide(part, whole, out=shares, where=whole > 0)
        return shares - self.share


@dataclass(frozen=True)
class ShareVariance:
    """Variances and covariances of one or more shares, from resampling.

    Attributes
    ----------
    variance : array
        Covariance matrix of the shares.
    degrees_of_freedom : array
        Degrees of freedom of each variance (Satterthwaite 1946).
    effective_groups : array
        Effective number of groups in the grouping that has the fewest groups.
    used_ways : tuple of bool
        True for each grouping that has at least two groups and therefore contributes to the variance.
    """

    variance: Numbers
    degrees_of_freedom: Numbers
    effective_groups: Numbers
    used_ways: tuple[bool, ...]

    def select_share(self, share: int) -> ShareVariance:
        """Return the variance of the share with the given index."""
        at = slice(share, share + 1)
        return ShareVariance(
            self.variance[at, at], self.degrees_of_freedom[at], self.effective_groups[at], self.used_ways
        )


def estimate_variance(
    shares: Sequence[Sequence[ShareSums]],
    pair_weight: float = PAIR_WEIGHT,
    weights: Numbers | None = None,
    repeats: tuple[ShareSums, ShareSums] | None = None,
) -> ShareVariance:
    """Estimate the covariances of shares, or of their linear combinations, from sums over the same groups.

    Parameters
    ----------
    shares : sequence of sequence of ShareSums
        Sums of each share for each grouping: a single grouping, or entities, contexts and their pairs.
    pair_weight : float
        Fraction of the variance due to pairs to subtract.
    weights : array, optional
        Weights of shares (columns) in linear combinations (rows). If None, the shares themselves are used.
    repeats : (ShareSums, ShareSums), optional
        Sums of a single share for each repetition of a run, and for each combination of a pair and a
        repetition.
    """
    by_way = list(zip(*shares, strict=True))
    main = by_way[: 2 if len(by_way) == 3 else 1]
    usable = [all(s.used_groups >= 2 for s in way) for way in main]
    needed = [*(way for way, can in zip(main, usable, strict=True) if can)]
    if all(usable):
        needed += by_way[len(main) :]
    matrices = [_compute_covariances(way) for way in needed]
    groups = np.array([[s.effective_groups for s in way] for way in main])
    if weights is not None:
        matrices = [weights @ matrix @ weights.T for matrix in matrices]
        # a combination has the number of groups of its share with the fewest
        groups = np.array([np.where(weights != 0.0, counts, np.inf).min(axis=1) for counts in groups])
    count = groups.shape[1]
    pairs = matrices.pop() if all(usable) and len(main) == 2 else np.zeros((count, count))
    total = np.sum([np.zeros((count, count)), *matrices], axis=0) - pair_weight * pairs
    each = np.zeros((len(main), count))
    for way, matrix in zip(np.flatnonzero(usable), matrices, strict=True):
        each[way] = np.diag(matrix)
    further = None
    if repeats is not None and repeats[0].used_groups >= 2:
        # variation by pair and repetition is already part of the variance by entities and contexts
        beyond = np.maximum(_compute_covariances(repeats[:1]) - _compute_covariances(repeats[1:]), 0.0)[0]
        further = (beyond, repeats[0].used_groups)
    usable_ways = np.repeat(np.array(usable)[:, None], count, axis=1)
    variance, freedom, fewest = combine_ways(each, groups, usable_ways, np.diag(pairs), pair_weight, further)
    np.fill_diagonal(total, variance)
    return ShareVariance(
        total if any(usable) else np.full_like(total, np.nan), freedom, fewest, tuple(usable)
    )


def combine_ways(
    each: Numbers,
    groups: Numbers,
    usable: Flags,
    pairs: Numbers,
    pair_weight: float,
    further: tuple[Numbers, ArrayLike] | None = None,
) -> tuple[Numbers, Numbers, Numbers]:
    """Combine the variances of shares due to each grouping.

    Returns the combined variances, their degrees of freedom, and the effective numbers of groups.

    Parameters
    ----------
    each, groups : array
        Groupings × shares: variance of each share due to each grouping, and effective number of groups.
    usable : array of bool
        Groupings × shares: True if the grouping has at least two groups. If there is only one context (or
        only one entity), only the other grouping is used.
    pairs : array
        Variance due to pairs; ignored if a grouping is not usable.
    pair_weight : float
        Fraction of the variance due to pairs to subtract.
    further : (array, array), optional
        Variance to add, and the number of groups from which it was estimated.
    """
    each, groups = np.where(usable, each, 0.0), np.where(usable, groups, np.inf)
    apart = each.sum(axis=0)
    # at least the variance due to pairs; if it is subtracted completely, also at least that by each grouping
    lower_limit = np.maximum(pairs, each.max(axis=0)) if pair_weight == 1.0 else pairs
    crossed = usable.all(axis=0) & (len(each) == 2)
    variance = np.where(crossed, np.maximum(apart - pair_weight * pairs, lower_limit), apart)
    below = (each**2 / np.maximum(groups - 1.0, 0.5)).sum(axis=0)
    if further is not None:
        beyond, size = further
        variance, apart = variance + beyond, apart + beyond
        below = below + beyond**2 / np.maximum(np.asarray(size) - 1.0, 0.5)
    fewest = groups.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(below > 0, apart**2 / below, fewest - 1.0)
    if pair_weight == 1.0:
        # if most names occur once, both groupings are nearly the same: their degrees of freedom do not add up
        freedom = np.minimum(freedom, np.where(np.isinf(groups), 0.0, groups).max(axis=0) - 1.0)
    is_known = usable.any(axis=0)
    variance, freedom = (np.where(is_known, v, np.nan) for v in (variance, np.maximum(freedom, 1.0)))
    return variance, freedom, np.where(is_known, fewest, 1.0)


def estimate_grouped_variance(influence: Numbers, ways: Sequence[Codes], pair_weight: float) -> Numbers:
    """Estimate the variances of fitted values from the influence of each mention on each value.

    This is the linear approximation of the jackknife for values that a fitted model predicts.

    Parameters
    ----------
    influence : array
        Change of each value (row) that is due to each mention (column).
    ways : sequence of array
        Group of each mention in a single grouping, or in two crossed groupings and their pairs.
    pair_weight : float
        Fraction of the variance due to pairs to subtract.
    """
    # imported here, because command lines with other jobs do not need scipy
    from scipy.sparse import csr_array

    each = []
    for way in ways:
        groups = int(way.max(initial=-1)) + 1
        # mentions × groups: 1 if the mention is in the group
        member = csr_array((np.ones(len(way)), (np.arange(len(way)), way)), shape=(len(way), groups))
        sums = np.asarray(csr_array(member.T) @ influence.T)
        each.append((sums**2).sum(axis=0) * groups / max(groups - 1, 1))
    if len(each) < 3:
        return np.asarray(each[0])
    total = each[0] + each[1] - pair_weight * each[2]
    return np.asarray(np.maximum.reduce([total, *each]))


def _compute_covariances(sums: Sequence[ShareSums]) -> Numbers:
    changes = np.nan_to_num([s.leave_one_out_changes() for s in sums])
    factor = np.sqrt([(s.used_groups - 1) / s.used_groups for s in sums])
    scaled = changes * factor[:, None]
    return np.asarray(scaled @ scaled.T)
