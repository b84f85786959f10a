"""Scores of index terms as rows of the score table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.table import score_table
from ..tables import score_row, signed
from .reading import Indexing

APPENDED = ("documents", "dice", "similarity")
"""Columns that this task appends: documents that count, and the means over them."""


def _signature(gold: Indexing, system: Indexing, notion: str, settings: str) -> str:
    parts = {"notion": notion, "pairing": "any", "counting": "document", "alternatives": "none"}
    return signed(gold.digest, system.digest, settings, **parts)


def term_rows(
    gold: Indexing,
    system: Indexing,
    documents: pd.DataFrame,
    pairs: pd.DataFrame,
    measure: str,
    settings: str,
) -> pd.DataFrame:
    """Two rows over all documents: terms that are the same, and terms by how near the best partner is.

    In the second row what is matched is the sum of the best similarities of the gold's, and of the proposed,
    terms.
    """
    best = pairs.groupby("side")["similarity"].sum()
    size_gold, size_proposed = documents["gold"].sum(), documents["proposed"].sum()
    blocks = []
    for notion, matched_gold, matched_proposed in (
        ("exact", documents["common"].sum(), documents["common"].sum()),
        (measure, best.get("gold", 0.0), best.get("proposed", 0.0)),
    ):
        signature = _signature(gold, system, notion, settings if notion != "exact" else "")
        blocks.append(
            score_row(
                "all",
                notion,
                "term",
                signature,
                gold=size_gold,
                gold_matched=matched_gold,
                predicted=size_proposed,
                predicted_matched=matched_proposed,
            )
        )
    table = score_table(blocks, run=system.name, corpus=gold.name)
    table["documents"] = len(documents)
    table["dice"] = documents["dice"].mean()
    table["similarity"] = documents["similarity"].mean()
    return table


def retrieval_rows(
    gold: Indexing, system: Indexing, retrieved: pd.DataFrame, tops: pd.DataFrame, settings: str
) -> pd.DataFrame:
    """Rows of the paper's tables 4 and 5: recall is the share that is found among so many documents."""
    blocks = []
    found: list[tuple[str, float, float]] = []
    for name, whole, part in (
        ("original", "documents", "originals"),
        ("nearest ten", "nearest", "nearest_found"),
    ):
        columns = (tops[column].tolist() for column in ("top", whole, part))
        found += [(f"{name}, top {top}", size, hits) for top, size, hits in zip(*columns, strict=True)]
    found.append(("related, top any", retrieved["related"].sum(), retrieved["related_found"].sum()))
    for label, size, hits in found:
        signature = _signature(gold, system, "retrieval", f"{label}|{settings}")
        blocks.append(score_row(label, "retrieval", "document", signature, gold=size, gold_matched=hits))
    table = score_table(blocks, run=system.name, corpus=gold.name)
    table["tp"] = table["gold_matched"]
    # other documents that are found mean nothing here: no precision
    table[["predicted", "predicted_matched", "fp"]] = np.nan
    table["documents"] = len(retrieved)
    return table
