"""Pairing of reference and predictions, which by default maximises the sum of similarities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...scoring.arrays import Ints, Numbers
from ...scoring.pairing.assignment import find_best_pairing, find_greedy_pairing
from ..pairs import NO_PARTNER, add_unpaired
from .corpus import AUTHORITY_BY_TYPE, TaskData
from .reading import INPUT, PREDICTION, REFERENCE
from .similarity import find_overlapping, score_boundaries, score_normalisations
from .task import Task, TaskInput


def choose_pairs(left: Ints, right: Ints, value: Numbers, *, as_published: bool) -> tuple[Ints, int]:
    """Choose candidate pairs so that no row occurs in two pairs.

    The published program repeatedly takes the best remaining pair. Its choice between equally good pairs is
    undefined; this function takes the first in file order.

    Parameters
    ----------
    left, right : ndarray of int64
        Row numbers of each candidate pair.
    value : ndarray
        Similarity of each candidate pair.
    as_published : bool
        Whether to take the best remaining pair repeatedly; by default, the sum of similarities is maximised.

    Returns
    -------
    chosen : ndarray of int64
        Indexes of the chosen candidates.
    ties : int
        Number of chosen pairs that had an equally good alternative; 0 unless `as_published` is true.
    """
    values = np.nan_to_num(value)
    pair = find_greedy_pairing if as_published else find_best_pairing
    chosen = pair(left, right, values).astype(np.int64)
    if not as_published or not len(chosen):
        return chosen, 0
    # a tie: a candidate of equal value that shares a member with a chosen pair
    entries = pd.DataFrame({"left": left, "right": right, "value": values.round(12)})
    is_tied = [entries.duplicated([side, "value"], keep=False) for side in ("left", "right")]
    return chosen, int((is_tied[0] | is_tied[1]).to_numpy()[chosen].sum())


def make_pairs(
    reference: Ints, predicted: Ints, left: Ints, right: Ints, similarity: Numbers
) -> pd.DataFrame:
    """Return the chosen pairs, followed by the references and predictions that have no partner.

    Returns
    -------
    DataFrame
        `reference`, `predicted` (row numbers, or NO_PARTNER), `similarity` (0 if there is no partner).
    """
    chosen = pd.DataFrame({"reference": left, "predicted": right, "similarity": similarity})
    return add_unpaired(chosen, reference, predicted, similarity=0.0)


def pair_published_relations(
    material: TaskData, reference: Ints, predicted: Ints, table: pd.DataFrame
) -> tuple[pd.DataFrame, int]:
    """Pair relations in the same way as the published program.

    If an argument of a reference relation has equivalents, the relation and its variants with equivalent
    arguments form a family. All variants are added to the reference and paired. Then the pairs of a family
    are replaced by a single pair: the original relation and the best partner found for the family. By
    mistake, the program also removes each pair whose *prediction* has the same id as one of these relations,
    although the ids in the two files are unrelated.

    Parameters
    ----------
    material : TaskData
        Reference and predictions.
    reference, predicted : ndarray of int64
        Row numbers of the reference relations and of the predicted relations.
    table : DataFrame
        All candidate pairs: `left`, `right` (rows of relations) and `value` (similarity).

    Returns
    -------
    pairs : DataFrame
        See `make_pairs`.
    ties : int
        See `choose_pairs`.
    """
    relations = material.relations
    sizes = np.bincount(material.equivalence_set, minlength=1)
    many = pd.DataFrame(
        {
            "first": sizes[
                material.equivalence_set[relations["microorganism"].to_numpy(np.int64)[reference]]
            ],
            "second": sizes[material.equivalence_set[relations["other"].to_numpy(np.int64)[reference]]],
        },
        index=reference,
    )
    families = many[(many["first"] > 1) | (many["second"] > 1)]
    variants = (families["first"] - 1) * (families["second"] - 1)
    # a variant has the same candidates as its relation, because equivalents are compared anyway
    owner = np.repeat(families.index.to_numpy(np.int64), variants)
    number = len(relations) + np.arange(len(owner))
    extra = pd.DataFrame({"left": owner, "variant": number}).merge(table, on="left")
    extra = extra.drop(columns="left").rename(columns={"variant": "left"})
    candidates = pd.concat([table, extra[["left", "right", "value"]]], ignore_index=True)
    left, right = candidates["left"].to_numpy(np.int64), candidates["right"].to_numpy(np.int64)
    value = candidates["value"].to_numpy(np.float64)
    chosen, ties = choose_pairs(left, right, value, as_published=True)
    pairs = make_pairs(
        np.concatenate((reference, number)), predicted, left[chosen], right[chosen], value[chosen]
    )
    if families.empty:
        return pairs, ties
    home = dict(zip(number.tolist(), owner.tolist(), strict=True)) | {int(i): int(i) for i in families.index}
    family = pairs["reference"].map(home)
    best = (
        pairs[family.notna() & (pairs["predicted"] != NO_PARTNER)]
        .assign(family=family)
        .sort_values(["family", "similarity", "reference"], ascending=[True, False, True], kind="stable")
        .drop_duplicates("family")
        .set_index("family")
    )
    names, documents = relations["name"].to_numpy(dtype=object), relations["document"].to_numpy(np.int64)
    removed = {(int(documents[i]), names[i]) for i in families.index}
    collides = [p != NO_PARTNER and (int(documents[p]), names[p]) in removed for p in pairs["predicted"]]
    others = pairs[family.isna() & ~np.array(collides, dtype=bool)]
    restored = pd.DataFrame({"reference": families.index.to_numpy(np.int64)})
    restored["predicted"] = restored["reference"].map(best["predicted"]).fillna(NO_PARTNER).astype("int64")
    restored["similarity"] = restored["reference"].map(best["similarity"]).fillna(0.0)
    return pd.concat([others, restored], ignore_index=True), ties


@dataclass(frozen=True)
class PairingResult:
    """Pairs of entities, or pairs of relations, with their similarities.

    Attributes
    ----------
    pairs : DataFrame
        `reference`, `predicted` (row numbers, or NO_PARTNER), `similarity`.
    similarity : dict
        Similarities of all pairs, keyed by the name of the similarity measure.
    note : str
        Remark about undefined similarities or ties, or "".
    """

    pairs: pd.DataFrame
    similarity: dict[str, Numbers]
    note: str = ""


def pair_task(question: TaskInput, spec: Task) -> PairingResult:
    """Pair reference and predicted entities (or relations) as the task requires."""
    if spec.unit == "relation":
        return _pair_relations(question)
    if question.task == "norm":
        return _pair_given(question)
    return _pair_entities(question, only_boundaries=spec.evaluation.startswith("Boundaries"))


def _entities(material: TaskData, which: int) -> Ints:
    table = material.entities
    return _rows((table["set"] == which) & table["type"].isin(AUTHORITY_BY_TYPE))


def _rows(wanted: pd.Series[bool]) -> Ints:
    return np.flatnonzero(wanted.to_numpy(bool)).astype(np.int64)


def _pair_given(question: TaskInput) -> PairingResult:
    """Pair each entity in the input with itself, for the task BB-norm."""
    material, as_published = question.data, question.as_published
    rows = _entities(material, INPUT)
    similarities = score_normalisations(question, rows, rows)
    main = similarities["normalisation"]
    if as_published:
        # the published list of new concepts is empty for phenotypes, which gives 0/0
        is_phenotype = material.entity_types[rows] == "Phenotype"
        similarities["new"] = np.where(is_phenotype, np.nan, similarities["new"])
    undefined = int(np.isnan(main).sum())
    effect = "their similarity and all measures that include them are NaN" if as_published else "ignored"
    pairs = pd.DataFrame({"reference": rows, "predicted": rows, "similarity": main})
    return PairingResult(
        pairs,
        {"main": main, "exact": similarities["normalisation-exact"], **similarities},
        f"{undefined} entities have no normalisation: {effect}" if undefined else "",
    )


def _pair_entities(question: TaskInput, *, only_boundaries: bool) -> PairingResult:
    """Pair entities for BB-norm+ner by boundaries and normalisation, or by boundaries only."""
    material, as_published = question.data, question.as_published
    reference, predicted = _entities(material, REFERENCE), _entities(material, PREDICTION)
    cells = find_overlapping(material, reference, predicted)
    left, right = cells["left"].to_numpy(np.int64), cells["right"].to_numpy(np.int64)
    b = score_boundaries(material, cells, as_published=as_published)
    if only_boundaries:
        # the published program also pairs entities of different types here
        same = material.entity_types[left] == material.entity_types[right]
        names = {"main": b if as_published else np.where(same, b, 0.0)}
    else:
        similarities = score_normalisations(question, left, right)
        names = {
            "main": b * similarities["normalisation"],
            "exact": b * similarities["normalisation-exact"],
            "normalisation": similarities["normalisation"],
            "normalisation-exact": similarities["normalisation-exact"],
            # the published program ignores boundaries in scores for new concepts
            "new": similarities["new"] if as_published else b * similarities["new"],
        }
    chosen, ties = choose_pairs(left, right, names["main"], as_published=as_published)
    pairs = make_pairs(reference, predicted, left[chosen], right[chosen], names["main"][chosen])
    rest = np.zeros(len(pairs) - len(chosen))
    similarity = {name: np.concatenate((values[chosen], rest)) for name, values in names.items()}
    return PairingResult(pairs, similarity, _note_ties(ties))


def _pair_relations(question: TaskInput) -> PairingResult:
    """Pair relations by equal or equivalent arguments (BB-rel) or by overlapping arguments (BB-rel+ner)."""
    material, as_published = question.data, question.as_published
    relations = material.relations
    reference, predicted = (_rows(relations["set"] == which) for which in (REFERENCE, PREDICTION))
    if question.task == "rel":
        rows = np.arange(len(material.entities))
        table = pd.DataFrame({"left": rows, "right": rows, "value": 1.0})
    else:
        is_predicted = material.entities["set"] == PREDICTION
        cells = find_overlapping(material, _rows(~is_predicted), _rows(is_predicted))
        cells["value"] = score_boundaries(material, cells, as_published=as_published)
        same = material.entity_types[cells["left"]] == material.entity_types[cells["right"]]
        table = cells.loc[same, ["left", "right", "value"]]
    sides = [_arguments(material, reference, predicted, table, role) for role in ("microorganism", "other")]
    cells = sides[0].merge(sides[1], on=["left", "right"])
    cells["value"] = cells["value_x"] * cells["value_y"]
    kinds = relations["type"].to_numpy(dtype=object)
    cells = cells[kinds[cells["left"]] == kinds[cells["right"]]]
    cells = cells.sort_values(["left", "right"], ignore_index=True)
    left, right = cells["left"].to_numpy(np.int64), cells["right"].to_numpy(np.int64)
    value = cells["value"].to_numpy(np.float64)
    if as_published:
        candidates = cells[["left", "right", "value"]]
        pairs, ties = pair_published_relations(material, reference, predicted, candidates)
    else:
        chosen, ties = choose_pairs(left, right, value, as_published=False)
        pairs = make_pairs(reference, predicted, left[chosen], right[chosen], value[chosen])
    main = pairs["similarity"].to_numpy(np.float64)
    both_sides = (pairs["reference"] != NO_PARTNER) & (pairs["predicted"] != NO_PARTNER)
    return PairingResult(
        pairs, {"main": main, "any": both_sides.to_numpy().astype(np.float64)}, _note_ties(ties)
    )


def _arguments(
    material: TaskData, reference: Ints, predicted: Ints, table: pd.DataFrame, role: str
) -> pd.DataFrame:
    """Return the pairs of relations whose arguments in the given role are similar, with their similarities.

    If the reference argument has equivalents, the highest similarity counts.
    """
    owner = material.relations[role].to_numpy(np.int64)
    members = pd.DataFrame(
        {"group": material.equivalence_set, "entity": np.arange(len(material.equivalence_set))}
    )
    left = pd.DataFrame({"left": reference, "group": material.equivalence_set[owner[reference]]}).merge(
        members, on="group"
    )
    right = pd.DataFrame({"right": predicted, "partner": owner[predicted]})
    cells = table.rename(columns={"left": "entity", "right": "partner"})
    joined = left.merge(cells, on="entity").merge(right, on="partner")
    return joined.groupby(["left", "right"])["value"].max().reset_index()


def _note_ties(ties: int) -> str:
    if not ties:
        return ""
    return (
        f"{ties} pairs were chosen from ties, where the order of the published program is undefined; "
        "the first in the files was used"
    )
