"""How alike two sets of concepts are: the best-match average, for many pairs of sets at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]
Similarity = Callable[[NDArray[np.int64], NDArray[np.int64]], Values]


def best_match_average(
    size: int,
    left_set: ArrayLike,
    left_member: ArrayLike,
    right_set: ArrayLike,
    right_member: ArrayLike,
    similarity: Similarity,
) -> Values:
    """(Σ over A of the best in B + Σ over B of the best in A) / (|A| + |B|) for each of `size` pairs of sets.

    Sets are sets: a member named twice counts once. One side empty gives 0, both empty NaN; a similarity that
    is NaN counts as 0 (Azuaje et al. 2005; Névéol et al. 2006, formula 3; the Bacteria Biotope task).

    Parameters
    ----------
    size : int
        Number of pairs of sets.
    left_set, left_member : array_like of int
        One entry a member of a left set: number of the pair, number of the member.
    right_set, right_member : array_like of int
        The same for the right sets.
    similarity : callable
        Takes two arrays of members (each distinct pair once) and gives their similarities.

    Examples
    --------
    >>> same = lambda a, b: (a == b).astype(float)
    >>> best_match_average(1, [0, 0], [4, 5], [0], [5], same).round(4).tolist()
    [0.6667]
    """
    left = _distinct(left_set, left_member)
    right = _distinct(right_set, right_member)
    cells = left.merge(right, on="set", suffixes=("_left", "_right"))
    pairs = cells[["member_left", "member_right"]].drop_duplicates()
    pairs["value"] = np.nan_to_num(
        similarity(pairs["member_left"].to_numpy(np.int64), pairs["member_right"].to_numpy(np.int64))
    )
    cells = cells.merge(pairs, on=["member_left", "member_right"])
    total = np.zeros(size)
    for side in ("member_left", "member_right"):
        best = cells.groupby(["set", side], sort=True)["value"].max()
        numbers = best.index.get_level_values("set").to_numpy(np.int64)
        total += np.bincount(numbers, weights=best.to_numpy(np.float64), minlength=size)
    members = np.bincount(left["set"], minlength=size) + np.bincount(right["set"], minlength=size)
    return np.asarray(np.divide(total, members, out=np.full(size, np.nan), where=members > 0))


def _distinct(number: ArrayLike, member: ArrayLike) -> pd.DataFrame:
    table = pd.DataFrame(
        {"set": np.asarray(number, dtype=np.int64), "member": np.asarray(member, dtype=np.int64)}
    )
    return table.drop_duplicates(ignore_index=True)
