"""The pairs of each task, and how alike they are by each similarity that a scoring may ask for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...scoring.arrays import Ints, Numbers
from ..pairs import NOBODY
from .corpus import AUTHORITY, Material
from .pairing import choose, pairs_of, published_relations
from .question import Question
from .similarity import boundaries, normalisations, sharing
from .specification import Task
from .standoff import INPUT, PREDICTION, REFERENCE


@dataclass(frozen=True)
class Paired:
    """The pairs of one pairing.

    Attributes
    ----------
    pairs : DataFrame
        `reference`, `predicted` (rows; `NOBODY` where there is no partner), `similarity`.
    similarity : dict
        How alike each pair is, by the name of a similarity.
    note : str
        What was undefined, or chosen among equals; empty where nothing was.
    """

    pairs: pd.DataFrame
    similarity: dict[str, Numbers]
    note: str = ""


def paired(question: Question, spec: Task) -> Paired:
    """The pairs of one of a task's evaluations."""
    if spec.unit == "relation":
        return _pair_relations(question)
    if question.task == "norm":
        return _pair_given(question)
    return _pair_entities(question, only_boundaries=spec.evaluation.startswith("Boundaries"))


def _entities(material: Material, which: int) -> Ints:
    table = material.entities
    return _rows((table["set"] == which) & table["type"].isin(AUTHORITY))


def _rows(wanted: pd.Series[bool]) -> Ints:
    return np.flatnonzero(wanted.to_numpy(bool)).astype(np.int64)


def _pair_given(question: Question) -> Paired:
    """BB-norm: entities are given, each is paired with itself."""
    material, as_published = question.material, question.as_published
    rows = _entities(material, INPUT)
    alike = normalisations(question, rows, rows)
    main = alike["normalisation"]
    if as_published:
        # its list of new concepts is empty for phenotypes here: neither side has any, and 0/0 is NaN
        alike["new"] = np.where(material.kinds[rows] == "Phenotype", np.nan, alike["new"])
    undefined = int(np.isnan(main).sum())
    what = "their similarity, and every figure that they are in, is NaN" if as_published else "left out"
    pairs = pd.DataFrame({"reference": rows, "predicted": rows, "similarity": main})
    return Paired(
        pairs,
        {"main": main, "exact": alike["normalisation-exact"], **alike},
        f"{undefined} entities without normalisation: {what}" if undefined else "",
    )


def _pair_entities(question: Question, *, only_boundaries: bool) -> Paired:
    """BB-norm+ner: entities are paired by type, boundaries and normalisation, or by boundaries alone."""
    material, as_published = question.material, question.as_published
    reference, predicted = _entities(material, REFERENCE), _entities(material, PREDICTION)
    cells = sharing(material, reference, predicted)
    left, right = cells["left"].to_numpy(np.int64), cells["right"].to_numpy(np.int64)
    b = boundaries(material, cells, as_published=as_published)
    if only_boundaries:
        # as published entities of different types may be a pair here
        same = material.kinds[left] == material.kinds[right]
        names = {"main": b if as_published else np.where(same, b, 0.0)}
    else:
        alike = normalisations(question, left, right)
        names = {
            "main": b * alike["normalisation"],
            "exact": b * alike["normalisation-exact"],
            "normalisation": alike["normalisation"],
            "normalisation-exact": alike["normalisation-exact"],
            # as published boundaries do not matter to figures for new concepts
            "new": alike["new"] if as_published else b * alike["new"],
        }
    chosen, ties = choose(left, right, names["main"], as_published=as_published)
    pairs = pairs_of(reference, predicted, left[chosen], right[chosen], names["main"][chosen])
    rest = np.zeros(len(pairs) - len(chosen))
    similarity = {name: np.concatenate((values[chosen], rest)) for name, values in names.items()}
    return Paired(pairs, similarity, _tied(ties))


def _pair_relations(question: Question) -> Paired:
    """BB-rel: the same or equivalent arguments; BB-rel+ner: by type and boundaries of both arguments."""
    material, as_published = question.material, question.as_published
    relations = material.relations
    reference, predicted = (_rows(relations["set"] == which) for which in (REFERENCE, PREDICTION))
    if question.task == "rel":
        every = np.arange(len(material.entities))
        table = pd.DataFrame({"left": every, "right": every, "value": 1.0})
    else:
        of_prediction = material.entities["set"] == PREDICTION
        cells = sharing(material, _rows(~of_prediction), _rows(of_prediction))
        cells["value"] = boundaries(material, cells, as_published=as_published)
        same = material.kinds[cells["left"]] == material.kinds[cells["right"]]
        table = cells.loc[same, ["left", "right", "value"]]
    sides = [_arguments(material, reference, predicted, table, role) for role in ("microorganism", "other")]
    both = sides[0].merge(sides[1], on=["left", "right"])
    both["value"] = both["value_x"] * both["value_y"]
    kinds = relations["type"].to_numpy(dtype=object)
    both = both[kinds[both["left"]] == kinds[both["right"]]].sort_values(["left", "right"], ignore_index=True)
    left, right = both["left"].to_numpy(np.int64), both["right"].to_numpy(np.int64)
    value = both["value"].to_numpy(np.float64)
    if as_published:
        pairs, ties = published_relations(material, reference, predicted, both[["left", "right", "value"]])
    else:
        chosen, ties = choose(left, right, value, as_published=False)
        pairs = pairs_of(reference, predicted, left[chosen], right[chosen], value[chosen])
    main = pairs["similarity"].to_numpy(np.float64)
    both_sides = (pairs["reference"] != NOBODY) & (pairs["predicted"] != NOBODY)
    return Paired(pairs, {"main": main, "any": both_sides.to_numpy().astype(np.float64)}, _tied(ties))


def _arguments(
    material: Material, reference: Ints, predicted: Ints, table: pd.DataFrame, role: str
) -> pd.DataFrame:
    """How alike one argument of two relations is, where it is: the best of the reference's equivalents."""
    owner = material.relations[role].to_numpy(np.int64)
    members = pd.DataFrame({"group": material.group, "entity": np.arange(len(material.group))})
    left = pd.DataFrame({"left": reference, "group": material.group[owner[reference]]}).merge(
        members, on="group"
    )
    right = pd.DataFrame({"right": predicted, "partner": owner[predicted]})
    cells = table.rename(columns={"left": "entity", "right": "partner"})
    joined = left.merge(cells, on="entity").merge(right, on="partner")
    return joined.groupby(["left", "right"])["value"].max().reset_index()


def _tied(ties: int) -> str:
    """What is told of pairs that were chosen among equals."""
    if not ties:
        return ""
    return (
        f"{ties} pairs were chosen among equals: the published program's order is undefined there; "
        "here the first in the files is taken"
    )
