"""How alike two entities are: boundaries, normalisations; and the published program's faults in both."""

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
"""Weight of an is_a edge in the task's Wang similarity."""
TOLERANCE = 1e-12
"""Similarities that differ by less are equal on paper: only the last digit tells them apart."""


def find_overlapping(material: TaskData, left: Ints, right: Ints) -> pd.DataFrame:
    """All pairs of entities, one of each list, of the same document that share a character.

    Returns
    -------
    DataFrame
        `left`, `right` (rows of entities), `common` (characters that both cover).
    """
    document = material.entities["document"].to_numpy(np.int64)
    fragments = material.fragments.assign(document=document[material.fragments["entity"].to_numpy(np.int64)])
    one, other = (fragments[fragments["entity"].isin(rows)] for rows in (left, right))
    # what two fragments share, a row each, is summed over those of two entities
    table = find_overlaps(one, other, "document")
    table["left"] = one["entity"].to_numpy(np.int64)[table["left"]]
    table["right"] = other["entity"].to_numpy(np.int64)[table["right"]]
    return table.groupby(["left", "right"], sort=True)["common"].sum().reset_index()


def score_boundaries(material: TaskData, pairs: pd.DataFrame, *, as_published: bool) -> Numbers:
    """B: characters that both cover over characters that either covers.

    The published program walks through the fragments of both so that, after a step to the predicted entity's
    next fragment, the reference's may be left without comparing the two: pairs with fragments are concerned.
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
    """Common characters as the published program counts them.

    Examples
    --------
    >>> published_common(((0, 8),), ((0, 3), (5, 8))), published_common(((0, 3), (5, 8)), ((0, 8),))
    (3, 6)
    """
    total = i = j = 0
    while True:
        total += max(min(reference[i][1], predicted[j][1]) - max(reference[i][0], predicted[j][0]), 0)
        if reference[i][1] >= predicted[j][1]:
            j += 1
            if j == len(predicted):
                return total
        # here the predicted fragment may be a new one, which has not been compared
        if reference[i][1] <= predicted[j][1]:
            i += 1
            if i == len(reference):
                return total


def score_normalisations(question: TaskInput, left: Ints, right: Ints) -> dict[str, Numbers]:
    """C: how alike the reference's normalisations of `left` and the predicted ones of `right` are.

    Habitats and phenotypes by Wang similarity and best-match average, microorganisms by overlap of sets; 0
    for different types, NaN where neither is normalised. The published overlap divides by |A| + |A not in
    B|: a superfluous identifier costs nothing.

    Returns
    -------
    dict
        `normalisation`; `normalisation-exact`, where all are compared by overlap; and `new`, where of
        OntoBiotope's concepts those alone are looked at that count as new.
    """
    material, ontology = question.data, question.ontology
    kinds = material.entity_types
    same = kinds[left] == kinds[right]
    found = {name: np.zeros(len(left)) for name in ("normalisation", "normalisation-exact", "new")}
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

            def alike(x: Ints, y: Ints, numbers: Ints = numbers) -> Numbers:
                return wang(ontology, numbers[x], numbers[y], weight=EDGE_WEIGHT)

            def average(of: pd.DataFrame, to: pd.DataFrame, size: int = len(here)) -> Numbers:
                return best_match_average(size, of["pair"], of["member"], to["pair"], to["member"], alike)

            counted = np.isin(names, sorted(question.resources.concepts or ()))
            main = average(a, b)
            new = average(a[counted[a["member"]]], b[counted[b["member"]]])
        for name, values in zip(found, (main, overlap, new), strict=True):
            found[name][here] = values
    return found


def _members(table: pd.DataFrame, which: int, rows: Ints) -> pd.DataFrame:
    wanted = pd.DataFrame({"pair": np.arange(len(rows)), "entity": rows})
    found = wanted.merge(table[table["set"] == which], on="entity")
    return found[["pair", "member"]].drop_duplicates()


def _overlap(a: pd.DataFrame, b: pd.DataFrame, size: int, as_published: bool) -> Numbers:
    both = a.merge(b, on=["pair", "member"])
    common, in_a, in_b = (np.bincount(t["pair"], minlength=size) for t in (both, a, b))
    if as_published:
        return ratio(common, in_a + (in_a - common))
    return jaccard(common, in_a, in_b)
