"""Halves: what the search sees, and what its findings are judged by.

A finding that was chosen for how bad it looked cannot be judged by the same mentions. In a suite one half of
the entities in one half of the contexts is searched, and the other entities in the other contexts judge, so
that neither a single entity nor a single context can be what was found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..arrays import Codes, Flags, Ints
from ..statistics.groups import CROSSED, Groups
from ..statistics.jackknife import Sums

FULL = 0.8
"""The share of all pairs of an entity and a context that makes a suite a full product."""
FEWEST = 4
"""Groups that a way needs to be divided at all."""


def divided(groups: Groups) -> tuple[Codes, ...]:
    """The ways along which mentions are divided: entities and contexts, or documents, or the only one.

    In a corpus the same names stand in most documents: were these kept apart as well, hardly a mention
    would be left.
    """
    return groups.ways[: 2 if groups.name == CROSSED else 1]


def grouped(
    size: int,
    *,
    entity: ArrayLike | None = None,
    context: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
) -> Groups:
    """The groups of a table's mentions: by entity and context, by one of them, by clusters, or none."""
    if entity is not None and context is not None:
        return Groups.crossing(CROSSED, _numbers(entity), _numbers(context))
    for values, name in ((entity, "entities"), (context, "contexts"), (cluster, "clusters")):
        if values is not None:
            return Groups(name, (_numbers(values),))
    return Groups("mentions", (np.arange(size, dtype=np.int64),))


def _numbers(values: ArrayLike) -> Ints:
    codes, _ = pd.factorize(np.asarray(values), use_na_sentinel=False)
    return codes.astype(np.int64)


def halves(ways: Sequence[Codes], seed: int) -> tuple[Ints, Ints]:
    """Positions of the mentions to search, and of those that judge.

    The way with fewer groups is divided by chance. Groups of the other way go to the half in which more of
    their mentions are, chance deciding between equals: where cases are drawn, and most entities stand in one
    case only, hardly a mention falls between the halves; of a full product half of them do. Verdicts play no
    part in it, and no entity and no context is in both halves either way.
    """
    # the group of each mention, and the mentions of each group, [way]
    counted = [np.unique(way, return_inverse=True, return_counts=True)[1:] for way in ways]
    counted = sorted((c for c in counted if len(c[1]) >= FEWEST), key=lambda c: len(c[1]))
    if not counted:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    generator = np.random.Generator(np.random.PCG64(seed))
    seen = np.ones(len(counted[0][0]), dtype=bool)
    other = seen.copy()
    for i, (place, total) in enumerate(counted):
        # share of each group's mentions that are still in the first half, [group]
        liking = np.bincount(place, seen) / total if i else np.zeros(len(total))
        order = generator.permutation(len(total))
        order = order[np.argsort(-liking[order], kind="stable")]
        drawn = np.zeros(len(total), dtype=bool)
        drawn[order[: len(total) // 2]] = True
        seen &= drawn[place]
        other &= ~drawn[place]
    return np.flatnonzero(seen), np.flatnonzero(other)


def full_product(groups: Groups) -> bool:
    """Whether nearly every entity stands in nearly every context."""
    if groups.name != CROSSED:
        return False
    first, second, pairs = groups.sizes
    return pairs >= FULL * first * second


def constant(codes: Codes, way: Codes) -> bool:
    """Whether a feature has one value for all mentions of a group."""
    _, place = np.unique(way, return_inverse=True)
    # the value of each group's first mention, [group]
    first = np.zeros(int(place.max(initial=-1)) + 1, dtype=codes.dtype)
    first[place[::-1]] = codes[::-1]
    return bool((first[place] == codes).all())


class Judge:
    """The mentions that judge, their groups numbered anew.

    Parameters
    ----------
    groups : Groups
    rows : array
        Positions of the judging mentions.
    right : array of bool
        Of all mentions.
    """

    def __init__(self, groups: Groups, rows: Ints, right: Flags) -> None:
        self.right = right[rows].astype(np.float64)
        self.groups = groups.take(rows).dense

    def sums(self, inside: Flags) -> list[Sums]:
        """Right mentions and all mentions among some, by each way."""
        return self.groups.sums(self.right * inside, inside.astype(np.float64))
