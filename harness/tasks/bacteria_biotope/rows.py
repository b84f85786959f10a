"""Bacteria Biotope scores as rows of the score table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.arrays import Numbers
from ...scoring.table import score_table
from ..tables import score_row
from .measuring import Sums
from .question import Question
from .specification import Scoring, Task

APPENDED = ("evaluation", "ser", "substitutions", "insertions", "deletions", "partial", "undefined")
"""Columns that this task appends; kb appends `mean_references`."""


def task_rows(
    question: Question, spec: Task, rows: list[tuple[Scoring, Sums, dict[str, Numbers]]]
) -> pd.DataFrame:
    """One row a scoring, over all documents: its class is the scoring's name."""
    blocks = []
    for scoring, sums, _ in rows:
        notion = "boundaries" if spec.evaluation.startswith("Boundaries") else scoring.similarity
        matches = float(np.nan_to_num(sums.matches[-1]))
        blocks.append(
            score_row(
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
    table = score_table(blocks, run=question.material.prediction_name, corpus=question.material.name)
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


def knowledge_row(
    question: Question, spec: Task, references: int, values: dict[str, Numbers]
) -> pd.DataFrame:
    """The one row of a knowledge base: recall is the mean over references, precision is not defined."""
    (scoring,) = spec.scoring
    value = float(values["mean-references"][-1])
    row = score_row(
        scoring.name,
        scoring.similarity,
        spec.unit,
        question.signature(scoring.similarity, scoring.name),
        gold=references,
        gold_matched=np.nan_to_num(value) * references,
        predicted=values["predictions"][-1],
    )
    table = score_table([row], run=question.material.prediction_name, corpus=question.material.name)
    table[["predicted_matched", "tp", "fp"]] = np.nan
    for measured in ("precision", "f1"):
        table[[measured, f"{measured}_low", f"{measured}_high"]] = np.nan
    table["recall"] = value
    table["evaluation"] = pd.Series(spec.evaluation, index=table.index, dtype="str")
    table["mean_references"] = value
    table["deletions"] = values["false-negatives"][-1]
    return table
