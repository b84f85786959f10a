"""Columns of each evaluation's score table that matter to the eye; programs get all of them."""

from __future__ import annotations

from ..scoring.table import COUNTS

MEASURED = (*COUNTS, "precision", "recall", "f1")
BIOID = ("run", "type", "class", "notion", *MEASURED, "norm_fmeasure_micro", "norm_fmeasure_macro")
INDEXING = ("class", "notion", "unit", *MEASURED, "documents", "dice", "similarity")


def bacteria_biotope(task: str) -> tuple[str, ...]:
    """By task: a knowledge base has one figure of its own."""
    measured = ("mean_references",) if task.startswith("kb") else ("ser", "precision", "recall", "f1")
    return ("class", "notion", "gold", "predicted", *measured)
