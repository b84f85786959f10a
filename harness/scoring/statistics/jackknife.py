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

from ..arrays import Numbers

COMMON = 0.5
"""How much of the pairs' variance is taken away from that of entities and contexts."""
COMMON_IN_CORPORA = 1.0
"""The same from that of documents and surface forms."""


@dataclass(frozen=True)
class Sums:
    """A share's numerator and denominator, summed by the groups of one way.

    Attributes
    ----------
    part, whole : array
        One entry a group.
    """

    part: Numbers
    whole: Numbers

    def __sub__(self, other: Sums) -> Sums:
        """What is left of the groups."""
        return Sums(self.part - other.part, self.whole - other.whole)

    @property
    def share(self) -> float:
        """Part / whole over all groups; NaN where there is nothing."""
        total = float(self.whole.sum())
        return float(self.part.sum()) / total if total else float("nan")

    @property
    def used(self) -> int:
        """Groups that have anything of the whole."""
        return int(np.count_nonzero(self.whole))

    @property
    def groups(self) -> float:
        """Kish's effective number of groups: fewer than there are where some are much larger."""
        squares = float((self.whole**2).sum())
        return float(self.whole.sum()) ** 2 / squares if squares else 0.0

    def changes(self) -> Numbers:
        """By how much the share changes when each group is left out."""
        part, whole = self.part.sum() - self.part, self.whole.sum() - self.whole
        left = np.full(len(whole), np.nan)
        np.divide(part, whole, out=left, where=whole > 0)
        return left - self.share


@dataclass(frozen=True)
class Spread:
    """What resampling gives for one share, or of two that belong together.

    Attributes
    ----------
    variance : array
        Covariance matrix of the shares.
    freedom : float
        Degrees of freedom of the (first) variance, after Satterthwaite (1946).
    groups : float
        The fewest effective groups of any way: what the share can at least be said to rest on.
    ways : tuple of bool
        Which ways had at least two groups, so that something could be left out.
    """

    variance: Numbers
    freedom: Numbers
    groups: Numbers
    ways: tuple[bool, ...]

    def of(self, share: int) -> Spread:
        """Return what is known of one share."""
        at = slice(share, share + 1)
        return Spread(self.variance[at, at], self.freedom[at], self.groups[at], self.ways)


def spread(
    shares: Sequence[Sequence[Sums]], common: float = COMMON, weights: Numbers | None = None
) -> Spread:
    """Covariances of shares, or of sums and differences of these, from sums by the same groups.

    Parameters
    ----------
    shares : sequence of sequence of Sums
        For each share its sums by each way: one way, or entities, contexts and pairs of these, or these
        three, repetitions, and pairs in each repetition.
    common : float
        How much of the pairs' variance is taken away.
    weights : array, optional
        A row for each combination of the shares, with the weight of each; the shares themselves when None.
    """
    count = len(shares)
    ways = len(shares[0])
    usable = [all(s[w].used >= 2 for s in shares) for w in range(ways)]
    # one context (or one entity) alone: nothing can be said beyond it, and the other way is all there is
    main = [w for w in range(2 if ways >= 3 else 1) if usable[w]]
    repeated = [3, 4] if ways == 5 and usable[3] else []
    needed = [*main, 2, *repeated] if len(main) == 2 else [*main, *repeated]
    matrices = {w: _matrix([s[w] for s in shares]) for w in needed}
    groups = {w: np.array([s[w].groups for s in shares]) for w in main}
    if weights is not None:
        count = len(weights)
        matrices = {w: weights @ matrix @ weights.T for w, matrix in matrices.items()}
        # a combination rests on what the poorest of its shares rests on
        groups = {w: np.where(weights != 0.0, own, np.inf).min(axis=1) for w, own in groups.items()}
    shown = tuple(usable[: 2 if ways >= 3 else 1])
    if not main:
        nothing = np.full((count, count), np.nan)
        return Spread(nothing, np.full(count, np.nan), np.ones(count), shown)
    total = np.sum([matrices[w] for w in main], axis=0)
    own = np.array([groups[w] for w in main]).T
    if len(main) == 2:
        total = total - common * matrices[2]
        # never below what the pairs alone would give; where these are taken away wholly, nor either way
        least = matrices.values() if common == 1.0 else [matrices[2]]
        np.fill_diagonal(total, np.max([np.diag(total), *map(np.diag, least)], axis=0))
    beyond = np.zeros((count, count))
    if repeated:
        # what differs by the cell alone is in the entities' and contexts' variance already
        beyond = matrices[3] - matrices[4]
        np.fill_diagonal(beyond, np.maximum(np.diag(beyond), 0.0))
        total = total + beyond
    freedom = np.empty(count)
    for i in range(count):
        each = np.array([*(matrices[w][i, i] for w in main), beyond[i, i]])
        sizes = np.append(own[i], shares[0][3].used if repeated else np.inf)
        below = float((each**2 / np.maximum(sizes - 1.0, 0.5)).sum())
        whole = float(each.sum())
        freedom[i] = whole**2 / below if below > 0 else float(own[i].min()) - 1.0
        if common == 1.0:
            # where most names occur once, both ways are much the same: they are not free twice
            freedom[i] = min(freedom[i], float(own[i].max()) - 1.0)
    return Spread(total, np.maximum(freedom, 1.0), own.min(axis=1), shown)


def _matrix(sums: Sequence[Sums]) -> Numbers:
    changes = np.array([s.changes() for s in sums])
    changes[np.isnan(changes)] = 0.0
    factor = np.sqrt([(s.used - 1) / s.used for s in sums])
    scaled = changes * factor[:, None]
    return np.asarray(scaled @ scaled.T)
