"""What the tables of the three evaluations have in common: rows of the score table, and CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike

import numpy as np
import pandas as pd

from ...catalogues.core.output_folder import atomic_folder
from ..scoring.arrays import Numbers
from ..scoring.counting import Counts
from ..scoring.signature import DIGEST_DIGITS, make_signature
from ..scoring.table import COUNT_COLUMNS, TableBlock

MEASURE_COLUMNS = (*COUNT_COLUMNS, "precision", "recall", "f1")
BIOID_COLUMNS = (
    "run",
    "type",
    "class",
    "notion",
    *MEASURE_COLUMNS,
    "norm_fmeasure_micro",
    "norm_fmeasure_macro",
)
INDEXING_COLUMNS = ("class", "notion", "unit", *MEASURE_COLUMNS, "documents", "dice", "similarity")


def bacteria_biotope_columns(task: str) -> tuple[str, ...]:
    """Return the columns to print for a task: a knowledge base has one figure of its own."""
    measured = ("mean_references",) if task.startswith("kb") else ("ser", "precision", "recall", "f1")
    return ("class", "notion", "gold", "predicted", *measured)


def make_task_signature(gold: str, predictions: str, query: str = "", **parts: str) -> str:
    """The signature of a row, by the digests of both sides; see `scoring.signature.signature`."""
    return make_signature(
        corpus=f"corpus:{gold[:DIGEST_DIGITS]}",
        tagger=f"predictions:{predictions[:DIGEST_DIGITS]}",
        query=query,
        **parts,
    )


def make_score_row(
    name: str,
    notion: str,
    unit: str,
    signature: str,
    *,
    gold: float,
    gold_matched: float,
    predicted: float = 0.0,
    predicted_matched: float = 0.0,
    kind: str = "",
) -> TableBlock:
    """One row of the score table: its class, notion, unit, signature and type, and its counts."""

    def one(value: float) -> Numbers:
        return np.array([float(value)])

    counts = Counts(one(gold), one(gold_matched), one(predicted), one(predicted_matched))
    return TableBlock(counts, notion, unit, [name], [kind], [signature])


def write_tables(
    tables: Mapping[str, pd.DataFrame | None],
    out: str | PathLike[str],
    kind: str,
    *,
    force: bool = False,
    inputs: Iterable[str | PathLike[str]] = (),
    line_end: str = "\n",
) -> None:
    """Write each table that there is as a CSV file of one folder.

    Parameters
    ----------
    tables : mapping of str to DataFrame or None
        By the name of the file.
    out : path
        The folder.
    kind : str
        Its kind; see `output_folder.CONTENT`.
    force : bool
        Whether an earlier folder of the same kind is replaced.
    inputs : iterable of path
        Files and folders that the evaluation read.
    line_end : str
        What ends a line.
    """
    with atomic_folder(out, kind, force=force, inputs=inputs) as folder:
        for name, table in tables.items():
            if table is not None:
                table.to_csv(folder / name, index=False, lineterminator=line_end)
