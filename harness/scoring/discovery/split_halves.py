"""Findings by halves: one half of the mentions is searched, the other half judges.

A finding that was chosen for how bad it looked cannot be judged by the same mentions. In a suite one half of
the entities in one half of the contexts is searched, and the other entities in the other contexts judge, so
that neither a single entity nor a single context can be what was found.

Which half is searched is chance, so mentions are divided several times and the findings are joined. Of the
p values of K divisions, 1 where a finding did not come up, the k-th smallest counts K / k times, and the
least of these 1 + log K times: so it is a p value whatever the divisions share (Meinshausen, Meier and
Bühlmann 2009, with all quantiles from 1 / K).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..arrays import Codes, Flags, Ints
from ..options import DiscoverOptions
from ..statistics.corrections import benjamini_hochberg
from ..statistics.differences import Difference, estimate_difference
from ..statistics.groups import ENTITIES_BY_CONTEXTS, Groups
from ..statistics.jackknife import ShareSums
from ..statistics.shares import Estimate
from ..statistics.sums import estimate_share
from .conditions import ConditionAxis
from .search import (
    MIN_JACCARD,
    Combination,
    SearchSpace,
    choose_combinations,
    list_parents,
    search_combinations,
)

MIN_GROUPS = 3
"""Entities, and contexts (or documents, or texts), that a finding has to hold for."""
MIN_FULL_SHARE = 0.8
"""The share of all pairs of an entity and a context that makes a suite a full product."""
MIN_GROUPS_TO_SPLIT = 4
"""Groups that a way needs to be divided at all."""


def choose_ways(groups: Groups) -> tuple[Codes, ...]:
    """Return the ways by which mentions are divided: entities and contexts, or documents, or the only one.

    In a corpus the same names occur in most documents: if these were kept apart as well, hardly a mention
    would be left.
    """
    return groups.ways[: 2 if groups.name == ENTITIES_BY_CONTEXTS else 1]


def make_groups(
    size: int,
    *,
    entity: ArrayLike | None = None,
    context: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
) -> Groups:
    """Return the groups of mentions: by entity and context, by one of them, by clusters, or none."""
    if entity is not None and context is not None:
        return Groups.from_crossed(ENTITIES_BY_CONTEXTS, _number_values(entity), _number_values(context))
    for values, name in ((entity, "entities"), (context, "contexts"), (cluster, "clusters")):
        if values is not None:
            return Groups(name, (_number_values(values),))
    return Groups("mentions", (np.arange(size, dtype=np.int64),))


def _number_values(values: ArrayLike) -> Ints:
    codes, _ = pd.factorize(np.asarray(values), use_na_sentinel=False)
    return codes.astype(np.int64)


def split_halves(ways: Sequence[Codes], seed: int) -> tuple[Ints, Ints]:
    """Return the positions of the mentions to search, and of those that judge.

    The way with fewer groups is divided by chance. Groups of the other way go to the half in which more of
    their mentions are, chance deciding between equals: where cases are drawn, and most entities occur in one
    case only, hardly a mention falls between the halves; of a full product half of them do. Verdicts play no
    part in it, and no entity and no context is in both halves either way.
    """
    # the group of each mention, and the mentions of each group, [way]
    counted = [np.unique(way, return_inverse=True, return_counts=True)[1:] for way in ways]
    counted = sorted((c for c in counted if len(c[1]) >= MIN_GROUPS_TO_SPLIT), key=lambda c: len(c[1]))
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


def is_full_product(groups: Groups) -> bool:
    """Return True if nearly every entity occurs in nearly every context."""
    if groups.name != ENTITIES_BY_CONTEXTS:
        return False
    first, second, pairs = groups.sizes
    return pairs >= MIN_FULL_SHARE * first * second


def is_constant_in_groups(codes: Codes, way: Codes) -> bool:
    """Return True if a feature has one value for all mentions of a group."""
    _, place = np.unique(way, return_inverse=True)
    # the value of each group's first mention, [group]
    first = np.zeros(int(place.max(initial=-1)) + 1, dtype=codes.dtype)
    first[place[::-1]] = codes[::-1]
    return bool((first[place] == codes).all())


class JudgingHalf:
    """The mentions that judge, with their groups.

    Parameters
    ----------
    groups : Groups
    rows : array
        Positions of the judging mentions.
    right : array of bool
        Verdicts of all mentions, searched and judging.
    """

    def __init__(self, groups: Groups, rows: Ints, right: Flags) -> None:
        self.rows, self.right = rows, right
        self.groups = groups.take(rows).renumbered

    def sum_by_way(self, inside: Flags) -> list[ShareSums]:
        """Return the number of right mentions and of all mentions among some, by each way."""
        right = inside & self.right[self.rows]
        return self.groups.sum_by_group(right.astype(np.float64), inside.astype(np.float64))


@dataclass(frozen=True)
class Finding:
    """A class of mentions that are wrong more often than others, with the figures of the mentions that judge.

    Attributes
    ----------
    measure : str
    conditions : tuple of str
        Each a query.
    also : tuple of str
        Other queries of nearly the same mentions.
    judging_half : Judge
    mask : array of bool
        Which of the judging mentions the class has.
    inside : array of bool
        Which of all mentions it has.
    difference : Difference
        Difference from its nearest: those that meet all conditions but one, for the one whose absence makes
        the least difference.
    nearest_query : str
        The conditions that are then left.
    effect : float
        The effect that was asked for.
    p_bh : float
        P value of all divisions together, corrected for the number of findings.
    returned : int
        Number of divisions in which the finding is believed.
    """

    measure: str
    conditions: tuple[str, ...]
    also: tuple[str, ...]
    judging_half: JudgingHalf = field(repr=False)
    mask: Flags = field(repr=False)
    inside: Flags = field(repr=False)
    difference: Difference
    nearest_query: str
    effect: float
    p_bh: float = 1.0
    returned: int = 0

    @property
    def query(self) -> str:
        """The finding as a query."""
        return join_conditions(self.conditions)

    @property
    def p(self) -> float:
        """One-sided p value that the class is not worse than its nearest."""
        return one_sided_p(self.difference)

    @property
    def is_large(self) -> bool:
        """True if the judging half shows the effect that was asked for.

        A finding that does not is not reported, but counts among the tests that were made.
        """
        return bool(-self.difference.estimate.value >= self.effect)

    @property
    def cases(self) -> int:
        """Number of judging mentions in the class."""
        return int(self.mask.sum())

    @property
    def value(self) -> float:
        """Recall (or precision) of the class."""
        return float(self.judging_half.right[self.judging_half.rows[self.mask]].mean())

    @property
    def rest(self) -> float:
        """Recall (or precision) of all other mentions."""
        return float(self.judging_half.right[self.judging_half.rows[~self.mask]].mean())

    def estimate_value(self, confidence: float) -> Estimate:
        """Return recall (or precision) of the class with its interval."""
        return estimate_share(self.judging_half.sum_by_way(self.mask), self.judging_half.groups, confidence)

    def is_worse_without(self, earlier: Flags, options: DiscoverOptions) -> bool:
        """Return True if the finding is worse than others also without the mentions of earlier findings."""
        own, rest = self.inside & ~earlier, ~self.inside & ~earlier
        if int(own.sum()) < options.min_mentions or not rest.any():
            return False
        return bool(
            self.judging_half.right[rest].mean() - self.judging_half.right[own].mean() >= options.effect
        )


def join_conditions(conditions: Sequence[str]) -> str:
    """Return conditions as one query."""
    # a range of numbers is a conjunction of its own and needs no brackets
    return " and ".join(conditions) if conditions else "all"


def one_sided_p(found: Difference) -> float:
    """Return the one-sided p value that the first share is not the smaller one."""
    if np.isnan(found.p):
        return 1.0
    return found.p / 2.0 if found.estimate.value < 0 else 1.0 - found.p / 2.0


def find_by_halves(
    axes: Sequence[ConditionAxis],
    right: Flags,
    groups: Groups,
    measure: str,
    options: DiscoverOptions,
    *,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Finding]:
    """Search one half and judge on the other, without any correction for chance.

    In a full product of entities and contexts every entity meets the same contexts, so that these can neither
    make nor hide a difference between entities. There, features of entities are searched among half of the
    entities in all contexts and judged by the other half in all contexts, features of contexts likewise; only
    combinations of both, and features of the pair, need halves that share neither.
    """

    def search_half(axes: Sequence[ConditionAxis], ways: Sequence[Codes]) -> list[Finding]:
        seen, other = split_halves(ways, seed)
        if not len(seen) or not len(other):
            return []
        space = SearchSpace(axes, ~right, seen)
        chosen = choose_combinations(space, search_combinations(space, options), options)
        return _judge_combinations(
            space, chosen, JudgingHalf(groups, other, right), measure, options, confidence
        )

    ways = choose_ways(groups)
    if not is_full_product(groups):
        return search_half(axes, ways)
    found: list[Finding] = []
    labels: list[set[str]] = []
    for way in ways:
        own = [axis for axis in axes if is_constant_in_groups(axis.codes, way)]
        found += search_half(own, (way,)) if own else []
        labels.append({label for axis in own for label in axis.queries})
    both = search_half(axes, ways)
    return found + [one for one in both if not any(set(one.conditions) <= known for known in labels)]


def _judge_combinations(
    space: SearchSpace,
    chosen: Sequence[Combination],
    judge: JudgingHalf,
    measure: str,
    options: DiscoverOptions,
    confidence: float,
) -> list[Finding]:
    """Judge what was chosen, each among the mentions that earlier ones leave.

    What the judging half has too little of is left out, whatever it shows.
    """
    earlier = np.zeros(len(judge.rows), dtype=bool)
    found = []
    for one in chosen:
        mask = space.match_conditions(one.conditions, judge.rows)
        own, before = mask & ~earlier, earlier
        earlier = earlier | mask
        sums = judge.sum_by_way(own)
        if own.sum() < options.min_mentions or any(s.used_groups < MIN_GROUPS for s in sums[:2]):
            continue
        apart = []
        for parent in list_parents(one.conditions):
            wider = space.match_conditions(parent, judge.rows) & ~mask & ~before
            if wider.any():
                known = estimate_difference(sums, judge.sum_by_way(wider), judge.groups, confidence)
                apart.append((known, join_conditions(space.list_queries(parent))))
        if len(apart) < len(one.conditions):
            continue
        # each condition must matter: the least convincing one decides
        worst, nearest = max(apart, key=lambda known: (one_sided_p(known[0]), known[0].estimate.value))
        also = tuple(join_conditions(space.list_queries(other)) for other in one.also)
        inside = space.match_conditions(one.conditions)
        found.append(
            Finding(
                measure,
                space.list_queries(one.conditions),
                also,
                judge,
                mask,
                inside,
                worst,
                nearest,
                options.effect,
            )
        )
    return found


def derive_seeds(seed: int, divisions: int) -> list[int]:
    """Return the seeds of the divisions; the first is the given one."""
    more = np.random.SeedSequence([seed, divisions]).generate_state(divisions)[1:]
    return [seed, *more.tolist()]


def join_findings(divisions: Sequence[Sequence[Finding]], rate: float) -> list[Finding]:
    """Join findings of the same measure that select nearly the same mentions.

    Parameters
    ----------
    divisions : sequence of sequence of Finding
        The findings of each division, believed or not.
    rate : float
        The rate of false discoveries in each.

    Returns
    -------
    list of Finding
        Each with the figures of the division whose p value is the median, `p_bh` and `returned`.
    """
    ranked: list[tuple[float, int, Finding]] = []
    for number, found in enumerate(divisions):
        adjusted = benjamini_hochberg([one.p for one in found]).tolist()
        ranked += [(p if one.is_large else 1.0, number, one) for p, one in zip(adjusted, found, strict=True)]
    ranked.sort(key=lambda known: (known[0], known[2].measure, known[2].query, known[1]))
    groups: list[list[tuple[float, int, Finding]]] = []
    for known in ranked:
        own = next((group for group in groups if _is_alike(group[0][2], known[2])), None)
        if own is None:
            groups.append([known])
        else:
            own.append(known)
    return [_join_group(group, len(divisions), rate) for group in groups]


def _is_alike(one: Finding, other: Finding) -> bool:
    return one.measure == other.measure and jaccard_index(one.inside, other.inside) >= MIN_JACCARD


def jaccard_index(one: Flags, other: Flags) -> float:
    """Return the share of mentions in either class that are in both."""
    return int(np.count_nonzero(one & other)) / max(int(np.count_nonzero(one | other)), 1)


def _join_group(group: Sequence[tuple[float, int, Finding]], divisions: int, rate: float) -> Finding:
    # the p value of each division, [division]; the group is in ascending order of p
    best = np.ones(divisions)
    for p, number, _ in reversed(group):
        best[number] = p
    # each ordered p value over the part of the divisions that have it, [division]
    weighed = np.sort(best) * divisions / np.arange(1, divisions + 1)
    together = min((1.0 + float(np.log(divisions))) * float(weighed.min()), 1.0)
    # the query that most divisions give; of equally many the shorter, then the more convincing
    often = Counter(one.query for p, _, one in group if p < 1.0) or Counter(one.query for _, _, one in group)
    members = [one for _, _, one in group]
    query = max(members, key=lambda one: (often[one.query], -len(one.conditions))).query
    same = [one for one in members if one.query == query]
    return replace(same[(len(same) - 1) // 2], p_bh=together, returned=int((best <= rate).sum()))
