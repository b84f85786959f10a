"""Redundancy control: cases repeated or left out by query, and no more than so many of a kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..catalogues.core.arrays import bounds, ranges
from ..catalogues.query import Query
from ..catalogues.value_codes import value_codes
from .cases import Cases
from .material import Material
from .recipe import SCOPES, MaxPer, Weight


class Mentions:
    """The mentions of blocks under queries, without putting them together."""

    def __init__(self, material: Material) -> None:
        self.material = material

    def slots(self, cases: Cases) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each filled slot its row, and the case it stands in."""
        slots = self.material.templates.slots[cases.context]
        return ranges(self.material.first_slot[cases.context], slots), np.repeat(np.arange(len(cases)), slots)

    def holds(self, query: Query, cases: Cases) -> NDArray[np.bool_]:
        """Which cases have a mention that a query selects; a case without slots is judged by its context."""
        rows, case = self.slots(cases)
        columns = {}
        for feature in query.features:
            frame = self.material.fillers if feature.scope == "entity" else self.material.environments
            taken = cases.fillers if feature.scope == "entity" else rows
            if feature.column in frame:
                columns[feature.column] = frame[feature.column].take(taken).reset_index(drop=True)
        import pandas as pd

        found = query.evaluate(pd.DataFrame(columns, index=pd.RangeIndex(len(rows))))
        holds = np.zeros(len(cases), dtype=bool)
        holds[case[found]] = True
        bare = self.material.templates.slots[cases.context] == 0
        if bare.any():
            own = query.evaluate(self.material.contexts.take(cases.context[bare]))
            holds[np.flatnonzero(bare)] = own
        return holds


def picked(material: Material, cases: Cases, chosen: NDArray[np.int64]) -> Cases:
    """The cases of a block with these numbers, in that order."""
    if len(chosen) == len(cases) and (chosen == np.arange(len(cases))).all():
        return cases
    slots = material.templates.slots[cases.context]
    at = ranges(bounds(slots)[chosen], slots[chosen])
    return Cases(
        cases.context[chosen],
        cases.fillers[at],
        cases.part,
        None if cases.pair is None else cases.pair[chosen],
        contrast=None if cases.contrast is None else cases.contrast[at],
    )


def weighted(material: Material, blocks: Iterable[Cases], weights: Sequence[Weight]) -> Iterator[Cases]:
    """Repeat the cases that a query selects; where several select a case, the numbers are multiplied."""
    mentions = Mentions(material)
    queries = [(Query.parse(w.query, SCOPES), w.times) for w in weights]
    for block in blocks:
        times = np.ones(len(block), dtype=np.int64)
        for query, number in queries:
            times[mentions.holds(query, block)] *= number
        yield picked(material, block, np.repeat(np.arange(len(block)), times))


class Limits:
    """What cases have that is limited: each query, and each value of a feature, by a number.

    Attributes
    ----------
    most : array of int64
        For each number how many cases may have it.
    """

    def __init__(self, material: Material, limits: Sequence[MaxPer]) -> None:
        self._mentions = Mentions(material)
        self._queries: list[tuple[int, Query]] = []
        self._features: list[tuple[int, NDArray[np.int64], bool]] = []
        most: list[int] = []
        for limit in limits:
            number, feature = len(most), limit.feature
            if feature is None:
                self._queries.append((number, Query.parse(limit.of, SCOPES)))
                most.append(limit.cases)
            else:
                own = feature.scope == "entity"
                codes, values = value_codes(material.fillers if own else material.environments, feature)
                self._features.append((number, codes, own))
                most += [limit.cases] * len(values)
        self.most = np.array(most, dtype=np.int64)

    def of(self, cases: Cases) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers that cases have, each once a case: the case, and the number."""
        rows, case = self._mentions.slots(cases)
        found = [
            (case, first + codes[cases.fillers if own else rows]) for first, codes, own in self._features
        ]
        for number, query in self._queries:
            holds = np.flatnonzero(self._mentions.holds(query, cases))
            found.append((holds, np.full(len(holds), number)))
        both = np.concatenate([np.stack(columns, axis=1) for columns in found])
        distinct = np.unique(both, axis=0)
        return distinct[:, 0], distinct[:, 1]


def capped(material: Material, blocks: Iterable[Cases], limits: Sequence[MaxPer]) -> Iterator[Cases]:
    """Leave out cases once there are enough of a query, or of each value of a feature."""
    limited = Limits(material, limits)
    left = limited.most.copy()
    for block in blocks:
        case, number = limited.of(block)
        keep = np.ones(len(block), dtype=bool)
        # what is full before the block needs no look at each case
        keep[case[left[number] == 0]] = False
        begins = np.searchsorted(case, np.arange(len(block) + 1))
        for one in np.flatnonzero(keep).tolist():
            own = number[begins[one] : begins[one + 1]]
            keep[one] = left[own].all()
            left[own] -= keep[one]
        if keep.any():
            yield picked(material, block, np.flatnonzero(keep))


def total(blocks: Iterable[Cases]) -> int:
    """How many cases there are."""
    return sum(map(len, blocks))
