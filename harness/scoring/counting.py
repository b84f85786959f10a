"""Counting: sums of tallies over classes, types and texts.

Mentions that count the same under every notion are counted together: a *profile* is a distinct combination of
units and matched units under all notions, of which there are a few hundred even for a million mentions.
One table cells × profiles per division, made by one pass over integers, then gives the figures of all notions
by a small matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Numbers
from .division import Division
from .notions import Credit, Tally

Cells = NDArray[np.integer[Any]]

# A table of more cells × profiles than this is not made; sums are then taken quantity by quantity.
LARGEST_TABLE = 4_000_000
# Up to so many mentions are counted once for each division, side by side; the margins of a table of more
# dimensions would cost more than these passes.
FEW_MENTIONS = 50_000
MOST_SIDE_BY_SIDE = 1_000_000
# Divisions are counted together while the combinations of their cells are no more than this.
LARGEST_SHARED = 400
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


def counted(found: Tally, gold: Cells, predicted: Cells, size: int) -> Counts:
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
        self.size = len(self.columns[0]) if self.columns else 0
        self._profile, self._table, self._loose = _profiles(self.columns, self.size)

    def sums(self, divided: Sequence[tuple[Cells, int]]) -> list[Numbers]:
        """Sums of every quantity by the cells of each division: cells × quantities.

        Parameters
        ----------
        divided : sequence of (array, int)
            The cell of each mention, and how many cells there are.
        """
        found: list[Numbers] = []
        group: list[tuple[Cells, int]] = []
        few = 0 < self.size <= FEW_MENTIONS
        whole = self._side_room() if few else LARGEST_SHARED
        count = self._side_by_side if few else self._together
        room = whole
        for cell, cells in divided:
            if group and cells > room:
                found += count(group)
                group, room = [], whole
            group.append((cell, cells))
            room = room - cells if few else room // max(cells, 1)
        return found + (count(group) if group else [])

    def _side_room(self) -> int:
        """How many cells may stand side by side; each division has one at least."""
        profiles = max(len(self._table), 1)
        return max(min(MOST_SIDE_BY_SIDE // self.size, LARGEST_TABLE // profiles), 1)

    def _side_by_side(self, group: list[tuple[Cells, int]]) -> list[Numbers]:
        """Sums by divisions of few mentions: one pass over all of them, each with cells of its own."""
        profiles = len(self._table)
        ends = np.cumsum([cells for _, cells in group])
        total = int(ends[-1])
        if len(self._loose) == len(self.columns) or total * profiles > LARGEST_TABLE:
            return self._together(group)
        key = np.array([cell for cell, _ in group], dtype=np.int64)
        key += np.concatenate(([0], ends[:-1]))[:, None]
        key *= profiles
        key += self._profile
        table = np.bincount(key.ravel(), minlength=total * profiles).reshape(total, profiles)
        sums = np.zeros((total, len(self.columns)))
        sums[:, [i for i in range(len(self.columns)) if i not in self._loose]] = table @ self._table
        found = np.split(sums, ends[:-1])
        for i in self._loose:
            for part, (cell, cells) in zip(found, group, strict=True):
                part[:, i] = np.bincount(cell, self.columns[i], minlength=cells)
        return found

    def _together(self, group: list[tuple[Cells, int]]) -> list[Numbers]:
        """Sums by a few divisions at once: one pass counts their combinations, of which each is a margin."""
        sizes = [cells for _, cells in group]
        profiles = len(self._table)
        counted = len(self._loose) < len(self.columns) and math.prod(sizes) * profiles <= LARGEST_TABLE
        margins: list[Numbers | None] = [None] * len(group)
        if counted:
            key = group[0][0].astype(np.int64)
            for cell, cells in (*group[1:], (self._profile, profiles)):
                key *= cells
                key += cell
            table = np.bincount(key, minlength=math.prod(sizes) * profiles).reshape(*sizes, profiles)
            for i in range(len(group)):
                others = tuple(j for j in range(len(group)) if j != i)
                margins[i] = np.matmul(table.sum(axis=others), self._table)
        kept = [i for i in range(len(self.columns)) if i not in self._loose]
        found = []
        for (cell, cells), margin in zip(group, margins, strict=True):
            result = np.zeros((cells, len(self.columns)))
            if margin is not None:
                result[:, kept] = margin
            for i in self._loose if counted else range(len(self.columns)):
                result[:, i] = np.bincount(cell, self.columns[i], minlength=cells)
            found.append(result)
        return found


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
        members = [d.member.astype(np.float64).T for d in divisions]
        gold = self._gold.sums([(d.gold, d.cells) for d in divisions])
        predicted = self._predicted.sums([(d.predicted, d.cells) for d in divisions])
        # classes of all divisions × quantities, of either side
        of_gold, of_predicted = (
            np.concatenate([member @ by_cell for member, by_cell in zip(members, sums, strict=True)])
            for sums in (gold, predicted)
        )
        return self._unpack(of_gold, of_predicted)

    def by_cell(self, gold: Cells, predicted: Cells, cells: int) -> list[Counts]:
        """Counts of every notion by cells that are the classes themselves (types, texts, documents)."""
        return self._unpack(
            self._gold.sums([(gold, cells)])[0], self._predicted.sums([(predicted, cells)])[0]
        )

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


def _profiles(columns: Sequence[Credit], size: int) -> tuple[Cells, Numbers, set[int]]:
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


def _digits(column: Credit) -> tuple[Cells | None, int]:
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
