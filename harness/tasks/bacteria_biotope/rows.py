"""Bacteria Biotope scores as rows of the score table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.arrays import Numbers
from ...scoring.table import score_table
from ..tables import score_row, signed
from .corpus import Material
from .measuring import Sums
from .options import BacteriaBiotopeOptions
from .specification import Scoring, Task

APPENDED = ("evaluation", "ser", "substitutions", "insertions", "deletions", "partial", "undefined")
"""Columns that this task appends; kb appends `mean_references`."""


def _signature(
    task: str, material: Material, options: BacteriaBiotopeOptions, notion: str, evaluation: str
) -> str:
    return signed(
        material.reference_digest,
        material.prediction_digest,
        f"BB-{task} {evaluation}",
        **options.signature_parts(task, notion),
    )


def task_rows(
    task: str,
    spec: Task,
    material: Material,
    rows: list[tuple[Scoring, Sums, dict[str, Numbers]]],
    options: BacteriaBiotopeOptions,
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
                _signature(task, material, options, notion, scoring.name),
                gold=sums.references[-1],
                gold_matched=matches,
                predicted=sums.predictions[-1],
                predicted_matched=matches,
                kind="|".join(scoring.types),
            )
        )
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
    spec: Task,
    material: Material,
    value: float,
    references: int,
    predictions: int,
    deletions: float,
    options: BacteriaBiotopeOptions,
) -> pd.DataFrame:
    """The one row of a knowledge base: recall is the mean over references, precision is not defined."""
    (scoring,) = spec.scoring
    row = score_row(
        scoring.name,
        scoring.similarity,
        spec.unit,
        _signature(task, material, options, scoring.similarity, scoring.name),
        gold=references,
        gold_matched=np.nan_to_num(value) * references,
        predicted=predictions,
    )
    table = score_table([row], run=material.prediction_name, corpus=material.name)
    table[["predicted_matched", "tp", "fp"]] = np.nan
    for measured in ("precision", "f1"):
        table[[measured, f"{measured}_low", f"{measured}_high"]] = np.nan
    table["recall"] = value
    table["evaluation"] = pd.Series(spec.evaluation, index=table.index, dtype="str")
    table["mean_references"] = value
    table["deletions"] = deletions
    return table
