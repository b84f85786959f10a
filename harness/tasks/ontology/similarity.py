"""Similarity of two concepts (Wang, Resnik, Lin, Jiang–Conrath) and of two sets of concepts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from ...scoring.arrays import Flags, Ints, Numbers
from ...scoring.measures import ratio
from .graph import Ontology
from .information import Information

# number of pairs processed together, which bounds the memory
BLOCK = 100_000


def wang(ontology: Ontology, left: ArrayLike, right: ArrayLike, *, weight: float = 0.65) -> Numbers:
    """Return the Wang similarity of pairs of concepts (Wang et al. 2007, Bioinformatics 23:1274).

    An ancestor at distance d contributes `weight` to the power d, and a concept itself contributes 1. The
    similarity is the sum of the contributions of common ancestors to both concepts, divided by the sum of all
    contributions to both. All is_a edges have the same weight.

    Examples
    --------
    >>> family = Ontology.from_edges(["root", "a", "b"], [("a", "root"), ("b", "root")])
    >>> wang(family, [1, 1], [1, 2], weight=0.5).round(4).tolist()
    [1.0, 0.3333]
    """
    far = ontology.distances
    share = csr_array((weight ** (far.data - 1.0), far.indices, far.indptr), shape=far.shape)
    total = np.asarray(share.sum(axis=1), dtype=np.float64).ravel()
    closure = ontology.closure

    def block(a: Ints, b: Ints) -> Numbers:
        common = share[a].multiply(closure[b]).sum(axis=1) + closure[a].multiply(share[b]).sum(axis=1)
        value = np.asarray(common).ravel() / (total[a] + total[b])
        return np.where(a == b, 1.0, value)  # exactly 1, without rounding errors

    return _in_blocks(block, left, right)


def resnik(ontology: Ontology, information: Information, left: ArrayLike, right: ArrayLike) -> Numbers:
    """Return the Resnik similarity: the highest information content of a common ancestor (Resnik 1995).

    The similarity is NaN if a concept has frequency 0, and 0 if there is no common ancestor.
    """

    def block(a: Ints, b: Ints) -> Numbers:
        content = _shared_information(ontology, information, a, b)
        content[~(_is_known(information, a) & _is_known(information, b))] = np.nan
        return content

    return _in_blocks(block, left, right)


def lin(ontology: Ontology, information: Information, left: ArrayLike, right: ArrayLike) -> Numbers:
    """Return the Lin similarity: 2 IC(best common ancestor) / (IC(a) + IC(b)), with information content IC.

    The similarity is 1 for equal concepts, 0 if they share only a root or no ancestor, and NaN if one of two
    different concepts has frequency 0 (Lin 1998; Névéol et al. 2006, formula 1).
    """

    def block(a: Ints, b: Ints) -> Numbers:
        shared = _shared_information(ontology, information, a, b)
        total = information.content[a] + information.content[b]
        value = np.divide(2.0 * shared, total, out=np.zeros(len(a)), where=(total > 0) & np.isfinite(total))
        value[~(_is_known(information, a) & _is_known(information, b))] = np.nan
        value[a == b] = 1.0
        return value

    return _in_blocks(block, left, right)


def jiang_conrath(ontology: Ontology, information: Information, left: ArrayLike, right: ArrayLike) -> Numbers:
    """Return the Jiang–Conrath similarity 1 / (1 + d) of pairs of concepts (Jiang and Conrath 1997).

    The distance d is IC(a) + IC(b) - 2 IC(best common ancestor), with information content IC. The similarity
    is 1 for equal concepts, 0 if there is no common ancestor, and NaN if one of two different concepts has
    frequency 0.
    """

    def block(a: Ints, b: Ints) -> Numbers:
        shared = _shared_information(ontology, information, a, b, nothing=np.nan)
        occur = _is_known(information, a) & _is_known(information, b)
        total = np.where(occur, information.content[a], 0.0) + np.where(occur, information.content[b], 0.0)
        value = 1.0 / (1.0 + np.maximum(total - 2.0 * np.nan_to_num(shared), 0.0))
        value[np.isnan(shared)] = 0.0
        value[~occur] = np.nan
        value[a == b] = 1.0
        return value

    return _in_blocks(block, left, right)


def _is_known(information: Information, nodes: Ints) -> Flags:
    return np.isfinite(information.content[nodes])


def _shared_information(
    ontology: Ontology, information: Information, a: Ints, b: Ints, nothing: float = 0.0
) -> Numbers:
    """Return the highest information content of a common ancestor, or `nothing` if there is none."""
    common = csr_array(ontology.closure[a].multiply(ontology.closure[b]))
    content = information.content[common.indices]
    result = np.full(len(a), nothing)
    filled = np.flatnonzero(np.diff(common.indptr))
    # an ancestor with frequency 0 occurs only in pairs that are undefined anyway
    content = np.where(np.isfinite(content), content, 0.0)
    if len(filled):
        result[filled] = np.maximum.reduceat(content, common.indptr[filled])
    return result


def _in_blocks(block: Callable[[Ints, Ints], Numbers], left: ArrayLike, right: ArrayLike) -> Numbers:
    a = np.asarray(left, dtype=np.int64)
    b = np.asarray(right, dtype=np.int64)
    if a.shape != b.shape:
        raise ValueError(f"left and right must have the same length; found {len(a)} and {len(b)}")
    result = np.full(len(a), np.nan)
    valid = np.flatnonzero((a >= 0) & (b >= 0))
    for start in range(0, len(valid), BLOCK):
        part = valid[start : start + BLOCK]
        result[part] = block(a[part], b[part])
    return result


Similarity = Callable[[Ints, Ints], Numbers]
"""Function that returns the similarity of each pair, given arrays of the first and the second members."""


def best_matches(
    left_set: ArrayLike,
    left_member: ArrayLike,
    right_set: ArrayLike,
    right_member: ArrayLike,
    similarity: Similarity,
) -> pd.DataFrame:
    """Find the most similar partner of each member in the other set, for each pair of sets A and B.

    Parameters
    ----------
    left_set, left_member : array_like of int
        Members of the sets A: index of the pair of sets to which A belongs, and number of the member.
        Repeated members are ignored.
    right_set, right_member : array_like of int
        Members of the sets B, in the same form.
    similarity : callable
        Function that takes two arrays of members and returns their similarities; NaN counts as 0.

    Returns
    -------
    DataFrame
        One row per member: `set` (index of the pair), `side` ("left" for A, "right" for B), `member`,
        `partner` (-1 if no similarity is above 0; the lowest number in case of a tie), `value`.
    """
    left = _distinct(left_set, left_member)
    right = _distinct(right_set, right_member)
    cells = left.merge(right, on="set", suffixes=("_left", "_right"))
    pairs = cells[["member_left", "member_right"]].drop_duplicates()
    pairs["value"] = np.nan_to_num(
        similarity(pairs["member_left"].to_numpy(np.int64), pairs["member_right"].to_numpy(np.int64))
    )
    cells = cells.merge(pairs, on=["member_left", "member_right"])
    tables = []
    for side, other, members in (("left", "right", left), ("right", "left", right)):
        near = cells[cells["value"] > 0].sort_values(
            ["set", f"member_{side}", "value", f"member_{other}"], ascending=[True, True, False, True]
        )
        near = near.drop_duplicates(["set", f"member_{side}"])
        near = near.rename(columns={f"member_{side}": "member", f"member_{other}": "partner"})
        table = members.merge(near[["set", "member", "partner", "value"]], on=["set", "member"], how="left")
        table.insert(1, "side", side)
        tables.append(table)
    matches = pd.concat(tables, ignore_index=True)
    return matches.assign(
        partner=matches["partner"].fillna(-1).astype("int64"),
        value=matches["value"].fillna(0.0).astype("float64"),
    )


def best_match_average(
    size: int,
    left_set: ArrayLike,
    left_member: ArrayLike,
    right_set: ArrayLike,
    right_member: ArrayLike,
    similarity: Similarity,
) -> Numbers:
    """Return the best-match average for each of `size` pairs of sets A and B.

    The average is the sum of the best similarities of all members of A and B, divided by |A| + |B|. It is 0
    if one of the two sets is empty, and NaN if both are. See `best_matches` for the other parameters.

    References
    ----------
    Azuaje et al. 2005; Névéol et al. 2006, formula 3; the Bacteria Biotope 2019 task.

    Examples
    --------
    >>> same = lambda a, b: (a == b).astype(float)
    >>> best_match_average(1, [0, 0], [4, 5], [0], [5], same).round(4).tolist()
    [0.6667]
    """
    return average_matches(size, best_matches(left_set, left_member, right_set, right_member, similarity))


def average_matches(size: int, matches: pd.DataFrame) -> Numbers:
    """Return the mean similarity of all members in each pair of sets; NaN if both sets are empty."""
    numbers = matches["set"].to_numpy(np.int64)
    total = np.bincount(numbers, weights=matches["value"].to_numpy(np.float64), minlength=size)
    members = np.bincount(numbers, minlength=size)
    return ratio(total, members)


def _distinct(number: ArrayLike, member: ArrayLike) -> pd.DataFrame:
    table = pd.DataFrame(
        {"set": np.asarray(number, dtype=np.int64), "member": np.asarray(member, dtype=np.int64)}
    )
    return table.drop_duplicates(ignore_index=True)
