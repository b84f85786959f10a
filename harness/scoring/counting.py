"""Counts per class, type or text, computed as sums of the counts per mention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .arrays import Codes, Ints, Numbers
from .division import ClassBatch
from .notions import Credit, Tally

MAX_CELLS = 4_000_000
"""Maximum number of cells in a table of classes × profiles; see `TallyCounter`."""


@dataclass(frozen=True)
class Counts:
    """Counts under one notion, as arrays with one number per class, type or text.

    Attributes
    ----------
    gold, gold_matched : array
        Number of gold units, and of matched gold units; recall is their ratio.
    predicted, predicted_matched : array
        Number of predicted units, and of matched predicted units; precision is their ratio.
    extra : dict of array
        Sums of additional counts that the notion provides for each mention.
    """

    gold: Numbers
    gold_matched: Numbers
    predicted: Numbers
    predicted_matched: Numbers
    extra: dict[str, Numbers] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        """Return the sum of the counts for two parts of a corpus."""
        return _combine_counts(np.add, self, other)

    def select(self, classes: slice) -> Counts:
        """Return the counts for a range of classes."""
        return _combine_counts(lambda values: values[classes], self)


def join_counts(parts: Sequence[Counts]) -> Counts:
    """Join the counts for consecutive parts of the list of classes."""
    return _combine_counts(lambda *values: np.concatenate(values), *parts)


def _combine_counts(combine: Callable[..., Numbers], *parts: Counts) -> Counts:
    names = ("gold", "gold_matched", "predicted", "predicted_matched")
    main = {name: combine(*(getattr(part, name) for part in parts)) for name in names}
    extra = {name: combine(*(part.extra[name] for part in parts)) for name in parts[0].extra}
    return Counts(**main, extra=extra)


def count_by_code(tally: Tally, gold: Codes, predicted: Codes, size: int) -> Counts:
    """Return the counts per group, given the group number of each mention, from 0 to `size` - 1."""

    def of_gold(values: Credit) -> Numbers:
        return np.bincount(gold, values, minlength=size).astype(np.float64, copy=False)

    def of_predicted(values: Credit) -> Numbers:
        return np.bincount(predicted, values, minlength=size).astype(np.float64, copy=False)

    units, matched = of_gold(tally.gold_units), of_gold(tally.gold_matched)
    if tally.published_units is not None and tally.published_matched is not None:
        units = units + of_predicted(tally.published_units)
        matched = matched + of_predicted(tally.published_matched)
    return Counts(
        units,
        matched,
        of_predicted(tally.predicted_units),
        of_predicted(tally.predicted_matched),
        {
            name: of_gold(values) if name.startswith("gold_") else of_predicted(values)
            for name, values in tally.extra.items()
        },
    )


class TallyCounter:
    """Counter that sums tallies (counts per mention) under several notions in one pass.

    Mentions with the same numbers under all notions share a *profile*. Even a million mentions have only a
    few hundred profiles. The counter therefore counts the mentions per class and profile, and multiplies this
    table by the numbers of each profile to get the counts under all notions.

    Parameters
    ----------
    tallies : sequence of Tally
        Counts of each mention, one tally per notion.
    """

    def __init__(self, tallies: Sequence[Tally]) -> None:
        self.tallies = list(tallies)
        exact = [t for t in self.tallies if t.has_only_whole_units]
        self._gold = _find_profiles([n for t in exact for n in (t.gold_units, t.gold_matched)])
        self._predicted = _find_profiles([n for t in exact for n in (t.predicted_units, t.predicted_matched)])

    def count_batch(self, batch: ClassBatch) -> list[Counts]:
        """Return the counts for each class of a batch, one `Counts` per notion."""
        exact: Iterator[Counts] = iter(())
        are_few = batch.size * max(len(numbers) for _, numbers in (self._gold, self._predicted)) <= MAX_CELLS
        if are_few and any(t.has_only_whole_units for t in self.tallies):
            gold = _sum_by_class(self._gold, batch.gold, batch.size)
            predicted = _sum_by_class(self._predicted, batch.predicted, batch.size)
            # for each side and notion: units, then matched units
            exact = map(Counts, gold[::2], gold[1::2], predicted[::2], predicted[1::2])
        return [
            next(exact)
            if are_few and tally.has_only_whole_units
            else count_by_code(batch.expand_tally(tally), batch.gold[0], batch.predicted[0], batch.size)
            for tally in self.tallies
        ]


def _find_profiles(columns: Sequence[Credit]) -> tuple[Ints, Numbers]:
    """Return the profile of each mention, and the values of each profile (profiles × columns)."""
    number = np.zeros(len(columns[0]) if columns else 0, dtype=np.int64)
    for column in columns:
        codes, values = pd.factorize(column)
        if len(values) > 1:
            number = pd.factorize(number * len(values) + codes)[0]
    first = np.flatnonzero(~pd.Series(number).duplicated())
    numbers = np.array([column[first] for column in columns], dtype=np.float64)
    return number, numbers.reshape(len(columns), len(first)).T


def _sum_by_class(
    profiles: tuple[Ints, Numbers], pairs: tuple[Codes, Ints | slice], size: int
) -> list[Numbers]:
    number, numbers = profiles
    classes, mentions = pairs
    key = classes.astype(np.int64) * len(numbers) + number[mentions]
    # classes × profiles: number of mentions
    table = np.bincount(key, minlength=size * len(numbers)).reshape(size, len(numbers))
    return list((table @ numbers).T)
