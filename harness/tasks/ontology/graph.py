"""Ontology as a directed acyclic graph of concepts, with ancestors and distances."""

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
    """Concepts and their is_a relations; arrays refer to concepts by their index in `ids`.

    Attributes
    ----------
    name : str
        Name of the ontology in signatures.
    ids : Index of str
        Unique identifiers.
    labels : ndarray of object
        Names of the concepts, or "".
    child, parent : ndarray of int64
        Child and parent of each is_a relation.
    aliases : dict
        Index of the concept for each alternative identifier (OBO `alt_id`).
    digest : str
        SHA-256 checksum of the file, for signatures.
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
        """Build an ontology from identifiers and pairs (child, parent).

        Raises
        ------
        InputError
            If an identifier is repeated, a child or parent is unknown, or the relations form a cycle.
        """
        index: pd.Index[str] = pd.Index(list(ids), dtype="str")
        if not index.is_unique:
            raise InputError("duplicate identifier", file=file, found=index[index.duplicated()][0])
        pairs = sorted(set(edges))
        children = index.get_indexer(pd.Index([pair[0] for pair in pairs], dtype="str"))
        parents = index.get_indexer(pd.Index([pair[1] for pair in pairs], dtype="str"))
        for ends, which in ((children, 0), (parents, 1)):
            if (ends < 0).any():
                pair = pairs[int(np.flatnonzero(ends < 0)[0])]
                problem = f"is_a of {pair[0]} refers to an undefined concept"
                raise InputError(problem, file=file, found=pair[which])
        names = np.array(labels if labels is not None else [""] * len(index), dtype=object)
        place = dict(zip(index, range(len(index)), strict=True))
        targets = {alias: place[target] for alias, target in (aliases or {}).items()}
        graph = cls(name, index, names, children.astype(np.int64), parents.astype(np.int64), targets, digest)
        cycle = graph._cycle()
        if cycle:
            raise InputError("the is_a relations form a cycle", file=file, found=" is_a ".join(cycle))
        return graph

    def __len__(self) -> int:
        return len(self.ids)

    def locate(self, identifiers: ArrayLike | pd.Series[str]) -> Ints:
        """Return the index of the concept for each identifier or alias; -1 if it is unknown.

        Examples
        --------
        >>> Ontology.from_edges(["a", "b"], [("b", "a")]).locate(["b", "x"]).tolist()
        [1, -1]
        """
        wanted = pd.Index(pd.Series(identifiers, dtype="str"))
        concepts = self.ids.get_indexer(wanted).astype(np.int64)
        if self.aliases and (concepts < 0).any():
            unknown = np.flatnonzero(concepts < 0)
            concepts[unknown] = [self.aliases.get(str(alias), -1) for alias in wanted[unknown]]
        return concepts

    @cached_property
    def distances(self) -> csr_array:
        """Sparse matrix: distance from a concept (row) to itself and to each ancestor (column), plus 1.

        The distance is the smallest number of edges. 1 is added because a sparse matrix does not store 0.
        """
        # edges, front and seen are sparse matrices [concept, ancestor]; multiplying by edges goes one step up
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
        """Sparse matrix of concepts: 1 if the column is an ancestor of the row, or the same concept."""
        far = self.distances
        return csr_array((np.ones(far.nnz, np.float64), far.indices, far.indptr), shape=far.shape)

    @cached_property
    def roots(self) -> Ints:
        """Indexes of the concepts without a parent."""
        return np.setdiff1d(np.arange(len(self)), self.child).astype(np.int64)

    def _cycle(self) -> list[str]:
        """Return the identifiers of concepts that form a cycle, or an empty list if there is none."""
        # concepts on the same cycle are in the same strong component
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
