"""The jackknife over groups: how much a share changes when an entity, a context, a document is left out.

Leaving out needs no random numbers and works on sums that scoring kept; nothing is scored again. Where two
ways of being alike cross, the variances of both are added and what they have in common (that of the pairs)
is taken away (Cameron, Gelbach and Miller 2011; for crossed random effects Owen 2007). Taking it away wholly
is unbiased but errs on the small side half the time; taking half of it keeps intervals at their promise also
with few groups (``benchmarks/coverage.py``). In a corpus most names occur once or twice, so that pairs are
nearly all there is to both ways; there it is taken away wholly, and the larger of both ways is the least.

Repetitions of a run are a third way: what they vary by beyond their cells (pairs in a repetition) is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Codes, Flags, Numbers

PAIR_WEIGHT = 0.5
"""How much of the pairs' variance is taken away from that of entities and contexts."""
CORPUS_PAIR_WEIGHT = 1.0
"""The same from that of documents and surface forms."""


@dataclass(frozen=True)
class ShareSums:
    """A share's numerator and denominator, summed by the groups of one way.

    Attributes
    ----------
    part, whole : array
        One entry a group.
    """

    part: Numbers
    whole: Numbers

    def __sub__(self, other: ShareSums) -> ShareSums:
        """What is left of the groups."""
        return ShareSums(self.part - other.part, self.whole - other.whole)

    @property
    def share(self) -> float:
        """Part / whole over all groups; NaN where there is nothing."""
        total = float(self.whole.sum())
        return float(self.part.sum()) / total if total else float("nan")

    @property
    def used_groups(self) -> int:
        """Groups that have anything of the whole."""
        return int(np.count_nonzero(self.whole))

    @property
    def effective_groups(self) -> float:
        """Kish's effective number of groups: fewer than there are where some are much larger."""
        squares = float((self.whole**2).sum())
        return float(self.whole.sum()) ** 2 / squares if squares else 0.0

    def leave_one_out_changes(self) -> Numbers:
        """By how much the share changes when each group is left out; NaN where nothing is left."""
        part, whole = self.part.sum() - self.part, self.whole.sum() - self.whole
        left = np.full(len(whole), np.nan)
        np.divide(part, whole, out=left, where=whole > 0)
        return left - self.share


@dataclass(frozen=True)
class ShareVariance:
    """What resampling gives for one share, or of two that belong together.

    Attributes
    ----------
    variance : array
        Covariance matrix of the shares.
    degrees_of_freedom : float
        Degrees of freedom of the (first) variance, after Satterthwaite (1946).
    effective_groups : float
        The fewest effective groups of any way: what the share can at least be said to rest on.
    used_ways : tuple of bool
        Which ways had at least two groups, so that something could be left out.
    """

    variance: Numbers
    degrees_of_freedom: Numbers
    effective_groups: Numbers
    used_ways: tuple[bool, ...]

    def select_share(self, share: int) -> ShareVariance:
        """Return what is known of one share."""
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
    """Covariances of shares, or of sums and differences of these, from sums by the same groups.

    Parameters
    ----------
    shares : sequence of sequence of Sums
        For each share its sums by each way: one way, or entities, contexts and pairs of these.
    pair_weight : float
        How much of the pairs' variance is taken away.
    weights : array, optional
        A row for each combination of the shares, with the weight of each; the shares themselves when None.
    repeats : (Sums, Sums), optional
        Of one share: its sums by repetition of a run, and by pair and repetition.
    """
    by_way = list(zip(*shares, strict=True))
    main = by_way[: 2 if len(by_way) == 3 else 1]
    usable = [all(s.used_groups >= 2 for s in way) for way in main]
    needed = [*(way for way, can in zip(main, usable, strict=True) if can)]
    if all(usable):
        needed += by_way[len(main) :]
    matrices = [_matrix(way) for way in needed]
    groups = np.array([[s.effective_groups for s in way] for way in main])
    if weights is not None:
        matrices = [weights @ matrix @ weights.T for matrix in matrices]
        # a combination rests on what the poorest of its shares rests on
        groups = np.array([np.where(weights != 0.0, own, np.inf).min(axis=1) for own in groups])
    count = groups.shape[1]
    pairs = matrices.pop() if all(usable) and len(main) == 2 else np.zeros((count, count))
    total = np.sum([np.zeros((count, count)), *matrices], axis=0) - pair_weight * pairs
    each = np.zeros((len(main), count))
    for way, matrix in zip(np.flatnonzero(usable), matrices, strict=True):
        each[way] = np.diag(matrix)
    further = None
    if repeats is not None and repeats[0].used_groups >= 2:
        # what differs by the cell alone is in the entities' and contexts' variance already
        beyond = np.maximum(_matrix(repeats[:1]) - _matrix(repeats[1:]), 0.0)[0]
        further = (beyond, repeats[0].used_groups)
    can = np.repeat(np.array(usable)[:, None], count, axis=1)
    variance, freedom, fewest = combine_ways(each, groups, can, np.diag(pairs), pair_weight, further)
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
    """The variances of shares from those by each way, their degrees of freedom, and the fewest groups.

    Parameters
    ----------
    each, groups : array
        Ways × shares: the variance by each way, and the effective number of its groups.
    usable : array of bool
        Ways × shares: whether a way has at least two groups. One context (or one entity) alone says nothing
        beyond it, and the other way is all there is.
    pairs : array
        The variance by pairs of two ways; not regarded where a way is not usable.
    pair_weight : float
        How much of it is taken away.
    further : (array, array), optional
        A variance that is added, and the number of groups that it comes from.
    """
    each, groups = np.where(usable, each, 0.0), np.where(usable, groups, np.inf)
    apart = each.sum(axis=0)
    # never below what the pairs alone would give; where these are taken away wholly, nor either way
    least = np.maximum(pairs, each.max(axis=0)) if pair_weight == 1.0 else pairs
    crossed = usable.all(axis=0) & (len(each) == 2)
    variance = np.where(crossed, np.maximum(apart - pair_weight * pairs, least), apart)
    below = (each**2 / np.maximum(groups - 1.0, 0.5)).sum(axis=0)
    if further is not None:
        beyond, size = further
        variance, apart = variance + beyond, apart + beyond
        below = below + beyond**2 / np.maximum(np.asarray(size) - 1.0, 0.5)
    fewest = groups.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(below > 0, apart**2 / below, fewest - 1.0)
    if pair_weight == 1.0:
        # where most names occur once, both ways are much the same: they are not free twice
        freedom = np.minimum(freedom, np.where(np.isinf(groups), 0.0, groups).max(axis=0) - 1.0)
    some = usable.any(axis=0)
    variance, freedom = (np.where(some, v, np.nan) for v in (variance, np.maximum(freedom, 1.0)))
    return variance, freedom, np.where(some, fewest, 1.0)


def estimate_grouped_variance(influence: Numbers, ways: Sequence[Codes], pair_weight: float) -> Numbers:
    """The variance of each figure from the influence of every mention: by how much it moves the figure.

    The linear counterpart of the jackknife, for figures that come from a fitted model.

    Parameters
    ----------
    influence : array
        Figures × mentions.
    ways : sequence of array
        The group of each mention: one way, or two that cross and the pairs of these.
    pair_weight : float
        How much of the pairs' variance is taken away.
    """
    # scipy is imported where it is needed: the options of commands do not need it
    from scipy.sparse import csr_array

    each = []
    for way in ways:
        groups = int(way.max(initial=-1)) + 1
        # mentions × groups: which mention is in which group
        member = csr_array((np.ones(len(way)), (np.arange(len(way)), way)), shape=(len(way), groups))
        sums = np.asarray(csr_array(member.T) @ influence.T)
        each.append((sums**2).sum(axis=0) * groups / max(groups - 1, 1))
    if len(each) < 3:
        return np.asarray(each[0])
    total = each[0] + each[1] - pair_weight * each[2]
    return np.asarray(np.maximum.reduce([total, *each]))


def _matrix(sums: Sequence[ShareSums]) -> Numbers:
    changes = np.nan_to_num([s.leave_one_out_changes() for s in sums])
    factor = np.sqrt([(s.used_groups - 1) / s.used_groups for s in sums])
    scaled = changes * factor[:, None]
    return np.asarray(scaled @ scaled.T)
