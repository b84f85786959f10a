"""Combinations of items of different features, up to a size, and which rows have them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError

MOST = 4_000_000
"""Combinations of one side that are held at once; more would need more memory than a suite is worth."""


@dataclass(frozen=True)
class Combos:
    """Combinations of one size on one side (entities, or places).

    Attributes
    ----------
    members : array of int32
        One row a combination: its items, ascending.
    has : array of bool
        Rows by combinations.
    """

    members: NDArray[np.int32]
    has: NDArray[np.bool_]


def combos_of(has: NDArray[np.bool_], feature: NDArray[np.int64], size: int) -> Combos:
    """The combinations of `size` items of different features that some row has.

    Raises
    ------
    InputError
        When there are too many to be held.
    """
    rows = has.shape[0]
    if size == 0:
        return Combos(np.empty((1, 0), dtype=np.int32), np.ones((rows, 1), dtype=bool))
    members = np.arange(has.shape[1], dtype=np.int32)[:, None]
    held = has
    for _ in range(size - 1):
        grown: list[NDArray[np.int32]] = []
        columns: list[NDArray[np.bool_]] = []
        for number, combo in enumerate(members.tolist()):
            later = np.arange(combo[-1] + 1, has.shape[1])
            later = later[feature[later] != feature[combo[-1]]]
            both = has[:, later] & held[:, number][:, None]
            good = both.any(axis=0)
            if good.any():
                grown.append(
                    np.concatenate(
                        (np.tile(combo, (int(good.sum()), 1)), later[good][:, None]), axis=1
                    ).astype(np.int32)
                )
                columns.append(both[:, good])
        total = sum(map(len, grown))
        if total * max(rows, 1) > MOST * 500:
            raise InputError(
                "too many combinations to be held",
                found=f"{total:,} of {size}",
                allowed="fewer --feature, or a smaller --t",
            )
        if not grown:
            return Combos(np.empty((0, size), dtype=np.int32), np.zeros((rows, 0), dtype=bool))
        members, held = np.concatenate(grown), np.concatenate(columns, axis=1)
    return Combos(members, held)
