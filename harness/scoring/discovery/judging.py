"""Judging: what the search chose, on mentions that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..arrays import Codes, Flags
from ..options import DiscoverOptions
from ..statistics.differences import Difference, difference
from ..statistics.groups import Groups
from ..statistics.shares import Estimate
from ..statistics.sums import estimate
from .axes import Axis
from .choosing import Chosen, choose
from .halves import Judge, constant, divided, full_product, halves
from .phrases import figure, sentence
from .search import search
from .space import Found, Space, selected

FEWEST_GROUPS = 3
"""Entities, and contexts (or documents, or texts), that a finding has to hold for."""


@dataclass(frozen=True)
class Judged:
    """A finding, with the figures of the mentions that judge.

    Attributes
    ----------
    measure : str
    conditions : tuple of str
        Each a query.
    also : tuple of str
        Other queries of nearly the same mentions.
    cases : int
    own : Estimate
        Recall (or precision) of the class, with its interval.
    rest : float
        Recall (or precision) of all other mentions.
    apart : Difference
        Difference from its nearest: those that meet all conditions but one, for the one whose absence makes
        the least difference.
    nearest_query : str
        The conditions that are then left.
    large : bool
        Whether the judging half shows the effect that was asked for. What does not is not reported, but
        counts among the tests that were made.
    inside, wrong : array of bool
        Of all mentions, searched and judging: which the class has, and which are wrong.
    """

    measure: str
    conditions: tuple[str, ...]
    also: tuple[str, ...]
    cases: int
    own: Estimate
    rest: float
    apart: Difference
    nearest_query: str
    large: bool
    inside: Flags = field(repr=False)
    wrong: Flags = field(repr=False)

    @property
    def query(self) -> str:
        """The finding as a query."""
        return conjunction(self.conditions)

    @property
    def p(self) -> float:
        """One-sided, that the class is not worse than its nearest."""
        return one_sided(self.apart)

    def beyond(self, earlier: Flags, options: DiscoverOptions) -> bool:
        """Whether it says anything that earlier findings leave unexplained."""
        own, rest = self.inside & ~earlier, ~self.inside & ~earlier
        if int(own.sum()) < options.fewest or not rest.any():
            return False
        return bool(self.wrong[own].mean() - self.wrong[rest].mean() >= options.effect)


def conjunction(conditions: Sequence[str]) -> str:
    """Conditions as one query; a range of numbers is an ``and`` of its own and needs no brackets."""
    return " and ".join(conditions) if conditions else "all"


def find(
    axes: Sequence[Axis],
    right: Flags,
    groups: Groups,
    measure: str,
    options: DiscoverOptions,
    *,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Judged]:
    """Search one half, judge on the other; nothing is left out yet for chance.

    In a full product of entities and contexts every entity meets the same contexts, so that these can neither
    make nor hide a difference between entities. There, features of entities are searched among half of the
    entities in all contexts and judged by the other half in all contexts, features of contexts likewise; only
    combinations of both, and features of the pair, need halves that share neither.
    """
    halved = _Search(right, groups, measure, options, seed, confidence)
    ways = divided(groups)
    if not full_product(groups):
        return halved.searched(axes, ways)
    levels = [[i for i, a in enumerate(axes) if constant(a.codes, way)] for way in ways]
    found: list[Judged] = []
    for way, own in zip(ways, levels, strict=True):
        if own:
            found += halved.searched([axes[i] for i in own], (way,))
    of_one = [{label for i in own for label in axes[i].labels} for own in levels]
    return found + [
        j for j in halved.searched(axes, ways) if not any(set(j.conditions) <= level for level in of_one)
    ]


@dataclass(frozen=True)
class _Search:
    """A search among one half of mentions that is judged by the other; see `find`."""

    right: Flags
    groups: Groups
    measure: str
    options: DiscoverOptions
    seed: int
    confidence: float

    def searched(self, axes: Sequence[Axis], ways: Sequence[Codes]) -> list[Judged]:
        """What a search by some axes finds, the halves being apart in some ways."""
        seen, other = halves(ways, self.seed)
        if not len(seen) or not len(other):
            return []
        wrong = ~self.right
        space = Space(axes, wrong, seen)
        chosen = choose(space, search(space, self.options), self.options)
        judge = Judge(self.groups, other, self.right)
        codes = [a.codes[other] for a in axes]
        earlier = np.zeros(len(other), dtype=bool)
        judged = []
        for one in chosen:
            mask = selected(codes, one.found)
            result = self._judged(one, mask, earlier, judge, axes, codes, wrong)
            earlier |= mask
            if result is not None:
                judged.append(result)
        return judged

    def _judged(
        self,
        one: Chosen,
        mask: Flags,
        earlier: Flags,
        judge: Judge,
        axes: Sequence[Axis],
        codes: Sequence[Codes],
        wrong: Flags,
    ) -> Judged | None:
        """One choice; None where the judging half has too little of it, whatever it shows."""
        own = mask & ~earlier
        if int(own.sum()) < self.options.fewest:
            return None
        sums = judge.sums(own)
        if any(s.used < FEWEST_GROUPS for s in sums[:2]):
            return None
        worst: tuple[float, Difference, Found] | None = None
        for parent in one.found.parents:
            wider = selected(codes, parent) & ~mask & ~earlier
            if not wider.any():
                return None
            apart = difference(sums, judge.sums(wider), judge.groups, self.confidence)
            p = one_sided(apart)
            # each condition must matter: the least convincing one decides
            if worst is None or (p, apart.estimate.value) > (worst[0], worst[1].estimate.value):
                worst = (p, apart, parent)
        if worst is None:
            return None
        _, apart, parent = worst
        return Judged(
            self.measure,
            labels(axes, one.found),
            tuple(conjunction(labels(axes, f)) for f in one.also),
            int(mask.sum()),
            estimate(judge.sums(mask), judge.groups, self.confidence),
            float(judge.right[~mask].mean()),
            apart,
            conjunction(labels(axes, parent)),
            bool(-apart.estimate.value >= self.options.effect),
            selected([a.codes for a in axes], one.found),
            wrong,
        )


def one_sided(apart: Difference) -> float:
    """The probability that the first share is not the smaller one."""
    if np.isnan(apart.p):
        return 1.0
    return apart.p / 2.0 if apart.estimate.value < 0 else 1.0 - apart.p / 2.0


def labels(axes: Sequence[Axis], found: Found) -> tuple[str, ...]:
    """The conditions of a combination, as queries."""
    return tuple(axes[a].labels[v] for a, v in zip(found.axes, found.values, strict=True))


COLUMNS = (
    "measure",
    "query",
    "words",
    "cases",
    "value",
    "value_low",
    "value_high",
    "rest",
    "nearest",
    "nearest_query",
    "difference",
    "difference_low",
    "difference_high",
    "p",
    "p_bh",
    "conditions",
    "also",
    "interval",
)
"""Columns of what is discovered; `value` is the class's recall or precision."""


def as_frame(judged: Sequence[Judged], adjusted: Sequence[float]) -> pd.DataFrame:
    """Findings with their adjusted p values as a frame."""
    rows = []
    for j, p in zip(judged, adjusted, strict=True):
        own, rest, apart = j.own, j.rest, j.apart.estimate
        rows.append(
            {
                "measure": j.measure,
                "query": j.query,
                "words": sentence(j.measure, j.conditions, own.value, figure(rest), j.cases),
                "cases": j.cases,
                "value": own.value,
                "value_low": own.low,
                "value_high": own.high,
                "rest": rest,
                "nearest": j.apart.second.value,
                "nearest_query": j.nearest_query,
                "difference": apart.value,
                "difference_low": apart.low,
                "difference_high": apart.high,
                "p": j.p,
                "p_bh": p,
                "conditions": len(j.conditions),
                "also": "; ".join(j.also),
                "interval": apart.method,
            }
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))
