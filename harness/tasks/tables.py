"""Score rows and CSV files for the three published evaluations."""

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
    """Return the names of the columns to print for a Bacteria Biotope task."""
    measured = ("mean_references",) if task.startswith("kb") else ("ser", "precision", "recall", "f1")
    return ("class", "notion", "gold", "predicted", *measured)


def make_task_signature(gold: str, predictions: str, query: str = "", **parts: str) -> str:
    """Return the signature of a score row, given the checksums of gold and predictions."""
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
    """Return a `TableBlock` with one row of the score table.

    Parameters
    ----------
    name, notion, unit, signature : str
        Class, notion of correctness, unit and signature of the row.
    gold, gold_matched, predicted, predicted_matched : float
        Numbers of all gold items, matched gold items, all predictions and matched predictions.
    kind : str
        Type of the entities, for the column `type`.
    """

    def as_array(value: float) -> Numbers:
        return np.array([float(value)])

    counts = Counts(as_array(gold), as_array(gold_matched), as_array(predicted), as_array(predicted_matched))
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
    """Write tables as CSV files to a folder.

    Parameters
    ----------
    tables : mapping of str to DataFrame or None
        Tables, keyed by file name; no file is written for a table that is None.
    out : path
        Output folder.
    kind : str
        Kind of folder, which is recorded in its marker file.
    force : bool
        Whether to replace an existing folder of the same kind.
    inputs : iterable of path
        Files and folders that the evaluation read, which must not be overwritten.
    line_end : str
        Line terminator of the CSV files.
    """
    with atomic_folder(out, kind, force=force, inputs=inputs) as folder:
        for name, table in tables.items():
            if table is not None:
                table.to_csv(folder / name, index=False, lineterminator=line_end)
