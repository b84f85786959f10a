"""Information content of concepts, computed from their frequencies within each tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from ...scoring.arrays import Numbers
from .graph import Ontology


@dataclass(frozen=True, eq=False)
class Information:
    """Frequency and information content of each concept.

    Attributes
    ----------
    counts : ndarray of float64
        Number of documents annotated with the concept or one of its descendants.
    probability : ndarray of float64
        Count divided by the count at the root of the tree; 1 at a root.
    content : ndarray of float64
        Information content, -log(probability): 0 at a root, infinite if the count is 0.
    """

    counts: Numbers
    probability: Numbers
    content: Numbers


def information_from_documents(
    ontology: Ontology, document: ArrayLike, node: ArrayLike, *, smoothing: float = 0.0
) -> Information:
    """Compute information content from the number of documents per concept.

    A document counts once for each concept with which it is annotated, and for each ancestor of such a
    concept.

    Parameters
    ----------
    ontology : Ontology
        Ontology.
    document, node : array_like
        Document (number or name) and concept of each annotation.
    smoothing : float
        Number added to the count of each concept and of its tree, so that a root keeps probability 1.
    """
    _, rows = np.unique(np.asarray(document), return_inverse=True)
    return information_from_counts(
        ontology, rows, node, np.ones(int(rows.max(initial=-1)) + 1), smoothing=smoothing
    )


def information_from_counts(
    ontology: Ontology, row: ArrayLike, node: ArrayLike, weight: ArrayLike, *, smoothing: float = 0.0
) -> Information:
    """Compute information content from weighted rows; a row is a document, or a term with its frequency.

    A row counts once for each of its concepts and for each ancestor of these concepts.

    Parameters
    ----------
    ontology : Ontology
        Ontology.
    row, node : array_like of int
        Row and concept of each annotation. A MeSH heading with two positions is one row with two concepts.
    weight : array_like of float
        Weight of each row.
    smoothing : float
        See `information_from_documents`.

    Notes
    -----
    The probability of a concept is its count divided by the total weight of all rows under its root, or under
    any of its roots. Resnik 1995 assumes a single root; Névéol et al. 2006 treat the MeSH trees separately.
    """
    weights = np.asarray(weight, dtype=np.float64)
    rows = np.asarray(row, dtype=np.int64)
    nodes = np.asarray(node, dtype=np.int64)
    # rows under each concept: [row, concept] times [concept, ancestor]
    annotated = csr_array((np.ones(len(rows)), (rows, nodes)), shape=(len(weights), len(ontology)))
    under = csr_array(annotated @ ontology.closure)
    under.data[:] = 1.0
    counts = np.asarray(under.T @ weights, dtype=np.float64)
    totals = _totals(ontology, under, counts, weights) + smoothing
    probability = np.divide(counts + smoothing, totals, out=np.zeros(len(ontology)), where=totals > 0)
    content = np.full(len(ontology), np.inf)
    occurs = probability > 0
    content[occurs] = -np.log(probability[occurs])
    return Information(counts, probability, content + 0.0)


def _totals(ontology: Ontology, under: csr_array, counts: Numbers, weights: Numbers) -> Numbers:
    """Return, for each concept, the total weight of the rows under any of its roots."""
    roots = ontology.roots
    above = csr_array(ontology.closure[:, roots])
    many = np.diff(above.indptr) > 1
    # look up the count of a single root, or compute the union for several roots
    totals = np.zeros(len(ontology))
    single = np.flatnonzero(~many)
    totals[single] = counts[roots[above.indices[above.indptr[single]]]]
    unions: dict[tuple[int, ...], float] = {}
    for number in np.flatnonzero(many):
        key = tuple(sorted(int(i) for i in above.indices[above.indptr[number] : above.indptr[number + 1]]))
        if key not in unions:
            is_under = np.asarray(under[:, roots[list(key)]].sum(axis=1)).ravel() > 0
            unions[key] = float(weights[is_under].sum())
        totals[number] = unions[key]
    return totals
