"""Bacteria Biotope scores as rows of the score table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.counting import Counts
from ...scoring.signature import DIGITS, signature
from ...scoring.table import Block, score_table
from .corpus import Material
from .measuring import Sums, Values
from .options import BacteriaBiotopeOptions
from .specification import Scoring, Task

APPENDED = ("evaluation", "ser", "substitutions", "insertions", "deletions", "partial", "undefined")
"""Columns that this task appends; kb appends `mean_references`."""


def _signature(
    task: str, material: Material, options: BacteriaBiotopeOptions, notion: str, evaluation: str
) -> str:
    return signature(
        corpus=f"corpus:{material.reference_digest[:DIGITS]}",
        tagger=f"predictions:{material.prediction_digest[:DIGITS]}",
        query=f"BB-{task} {evaluation}",
        **options.signature_parts(task, notion),
    )


def task_rows(
    task: str,
    spec: Task,
    material: Material,
    rows: list[tuple[Scoring, Sums, dict[str, Values]]],
    options: BacteriaBiotopeOptions,
) -> pd.DataFrame:
    """One row a scoring, over all documents: its class is the scoring's name."""
    blocks = []
    for scoring, sums, _ in rows:
        counts = Counts(
            gold=sums.references[-1:],
            gold_matched=np.nan_to_num(sums.matches[-1:]),
            predicted=sums.predictions[-1:],
            predicted_matched=np.nan_to_num(sums.matches[-1:]),
        )
        notion = "boundaries" if spec.evaluation.startswith("Boundaries") else scoring.similarity
        signed = _signature(task, material, options, notion, scoring.name)
        blocks.append(Block(counts, notion, spec.unit, [scoring.name], ["|".join(scoring.types)], [signed]))
    table = score_table(blocks, run=material.prediction_name, corpus=material.name)
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
    task: str,
    material: Material,
    value: float,
    references: int,
    predictions: int,
    deletions: float,
    options: BacteriaBiotopeOptions,
) -> pd.DataFrame:
    """The one row of a knowledge base: recall is the mean over references, precision is not defined."""
    unknown = np.array([np.nan])
    counts = Counts(
        gold=np.array([float(references)]),
        gold_matched=np.array([np.nan_to_num(value) * references]),
        predicted=np.array([float(predictions)]),
        predicted_matched=np.zeros(1),
    )
    signed = _signature(task, material, options, "main", "Standard scoring")
    table = score_table(
        [Block(counts, "main", "association", ["Standard scoring"], [""], [signed])],
        run=material.prediction_name,
        corpus=material.name,
    )
    for column in ("predicted_matched", "tp", "fp"):
        table[column] = unknown
    for measured in ("precision", "f1"):
        table[[measured, f"{measured}_low", f"{measured}_high"]] = np.nan
    table["recall"] = value
    table["evaluation"] = pd.Series("Standard pairing", index=table.index, dtype="str")
    table["mean_references"] = value
    table["deletions"] = deletions
    return table
