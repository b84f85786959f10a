"""Compare the terms of both sides, document by document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...scoring.measures import dice, f_score, precision, recall
from ..ontology import Similarity, average_matches, best_matches
from .reading import IndexedDocuments


@dataclass(frozen=True, eq=False)
class TermSides:
    """Terms of both sides, by number, of the documents that take part.

    Attributes
    ----------
    documents : list of str
        Documents that have gold terms and proposals, in the gold's order.
    keys : list of str
        Case-folded terms; a term's number is its place.
    names : list of str
        Each as it is printed first, in the gold if there.
    gold, proposed : DataFrame
        `document`, `term` (numbers).
    notes : tuple of str
        Which documents were left out, and why.
    """

    documents: list[str]
    keys: list[str]
    names: list[str]
    gold: pd.DataFrame
    proposed: pd.DataFrame
    notes: tuple[str, ...]


def align_sides(gold: IndexedDocuments, proposed: IndexedDocuments) -> TermSides:
    """Number terms and documents of both sides alike; leave out, and count, documents of one side alone."""
    tables = [side.terms for side in (gold, proposed)]
    ids = [set(side.documents["document"]) for side in (gold, proposed)]
    with_terms = [set(table["document"]) for table in tables]
    both = with_terms[0] & with_terms[1]
    left_out = (
        ("of the gold without any proposal", with_terms[0] - with_terms[1]),
        ("without a gold term", (ids[0] - with_terms[0]) & with_terms[1]),
        ("with proposals that the gold does not have", with_terms[1] - ids[0]),
    )
    notes = tuple(f"{len(some)} documents left out: {why}" for why, some in left_out if some)
    documents = [document for document in gold.documents["document"] if document in both]
    whole = pd.concat(tables, ignore_index=True)
    whole = whole[whole["document"].isin(both)]
    codes, keys = pd.factorize(whole["key"])
    names = whole.assign(code=codes).drop_duplicates("code")["term"].tolist()
    place = pd.Index(documents, dtype="str").get_indexer(pd.Index(whole["document"]))
    numbered = pd.DataFrame({"document": place, "term": codes})
    first = int(tables[0]["document"].isin(both).sum())
    return TermSides(
        documents,
        [str(k) for k in keys],
        names,
        numbered.iloc[:first].reset_index(drop=True),
        numbered.iloc[first:].reset_index(drop=True),
        notes,
    )


def compare(sides: TermSides, similarity: Similarity) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare the two sets of every document.

    Parameters
    ----------
    sides : Sides
        Both sides.
    similarity : callable
        Similarities of pairs of terms, by number.

    Returns
    -------
    documents : DataFrame
        `document`, `gold`, `proposed`, `common` (numbers of terms), `precision`, `recall`, `f1`, `dice`,
        `similarity`, `difference` (of the last two).
    pairs : DataFrame
        The paper's table 2 for every document: `document`, `side`, `term`, `partner` (the most similar term
        of the other side, itself if it is there), `dice` (1 for the same term), `similarity`.
    """
    size = len(sides.documents)
    matches = best_matches(
        sides.proposed["document"],
        sides.proposed["term"],
        sides.gold["document"],
        sides.gold["term"],
        similarity,
    )
    number = matches["set"].to_numpy(np.int64)
    of_proposed = (matches["side"] == "left").to_numpy(bool)
    # a term of both sides is common, and its own best partner, whatever else is as similar to it
    member = matches["member"].to_numpy(np.int64)
    key = number * max(len(sides.names), 1) + member
    same = np.isin(key, np.intersect1d(key[of_proposed], key[~of_proposed]))
    partner = np.where(same, member, matches["partner"])
    proposed, gold = (np.bincount(number[keep], minlength=size) for keep in (of_proposed, ~of_proposed))
    common = np.bincount(number[same & of_proposed], minlength=size)
    p, r = precision(common, proposed), recall(common, gold)
    table = pd.DataFrame(
        {
            "document": pd.Series(sides.documents, dtype="str"),
            "gold": gold,
            "proposed": proposed,
            "common": common,
            "precision": p,
            "recall": r,
            "f1": f_score(p, r),
            "dice": dice(common, gold, proposed),
            "similarity": average_matches(size, matches),
        }
    )
    table["difference"] = table["similarity"] - table["dice"]
    names = np.array([*sides.names, None], dtype=object)  # -1, nobody, is the last
    pairs = pd.DataFrame(
        {
            "document": np.array(sides.documents, dtype=object)[number],
            "side": np.where(of_proposed, "proposed", "gold"),
            "term": names[member],
            "partner": names[partner],
            "dice": same.astype(np.int64),
            "similarity": matches["value"],
        }
    )
    order = np.lexsort((~of_proposed, number))
    return table, pairs.iloc[order].reset_index(drop=True)
