"""How alike two sets of concepts are: best matches and their average, for many pairs of sets at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...scoring.arrays import Ints, Numbers
from ...scoring.measures import ratio

Similarity = Callable[[Ints, Ints], Numbers]
"""Similarities of pairs of members, given by number."""


def best_matches(
    left_set: ArrayLike,
    left_member: ArrayLike,
    right_set: ArrayLike,
    right_member: ArrayLike,
    similarity: Similarity,
) -> pd.DataFrame:
    """For each member of each set, what is most similar to it in the set's partner.

    Parameters
    ----------
    left_set, left_member : array_like of int
        One entry a member of a left set: number of the pair of sets, number of the member. A member named
        twice counts once.
    right_set, right_member : array_like of int
        The same for the right sets.
    similarity : callable
        Takes two arrays of members (each distinct pair once) and gives their similarities; NaN counts as 0.

    Returns
    -------
    DataFrame
        `set`, `side` ("left" or "right"), `member`, `partner` (-1 where nothing is above 0; of equals the one
        with the lowest number), `value`.
    """
    left = _distinct(left_set, left_member)
    right = _distinct(right_set, right_member)
    cells = left.merge(right, on="set", suffixes=("_left", "_right"))
    pairs = cells[["member_left", "member_right"]].drop_duplicates()
    pairs["value"] = np.nan_to_num(
        similarity(pairs["member_left"].to_numpy(np.int64), pairs["member_right"].to_numpy(np.int64))
    )
    cells = cells.merge(pairs, on=["member_left", "member_right"])
    found = []
    for side, other, members in (("left", "right", left), ("right", "left", right)):
        near = cells[cells["value"] > 0].sort_values(
            ["set", f"member_{side}", "value", f"member_{other}"], ascending=[True, True, False, True]
        )
        near = near.drop_duplicates(["set", f"member_{side}"])
        near = near.rename(columns={f"member_{side}": "member", f"member_{other}": "partner"})
        table = members.merge(near[["set", "member", "partner", "value"]], on=["set", "member"], how="left")
        table.insert(1, "side", side)
        found.append(table)
    whole = pd.concat(found, ignore_index=True)
    return whole.assign(
        partner=whole["partner"].fillna(-1).astype("int64"),
        value=whole["value"].fillna(0.0).astype("float64"),
    )


def best_match_average(
    size: int,
    left_set: ArrayLike,
    left_member: ArrayLike,
    right_set: ArrayLike,
    right_member: ArrayLike,
    similarity: Similarity,
) -> Numbers:
    """(Σ over A of the best in B + Σ over B of the best in A) / (|A| + |B|) for each of `size` pairs of sets.

    One side empty gives 0, both empty NaN (Azuaje et al. 2005; Névéol et al. 2006, formula 3; the Bacteria
    Biotope task). Parameters as of `best_matches`.

    Examples
    --------
    >>> same = lambda a, b: (a == b).astype(float)
    >>> best_match_average(1, [0, 0], [4, 5], [0], [5], same).round(4).tolist()
    [0.6667]
    """
    return average(size, best_matches(left_set, left_member, right_set, right_member, similarity))


def average(size: int, matches: pd.DataFrame) -> Numbers:
    """Mean value of the members of each pair of sets; NaN where there is none."""
    numbers = matches["set"].to_numpy(np.int64)
    total = np.bincount(numbers, weights=matches["value"].to_numpy(np.float64), minlength=size)
    members = np.bincount(numbers, minlength=size)
    return ratio(total, members)


def _distinct(number: ArrayLike, member: ArrayLike) -> pd.DataFrame:
    table = pd.DataFrame(
        {"set": np.asarray(number, dtype=np.int64), "member": np.asarray(member, dtype=np.int64)}
    )
    return table.drop_duplicates(ignore_index=True)
