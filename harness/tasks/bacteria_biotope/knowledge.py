"""Construction of knowledge bases from relations, and comparison of predictions with the reference."""

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
    """Return the distinct pairs (taxon, concept) from all relations in the reference or the predictions.

    From each relation, every taxon of its microorganism is paired with every concept of its location or
    property.
    """
    table = material.normalisations[material.normalisations["set"] == which]
    relations = material.relations[material.relations["set"] == which]
    # per document, Lives_In first: the order in which the published program fills its table
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
    """Pair each predicted association with the most similar reference association of the same taxon.

    Returns
    -------
    reference, predicted : DataFrame
        Associations in the reference, and predicted associations.
    pairs : DataFrame
        `reference`, `predicted` (row numbers, or NO_PARTNER), `similarity` and `share`. If k reference
        associations are equally similar to a prediction, it is paired with each of them with the share 1/k.
        The published program pairs it only with the first, in the iteration order of a Java hash table.
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
    all_pairs = add_unpaired(pairs, *rows, similarity=0.0, share=1.0)
    return reference, predicted, all_pairs.sort_values(["reference", "predicted"], ignore_index=True)


def compute_mean_references(pairs: pd.DataFrame, size: int) -> float:
    """Return the mean score of the reference associations.

    The score of a reference association is the mean similarity of the predictions that are assigned to it, or
    0 if there are none. A prediction that is equally similar to k reference associations is assigned to each
    with probability 1/k; the result is the expected value.
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
    """Return the expected mean of values, each of which is present with a given, independent probability.

    The mean is 0 if no value is present.

    Examples
    --------
    >>> compute_expected_mean(np.array([1.0, 0.2]), np.array([1.0, 0.5]))  # 1.0 or 0.6, equally likely
    0.8
    """
    if (chances == 1.0).all():
        return float(values.mean())
    total = 0.0
    for i, (value, chance) in enumerate(zip(values, chances, strict=True)):
        # probability of each number of other values: the coefficients of the product of (1 - p) + p x
        count = np.ones(1)
        for other in np.delete(chances, i):
            count = np.convolve(count, [1.0 - other, other])
        total += value * chance * float((count / np.arange(1, len(count) + 1)).sum())
    return total


def order_like_java(table: pd.DataFrame) -> Ints:
    """Return the order in which a Java HashMap with keys (taxon, concept) iterates over the rows."""
    hashes = [_wrap_int(31 * (31 + _java_hash(a)) + _java_hash(b)) for a, b in table.itertuples(index=False)]
    room = 16
    while len(hashes) > 0.75 * room:
        room *= 2
    buckets = np.array([(h ^ (h >> 16)) & (room - 1) for h in hashes], dtype=np.int64)
    return np.argsort(buckets, kind="stable").astype(np.int64)


def _wrap_int(number: int) -> int:
    return number & 0xFFFFFFFF


def _java_hash(text: str) -> int:
    """Return the result of Java's String.hashCode for an ASCII string, as an unsigned number."""
    total = 0
    for letter in text:
        total = _wrap_int(31 * total + ord(letter))
    return total
