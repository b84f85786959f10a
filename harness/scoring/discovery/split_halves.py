"""Division of mentions into two halves: one is searched for findings, which are tested on the other.

A finding that was selected because of its bad results cannot be tested on the same mentions. In a suite, the
search uses half of the entities in half of the contexts, and the tests use the other entities in the other
contexts. A single difficult entity or context can therefore not become a finding.

Mentions are divided several times at random, and the findings from all divisions are joined. The p value of a
finding is set to 1 for each division in which it was not found. The k-th smallest of the p values in K
divisions is multiplied by K / k, and the smallest of these products by 1 + log K. This is a valid p value for
dependent divisions (Meinshausen, Meier and Bühlmann 2009, with all quantiles from 1 / K).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..arrays import Codes, Flags, Ints
from ..search_options import DiscoverOptions
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
"""Minimum number of different entities and contexts (or documents or texts) in a finding."""
MIN_FULL_SHARE = 0.8
"""A suite counts as a full product if it has at least this share of all pairs of an entity and a context."""
MIN_GROUPS_TO_SPLIT = 4
"""Minimum number of groups in a grouping by which mentions are divided."""


def choose_ways(groups: Groups) -> tuple[Codes, ...]:
    """Return the groupings by which mentions are divided: entities and contexts, or only documents.

    A corpus is not divided by names: frequent names occur in most documents, so that too few mentions would
    be left.
    """
    return groups.ways[: 2 if groups.name == ENTITIES_BY_CONTEXTS else 1]


def make_groups(
    size: int,
    *,
    entity: ArrayLike | None = None,
    context: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
) -> Groups:
    """Return the groups of mentions: by entity, context or both, by cluster, or one group per mention."""
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
    """Return the positions of the mentions to search, and of the mentions for the tests.

    The grouping with fewer groups is divided at random. Each group of the other grouping is assigned to the
    half that has more of its mentions. No entity and no context is in both halves; a mention whose entity and
    context are in different halves is dropped. In a full product, half of the mentions are dropped; in a
    sample of cases, only a few. The division does not depend on which mentions are right.
    """
    # group of each mention and size of each group, for each grouping
    counted = [np.unique(way, return_inverse=True, return_counts=True)[1:] for way in ways]
    counted = sorted((c for c in counted if len(c[1]) >= MIN_GROUPS_TO_SPLIT), key=lambda c: len(c[1]))
    if not counted:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    generator = np.random.Generator(np.random.PCG64(seed))
    searched = np.ones(len(counted[0][0]), dtype=bool)
    other = searched.copy()
    for i, (place, total) in enumerate(counted):
        # share of each group's mentions that are still in the first half, [group]
        share = np.bincount(place, searched) / total if i else np.zeros(len(total))
        order = generator.permutation(len(total))
        order = order[np.argsort(-share[order], kind="stable")]
        drawn = np.zeros(len(total), dtype=bool)
        drawn[order[: len(total) // 2]] = True
        searched &= drawn[place]
        other &= ~drawn[place]
    return np.flatnonzero(searched), np.flatnonzero(other)


def is_full_product(groups: Groups) -> bool:
    """Return True if nearly all entities occur in nearly all contexts."""
    if groups.name != ENTITIES_BY_CONTEXTS:
        return False
    first, second, pairs = groups.sizes
    return pairs >= MIN_FULL_SHARE * first * second


def is_constant_in_groups(codes: Codes, way: Codes) -> bool:
    """Return True if a feature has the same value for all mentions of each group."""
    pairs = np.unique(way.astype(np.int64) * (int(codes.max(initial=0)) + 1) + codes)
    return len(pairs) == len(np.unique(way))


class JudgingHalf:
    """Half of the mentions that is used to test findings, with the groups of its mentions.

    Parameters
    ----------
    groups : Groups
        Groups of all mentions of both halves.
    rows : array
        Positions of the mentions in this half.
    right : array of bool
        Verdicts on all mentions of both halves.
    """

    def __init__(self, groups: Groups, rows: Ints, right: Flags) -> None:
        self.rows, self.right = rows, right
        self.groups = groups.take(rows).renumber()

    def sum_by_way(self, inside: Flags) -> list[ShareSums]:
        """Count the right mentions and all mentions of a class, in each group of each grouping."""
        right = inside & self.right[self.rows]
        return self.groups.sum_by_group(right.astype(np.float64), inside.astype(np.float64))


@dataclass(frozen=True)
class Finding:
    """Class of mentions that are wrong more often than others, with results on the half used for tests.

    Attributes
    ----------
    measure : str
    conditions : tuple of str
        Conditions of the class, each a query.
    also : tuple of str
        Other queries that select nearly the same mentions.
    judging_half : JudgingHalf
    mask : array of bool
        Mentions of the class in the half used for tests.
    inside : array of bool
        Mentions of the class in both halves.
    difference : Difference
        Difference from the nearest class. Mentions that fail exactly one of the conditions form a class for
        each condition; the nearest of these classes is the one with the smallest difference.
    nearest_query : str
        Query of the nearest class.
    effect : float
        Minimum difference that the options require.
    p_bh : float
        P value for all divisions together, corrected for the number of findings.
    returned : int
        Number of divisions in which the finding is significant.
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
        """All conditions of the class as one query."""
        return join_conditions(self.conditions)

    @property
    def p(self) -> float:
        """One-sided p value, with the null hypothesis that the class is not worse than the nearest class."""
        return one_sided_p(self.difference)

    @property
    def is_large(self) -> bool:
        """True if the class is worse than the nearest class by at least the minimum effect.

        Findings that are not large are not reported, but are counted as tests.
        """
        return bool(-self.difference.estimate.value >= self.effect)

    @property
    def cases(self) -> int:
        """Number of mentions of the class in the half used for tests."""
        return int(self.mask.sum())

    @property
    def value(self) -> float:
        """Recall or precision of the class in the half used for tests."""
        return float(self.judging_half.right[self.judging_half.rows[self.mask]].mean())

    @property
    def rest(self) -> float:
        """Recall or precision of all other mentions in the half used for tests."""
        return float(self.judging_half.right[self.judging_half.rows[~self.mask]].mean())

    def estimate_value(self, confidence: float) -> Estimate:
        """Return the recall or precision of the class, with its interval."""
        return estimate_share(self.judging_half.sum_by_way(self.mask), self.judging_half.groups, confidence)

    def is_worse_without(self, earlier: Flags, options: DiscoverOptions) -> bool:
        """Return True if the class is worse than other mentions even without the mentions in `earlier`."""
        members, rest = self.inside & ~earlier, ~self.inside & ~earlier
        if int(members.sum()) < options.min_mentions or not rest.any():
            return False
        return bool(
            self.judging_half.right[rest].mean() - self.judging_half.right[members].mean() >= options.effect
        )


def join_conditions(conditions: Sequence[str]) -> str:
    """Return one query that requires all conditions."""
    # a range of numbers is a conjunction itself and needs no brackets
    return " and ".join(conditions) if conditions else "all"


def one_sided_p(difference: Difference) -> float:
    """Return the p value of the one-sided test that the first share is smaller than the second."""
    if np.isnan(difference.p):
        return 1.0
    return difference.p / 2.0 if difference.estimate.value < 0 else 1.0 - difference.p / 2.0


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
    """Search one half of the mentions, and return the findings with uncorrected p values from the other half.

    In a full product, all entities occur in the same contexts, so that contexts cannot cause a difference
    between entities. Therefore features of entities are searched in half of the entities and tested on the
    other half, both in all contexts. Features of contexts are treated in the same way. Only two kinds of
    conditions need halves that share neither entities nor contexts: combinations of features of both, and
    features of the pair of an entity and a context.
    """

    def search_half(axes: Sequence[ConditionAxis], ways: Sequence[Codes]) -> list[Finding]:
        searched, other = split_halves(ways, seed)
        if not len(searched) or not len(other):
            return []
        space = SearchSpace(axes, ~right, searched)
        chosen = choose_combinations(space, search_combinations(space, options), options)
        return _judge_combinations(
            space, chosen, JudgingHalf(groups, other, right), measure, options, confidence
        )

    ways = choose_ways(groups)
    if not is_full_product(groups):
        return search_half(axes, ways)
    findings: list[Finding] = []
    labels: list[set[str]] = []
    for way in ways:
        way_axes = [axis for axis in axes if is_constant_in_groups(axis.codes, way)]
        findings += search_half(way_axes, (way,)) if way_axes else []
        labels.append({label for axis in way_axes for label in axis.queries})
    mixed = search_half(axes, ways)
    return findings + [f for f in mixed if not any(set(f.conditions) <= single for single in labels)]


def _judge_combinations(
    space: SearchSpace,
    chosen: Sequence[Combination],
    judge: JudgingHalf,
    measure: str,
    options: DiscoverOptions,
    confidence: float,
) -> list[Finding]:
    """Test each combination on the half used for tests, after removing the mentions of earlier combinations.

    Combinations that have too few mentions in this half are left out.
    """
    earlier = np.zeros(len(judge.rows), dtype=bool)
    findings = []
    for combination in chosen:
        inside = space.match_conditions(combination.conditions)
        mask = inside[judge.rows]
        members, before = mask & ~earlier, earlier
        earlier = earlier | mask
        sums = judge.sum_by_way(members)
        if members.sum() < options.min_mentions or any(s.used_groups < MIN_GROUPS for s in sums[:2]):
            continue
        differences = []
        for parent in list_parents(combination.conditions):
            wider = space.match_conditions(parent)[judge.rows] & ~mask & ~before
            if wider.any():
                difference = estimate_difference(sums, judge.sum_by_way(wider), judge.groups, confidence)
                differences.append((difference, join_conditions(space.list_queries(parent))))
        if len(differences) < len(combination.conditions):
            continue
        # each condition must matter: the one with the largest p value decides
        worst, nearest = max(differences, key=lambda d: (one_sided_p(d[0]), d[0].estimate.value))
        queries = space.list_queries(combination.conditions)
        also = tuple(join_conditions(space.list_queries(other)) for other in combination.also)
        findings.append(Finding(measure, queries, also, judge, mask, inside, worst, nearest, options.effect))
    return findings


def derive_seeds(seed: int, divisions: int) -> list[int]:
    """Return one random seed per division; the first is `seed`."""
    more = np.random.SeedSequence([seed, divisions]).generate_state(divisions)[1:]
    return [seed, *more.tolist()]


def join_findings(divisions: Sequence[Sequence[Finding]], rate: float) -> list[Finding]:
    """Join findings of different divisions that have the same measure and nearly the same mentions.

    Parameters
    ----------
    divisions : sequence of sequence of Finding
        All findings of each division, including those that are not significant.
    rate : float
        Maximum false discovery rate in each division.

    Returns
    -------
    list of Finding
        Joined findings, with `p_bh` and `returned`; the other results come from the division that has the
        median p value.
    """
    ranked: list[tuple[float, int, Finding]] = []
    for number, findings in enumerate(divisions):
        adjusted = benjamini_hochberg([f.p for f in findings]).tolist()
        ranked += [(p if f.is_large else 1.0, number, f) for p, f in zip(adjusted, findings, strict=True)]
    ranked.sort(key=lambda item: (item[0], item[2].measure, item[2].query, item[1]))
    groups: list[list[tuple[float, int, Finding]]] = []
    for item in ranked:
        similar = next((group for group in groups if _is_alike(group[0][2], item[2])), None)
        if similar is None:
            groups.append([item])
        else:
            similar.append(item)
    return [_join_group(group, len(divisions), rate) for group in groups]


def _is_alike(one: Finding, other: Finding) -> bool:
    return one.measure == other.measure and jaccard_index(one.inside, other.inside) >= MIN_JACCARD


def jaccard_index(one: Flags, other: Flags) -> float:
    """Return the Jaccard index of two classes: mentions in both, divided by mentions in either."""
    return int(np.count_nonzero(one & other)) / max(int(np.count_nonzero(one | other)), 1)


def _join_group(group: Sequence[tuple[float, int, Finding]], divisions: int, rate: float) -> Finding:
    # p value of each division, [division]; the group is sorted by p
    best = np.ones(divisions)
    for p, number, _ in reversed(group):
        best[number] = p
    # sorted p values, each divided by its rank / number of divisions, [division]
    weighted = np.sort(best) * divisions / np.arange(1, divisions + 1)
    joined_p = min((1.0 + float(np.log(divisions))) * float(weighted.min()), 1.0)
    # the query from most divisions; among equals the shorter one, then the one with the smaller p
    counts = Counter(f.query for p, _, f in group if p < 1.0) or Counter(f.query for _, _, f in group)
    members = [f for _, _, f in group]
    query = max(members, key=lambda f: (counts[f.query], -len(f.conditions))).query
    same = [f for f in members if f.query == query]
    return replace(same[(len(same) - 1) // 2], p_bh=joined_p, returned=int((best <= rate).sum()))
