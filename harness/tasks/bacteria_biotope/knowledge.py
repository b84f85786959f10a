"""The knowledge base that relations make, and the part of one that another covers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.arrays import Ints, Numbers
from ..ontology import wang
from ..pairs import NO_PARTNER, add_unpaired
from .corpus import TaskData
from .reading import PREDICTION, REFERENCE
from .similarity import EDGE_WEIGHT, TOLERANCE
from .task import TaskInput


def collect_associations(material: TaskData, which: int) -> pd.DataFrame:
    """Distinct (taxon, concept) of all relations of one side, over all documents.

    Each relation gives every taxon of its microorganism with every concept of its location or property.
    """
    table = material.normalisations[material.normalisations["set"] == which]
    relations = material.relations[material.relations["set"] == which]
    # document by document, Lives_In first: the order in which the published program fills its table
    relations = relations.assign(last=relations["type"] == "Exhibits").sort_values(
        ["document", "last"], kind="stable"
    )
    taxa = table[table["authority"] == "NCBI_Taxonomy"][["entity", "identifier"]]
    concepts = table[table["authority"] == "OntoBiotope"][["entity", "identifier"]]
    joined = relations.merge(
        taxa.rename(columns={"entity": "microorganism", "identifier": "taxon"}), on="microorganism"
    ).merge(concepts.rename(columns={"entity": "other", "identifier": "concept"}), on="other")
    return joined[["taxon", "concept"]].drop_duplicates(ignore_index=True)


def pair_knowledge(question: TaskInput) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Each predicted association goes to the most similar reference association of the same taxon.

    Returns
    -------
    reference, predicted, pairs : DataFrame
        Pairs have `reference`, `predicted` (rows; -1: nobody), `similarity` and `share`: 1 for an only best
        partner, 1/k where k are equally near. As published all goes to one of them, the first in the order in
        which a Java hash table gives them.
    """
    as_published, ontology = question.as_published, question.ontology
    reference, predicted = (collect_associations(question.data, which) for which in (REFERENCE, PREDICTION))
    if as_published:
        reference = reference.iloc[order_like_java(reference)].reset_index(drop=True)
    cells = predicted.reset_index(names="predicted").merge(
        reference.reset_index(names="reference"), on="taxon"
    )
    x, y = ontology.locate(cells["concept_y"]), ontology.locate(cells["concept_x"])
    cells["similarity"] = np.nan_to_num(wang(ontology, x, y, weight=EDGE_WEIGHT))
    cells = cells[cells["similarity"] > 0]
    best = cells.groupby("predicted")["similarity"].transform("max")
    cells = cells[cells["similarity"] >= best - TOLERANCE]
    if as_published:
        cells = cells.sort_values(["predicted", "reference"], kind="stable").drop_duplicates("predicted")
    pairs = cells[["reference", "predicted", "similarity"]].copy()
    pairs["share"] = 1.0 / pairs.groupby("predicted")["predicted"].transform("size").to_numpy(np.float64)
    rows = np.arange(len(reference)), np.arange(len(predicted))
    whole = add_unpaired(pairs, *rows, similarity=0.0, share=1.0)
    return reference, predicted, whole.sort_values(["reference", "predicted"], ignore_index=True)


def compute_mean_references(pairs: pd.DataFrame, size: int) -> float:
    """Mean over the reference of the mean similarity of the predictions that went there, 0 where none did.

    A prediction that is equally near to k associations is equally likely to go to each of them: the figure is
    the mean over all ways to break such ties.
    """
    if not size:
        return float("nan")
    both = pairs[(pairs["reference"] != NO_PARTNER) & (pairs["predicted"] != NO_PARTNER)]
    total = sum(
        compute_expected_mean(group["similarity"].to_numpy(np.float64), group["share"].to_numpy(np.float64))
        for _, group in both.groupby("reference")
    )
    return total / size


def compute_expected_mean(values: Numbers, chances: Numbers) -> float:
    """Expected mean of those values that come, each with its own chance and apart from the others; 0 if none.

    Examples
    --------
    >>> expected_mean(np.array([1.0, 0.2]), np.array([1.0, 0.5]))  # half the time 1.0, half the time 0.6
    0.8
    """
    if (chances == 1.0).all():
        return float(values.mean())
    total = 0.0
    for i, (value, chance) in enumerate(zip(values, chances, strict=True)):
        # probability of each number of the others, [number]: the coefficients of a product of (1 - p) + p x
        count = np.ones(1)
        for other in np.delete(chances, i):
            count = np.convolve(count, [1.0 - other, other])
        total += value * chance * float((count / np.arange(1, len(count) + 1)).sum())
    return total


def order_like_java(table: pd.DataFrame) -> Ints:
    """Order in which a Java HashMap with keys (taxon, concept) iterates, filled in the given order."""
    hashes = [_wrap_int(31 * (31 + _java_hash(a)) + _java_hash(b)) for a, b in table.itertuples(index=False)]
    room = 16
    while len(hashes) > 0.75 * room:
        room *= 2
    buckets = np.array([(h ^ (h >> 16)) & (room - 1) for h in hashes], dtype=np.int64)
    return np.argsort(buckets, kind="stable").astype(np.int64)


def _wrap_int(number: int) -> int:
    return number & 0xFFFFFFFF


def _java_hash(text: str) -> int:
    """String.hashCode, without a sign; identifiers are ASCII."""
    total = 0
    for letter in text:
        total = _wrap_int(31 * total + ord(letter))
    return total
