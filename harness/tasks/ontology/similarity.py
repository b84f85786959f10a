"""How alike two concepts are (Wang, Resnik, Lin, Jiang–Conrath), and two sets of concepts (best matches)."""

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

# pairs that are worked on at a time; bounds memory, changes nothing else
BLOCK = 100_000


def wang(ontology: Ontology, left: ArrayLike, right: ArrayLike, *, weight: float = 0.65) -> Numbers:
    """Wang similarity with one weight for every is_a edge (Wang et al. 2007, Bioinformatics 23:1274).

    The contribution of an ancestor is `weight` to the power of the shortest way to it, 1 for the concept
    itself; the similarity is the sum over common ancestors of both contributions, over the sum of all.

    Examples
    --------
    >>> family = Ontology.build(["root", "a", "b"], [("a", "root"), ("b", "root")])
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
        return np.where(a == b, 1.0, value)  # exactly, whatever the order of addition

    return _in_blocks(block, left, right)


def resnik(ontology: Ontology, information: Information, left: ArrayLike, right: ArrayLike) -> Numbers:
    """Information content of the most informative common ancestor (Resnik 1995).

    NaN where either concept was never met (its information is unbounded), 0 where nothing is shared.
    """

    def block(a: Ints, b: Ints) -> Numbers:
        content = _shared_information(ontology, information, a, b)
        content[~(_is_known(information, a) & _is_known(information, b))] = np.nan
        return content

    return _in_blocks(block, left, right)


def lin(ontology: Ontology, information: Information, left: ArrayLike, right: ArrayLike) -> Numbers:
    """Twice the shared information over the sum of both (Lin 1998; Névéol et al. 2006, formula 1).

    1 for a concept and itself, whatever the corpus; 0 where only a root is shared or nothing is; NaN
    where either of two different concepts was never met.
    """

    def block(a: Ints, b: Ints) -> Numbers:
        shared = _shared_information(ontology, information, a, b)
        both = information.content[a] + information.content[b]
        value = np.divide(2.0 * shared, both, out=np.zeros(len(a)), where=(both > 0) & np.isfinite(both))
        value[~(_is_known(information, a) & _is_known(information, b))] = np.nan
        value[a == b] = 1.0
        return value

    return _in_blocks(block, left, right)


def jiang_conrath(ontology: Ontology, information: Information, left: ArrayLike, right: ArrayLike) -> Numbers:
    """1 / (1 + d) with d = IC(m) + IC(n) - 2 IC(shared), the distance of Jiang and Conrath 1997.

    1 for a concept and itself; 0 where no ancestor is shared; NaN where either was never met.
    """

    def block(a: Ints, b: Ints) -> Numbers:
        shared = _shared_information(ontology, information, a, b, nothing=np.nan)
        met = _is_known(information, a) & _is_known(information, b)
        both = np.where(met, information.content[a], 0.0) + np.where(met, information.content[b], 0.0)
        value = 1.0 / (1.0 + np.maximum(both - 2.0 * np.nan_to_num(shared), 0.0))
        value[np.isnan(shared)] = 0.0
        value[~met] = np.nan
        value[a == b] = 1.0
        return value

    return _in_blocks(block, left, right)


def _is_known(information: Information, nodes: Ints) -> Flags:
    return np.isfinite(information.content[nodes])


def _shared_information(
    ontology: Ontology, information: Information, a: Ints, b: Ints, nothing: float = 0.0
) -> Numbers:
    """Information content of the most informative common ancestor; `nothing` where none is shared."""
    common = csr_array(ontology.closure[a].multiply(ontology.closure[b]))
    content = information.content[common.indices]
    result = np.full(len(a), nothing)
    filled = np.flatnonzero(np.diff(common.indptr))
    # an ancestor that was never met can only be shared by two that were not: those pairs are undefined anyway
    content = np.where(np.isfinite(content), content, 0.0)
    if len(filled):
        result[filled] = np.maximum.reduceat(content, common.indptr[filled])
    return result


def _in_blocks(block: Callable[[Ints, Ints], Numbers], left: ArrayLike, right: ArrayLike) -> Numbers:
    a = np.asarray(left, dtype=np.int64)
    b = np.asarray(right, dtype=np.int64)
    if a.shape != b.shape:
        raise ValueError(f"pairs differ in length: {len(a)} and {len(b)}")
    result = np.full(len(a), np.nan)
    known = np.flatnonzero((a >= 0) & (b >= 0))
    for start in range(0, len(known), BLOCK):
        part = known[start : start + BLOCK]
        result[part] = block(a[part], b[part])
    return result


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
    return average_matches(size, best_matches(left_set, left_member, right_set, right_member, similarity))


def average_matches(size: int, matches: pd.DataFrame) -> Numbers:
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
