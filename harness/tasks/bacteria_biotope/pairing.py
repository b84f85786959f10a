"""Pairing, the default (greatest total similarity) and the published program's (best pair first)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.arrays import Ints, Numbers
from ...scoring.pairing.assignment import best_pairing, greedy_pairing
from ..pairs import NOBODY, with_leftovers
from .corpus import Material


def choose(left: Ints, right: Ints, value: Numbers, *, as_published: bool) -> tuple[Ints, int]:
    """Places of the chosen entries, and the number chosen among equals.

    The published program takes the best pair first, and of equal ones whichever its hash tables give; here
    the one that stands first in the files.
    """
    known = np.nan_to_num(value)
    chosen = (greedy_pairing if as_published else best_pairing)(left, right, known).astype(np.int64)
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


def pairs_of(reference: Ints, predicted: Ints, left: Ints, right: Ints, similarity: Numbers) -> pd.DataFrame:
    """The chosen pairs, then references and predictions without a partner: their similarity is 0.

    Returns
    -------
    DataFrame
        `reference`, `predicted` (`NOBODY` where there is no partner), `similarity`.
    """
    chosen = pd.DataFrame({"reference": left, "predicted": right, "similarity": similarity})
    return with_leftovers(chosen, reference, predicted, similarity=0.0)


def published_relations(
    material: Material, reference: Ints, predicted: Ints, table: pd.DataFrame
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
    sizes = np.bincount(material.group, minlength=1)
    many = pd.DataFrame(
        {
            "first": sizes[material.group[relations["microorganism"].to_numpy(np.int64)[reference]]],
            "second": sizes[material.group[relations["other"].to_numpy(np.int64)[reference]]],
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
    chosen, ties = choose(left, right, value, as_published=True)
    pairs = pairs_of(
        np.concatenate((reference, number)), predicted, left[chosen], right[chosen], value[chosen]
    )
    if families.empty:
        return pairs, ties
    home = dict(zip(number.tolist(), owner.tolist(), strict=True)) | {int(i): int(i) for i in families.index}
    family = pairs["reference"].map(home)
    best = (
        pairs[family.notna() & (pairs["predicted"] != NOBODY)]
        .assign(family=family)
        .sort_values(["family", "similarity", "reference"], ascending=[True, False, True], kind="stable")
        .drop_duplicates("family")
        .set_index("family")
    )
    names, documents = relations["name"].to_numpy(dtype=object), relations["document"].to_numpy(np.int64)
    struck = {(int(documents[i]), names[i]) for i in families.index}
    collides = [p != NOBODY and (int(documents[p]), names[p]) in struck for p in pairs["predicted"]]
    kept = pairs[family.isna() & ~np.array(collides, dtype=bool)]
    back = pd.DataFrame({"reference": families.index.to_numpy(np.int64)})
    back["predicted"] = back["reference"].map(best["predicted"]).fillna(NOBODY).astype("int64")
    back["similarity"] = back["reference"].map(best["similarity"]).fillna(0.0)
    return pd.concat([kept, back], ignore_index=True), ties
