"""How alike two concepts are: Wang, Resnik, Lin and Jiang–Conrath, for whole arrays of pairs at once.

Pairs are given as two arrays of concept numbers of one length. A number below zero (an unknown concept) gives
NaN: what an unknown concept is worth is the caller's decision.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from ...scoring.arrays import Flags, Ints, Numbers
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
        content = _shared(ontology, information, a, b)
        content[~(_met(information, a) & _met(information, b))] = np.nan
        return content

    return _in_blocks(block, left, right)


def lin(ontology: Ontology, information: Information, left: ArrayLike, right: ArrayLike) -> Numbers:
    """Twice the shared information over the sum of both (Lin 1998; Névéol et al. 2006, formula 1).

    1 for a concept and itself, whatever the corpus; 0 where only a root is shared or nothing is; NaN
    where either of two different concepts was never met.
    """

    def block(a: Ints, b: Ints) -> Numbers:
        shared = _shared(ontology, information, a, b)
        both = information.content[a] + information.content[b]
        value = np.divide(2.0 * shared, both, out=np.zeros(len(a)), where=(both > 0) & np.isfinite(both))
        value[~(_met(information, a) & _met(information, b))] = np.nan
        value[a == b] = 1.0
        return value

    return _in_blocks(block, left, right)


def jiang_conrath(ontology: Ontology, information: Information, left: ArrayLike, right: ArrayLike) -> Numbers:
    """1 / (1 + d) with d = IC(m) + IC(n) - 2 IC(shared), the distance of Jiang and Conrath 1997.

    1 for a concept and itself; 0 where no ancestor is shared; NaN where either was never met.
    """

    def block(a: Ints, b: Ints) -> Numbers:
        shared = _shared(ontology, information, a, b, nothing=np.nan)
        met = _met(information, a) & _met(information, b)
        both = np.where(met, information.content[a], 0.0) + np.where(met, information.content[b], 0.0)
        value = 1.0 / (1.0 + np.maximum(both - 2.0 * np.nan_to_num(shared), 0.0))
        value[np.isnan(shared)] = 0.0
        value[~met] = np.nan
        value[a == b] = 1.0
        return value

    return _in_blocks(block, left, right)


def _met(information: Information, nodes: Ints) -> Flags:
    return np.isfinite(information.content[nodes])


def _shared(ontology: Ontology, information: Information, a: Ints, b: Ints, nothing: float = 0.0) -> Numbers:
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
