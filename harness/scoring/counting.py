"""Counts per class, type, text, or a combination of these, summed from the counts per mention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .arrays import Codes, Numbers
from .notions import Credit, Tally


@dataclass(frozen=True)
class Counts:
    """Counts under one notion, stored in arrays with one number per class, per type or per text.

    Attributes
    ----------
    gold, gold_matched : array
        Number of gold units, and of matched gold units; recall is their ratio.
    predicted, predicted_matched : array
        Number of predicted units, and of matched predicted units; precision is their ratio.
    extra : dict of array
        Sums of the tally's further columns.
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
    """Return the counts for all classes, given the counts for consecutive parts of the list of classes."""
    return _combine_counts(lambda *values: np.concatenate(values), *parts)


def _combine_counts(combine: Callable[..., Numbers], *parts: Counts) -> Counts:
    """Apply `combine` to corresponding arrays of several counts, and return the results as counts."""
    names = ("gold", "gold_matched", "predicted", "predicted_matched")
    main = {name: combine(*(getattr(part, name) for part in parts)) for name in names}
    extra = {name: combine(*(part.extra[name] for part in parts)) for name in parts[0].extra}
    return Counts(**main, extra=extra)


def count_by_code(tally: Tally, gold: Codes, predicted: Codes, size: int) -> Counts:
    """Return the sums of a tally for each code from 0 to `size` - 1, given the code of each mention."""

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
