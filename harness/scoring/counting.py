"""Counting: sums of tallies over classes, types and texts.

Mentions that count the same under every notion are counted together: a *profile* is a distinct combination of
units and matched units under all notions, of which there are a few hundred even for a million mentions.
One table cells × profiles per division, made by one pass over integers, then gives the figures of all notions
by a small matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from .arrays import Codes, Numbers
from .division import Division
from .notions import Credit, Tally

# A table of more cells × profiles than this is not made; sums are then taken quantity by quantity.
LARGEST_TABLE = 4_000_000
# Divisions are counted together while their combinations of cells × profiles are no more than this.
SHARED_TABLE = 1 << 13
MOST_PROFILES = 1 << 22


@dataclass(frozen=True)
class Counts:
    """Sums of one notion's tally, one entry a class (or type, or text).

    Attributes
    ----------
    gold, gold_matched : array
        Units of the gold, and those that are matched: recall is of these.
    predicted, predicted_matched : array
        Units of the predictions, and those that are matched: precision is of these.
    extra : dict of array
        Sums of the tally's further quantities.
    """

    gold: Numbers
    gold_matched: Numbers
    predicted: Numbers
    predicted_matched: Numbers
    extra: dict[str, Numbers] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        """Counts of two parts of a corpus add up."""
        return Counts(
            self.gold + other.gold,
            self.gold_matched + other.gold_matched,
            self.predicted + other.predicted,
            self.predicted_matched + other.predicted_matched,
            {name: values + other.extra[name] for name, values in self.extra.items()},
        )


def counted(found: Tally, gold: Codes, predicted: Codes, size: int) -> Counts:
    """Counts of one tally by any numbering of its mentions below `size`."""

    def of_gold(values: Credit) -> Numbers:
        return np.bincount(gold, values, minlength=size).astype(np.float64, copy=False)

    def of_predicted(values: Credit) -> Numbers:
        return np.bincount(predicted, values, minlength=size).astype(np.float64, copy=False)

    units, matched = of_gold(found.gold_units), of_gold(found.gold_matched)
    if found.lent_units is not None and found.lent_matched is not None:
        units = units + of_predicted(found.lent_units)
        matched = matched + of_predicted(found.lent_matched)
    return Counts(
        units,
        matched,
        of_predicted(found.predicted_units),
        of_predicted(found.predicted_matched),
        {
            name: of_gold(values) if name.startswith("gold_") else of_predicted(values)
            for name, values in found.extra.items()
        },
    )


class Columns:
    """The quantities of one side's mentions, ready to be summed by any division.

    Parameters
    ----------
    columns : sequence of array
        Quantities, each one number a mention.
    """

    def __init__(self, columns: Sequence[Credit]) -> None:
        self.columns = list(columns)
        size = len(self.columns[0]) if self.columns else 0
        self._profile, self._table, self._loose = _profiles(self.columns, size)
        self._kept = [i for i in range(len(self.columns)) if i not in self._loose]

    def sums(self, divided: Sequence[tuple[Codes, int]]) -> Iterator[Numbers]:
        """Sums of every quantity by the cells of each division: cells × quantities.

        Parameters
        ----------
        divided : sequence of (array, int)
            The cell of each mention, and how many cells there are.
        """
        profiles = len(self._table)
        begin, entries = 0, profiles
        for place, (_, cells) in enumerate(divided):
            entries *= max(cells, 2)  # an array has at most so many axes
            if place > begin and entries > SHARED_TABLE:
                yield from self._together(divided[begin:place])
                begin, entries = place, profiles * max(cells, 2)
        yield from self._together(divided[begin:])

    def _together(self, divided: Sequence[tuple[Codes, int]]) -> Iterator[Numbers]:
        """The same of a few divisions, all of them counted in one pass over the mentions."""
        shape = [*(cells for _, cells in divided), len(self._table)]
        table = None
        if self._kept and math.prod(shape) <= LARGEST_TABLE:
            key = np.zeros(len(self._profile), dtype=np.int64)
            for cell, cells in (*divided, (self._profile, len(self._table))):
                key *= cells
                key += cell
            # cells of each division × … × profiles: how many mentions there are of each
            table = np.bincount(key, minlength=math.prod(shape)).reshape(shape)
        for i, (cell, cells) in enumerate(divided):
            found = np.zeros((cells, len(self.columns)))
            summed: Collection[int] = range(len(self.columns))
            if table is not None:
                others = tuple(j for j in range(len(divided)) if j != i)
                found[:, self._kept] = table.sum(axis=others) @ self._table
                summed = self._loose
            for column in summed:
                found[:, column] = np.bincount(cell, self.columns[column], minlength=cells)
            yield found


class Counter:
    """Tallies of several notions, summed together by any division."""

    def __init__(self, tallies: Sequence[Tally]) -> None:
        self.tallies = list(tallies)
        # each quantity of a side, with the notion and the place in its counts that it goes to
        self._places: dict[str, list[tuple[int, str]]] = {"gold": [], "predicted": []}
        columns: dict[str, list[Credit]] = {"gold": [], "predicted": []}

        def add(side: str, notion: int, place: str, values: Credit | None) -> None:
            if values is not None:
                self._places[side].append((notion, place))
                columns[side].append(values)

        for i, found in enumerate(self.tallies):
            add("gold", i, "gold", found.gold_units)
            add("gold", i, "gold_matched", found.gold_matched)
            add("predicted", i, "predicted", found.predicted_units)
            add("predicted", i, "predicted_matched", found.predicted_matched)
            add("predicted", i, "gold", found.lent_units)
            add("predicted", i, "gold_matched", found.lent_matched)
            for name, values in found.extra.items():
                add(name.partition("_")[0], i, name, values)
        self._gold = Columns(columns["gold"])
        self._predicted = Columns(columns["predicted"])

    def by(self, divisions: Sequence[Division]) -> list[Counts]:
        """Counts of every notion by the classes of some divisions (one at least), one after the other."""
        gold = self._gold.sums([(d.gold, d.cells) for d in divisions])
        predicted = self._predicted.sums([(d.predicted, d.cells) for d in divisions])
        # classes of all divisions × quantities, of either side
        of_gold, of_predicted = (
            np.concatenate([d.member @ sums for d, sums in zip(divisions, side, strict=True)])
            for side in (gold, predicted)
        )
        return self._unpack(of_gold, of_predicted)

    def _unpack(self, gold: Numbers, predicted: Numbers) -> list[Counts]:
        sums: list[dict[str, Numbers]] = [{} for _ in self.tallies]
        for side, table in (("gold", gold), ("predicted", predicted)):
            for column, (i, place) in enumerate(self._places[side]):
                # what is lent to the gold's count comes second and is added
                earlier = sums[i].get(place)
                sums[i][place] = table[:, column] if earlier is None else earlier + table[:, column]
        main = ("gold", "gold_matched", "predicted", "predicted_matched")
        return [
            Counts(
                s["gold"],
                s["gold_matched"],
                s["predicted"],
                s["predicted_matched"],
                {name: values for name, values in s.items() if name not in main},
            )
            for s in sums
        ]


def _profiles(columns: Sequence[Credit], size: int) -> tuple[Codes, Numbers, set[int]]:
    """The profile of each mention, the quantities of each profile, and the columns left out of profiles."""
    code = np.zeros(size, dtype=np.int64)
    span = 1
    loose: set[int] = set()
    kept: list[int] = []
    for i, column in enumerate(columns):
        digits, radix = _digits(column)
        if digits is None or span * radix > 1 << 40:
            loose.add(i)
            continue
        kept.append(i)
        if radix > 1:
            code = code * radix + digits
            span *= radix
        if span > MOST_PROFILES:
            _, code = np.unique(code, return_inverse=True)
            span = int(code.max(initial=0)) + 1
    used = np.bincount(code, minlength=span) > 0
    profile = (np.cumsum(used) - 1)[code]
    example = np.zeros(int(used.sum()), dtype=np.int64)
    example[profile] = np.arange(size)
    table = np.zeros((len(example), len(kept)))
    for place, i in enumerate(kept):
        table[:, place] = columns[i][example]
    return profile, table, loose


def _digits(column: Credit) -> tuple[Codes | None, int]:
    """A column as small whole numbers, halves doubled; None when it has other or too large values."""
    if not len(column):
        return np.zeros(0, dtype=np.int64), 1
    if column.dtype == np.bool_:
        return column.astype(np.int64), 1 if column.all() else 2
    top, low = float(column.max()), float(column.min())
    if top > 1000 or low < 0:
        return None, 0
    whole = column.astype(np.int64)
    if not np.array_equal(whole, column):
        whole = (column * 2).astype(np.int64)
        if not np.array_equal(whole, column * 2):
            return None, 0
    base = int(whole.min())
    return whole - base, int(whole.max()) - base + 1
