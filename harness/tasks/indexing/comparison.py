"""Comparison of gold terms and proposed terms in each document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...scoring.measures import dice, f_score, precision, recall
from ..ontology import Similarity, average_matches, best_matches
from .reading import IndexedDocuments


@dataclass(frozen=True, eq=False)
class TermSides:
    """Terms of the documents that have both gold terms and proposed terms.

    Attributes
    ----------
    documents : list of str
        Documents with gold terms and proposed terms, in the order of the gold file.
    keys : list of str
        Case-folded terms; tables contain the index of a term in this list.
    names : list of str
        Spelling of each term at its first occurrence.
    gold, proposed : DataFrame
        Gold and proposed terms of the documents: `document`, `term` (indexes in `documents` and `keys`).
    notes : tuple of str
        Remarks about ignored documents.
    """

    documents: list[str]
    keys: list[str]
    names: list[str]
    gold: pd.DataFrame
    proposed: pd.DataFrame
    notes: tuple[str, ...]


def align_sides(gold: IndexedDocuments, proposed: IndexedDocuments) -> TermSides:
    """Convert gold terms and proposed terms to indexes into common lists of documents and terms.

    Documents without gold terms or without proposed terms are ignored.
    """
    tables = [side.terms for side in (gold, proposed)]
    ids = [set(side.documents["document"]) for side in (gold, proposed)]
    with_terms = [set(table["document"]) for table in tables]
    common = with_terms[0] & with_terms[1]
    ignored = (
        ("they have no proposed term", with_terms[0] - with_terms[1]),
        ("they have no gold term", (ids[0] - with_terms[0]) & with_terms[1]),
        ("they are not in the gold file", with_terms[1] - ids[0]),
    )
    notes = tuple(f"{len(names)} documents ignored because {reason}" for reason, names in ignored if names)
    documents = [document for document in gold.documents["document"] if document in common]
    terms = pd.concat(tables, ignore_index=True)
    terms = terms[terms["document"].isin(common)]
    codes, keys = pd.factorize(terms["key"])
    names = terms.assign(code=codes).drop_duplicates("code")["term"].tolist()
    place = pd.Index(documents, dtype="str").get_indexer(pd.Index(terms["document"]))
    numbered = pd.DataFrame({"document": place, "term": codes})
    first = int(tables[0]["document"].isin(common).sum())
    return TermSides(
        documents,
        [str(k) for k in keys],
        names,
        numbered.iloc[:first].reset_index(drop=True),
        numbered.iloc[first:].reset_index(drop=True),
        notes,
    )


def compare(sides: TermSides, similarity: Similarity) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare the gold terms and proposed terms of each document.

    Parameters
    ----------
    sides : TermSides
        Gold terms and proposed terms.
    similarity : callable
        Function that returns the similarities of pairs of terms, given their indexes.

    Returns
    -------
    documents : DataFrame
        One row per document: `document`, `gold`, `proposed` and `common` (numbers of terms), `precision`,
        `recall`, `f1`, `dice`, `similarity`, `difference` (`similarity` minus `dice`).
    pairs : DataFrame
        One row per document and term, as in table 2 of Névéol et al. 2006: `document`, `side`, `term`,
        `partner` (the most similar term on the other side), `dice` (1 if the terms are equal), `similarity`.
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
    # the best partner of a common term is the term itself, even if another term is equally similar
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
    names = np.array([*sides.names, None], dtype=object)  # index -1 means no partner
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
