"""What is still to be covered, and what a row would add: the sums that the greedy choice compares.

A mention is an entity in a place. A combination of t items takes a from the entity and t - a from the place.
For 0 < a < t what is still needed is a matrix (entity combinations by place combinations), so that what
every entity would add in a place is one product; for a = t and a = 0 it lies within one side and is a number
kept for each row.
"""

from __future__ import annotations

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

    def __len__(self) -> int:
        return int(self.has.shape[0])


class Inner:
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
        self.attested = allowed & (together > 0)
        self.need = np.where(self.attested, times, 0).astype(np.int16)
        self.gain: Floats = ((self._prefix @ self.attested.astype(np.float32)) * self._items).sum(axis=1)
        self.open = int(self.attested.sum())
        self._prefix_of = np.ascontiguousarray(self._prefix.T)
        self._items_of = np.ascontiguousarray(self._items.T)
        self._rows = [np.flatnonzero(r) for r in prefix.has]
        self._columns = [np.flatnonzero(r) for r in side.has]

    def window(self, row: int) -> tuple[NDArray[np.int64], ...]:
        """Where a row's combinations stand in the matrix."""
        return np.ix_(self._rows[row], self._columns[row])

    def cover(self, row: int) -> int:
        """Count a row once more; gives how many combinations were needed and are there now."""
        if not self.open:
            return 0
        window = self.window(row)
        need = self.need[window]
        closing = need == 1
        self.need[window] = np.maximum(need - 1, 0)
        if closing.any():
            some_rows, some_columns = closing.any(axis=1), closing.any(axis=0)
            change = closing[np.ix_(some_rows, some_columns)].astype(np.float32)
            part = self._prefix_of[self._rows[row][some_rows]].T @ change
            self.gain -= (part * self._items_of[self._columns[row][some_columns]].T).sum(axis=1)
            self.open -= int(closing.sum())
        return int((need > 0).sum())


class Cross:
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
        self._entity_holds = entities.holds[take - 1]
        self._place_holds = places.holds[entities.t - take - 1]
        attested = np.zeros((self._entity.shape[1], self._place.shape[1]), dtype=bool)
        for kind in np.unique(kinds).tolist():
            if kind < 0:
                continue
            own = entities.parts[take - 1].has[allowed[kind]].any(axis=0)
            around = places.parts[entities.t - take - 1].has[kinds == kind].any(axis=0)
            attested |= own[:, None] & around[None, :]
        self.attested = attested
        self.need = np.where(attested, times, 0).astype(np.int16)
        self.open = int(attested.sum())
        # how much each entity combination would add in each place
        self.worth: Floats = (self.need > 0).astype(np.float32) @ self._place.T

    def gains(self, places: NDArray[np.int64]) -> Floats:
        """What every entity would add in each of some places: entities by places."""
        found: Floats = self._entity @ self.worth[:, places]
        return found

    def cover(self, entity: int, place: int) -> int:
        """Count a mention once more; gives how many combinations were needed and are there now."""
        if not self.open:
            return 0
        window = self.window(entity, place)
        need = self.need[window]
        closing = need == 1
        new = int((need > 0).sum())
        self.need[window] = np.maximum(need - 1, 0)
        if closing.any():
            self.open -= int(closing.sum())
            some_rows, some_columns = closing.any(axis=1), closing.any(axis=0)
            rows, columns = self._entity_holds[entity][some_rows], self._place_holds[place][some_columns]
            change = closing[np.ix_(some_rows, some_columns)].astype(np.float32)
            self.worth[rows] -= change @ self._around[columns]
        return new

    def window(self, entity: int, place: int) -> tuple[NDArray[np.int64], ...]:
        """Where a mention's combinations stand in the matrix."""
        return np.ix_(self._entity_holds[entity], self._place_holds[place])
