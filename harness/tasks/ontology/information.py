"""Information content of concepts from a corpus, relative to their tree."""

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
        Weight (documents) of what is annotated with the concept or anything below it.
    probability : ndarray of float64
        That count over the count of the concept's tree; 1 at a root, 0 where nothing was met.
    content : ndarray of float64
        -log(probability): 0 at a root, infinite where nothing was met.
    """

    counts: Numbers
    probability: Numbers
    content: Numbers


def information_from_documents(
    ontology: Ontology, document: ArrayLike, node: ArrayLike, *, smoothing: float = 0.0
) -> Information:
    """Count documents: each counts once for a concept if it names it or anything below it.

    Parameters
    ----------
    ontology : Ontology
        The graph.
    document, node : array_like
        One entry an annotation: the document by whatever number or name it has, the number of the concept.
    smoothing : float
        Added to the count of every concept, and of its tree, so that a root keeps probability 1.
    """
    _, rows = np.unique(np.asarray(document), return_inverse=True)
    return information_from_counts(
        ontology, rows, node, np.ones(int(rows.max(initial=-1)) + 1), smoothing=smoothing
    )


def information_from_counts(
    ontology: Ontology, row: ArrayLike, node: ArrayLike, weight: ArrayLike, *, smoothing: float = 0.0
) -> Information:
    """Add up weights: each row (a document, or a term with its frequency) counts once for a concept.

    Parameters
    ----------
    ontology : Ontology
        The graph.
    row, node : array_like of int
        Which rows name which concepts; a MeSH heading with two positions is one row with two entries.
    weight : array_like of float
        What each row counts.
    smoothing : float
        As in `information_from_documents`.

    Notes
    -----
    A concept under several roots is measured against what lies under any of them (Resnik 1995 has one root;
    Névéol et al. 2006 partition MeSH into its trees).
    """
    weights = np.asarray(weight, dtype=np.float64)
    rows = np.asarray(row, dtype=np.int64)
    nodes = np.asarray(node, dtype=np.int64)
    # rows that name a concept or anything below it: [row, concept] times [concept, ancestor]
    named = csr_array((np.ones(len(rows)), (rows, nodes)), shape=(len(weights), len(ontology)))
    under = csr_array(named @ ontology.closure)
    under.data[:] = 1.0
    counts = np.asarray(under.T @ weights, dtype=np.float64)
    totals = _totals(ontology, under, counts, weights) + smoothing
    probability = np.divide(counts + smoothing, totals, out=np.zeros(len(ontology)), where=totals > 0)
    content = np.full(len(ontology), np.inf)
    met = probability > 0
    content[met] = -np.log(probability[met])
    return Information(counts, probability, content + 0.0)


def _totals(ontology: Ontology, under: csr_array, counts: Numbers, weights: Numbers) -> Numbers:
    """For each concept, the weight of what lies under any of its roots."""
    roots = ontology.roots
    above = csr_array(ontology.closure[:, roots])
    many = np.diff(above.indptr) > 1
    # weight under the roots of each concept, [concept]: one look-up for one root, a union for several
    totals = np.zeros(len(ontology))
    single = np.flatnonzero(~many)
    totals[single] = counts[roots[above.indices[above.indptr[single]]]]
    known: dict[tuple[int, ...], float] = {}
    for number in np.flatnonzero(many):
        key = tuple(sorted(int(i) for i in above.indices[above.indptr[number] : above.indptr[number + 1]]))
        if key not in known:
            reached = np.asarray(under[:, roots[list(key)]].sum(axis=1)).ravel() > 0
            known[key] = float(weights[reached].sum())
        totals[number] = known[key]
    return totals
