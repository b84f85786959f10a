"""Cases before they are text: which context each has and what fills its slots, block by block.

Cases can be repeated, left out or limited by query.
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
from .material import Material
from .recipe import SCOPES, CaseLimit, Weight

MIN_BLOCK_SIZE = 1 << 17
"""Cases and mentions that a block has at least, so that it is worth its overhead."""


@dataclass(frozen=True)
class Cases:
    """A block of cases before it is text.

    Attributes
    ----------
    context : array of int32
        The context of each case.
    fillers : array of int32
        The filler of every slot, case after case.
    part : int
        The part of the suite.
    pair : array of int64, optional
        The pair each case belongs to, -1 where to none.
    contrast : array of int32, optional
        For each filled slot which of the material's contrasts it is the place of, -1 for none.
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
        """Cases of one context; `filled` is cases × slots."""
        return cls(np.full(len(filled), context, dtype=np.int32), filled.ravel(), part)

    @classmethod
    def from_slotless(cls, contexts: NDArray[np.int32], part: int) -> Cases:
        """A case of each of some contexts without slots."""
        return cls(contexts, np.empty(0, dtype=np.int32), part)


Blocks = Callable[[], Iterator[Cases]]
"""Gives the cases of a part."""


def join_small_blocks(blocks: Iterable[Cases]) -> Iterator[Cases]:
    """Join neighbouring blocks of the same part until they are large enough to be worth their overhead."""
    held: list[Cases] = []
    size = 0
    for block in blocks:
        if not len(block):
            continue
        weight = len(block) + len(block.fillers)
        if held and (held[0].part != block.part or weight >= MIN_BLOCK_SIZE):
            yield _join_blocks(held)
            held, size = [], 0
        held.append(block)
        size += weight
        if size >= MIN_BLOCK_SIZE:
            yield _join_blocks(held)
            held, size = [], 0
    if held:
        yield _join_blocks(held)


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
    """Join a column that some blocks lack; -1 stands for what they lack."""
    kinds = [c.dtype for c in columns if c is not None]
    if not kinds:
        return None
    full = (
        np.full(size, -1, dtype=kinds[0]) if c is None else c for c, size in zip(columns, sizes, strict=True)
    )
    return np.concatenate(list(full))


def count_cases(blocks: Iterable[Cases], most: int) -> int:
    """Return the number of cases; `most` + 1 if there are more than `most`."""
    number = 0
    for block in blocks:
        number += len(block)
        if number > most:
            return most + 1
    return number


def slot_rows(material: Material, cases: Cases) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each filled slot its row, and the case it stands in."""
    slots = material.templates.slot_counts[cases.context]
    return concatenate_ranges(material.first_slot[cases.context], slots), np.repeat(
        np.arange(len(cases)), slots
    )


def select_cases(material: Material, query: Query, cases: Cases) -> NDArray[np.bool_]:
    """Return True for cases with a mention that a query selects; without slots the context decides."""
    rows, case = slot_rows(material, cases)
    columns = {}
    for feature in query.features:
        own = feature.scope == "entity"
        frame, taken = (material.fillers, cases.fillers) if own else (material.environments, rows)
        if feature.column in frame:
            columns[feature.column] = frame[feature.column].take(taken).reset_index(drop=True)
    found = query.evaluate(pd.DataFrame(columns, index=pd.RangeIndex(len(rows))))
    holds = np.zeros(len(cases), dtype=bool)
    holds[case[found]] = True
    bare = material.templates.slot_counts[cases.context] == 0
    if bare.any():
        holds[bare] = query.evaluate(material.contexts.take(cases.context[bare]))
    return holds


def take_cases(material: Material, cases: Cases, chosen: NDArray[np.int64]) -> Cases:
    """Return the cases of a block with these numbers, in that order."""
    if len(chosen) == len(cases) and (chosen == np.arange(len(cases))).all():
        return cases
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
    """Repeat the cases that a query selects; where several select a case, the numbers are multiplied."""
    queries = [(Query.parse(w.query, SCOPES), w.times) for w in weights]
    for block in blocks:
        times = np.ones(len(block), dtype=np.int64)
        for query, number in queries:
            times[select_cases(material, query, block)] *= number
        yield take_cases(material, block, np.repeat(np.arange(len(block)), times))


def limit_cases(material: Material, blocks: Iterable[Cases], limits: Sequence[CaseLimit]) -> Iterator[Cases]:
    """Leave out cases once there are enough of a query, or of each value of a feature."""
    queries: list[tuple[int, Query]] = []
    features: list[tuple[int, NDArray[np.int64], bool]] = []
    # each query, and each value of a feature, has a number; for each number how many cases may have it still
    left: list[int] = []
    for limit in limits:
        feature = limit.feature
        if feature is None:
            queries.append((len(left), Query.parse(limit.of, SCOPES)))
            left.append(limit.cases)
        else:
            own = feature.scope == "entity"
            codes, values = encode_value_texts(material.fillers if own else material.environments, feature)
            features.append((len(left), codes, own))
            left += [limit.cases] * len(values)
    for block in blocks:
        rows, case = slot_rows(material, block)
        has: list[set[int]] = [set() for _ in range(len(block))]
        for first, codes, own in features:
            for one, code in zip(case.tolist(), codes[block.fillers if own else rows].tolist(), strict=True):
                has[one].add(first + code)
        for number, query in queries:
            for one in np.flatnonzero(select_cases(material, query, block)).tolist():
                has[one].add(number)
        kept = []
        for one, numbers in enumerate(has):
            if all(left[number] for number in numbers):
                kept.append(one)
                for number in numbers:
                    left[number] -= 1
        if kept:
            yield take_cases(material, block, np.array(kept))
