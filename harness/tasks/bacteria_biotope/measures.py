"""Measures computed from pairs, per document and for all documents, and rows of the score table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.arrays import Flags, Ints, Numbers
from ...scoring.measures import f_score, precision, recall, slot_error_rate
from ...scoring.table import build_score_table
from ..tables import make_score_row
from .similarity import TOLERANCE
from .task import Scoring, Task, TaskInput


def sum_pairs(
    document: Ints,
    documents: int,
    has_reference: Flags,
    has_prediction: Flags,
    similarity: Numbers,
    *,
    as_published: bool,
) -> dict[str, Numbers]:
    """Count pairs and sum their similarities per document.

    Parameters
    ----------
    document : ndarray of int64
        Index of the document of each pair.
    documents : int
        Number of documents.
    has_reference, has_prediction : ndarray of bool
        Whether each pair has a reference, and whether it has a prediction.
    similarity : ndarray
        Similarity of each pair, NaN if undefined.
    as_published : bool
        Whether to include pairs with undefined similarity, as the published program does.

    Returns
    -------
    dict
        Sums over pairs, with one value per document, followed by the total:

        * `references`, `predictions`: number of pairs that have a reference or a prediction, respectively
        * `matches`, `mismatches`: Σ s and Σ (1 - s) over pairs with both, where s is the similarity
        * `insertions`, `deletions`: number of pairs that lack a reference or a prediction, respectively
        * `partial`: number of pairs with both and with s < 1 ("substitutions" in the task definition)
        * `undefined`: number of pairs with undefined similarity (by default not included in other sums)
    """
    undefined = np.isnan(similarity)
    counted = np.ones(len(similarity), dtype=bool) if as_published else ~undefined
    both = has_reference & has_prediction & counted

    def total(weight: Flags | Numbers) -> Numbers:
        parts = np.bincount(document, weights=weight.astype(np.float64), minlength=documents)
        return np.append(parts, weight.astype(np.float64).sum())

    return {
        "references": total(has_reference & counted),
        "predictions": total(has_prediction & counted),
        "matches": total(np.where(both, similarity, 0.0)),
        "mismatches": total(np.where(both, 1.0 - similarity, 0.0)),
        "insertions": total(~has_reference),
        "deletions": total(~has_prediction),
        "partial": total(both & (similarity < 1.0 - TOLERANCE)),
        "undefined": total(undefined),
    }


def compute_measures(sums: dict[str, Numbers], *, as_published: bool) -> dict[str, Numbers]:
    """Return the sums over pairs together with all measures computed from them.

    The slot error rate uses Σ (1 - s) as the number of substitutions, where s is the similarity of a pair.
    The published program rounds this sum down, and returns infinity if there are errors but no reference
    items.
    """
    mismatches, references, predictions = sums["mismatches"], sums["references"], sums["predictions"]
    if as_published:
        with np.errstate(divide="ignore", invalid="ignore"):
            ser = (np.floor(mismatches) + sums["insertions"] + sums["deletions"]) / references
            r, p = sums["matches"] / references, sums["matches"] / predictions
            f = 2 * ((r * p) / (r + p))
            iser = 1.0 / (ser + 1.0)
    else:
        ser = slot_error_rate(mismatches, sums["deletions"], sums["insertions"], references)
        iser = 1.0 / (1.0 + ser)
        r, p = recall(sums["matches"], references), precision(sums["matches"], predictions)
        f = f_score(p, r)
    return {**sums, "ser": ser, "iser": iser, "f1": f, "recall": r, "precision": p}


EXTRA_COLUMNS = ("evaluation", "ser", "substitutions", "insertions", "deletions", "partial", "undefined")
"""Columns that all tasks except BB-kb add to the score table; see `make_knowledge_row` for BB-kb."""


def make_task_rows(
    question: TaskInput, spec: Task, rows: list[tuple[Scoring, dict[str, Numbers]]]
) -> pd.DataFrame:
    """Return one score row per scoring, computed over all documents; its class is the scoring name."""
    blocks = []
    for scoring, values in rows:
        notion = "boundaries" if spec.evaluation.startswith("Boundaries") else scoring.similarity
        matches = float(np.nan_to_num(values["matches"][-1]))
        blocks.append(
            make_score_row(
                scoring.name,
                notion,
                spec.unit,
                question.signature(notion, scoring.name),
                gold=values["references"][-1],
                gold_matched=matches,
                predicted=values["predictions"][-1],
                predicted_matched=matches,
                kind="|".join(scoring.types),
            )
        )
    table = build_score_table(blocks, run=question.data.system.name, corpus=question.data.gold.name)
    for column in ("precision", "recall", "f1"):
        table[column] = [float(values[column][-1]) for _, values in rows]
        undefined = table[column].isna()
        table.loc[undefined, [f"{column}_low", f"{column}_high"]] = np.nan
    table["evaluation"] = pd.Series(spec.evaluation, index=table.index, dtype="str")
    for column in EXTRA_COLUMNS[1:]:
        name = "mismatches" if column == "substitutions" else column
        table[column] = [float(values[name][-1]) for _, values in rows]
    return table.astype({"partial": "int64", "undefined": "int64"})


def make_knowledge_row(
    question: TaskInput, spec: Task, references: int, values: dict[str, Numbers]
) -> pd.DataFrame:
    """Return the score row of a knowledge base, which has no precision.

    Recall is the mean score of the reference associations.
    """
    (scoring,) = spec.scoring
    value = float(values["mean-references"][-1])
    row = make_score_row(
        scoring.name,
        scoring.similarity,
        spec.unit,
        question.signature(scoring.similarity, scoring.name),
        gold=references,
        gold_matched=np.nan_to_num(value) * references,
        predicted=values["predictions"][-1],
    )
    table = build_score_table([row], run=question.data.system.name, corpus=question.data.gold.name)
    table[["predicted_matched", "tp", "fp"]] = np.nan
    for measured in ("precision", "f1"):
        table[[measured, f"{measured}_low", f"{measured}_high"]] = np.nan
    table["recall"] = value
    table["evaluation"] = pd.Series(spec.evaluation, index=table.index, dtype="str")
    table["mean_references"] = value
    table["deletions"] = values["false-negatives"][-1]
    return table
