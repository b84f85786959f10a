"""Pair both sides, the default (greatest total similarity) and the published program's (best pair first)."""

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
    """Places of the chosen entries, and the number chosen among equals.

    The published program takes the best pair first, and of equal ones whichever its hash tables give; here
    the one that stands first in the files.
    """
    known = np.nan_to_num(value)
    chosen = (find_greedy_pairing if as_published else find_best_pairing)(left, right, known).astype(np.int64)
    if not as_published or not len(chosen):
        return chosen, 0
    # an equal of a chosen pair that shares a member with it could have been chosen instead
    entries = pd.DataFrame({"left": left, "right": right, "value": known.round(12)})
    entries = entries[entries["value"] > 0]
    equal_left = entries.groupby(["left", "value"]).size()
    equal_right = entries.groupby(["right", "value"]).size()
    picked = entries.loc[chosen]
    ties = (equal_left.loc[list(zip(picked["left"], picked["value"], strict=True))].to_numpy() > 1) | (
        equal_right.loc[list(zip(picked["right"], picked["value"], strict=True))].to_numpy() > 1
    )
    return chosen, int(ties.sum())


def make_pairs(
    reference: Ints, predicted: Ints, left: Ints, right: Ints, similarity: Numbers
) -> pd.DataFrame:
    """The chosen pairs, then references and predictions without a partner: their similarity is 0.

    Returns
    -------
    DataFrame
        `reference`, `predicted` (`NO_PARTNER` where there is no partner), `similarity`.
    """
    chosen = pd.DataFrame({"reference": left, "predicted": right, "similarity": similarity})
    return add_unpaired(chosen, reference, predicted, similarity=0.0)


def pair_published_relations(
    material: TaskData, reference: Ints, predicted: Ints, table: pd.DataFrame
) -> tuple[pd.DataFrame, int]:
    """Pair relations as the published program does.

    A relation with an argument that has equivalents makes a family: variants with both arguments replaced
    join the reference, all are paired, then the family's pairs go and the relation comes back with the best
    partner that the family had. With them goes every pair whose *prediction* has the identifier of such a
    relation: identifiers of the two files have nothing to do with each other, so this is a fault.

    Parameters
    ----------
    material : Material
        Both sides.
    reference, predicted : ndarray of int64
        Rows of relations.
    table : DataFrame
        `left`, `right` (rows of relations) and `value` of all pairs that are alike.
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
    # a variant is like the same predictions as its relation, since equivalents are looked through anyway
    owner = np.repeat(families.index.to_numpy(np.int64), variants)
    number = len(relations) + np.arange(len(owner))
    extra = pd.DataFrame({"left": owner, "variant": number}).merge(table, on="left")
    extra = extra.drop(columns="left").rename(columns={"variant": "left"})
    whole = pd.concat([table, extra[["left", "right", "value"]]], ignore_index=True)
    left, right = whole["left"].to_numpy(np.int64), whole["right"].to_numpy(np.int64)
    value = whole["value"].to_numpy(np.float64)
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
    struck = {(int(documents[i]), names[i]) for i in families.index}
    collides = [p != NO_PARTNER and (int(documents[p]), names[p]) in struck for p in pairs["predicted"]]
    kept = pairs[family.isna() & ~np.array(collides, dtype=bool)]
    back = pd.DataFrame({"reference": families.index.to_numpy(np.int64)})
    back["predicted"] = back["reference"].map(best["predicted"]).fillna(NO_PARTNER).astype("int64")
    back["similarity"] = back["reference"].map(best["similarity"]).fillna(0.0)
    return pd.concat([kept, back], ignore_index=True), ties


@dataclass(frozen=True)
class PairingResult:
    """The pairs of one pairing.

    Attributes
    ----------
    pairs : DataFrame
        `reference`, `predicted` (rows; `NO_PARTNER` where there is no partner), `similarity`.
    similarity : dict
        How alike each pair is, by the name of a similarity.
    note : str
        What was undefined, or chosen among equals; empty where nothing was.
    """

    pairs: pd.DataFrame
    similarity: dict[str, Numbers]
    note: str = ""


def pair_task(question: TaskInput, spec: Task) -> PairingResult:
    """The pairs of one of a task's evaluations."""
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
    """BB-norm: entities are given, each is paired with itself."""
    material, as_published = question.data, question.as_published
    rows = _entities(material, INPUT)
    alike = score_normalisations(question, rows, rows)
    main = alike["normalisation"]
    if as_published:
        # its list of new concepts is empty for phenotypes here: neither side has any, and 0/0 is NaN
        alike["new"] = np.where(material.entity_types[rows] == "Phenotype", np.nan, alike["new"])
    undefined = int(np.isnan(main).sum())
    what = "their similarity, and every figure that they are in, is NaN" if as_published else "left out"
    pairs = pd.DataFrame({"reference": rows, "predicted": rows, "similarity": main})
    return PairingResult(
        pairs,
        {"main": main, "exact": alike["normalisation-exact"], **alike},
        f"{undefined} entities without normalisation: {what}" if undefined else "",
    )


def _pair_entities(question: TaskInput, *, only_boundaries: bool) -> PairingResult:
    """BB-norm+ner: entities are paired by type, boundaries and normalisation, or by boundaries alone."""
    material, as_published = question.data, question.as_published
    reference, predicted = _entities(material, REFERENCE), _entities(material, PREDICTION)
    cells = find_overlapping(material, reference, predicted)
    left, right = cells["left"].to_numpy(np.int64), cells["right"].to_numpy(np.int64)
    b = score_boundaries(material, cells, as_published=as_published)
    if only_boundaries:
        # as published entities of different types may be a pair here
        same = material.entity_types[left] == material.entity_types[right]
        names = {"main": b if as_published else np.where(same, b, 0.0)}
    else:
        alike = score_normalisations(question, left, right)
        names = {
            "main": b * alike["normalisation"],
            "exact": b * alike["normalisation-exact"],
            "normalisation": alike["normalisation"],
            "normalisation-exact": alike["normalisation-exact"],
            # as published boundaries do not matter to figures for new concepts
            "new": alike["new"] if as_published else b * alike["new"],
        }
    chosen, ties = choose_pairs(left, right, names["main"], as_published=as_published)
    pairs = make_pairs(reference, predicted, left[chosen], right[chosen], names["main"][chosen])
    rest = np.zeros(len(pairs) - len(chosen))
    similarity = {name: np.concatenate((values[chosen], rest)) for name, values in names.items()}
    return PairingResult(pairs, similarity, _note_ties(ties))


def _pair_relations(question: TaskInput) -> PairingResult:
    """BB-rel: the same or equivalent arguments; BB-rel+ner: by type and boundaries of both arguments."""
    material, as_published = question.data, question.as_published
    relations = material.relations
    reference, predicted = (_rows(relations["set"] == which) for which in (REFERENCE, PREDICTION))
    if question.task == "rel":
        every = np.arange(len(material.entities))
        table = pd.DataFrame({"left": every, "right": every, "value": 1.0})
    else:
        of_prediction = material.entities["set"] == PREDICTION
        cells = find_overlapping(material, _rows(~of_prediction), _rows(of_prediction))
        cells["value"] = score_boundaries(material, cells, as_published=as_published)
        same = material.entity_types[cells["left"]] == material.entity_types[cells["right"]]
        table = cells.loc[same, ["left", "right", "value"]]
    sides = [_arguments(material, reference, predicted, table, role) for role in ("microorganism", "other")]
    both = sides[0].merge(sides[1], on=["left", "right"])
    both["value"] = both["value_x"] * both["value_y"]
    kinds = relations["type"].to_numpy(dtype=object)
    both = both[kinds[both["left"]] == kinds[both["right"]]].sort_values(["left", "right"], ignore_index=True)
    left, right = both["left"].to_numpy(np.int64), both["right"].to_numpy(np.int64)
    value = both["value"].to_numpy(np.float64)
    if as_published:
        pairs, ties = pair_published_relations(
            material, reference, predicted, both[["left", "right", "value"]]
        )
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
    """How alike one argument of two relations is, where it is: the best of the reference's equivalents."""
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
    """What is told of pairs that were chosen among equals."""
    if not ties:
        return ""
    return (
        f"{ties} pairs were chosen among equals: the published program's order is undefined there; "
        "here the first in the files is taken"
    )
