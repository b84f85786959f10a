"""What is still to be covered, and what a row would add: the sums that the greedy choice compares.

A mention is an entity in a place. A combination of t items takes a from the entity and t - a from the place.
For 0 < a < t what is still needed is a matrix (entity combinations by place combinations), so that what
every entity would add in a place is one product; for a = t and a = 0 it lies within one side and is a number
kept for each row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .combos import Combos, combos_of

Floats = NDArray[np.float32]


class Side:
    """Rows of one side (kinds of entities, or places) and their combinations of sizes 1 to t - 1."""

    def __init__(self, has: NDArray[np.bool_], feature: NDArray[np.int64], t: int) -> None:
        self.t = t
        self.has = has
        self.feature = feature
        self.parts: list[Combos] = [combos_of(has, feature, size) for size in range(1, t)]
        self.floats: list[Floats] = [p.has.astype(np.float32) for p in self.parts]
        self.holds: list[list[NDArray[np.int64]]] = [
            [np.flatnonzero(row) for row in p.has] for p in self.parts
        ]


class Needed:
    """A matrix of combinations, each one of two parts: how often each still has to occur.

    Parameters
    ----------
    attested : array of bool
        Which combinations can occur.
    times : int
        How often each has to.
    of_rows, of_columns : sequences of arrays
        For each row of either side which parts it has: rows and columns of the matrix.
    """

    def __init__(
        self,
        attested: NDArray[np.bool_],
        times: int,
        of_rows: Sequence[NDArray[np.int64]],
        of_columns: Sequence[NDArray[np.int64]],
    ) -> None:
        self.attested = attested
        self.need = np.where(attested, times, 0).astype(np.int16)
        self.open = int(attested.sum())
        self._of_rows, self._of_columns = of_rows, of_columns

    def window(self, row: int, other: int) -> tuple[NDArray[np.int64], ...]:
        """Where the combinations of a row of either side stand in the matrix."""
        return np.ix_(self._of_rows[row], self._of_columns[other])

    def count(self, row: int, other: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats] | None:
        """Count a row of either side once more.

        Returns
        -------
        rows, columns, closed : arrays, or None
            What is needed no more: parts of either side, and (rows × columns) which of their combinations.
        """
        if not self.open:
            return None
        window = self.window(row, other)
        need = self.need[window]
        closing = need == 1
        self.need[window] = np.maximum(need - 1, 0)
        if not closing.any():
            return None
        self.open -= int(closing.sum())
        rows, columns = closing.any(axis=1), closing.any(axis=0)
        closed = closing[np.ix_(rows, columns)].astype(np.float32)
        return self._of_rows[row][rows], self._of_columns[other][columns], closed


class Inner(Needed):
    """Combinations of t items that lie within one side.

    A combination of t is one of t - 1 (the prefix) and a later item of another feature, so that a matrix
    holds them.
    """

    def __init__(self, side: Side, times: int, real: NDArray[np.bool_]) -> None:
        """`real` tells the rows that the combinations to be covered are taken from."""
        prefix = combos_of(side.has, side.feature, side.t - 1)
        self._prefix = prefix.has.astype(np.float32)
        self._items = side.has.astype(np.float32)
        together = self._prefix[real].T @ self._items[real]
        allowed = np.ones(together.shape, dtype=bool)
        if side.t > 1:
            last = prefix.members[:, -1]
            items = np.arange(side.has.shape[1])
            allowed = (items[None, :] > last[:, None]) & (
                side.feature[None, :] != side.feature[last][:, None]
            )
        rows, columns = ([np.flatnonzero(r) for r in has] for has in (prefix.has, side.has))
        super().__init__(allowed & (together > 0), times, rows, columns)
        self.gain: Floats = ((self._prefix @ self.attested.astype(np.float32)) * self._items).sum(axis=1)
        self._prefix_of = np.ascontiguousarray(self._prefix.T)
        self._items_of = np.ascontiguousarray(self._items.T)

    def cover(self, row: int) -> None:
        """Count a row once more."""
        found = self.count(row, row)
        if found is not None:
            prefixes, items, closed = found
            part = self._prefix_of[prefixes].T @ closed
            self.gain -= (part * self._items_of[items].T).sum(axis=1)


class Cross(Needed):
    """Combinations of a items of an entity and t - a of its place."""

    def __init__(
        self,
        entities: Side,
        places: Side,
        take: int,
        kinds: NDArray[np.int64],
        allowed: NDArray[np.bool_],
        times: int,
    ) -> None:
        """Find what can occur: `kinds` is the class of each place, `allowed` which rows each takes."""
        self._entity = entities.floats[take - 1]
        self._place = places.floats[entities.t - take - 1]
        self._around = np.ascontiguousarray(self._place.T)
        attested = np.zeros((self._entity.shape[1], self._place.shape[1]), dtype=bool)
        for kind in np.unique(kinds).tolist():
            if kind < 0:
                continue
            own = entities.parts[take - 1].has[allowed[kind]].any(axis=0)
            around = places.parts[entities.t - take - 1].has[kinds == kind].any(axis=0)
            attested |= own[:, None] & around[None, :]
        super().__init__(attested, times, entities.holds[take - 1], places.holds[entities.t - take - 1])
        # how much each entity combination would add in each place
        self.worth: Floats = (self.need > 0).astype(np.float32) @ self._place.T

    def gains(self, places: NDArray[np.int64]) -> Floats:
        """What every entity would add in each of some places: entities by places."""
        # counts are finite: a flag of an invalid operation is of what is read beyond a matrix
        with np.errstate(invalid="ignore"):
            found: Floats = self._entity @ self.worth[:, places]
        return found

    def cover(self, entity: int, place: int) -> None:
        """Count a mention once more."""
        found = self.count(entity, place)
        if found is not None:
            own, around, closed = found
            self.worth[own] -= closed @ self._around[around]
