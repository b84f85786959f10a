"""Measures computed from pairs, per document and for all documents, and rows of the score table."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from ...scoring.arrays import Flags, Ints, Numbers
from ...scoring.measures import f_score, precision, recall, slot_error_rate
from ...scoring.table import build_score_table
from ..tables import make_score_row
from .similarity import TOLERANCE
from .task import Scoring, Task, TaskInput


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs: one value per document, followed by the total.

    Attributes
    ----------
    references, predictions : ndarray
        Number of pairs with a reference, and with a prediction.
    matches, mismatches : ndarray
        Σ s and Σ (1 - s) over pairs with both reference and prediction, where s is the similarity.
    insertions, deletions : ndarray
        Number of pairs without a reference, and without a prediction.
    partial : ndarray
        Number of pairs with both reference and prediction and s < 1 (called substitutions in the task
        definition).
    undefined : ndarray
        Number of pairs with undefined similarity. By default they are not included in the other sums.
    """

    references: Numbers
    predictions: Numbers
    matches: Numbers
    mismatches: Numbers
    insertions: Numbers
    deletions: Numbers
    partial: Numbers
    undefined: Numbers

    def with_total_of(self, other: PairSums) -> PairSums:
        """Return a copy in which the totals are replaced by those of `other`."""
        names = (field.name for field in fields(self))
        return PairSums(**{n: np.append(getattr(self, n)[:-1], getattr(other, n)[-1:]) for n in names})


def sum_pairs(
    document: Ints,
    documents: int,
    has_reference: Flags,
    has_prediction: Flags,
    similarity: Numbers,
    *,
    as_published: bool,
) -> PairSums:
    """Count pairs and sum their similarities per document.

    Parameters
    ----------
    document : ndarray of int64
        Index of the document of each pair.
    documents : int
        Number of documents.
    has_reference, has_prediction : ndarray of bool
        Whether each pair has a reference, and a prediction.
    similarity : ndarray
        Similarity of each pair, NaN if undefined.
    as_published : bool
        Whether to include pairs with undefined similarity, as the published program does.
    """
    undefined = np.isnan(similarity)
    counted = np.ones(len(similarity), dtype=bool) if as_published else ~undefined
    both = has_reference & has_prediction & counted

    def total(weight: Flags | Numbers) -> Numbers:
        parts = np.bincount(document, weights=weight.astype(np.float64), minlength=documents)
        return np.append(parts, weight.astype(np.float64).sum())

    return PairSums(
        total(has_reference & counted),
        total(has_prediction & counted),
        total(np.where(both, similarity, 0.0)),
        total(np.where(both, 1.0 - similarity, 0.0)),
        total(~has_reference),
        total(~has_prediction),
        total(both & (similarity < 1.0 - TOLERANCE)),
        total(undefined),
    )


def compute_measures(sums: PairSums, *, as_published: bool) -> dict[str, Numbers]:
    """Compute all measures of a scoring from sums over pairs.

    The slot error rate uses Σ (1 - s) as the number of substitutions, where s is the similarity of a pair.
    The published program rounds this sum down, and returns infinity if there are errors but no reference.
    """
    if as_published:
        with np.errstate(divide="ignore", invalid="ignore"):
            ser = (np.floor(sums.mismatches) + sums.insertions + sums.deletions) / sums.references
            r, p = sums.matches / sums.references, sums.matches / sums.predictions
            f = 2 * ((r * p) / (r + p))
            iser = 1.0 / (ser + 1.0)
    else:
        ser = slot_error_rate(sums.mismatches, sums.deletions, sums.insertions, sums.references)
        iser = 1.0 / (1.0 + ser)
        r, p = recall(sums.matches, sums.references), precision(sums.matches, sums.predictions)
        f = f_score(p, r)
    return {
        "ser": ser,
        "iser": iser,
        "mismatches": sums.mismatches,
        "matches": sums.matches,
        "insertions": sums.insertions,
        "deletions": sums.deletions,
        "f1": f,
        "recall": r,
        "precision": p,
        "predictions": sums.predictions,
        "references": sums.references,
    }


EXTRA_COLUMNS = ("evaluation", "ser", "substitutions", "insertions", "deletions", "partial", "undefined")
"""Names of the columns that these tasks add to the score table; BB-kb adds `mean_references` instead."""


def make_task_rows(
    question: TaskInput, spec: Task, rows: list[tuple[Scoring, PairSums, dict[str, Numbers]]]
) -> pd.DataFrame:
    """Return one score row per scoring for all documents together; the class is the name of the scoring."""
    blocks = []
    for scoring, sums, _ in rows:
        notion = "boundaries" if spec.evaluation.startswith("Boundaries") else scoring.similarity
        matches = float(np.nan_to_num(sums.matches[-1]))
        blocks.append(
            make_score_row(
                scoring.name,
                notion,
                spec.unit,
                question.signature(notion, scoring.name),
                gold=sums.references[-1],
                gold_matched=matches,
                predicted=sums.predictions[-1],
                predicted_matched=matches,
                kind="|".join(scoring.types),
            )
        )
    table = build_score_table(blocks, run=question.data.prediction_name, corpus=question.data.name)
    for column in ("precision", "recall", "f1"):
        table[column] = [float(values[column][-1]) for _, _, values in rows]
        undefined = table[column].isna()
        table.loc[undefined, [f"{column}_low", f"{column}_high"]] = np.nan
    table["evaluation"] = pd.Series(spec.evaluation, index=table.index, dtype="str")
    table["ser"] = [float(values["ser"][-1]) for _, _, values in rows]
    for column, name in (
        ("substitutions", "mismatches"),
        ("insertions", "insertions"),
        ("deletions", "deletions"),
    ):
        table[column] = [float(getattr(sums, name)[-1]) for _, sums, _ in rows]
    for column in ("partial", "undefined"):
        table[column] = [int(getattr(sums, column)[-1]) for _, sums, _ in rows]
    return table


def make_knowledge_row(
    question: TaskInput, spec: Task, references: int, values: dict[str, Numbers]
) -> pd.DataFrame:
    """Return the score row of a knowledge base: recall is the mean over references, precision is missing."""
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
    table = build_score_table([row], run=question.data.prediction_name, corpus=question.data.name)
    table[["predicted_matched", "tp", "fp"]] = np.nan
    for measured in ("precision", "f1"):
        table[[measured, f"{measured}_low", f"{measured}_high"]] = np.nan
    table["recall"] = value
    table["evaluation"] = pd.Series(spec.evaluation, index=table.index, dtype="str")
    table["mean_references"] = value
    table["deletions"] = values["false-negatives"][-1]
    return table
