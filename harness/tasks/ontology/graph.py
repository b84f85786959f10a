"""A directed acyclic graph of concepts: who is above whom, and how far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ....catalogues.core.errors import InputError
from ...scoring.arrays import Ints


@dataclass(frozen=True, eq=False)
class Ontology:
    """Concepts and the relation that makes one a kind of another.

    Concepts are numbered from 0 in the order of `ids`; everything is computed on those numbers.

    Attributes
    ----------
    name : str
        What the ontology is called in signatures.
    ids : Index of str
        Identifiers, unique.
    labels : ndarray of object
        Names, "" where there is none.
    child, parent : ndarray of int64
        One entry a parent edge.
    aliases : dict
        Further identifiers (OBO `alt_id`) and the number of the concept that each stands for.
    digest : str
        SHA-256 of the file, for signatures.
    """

    name: str
    ids: pd.Index[str]
    labels: NDArray[np.object_]
    child: Ints
    parent: Ints
    aliases: dict[str, int]
    digest: str = ""

    @classmethod
    def from_edges(
        cls,
        ids: Sequence[str],
        edges: Iterable[tuple[str, str]],
        *,
        labels: Sequence[str] | None = None,
        aliases: dict[str, str] | None = None,
        name: str = "ontology",
        file: str | None = None,
        digest: str = "",
    ) -> Ontology:
        """Put a graph together from identifiers and (child, parent) pairs.

        Raises
        ------
        InputError
            A parent that is no concept, an identifier given twice, or a cycle; the cycle is shown.
        """
        index: pd.Index[str] = pd.Index(list(ids), dtype="str")
        if not index.is_unique:
            raise InputError("an identifier is given twice", file=file, found=index[index.duplicated()][0])
        pairs = sorted(set(edges))
        children = index.get_indexer(pd.Index([pair[0] for pair in pairs], dtype="str"))
        parents = index.get_indexer(pd.Index([pair[1] for pair in pairs], dtype="str"))
        for ends, which in ((children, 0), (parents, 1)):
            if (ends < 0).any():
                pair = pairs[int(np.flatnonzero(ends < 0)[0])]
                raise InputError(
                    f"{pair[0]} is_a a concept that is not defined", file=file, found=pair[which]
                )
        names = np.array(labels if labels is not None else [""] * len(index), dtype=object)
        place = dict(zip(index, range(len(index)), strict=True))
        known = {alias: place[target] for alias, target in (aliases or {}).items()}
        graph = cls(name, index, names, children.astype(np.int64), parents.astype(np.int64), known, digest)
        cycle = graph._cycle()
        if cycle:
            raise InputError("is_a goes round in a circle", file=file, found=" is_a ".join(cycle))
        return graph

    def __len__(self) -> int:
        return len(self.ids)

    def locate(self, identifiers: ArrayLike | pd.Series[str]) -> Ints:
        """Numbers of identifiers (aliases too); -1 for one that the ontology does not have.

        Examples
        --------
        >>> Ontology.build(["a", "b"], [("b", "a")]).locate(["b", "x"]).tolist()
        [1, -1]
        """
        wanted = pd.Index(pd.Series(identifiers, dtype="str"))
        found = self.ids.get_indexer(wanted).astype(np.int64)
        if self.aliases and (found < 0).any():
            unknown = np.flatnonzero(found < 0)
            found[unknown] = [self.aliases.get(str(alias), -1) for alias in wanted[unknown]]
        return found

    @cached_property
    def distances(self) -> csr_array:
        """Shortest way from each concept (row) to each ancestor-or-self (column), stored plus one.

        A stored entry means "is an ancestor or itself"; its value less one is the number of edges.
        """
        # edges, front, seen: [concept, ancestor], sparse; a step up multiplies by the edges
        size = len(self)
        ones = np.ones(len(self.child), np.int32)
        edges = csr_array((ones, (self.child, self.parent)), shape=(size, size))
        numbers = np.arange(size)
        front = seen = csr_array((np.ones(size, np.int32), (numbers, numbers)), shape=(size, size))
        far = seen.copy()
        step = 1
        while front.nnz:
            step += 1
            front = csr_array(front @ edges)
            front.data[:] = 1
            front = csr_array(front - front.multiply(seen))
            front.eliminate_zeros()
            seen = csr_array(seen + front)
            far = csr_array(far + front * step)
        return far

    @cached_property
    def closure(self) -> csr_array:
        """One where the column is the row itself or above it."""
        far = self.distances
        return csr_array((np.ones(far.nnz, np.float64), far.indices, far.indptr), shape=far.shape)

    @cached_property
    def roots(self) -> Ints:
        """Numbers of the concepts without a parent."""
        return np.setdiff1d(np.arange(len(self)), self.child).astype(np.int64)

    def ancestors(self, identifier: str) -> tuple[str, ...]:
        """Identifiers above a concept, itself included, nearest first.

        Raises
        ------
        InputError
            When the ontology does not have the identifier.
        """
        number = int(self.locate([identifier])[0])
        if number < 0:
            raise InputError(f"{self.name} has no such concept", found=identifier)
        far = self.distances
        row = slice(far.indptr[number], far.indptr[number + 1])
        order = np.lexsort((far.indices[row], far.data[row]))
        return tuple(str(identifier) for identifier in self.ids[far.indices[row][order]])

    def _cycle(self) -> list[str]:
        """Identifiers along one circle of parents, or nothing when there is none."""
        # number of the strong component of each concept, [concept]: what lies on one circle has one number
        ones = np.ones(len(self.child), np.int8)
        edges = csr_array((ones, (self.child, self.parent)), shape=(len(self), len(self)))
        part = connected_components(edges, connection="strong")[1]
        among = part[self.child] == part[self.parent]
        if not among.any():
            return []
        above = dict(zip(self.child[among].tolist(), self.parent[among].tolist(), strict=True))
        place = min(above)
        path: list[int] = []
        while place not in path:
            path.append(place)
            place = above[place]
        return [str(self.ids[i]) for i in [*path[path.index(place) :], place]]
