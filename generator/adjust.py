"""Redundancy control: cases repeated or left out by query, and no more than so many of a kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..catalogues.core.bounds import bounds, ranges
from ..catalogues.core.errors import InputError
from ..catalogues.query import Query
from ..catalogues.taxonomy import taxonomy
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


def capped(material: Material, blocks: Iterable[Cases], limits: Sequence[MaxPer]) -> Iterator[Cases]:
    """Leave out cases once there are enough of a query, or of each value of a feature."""
    mentions = Mentions(material)
    by_query: list[tuple[Query, int]] = []
    by_value: list[tuple[NDArray[np.int64], bool, int]] = []
    for limit in limits:
        try:
            feature = taxonomy().find(limit.of, SCOPES)
        except InputError:
            by_query.append((Query.parse(limit.of, SCOPES), limit.cases))
            continue
        own = feature.scope == "entity"
        codes, _ = value_codes(material.fillers if own else material.environments, feature)
        by_value.append((codes, own, limit.cases))
    had = np.zeros(len(by_query), dtype=np.int64)
    counts: list[dict[int, int]] = [{} for _ in by_value]
    for block in blocks:
        rows, _ = mentions.slots(block)
        flags = [mentions.holds(q, block) for q, _ in by_query]
        begins = bounds(material.templates.slots[block.context])
        keep: list[int] = []
        for number in range(len(block)):
            if any(f[number] and had[i] >= by_query[i][1] for i, f in enumerate(flags)):
                continue
            span = slice(int(begins[number]), int(begins[number + 1]))
            values = [
                set(codes[block.fillers[span] if own else rows[span]].tolist()) for codes, own, _ in by_value
            ]
            if any(counts[i].get(v, 0) >= by_value[i][2] for i, found in enumerate(values) for v in found):
                continue
            keep.append(number)
            for i, f in enumerate(flags):
                had[i] += bool(f[number])
            for i, found in enumerate(values):
                for v in found:
                    counts[i][v] = counts[i].get(v, 0) + 1
        if keep:
            yield picked(material, block, np.array(keep, dtype=np.int64))


def total(blocks: Iterable[Cases]) -> int:
    """How many cases there are."""
    return sum(map(len, blocks))
