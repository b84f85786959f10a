"""Similarity of the boundaries and normalisations of entities, optionally as in the published program."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.arrays import Ints, Numbers
from ...scoring.measures import jaccard, ratio
from ..ontology import best_match_average, wang
from ..pairs import find_overlaps
from .corpus import AUTHORITY_BY_TYPE, TaskData
from .reading import PREDICTION, REFERENCE, Span
from .task import TaskInput

EDGE_WEIGHT = 0.65
"""Weight of each is_a relation in the Wang similarity."""
TOLERANCE = 1e-12
"""Difference below which two similarities count as equal."""


def find_overlapping(material: TaskData, left: Ints, right: Ints) -> pd.DataFrame:
    """Return all pairs of entities from `left` and `right` that overlap in the same document.

    Returns
    -------
    DataFrame
        `left`, `right` (rows of entities), `common` (number of shared characters).
    """
    document = material.entities["document"].to_numpy(np.int64)
    fragments = material.fragments.assign(document=document[material.fragments["entity"].to_numpy(np.int64)])
    left_parts, right_parts = (fragments[fragments["entity"].isin(rows)] for rows in (left, right))
    # sum the overlaps of fragments per pair of entities
    table = find_overlaps(left_parts, right_parts, "document")
    table["left"] = left_parts["entity"].to_numpy(np.int64)[table["left"]]
    table["right"] = right_parts["entity"].to_numpy(np.int64)[table["right"]]
    return table.groupby(["left", "right"], sort=True)["common"].sum().reset_index()


def score_boundaries(material: TaskData, pairs: pd.DataFrame, *, as_published: bool) -> Numbers:
    """Return the boundary similarity B of pairs of entities: the Jaccard coefficient of their character sets.

    The published program misses some overlaps of discontinuous entities; see `count_published_common`.
    """
    length = material.entities["length"].to_numpy(np.int64)
    left, right = pairs["left"].to_numpy(np.int64), pairs["right"].to_numpy(np.int64)
    common = pairs["common"].to_numpy(np.float64)
    if as_published:
        pieces = material.entities["pieces"].to_numpy(np.int64)
        for i in np.flatnonzero((pieces[left] > 1) | (pieces[right] > 1)):
            common[i] = count_published_common(material.spans[left[i]], material.spans[right[i]])
    return np.nan_to_num(jaccard(common, length[left], length[right]))


def count_published_common(reference: tuple[Span, ...], predicted: tuple[Span, ...]) -> int:
    """Return the number of shared characters as counted by the published program.

    Examples
    --------
    >>> reference, predicted = ((0, 8),), ((0, 3), (5, 8))
    >>> count_published_common(reference, predicted), count_published_common(predicted, reference)
    (3, 6)
    """
    total = i = j = 0
    while True:
        total += max(min(reference[i][1], predicted[j][1]) - max(reference[i][0], predicted[j][0]), 0)
        if reference[i][1] >= predicted[j][1]:
            j += 1
            if j == len(predicted):
                return total
        # fault of the published program: a new predicted fragment has not been compared yet
        if reference[i][1] <= predicted[j][1]:
            i += 1
            if i == len(reference):
                return total


def score_normalisations(question: TaskInput, left: Ints, right: Ints) -> dict[str, Numbers]:
    """Return the similarity C of reference normalisations (`left`) and predicted normalisations (`right`).

    For habitats and phenotypes, C is the best-match average of the Wang similarity; for microorganisms, it is
    the Jaccard coefficient of the sets of identifiers. C is 0 if the types differ, and NaN if neither entity
    is normalised. The published program replaces the Jaccard coefficient by |A and B| / (|A| + |A not in B|),
    so that additional predicted identifiers have no effect.

    Returns
    -------
    dict
        Arrays `normalisation`, `normalisation-exact` (Jaccard coefficient for all types) and `new` (compares
        only new OntoBiotope concepts).
    """
    material, ontology = question.data, question.ontology
    kinds = material.entity_types
    same = kinds[left] == kinds[right]
    results = {name: np.zeros(len(left)) for name in ("normalisation", "normalisation-exact", "new")}
    for authority in dict.fromkeys(AUTHORITY_BY_TYPE.values()):
        here = np.flatnonzero(
            same & np.isin(kinds[left], [k for k, a in AUTHORITY_BY_TYPE.items() if a == authority])
        )
        if not len(here):
            continue
        table = material.normalisations
        table = table[table["authority"] == authority]
        codes, names = pd.factorize(table["identifier"])
        table = table[["entity", "set"]].assign(member=codes)
        a = _members(table, REFERENCE, left[here])
        b = _members(table, PREDICTION, right[here])
        overlap = _overlap(a, b, len(here), question.as_published)
        main = new = overlap
        if authority == "OntoBiotope":
            numbers = ontology.locate(names)

            def similarity(x: Ints, y: Ints, numbers: Ints = numbers) -> Numbers:
                return wang(ontology, numbers[x], numbers[y], weight=EDGE_WEIGHT)

            def average(x: pd.DataFrame, y: pd.DataFrame, size: int = len(here)) -> Numbers:
                return best_match_average(size, x["pair"], x["member"], y["pair"], y["member"], similarity)

            counted = np.isin(names, sorted(question.resources.concepts or ()))
            main = average(a, b)
            new = average(a[counted[a["member"]]], b[counted[b["member"]]])
        for name, values in zip(results, (main, overlap, new), strict=True):
            results[name][here] = values
    return results


def _members(table: pd.DataFrame, which: int, rows: Ints) -> pd.DataFrame:
    wanted = pd.DataFrame({"pair": np.arange(len(rows)), "entity": rows})
    members = wanted.merge(table[table["set"] == which], on="entity")
    return members[["pair", "member"]].drop_duplicates()


def _overlap(a: pd.DataFrame, b: pd.DataFrame, size: int, as_published: bool) -> Numbers:
    shared = a.merge(b, on=["pair", "member"])
    common, in_a, in_b = (np.bincount(t["pair"], minlength=size) for t in (shared, a, b))
    if as_published:
        return ratio(common, in_a + (in_a - common))
    return jaccard(common, in_a, in_b)
