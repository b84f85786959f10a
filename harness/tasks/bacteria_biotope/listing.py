"""The pairs, for the eye."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.arrays import Ints
from ..pairs import NOBODY, side_of
from .corpus import Material
from .standoff import PREDICTION, REFERENCE

STATUS = {(True, True): "pair", (True, False): "deletion", (False, True): "insertion"}


def list_pairs(
    material: Material, pairs: pd.DataFrame, document: Ints, evaluation: str, *, relations: bool
) -> pd.DataFrame:
    """One row a pair: its document, what became of it, similarity, and both sides."""
    table = _relations(material) if relations else _entities(material)
    frame = pd.DataFrame(
        {
            "evaluation": evaluation,
            "document": [material.documents[i] for i in document],
            "status": _status(pairs),
            "similarity": pairs["similarity"],
        }
    )
    for side, which in (("reference", REFERENCE), ("predicted", PREDICTION)):
        own = table if relations else table.assign(normalisation=_normalisations(material, which))
        frame = frame.join(side_of(own, pairs[side], f"{side}_"))
    order = np.lexsort(
        (pairs["predicted"], pairs["reference"] == NOBODY, pairs["reference"], frame["document"])
    )
    return frame.iloc[order].reset_index(drop=True)


def list_associations(reference: pd.DataFrame, predicted: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """One row a pair of associations (a taxon with a concept)."""
    frame = pd.DataFrame(
        {"status": _status(pairs), "similarity": pairs["similarity"], "share": pairs["share"]}
    )
    for side, table in (("reference", reference), ("predicted", predicted)):
        frame = frame.join(side_of(table, pairs[side], f"{side}_"))
    return frame


def _status(pairs: pd.DataFrame) -> list[str]:
    has = [(pairs[name] != NOBODY).tolist() for name in ("reference", "predicted")]
    return [STATUS[pair] for pair in zip(*has, strict=True)]


def _entities(material: Material) -> pd.DataFrame:
    shown = material.entities[["name", "type", "form"]].copy()
    shown.insert(1, "span", [";".join(f"{s} {e}" for s, e in spans) for spans in material.spans])
    return shown


def _normalisations(material: Material, which: int) -> list[str]:
    table = material.normalisations[material.normalisations["set"] == which]
    joined = table.groupby("entity")["identifier"].agg(lambda values: ", ".join(sorted(values)))
    found: list[str] = joined.reindex(np.arange(len(material.entities))).fillna("").tolist()
    return found


def _relations(material: Material) -> pd.DataFrame:
    names = material.entities["name"].to_numpy(dtype=object)
    shown = material.relations[["name", "type"]].copy()
    for role in ("microorganism", "other"):
        shown[role] = names[material.relations[role].to_numpy(np.int64)] if len(shown) else ""
    return shown
