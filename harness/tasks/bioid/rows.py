"""BioID's corpus scores as rows of the score table."""

from __future__ import annotations

import pandas as pd

from ...scoring.counting import Counts
from ...scoring.table import Block, score_table
from ..tables import signed
from .options import BioIDOptions
from .reading import Collection
from .scores import IDENTIFIER_COUNTS, IDENTIFIER_MEASURES, MEASURES

APPENDED = (
    "norm_condition",
    "caption_count",
    "refclash",
    "missing",
    "hypclash",
    "spurious",
    *IDENTIFIER_COUNTS,
    *IDENTIFIER_MEASURES,
)
"""Columns that this task appends to the score table."""


def score_rows(
    scores: pd.DataFrame,
    condition: str,
    notion: str,
    gold: Collection,
    run_digest: str,
    options: BioIDOptions,
) -> pd.DataFrame:
    """Turn rows of `corpus_scores.csv` (of one run and its two conditions) into rows of the score table.

    The class is ``all`` or, where only annotations with identifiers count, ``normalized``.
    """
    name = "all" if condition == "any" else condition
    match = scores["match"].to_numpy(float)
    counts = Counts(
        gold=scores["reftotal"].to_numpy(float),
        gold_matched=match,
        predicted=scores["hyptotal"].to_numpy(float),
        predicted_matched=match,
    )
    signature = signed(
        gold.digest, run_digest, "" if name == "all" else name, **options.signature_parts(notion)
    )
    size = len(scores)
    labels = scores["label"].tolist()
    block = Block(counts, notion, "mention", [name] * size, labels, [signature] * size)
    table = score_table([block], run=str(scores["run"].iloc[0]) if len(scores) else "", corpus=gold.name)
    for column, source in zip(("precision", "recall", "f1"), MEASURES, strict=True):
        table[column] = scores[source].to_numpy(float)
    for column in APPENDED:
        table[column] = scores[column].to_numpy()
    return table
