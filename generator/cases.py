"""Blocks of cases before their texts are written.

A case consists of the row numbers of its context and of the fillers in its slots. Cases can be selected,
repeated and limited with queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.core.arrays import bounds_from_lengths, concatenate_ranges
from ..catalogues.query import Query
from ..catalogues.value_codes import encode_value_texts
from .case_limits import SCOPES, CaseLimit, Weight
from .material import Material

MIN_BLOCK_SIZE = 1 << 17
"""Minimum number of cases plus fillers in a block; smaller adjacent blocks are joined."""


@dataclass(frozen=True)
class Cases:
    """Block of cases before their texts are written.

    Attributes
    ----------
    context : array of int32
        For each case, the row of its context in `Material.contexts`.
    fillers : array of int32
        For each slot, the row of its filler in `Material.fillers`; slots are ordered by case.
    part : int
        Number of the part of the suite to which the cases belong.
    pair : array of int64, optional
        For each case, the number of its minimal pair; -1 if it belongs to none.
    contrast : array of int32, optional
        For each slot, the index in `Material.contrasts` of the feature that a minimal pair contrasts in this
        slot; -1 for all other slots.
    """

    context: NDArray[np.int32]
    fillers: NDArray[np.int32]
    part: int = 0
    pair: NDArray[np.int64] | None = None
    contrast: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.context)

    @classmethod
    def from_context(cls, context: int, filled: NDArray[np.int32], part: int) -> Cases:
        """Make cases from one context; `filled` is a matrix of fillers (cases × slots)."""
        return cls(np.full(len(filled), context, dtype=np.int32), filled.ravel(), part)

    @classmethod
    def from_slotless(cls, contexts: NDArray[np.int32], part: int) -> Cases:
        """Make one case from each of the contexts, which must not have slots."""
        return cls(contexts, np.empty(0, dtype=np.int32), part)


Blocks = Callable[[], Iterator[Cases]]
"""Function that returns an iterator over the blocks of cases in a part."""


def join_small_blocks(blocks: Iterable[Cases]) -> Iterator[Cases]:
    """Join adjacent blocks of a part that have fewer than `MIN_BLOCK_SIZE` cases and fillers."""
    waiting: list[Cases] = []
    size = 0
    for block in blocks:
        if not len(block):
            continue
        weight = len(block) + len(block.fillers)
        if waiting and (waiting[0].part != block.part or max(size, weight) >= MIN_BLOCK_SIZE):
            yield _join_blocks(waiting)
            waiting, size = [], 0
        waiting.append(block)
        size += weight
    if waiting:
        yield _join_blocks(waiting)


def _join_blocks(blocks: list[Cases]) -> Cases:
    if len(blocks) == 1:
        return blocks[0]
    return Cases(
        np.concatenate([b.context for b in blocks]),
        np.concatenate([b.fillers for b in blocks]),
        blocks[0].part,
        _join_column([b.pair for b in blocks], [len(b) for b in blocks]),
        _join_column([b.contrast for b in blocks], [len(b.fillers) for b in blocks]),
    )


def _join_column(columns: Sequence[NDArray[Any] | None], sizes: Sequence[int]) -> NDArray[Any] | None:
    """Concatenate one column of several blocks; the values for blocks without this column are -1."""
    kinds = [c.dtype for c in columns if c is not None]
    if not kinds:
        return None
    full = (
        np.full(size, -1, dtype=kinds[0]) if c is None else c for c, size in zip(columns, sizes, strict=True)
    )
    return np.concatenate(list(full))


def count_cases(blocks: Iterable[Cases], most: int) -> int:
    """Count the cases, but return `most` + 1 if there are more than `most`."""
    number = 0
    for block in blocks:
        number += len(block)
        if number > most:
            return most + 1
    return number


def slot_rows(material: Material, cases: Cases) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each slot of the cases, its row in `Material.slots` and the index of its case."""
    slots = material.templates.slot_counts[cases.context]
    return concatenate_ranges(material.first_slot[cases.context], slots), np.repeat(
        np.arange(len(cases)), slots
    )


def select_cases(material: Material, query: Query, cases: Cases) -> NDArray[np.bool_]:
    """Return a mask of the cases with at least one mention that a query selects.

    For cases without slots, the query is evaluated on the context.
    """
    rows, case = slot_rows(material, cases)
    columns = {}
    for feature in query.features:
        of_entity = feature.scope == "entity"
        frame, taken = (material.fillers, cases.fillers) if of_entity else (material.environments, rows)
        if feature.column in frame:
            columns[feature.column] = frame[feature.column].take(taken).reset_index(drop=True)
    matches = query.evaluate(pd.DataFrame(columns, index=pd.RangeIndex(len(rows))))
    holds = np.zeros(len(cases), dtype=bool)
    holds[case[matches]] = True
    bare = material.templates.slot_counts[cases.context] == 0
    if bare.any():
        holds[bare] = query.evaluate(material.contexts.take(cases.context[bare]))
    return holds


def take_cases(material: Material, cases: Cases, chosen: NDArray[np.int64]) -> Cases:
    """Return the cases with the given indices, in the order of the indices."""
    slots = material.templates.slot_counts[cases.context]
    at = concatenate_ranges(bounds_from_lengths(slots)[chosen], slots[chosen])
    return Cases(
        cases.context[chosen],
        cases.fillers[at],
        cases.part,
        None if cases.pair is None else cases.pair[chosen],
        contrast=None if cases.contrast is None else cases.contrast[at],
    )


def repeat_by_weight(
    material: Material, blocks: Iterable[Cases], weights: Sequence[Weight]
) -> Iterator[Cases]:
    """Repeat the cases that the queries in `weights` select.

    If several queries select the same case, their weights are multiplied.
    """
    queries = [(Query.parse(w.query, SCOPES), w.times) for w in weights]
    for block in blocks:
        times = np.ones(len(block), dtype=np.int64)
        for query, number in queries:
            times[select_cases(material, query, block)] *= number
        yield take_cases(material, block, np.repeat(np.arange(len(block)), times))


def limit_cases(material: Material, blocks: Iterable[Cases], limits: Sequence[CaseLimit]) -> Iterator[Cases]:
    """Drop each case that would exceed the maximum number of cases for a query or for a feature value."""
    queries: list[tuple[int, Query]] = []
    features: list[tuple[int, NDArray[np.int64], bool]] = []
    # queries and feature values are numbered; the number of further cases allowed for each
    left: list[int] = []
    for limit in limits:
        feature = limit.feature
        if feature is None:
            queries.append((len(left), Query.parse(limit.of, SCOPES)))
            left.append(limit.cases)
        else:
            of_entity = feature.scope == "entity"
            codes, values = encode_value_texts(
                material.fillers if of_entity else material.environments, feature
            )
            features.append((len(left), codes, of_entity))
            left += [limit.cases] * len(values)
    for block in blocks:
        rows, case = slot_rows(material, block)
        has: list[set[int]] = [set() for _ in range(len(block))]
        for first, codes, of_entity in features:
            values_of_slots = codes[block.fillers if of_entity else rows].tolist()
            for index, code in zip(case.tolist(), values_of_slots, strict=True):
                has[index].add(first + code)
        for number, query in queries:
            for index in np.flatnonzero(select_cases(material, query, block)).tolist():
                has[index].add(number)
        kept = []
        for index, numbers in enumerate(has):
            if all(left[number] for number in numbers):
                kept.append(index)
                for number in numbers:
                    left[number] -= 1
        if kept:
            yield take_cases(material, block, np.array(kept))
