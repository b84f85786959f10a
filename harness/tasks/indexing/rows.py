"""Scores of index terms as rows of the score table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.counting import Counts
from ...scoring.signature import DIGITS, signature
from ...scoring.table import Block, score_table
from .reading import Indexing

APPENDED = ("documents", "dice", "similarity")
"""Columns that this task appends: documents that count, and the means over them."""


def _signature(gold: Indexing, system: Indexing, notion: str, pairing: str, settings: str) -> str:
    return signature(
        corpus=f"corpus:{gold.digest[:DIGITS]}",
        tagger=f"predictions:{system.digest[:DIGITS]}",
        notion=notion,
        pairing=pairing,
        counting="document",
        alternatives="none",
        query=settings,
    )


def _one(value: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([float(value)])


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
        counts = Counts(
            gold=_one(size_gold),
            gold_matched=_one(matched_gold),
            predicted=_one(size_proposed),
            predicted_matched=_one(matched_proposed),
        )
        signed = _signature(gold, system, notion, "any", settings if notion != "exact" else "")
        blocks.append(Block(counts, notion, "term", ["all"], [""], [signed]))
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
        counts = Counts(
            gold=_one(size), gold_matched=_one(hits), predicted=_one(0), predicted_matched=_one(0)
        )
        signed = _signature(gold, system, "retrieval", "any", f"{label}|{settings}")
        blocks.append(Block(counts, "retrieval", "document", [label], [""], [signed]))
    table = score_table(blocks, run=system.name, corpus=gold.name)
    table["tp"] = table["gold_matched"]
    # other documents that are found mean nothing here: no precision
    for column in ("predicted", "predicted_matched", "fp"):
        table[column] = np.nan
    table["documents"] = len(retrieved)
    return table
