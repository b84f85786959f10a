"""Counts and measures in the three score files, and rows of the score table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ...scoring.arrays import Ints, Numbers
from ...scoring.counting import Counts
from ...scoring.identifiers import IDENTIFIER_COUNTS, compute_measures
from ...scoring.measures import ratio
from ...scoring.table import TableBlock, build_score_table
from ..options import BioIDOptions
from ..tables import make_task_signature
from .pairs import Pairing
from .reading import Collection

MEASURES = ("precision", "recall", "fmeasure")
IDENTIFIER_MEASURES = tuple(f"norm_{name}_{mean}" for mean in ("micro", "macro") for name in MEASURES)
SCORE_FILE_COLUMNS = (
    "caption_count",
    "label",
    "match",
    "refclash",
    "missing",
    "refonly",
    "reftotal",
    "hypclash",
    "spurious",
    "hyponly",
    "hyptotal",
    *MEASURES,
    *IDENTIFIER_COUNTS,
    *IDENTIFIER_MEASURES,
)
"""Names of the columns with counts and measures in the score files, as defined in the BioID README."""


def count_mentions(
    pairing: Pairing, reference_cell: Ints, run_cell: Ints, cells: int, *, overlap: bool
) -> dict[str, Ints]:
    """Count matching, clashing, missing and spurious mentions per cell (caption and label).

    The mentions of a pair clash if their labels differ or, unless `overlap` is true, if their spans differ. A
    clash is counted for the label in the reference and for the label in the run.
    """
    clash = pairing.label_clash if overlap else pairing.label_clash | pairing.span_clash
    paired_reference, paired_run = reference_cell[pairing.reference], run_cell[pairing.run]
    where = {
        "match": paired_reference[~clash],
        "refclash": paired_reference[clash],
        "missing": np.delete(reference_cell, pairing.reference),
        "hypclash": paired_run[clash],
        "spurious": np.delete(run_cell, pairing.run),
    }
    return {name: np.bincount(cell, minlength=cells).astype(np.int64) for name, cell in where.items()}


def score_units(
    counts: Mapping[str, Ints], unit: Ints, units: int, labels: tuple[str, ...], *, as_published: bool
) -> pd.DataFrame:
    """Sum counts per label and unit (caption, document or corpus), and compute the measures.

    Parameters
    ----------
    counts : mapping of str to ndarray of int64
        Counts of mentions and identifiers per cell (caption and label).
    unit : ndarray of int64
        Index of the unit that contains each caption.
    units : int
        Number of units.
    labels : tuple of str
        All labels, in alphabetical order; each caption has one cell per label.
    as_published : bool
        Whether to replace undefined measures by the values that the released program writes; see
        `compute_measures`.

    Returns
    -------
    DataFrame
        One row per unit and label that occurs in the unit, with the columns `unit` and SCORE_FILE_COLUMNS.
    """
    # a sparse matrix [unit, caption] times [caption, label] gives the sums [unit, label]
    sums = csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))), shape=(units, len(unit)))

    def total(values: NDArray[Any]) -> Numbers:
        return np.asarray(sums @ values.reshape(len(unit), len(labels)).astype(np.float64))

    table: dict[str, NDArray[Any]]
    table = {name: total(values).astype(np.int64) for name, values in counts.items()}
    # macro averages are over captions in which reference or run has an identifier of the label
    match, missing, spurious = (counts[name] for name in IDENTIFIER_COUNTS)
    has_identifier = match + missing + spurious > 0
    macro: list[Numbers] = []
    for share in compute_measures(match, missing, spurious, as_published):
        is_defined = has_identifier & ~np.isnan(share)
        macro.append(ratio(total(np.where(is_defined, share, 0.0)), total(is_defined)))
    table["refonly"] = table["refclash"] + table["missing"]
    table["hyponly"] = table["hypclash"] + table["spurious"]
    table["reftotal"] = table["match"] + table["refonly"]
    table["hyptotal"] = table["match"] + table["hyponly"]
    values = compute_measures(table["match"], table["refonly"], table["hyponly"], as_published)
    table |= zip(MEASURES, values, strict=True)
    micro = compute_measures(table["norm_match"], table["norm_missing"], table["norm_spurious"], as_published)
    table |= zip(IDENTIFIER_MEASURES, (*micro, *macro), strict=True)
    # a label occurs in a unit if the reference or the run has a mention with this label
    row, column = np.nonzero(table["reftotal"] + table["hyptotal"])
    captions = np.bincount(unit, minlength=units)
    columns = {
        name: table[name][row, column]
        for name in SCORE_FILE_COLUMNS
        if name not in ("caption_count", "label")
    }
    frame = pd.DataFrame({"unit": row, "caption_count": captions[row], **columns})
    frame["label"] = pd.Series(np.array(labels, dtype=object)[column], dtype="str", index=frame.index)
    return frame[["unit", *SCORE_FILE_COLUMNS]]


EXTRA_COLUMNS = (
    "norm_condition",
    "caption_count",
    "refclash",
    "missing",
    "hypclash",
    "spurious",
    *IDENTIFIER_COUNTS,
    *IDENTIFIER_MEASURES,
)
"""Names of the columns that this task adds to the score table."""


def make_score_rows(
    scores: pd.DataFrame,
    condition: str,
    notion: str,
    gold: Collection,
    run_digest: str,
    options: BioIDOptions,
) -> pd.DataFrame:
    """Convert the rows of `corpus_scores.csv` for one run and condition to rows of the score table.

    The class is ``normalized`` if only annotations with identifiers are counted, otherwise ``all``.
    """
    name = "all" if condition == "any" else condition
    match = scores["match"].to_numpy(float)
    counts = Counts(
        gold=scores["reftotal"].to_numpy(float),
        gold_matched=match,
        predicted=scores["hyptotal"].to_numpy(float),
        predicted_matched=match,
    )
    signature = make_task_signature(
        gold.digest, run_digest, "" if name == "all" else name, **options.signature_parts(notion)
    )
    size = len(scores)
    labels = scores["label"].tolist()
    block = TableBlock(counts, notion, "mention", [name] * size, labels, [signature] * size)
    table = build_score_table(
        [block], run=str(scores["run"].iloc[0]) if len(scores) else "", corpus=gold.name
    )
    for column, source in zip(("precision", "recall", "f1"), MEASURES, strict=True):
        table[column] = scores[source].to_numpy(float)
    for column in EXTRA_COLUMNS:
        table[column] = scores[column].to_numpy()
    return table
