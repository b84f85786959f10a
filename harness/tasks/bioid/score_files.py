"""From pairs to the three score files, and to rows of the score table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ...scoring.arrays import Flags, Ints, Numbers
from ...scoring.counting import Counts
from ...scoring.measures import dice, ratio
from ...scoring.table import TableBlock, build_score_table
from ..options import BioIDOptions
from ..tables import make_task_signature
from .identifiers import IdentifierCounts
from .pairs import Pairing
from .reading import Collection

MEASURES = ("precision", "recall", "fmeasure")
IDENTIFIER_COUNTS = ("norm_match", "norm_missing", "norm_spurious")
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
"""Columns of all three score files, after those that name the row; the README's words and order."""


def compute_measures(match: Ints, missing: Ints, spurious: Ints, as_published: bool) -> tuple[Numbers, ...]:
    """Precision, recall and F of counts.

    Precision without proposals and recall without a reference are undefined, F only without either: it is
    2 match / (2 match + missing + spurious), the README's formula wherever that is not 0/0. The released
    program writes 1 for undefined precision and recall, and computes F from these.
    """
    precision, recall = ratio(match, match + spurious), ratio(match, match + missing)
    if as_published:
        precision = np.where(np.isnan(precision), 1.0, precision)
        recall = np.where(np.isnan(recall), 1.0, recall)
        # the program's own order of operations, so that figures are equal to the last digit
        total = precision + recall
        return precision, recall, np.nan_to_num(ratio(2 * (precision * recall), total))
    return precision, recall, dice(match, match + missing, match + spurious)


@dataclass(frozen=True)
class CaptionCounts:
    """Counts of every caption (row) and label (column)."""

    mentions: dict[str, Ints]
    identifiers: dict[str, Ints]
    occurs: Flags


def count_mentions(
    pairing: Pairing, reference_cell: Ints, run_cell: Ints, shape: tuple[int, int], *, overlap: bool
) -> dict[str, Ints]:
    """Count matches, clashes, what is missing and what is spurious in each cell (caption and label).

    Under strict spans every pair that differs in span or label is a clash; when overlap is enough, only one
    that differs in label. A clash counts against the reference's label and, apart from that, the run's.
    """
    # cells of the annotations of each kind, counted into [caption, label]
    cells = shape[0] * shape[1]
    clash = pairing.label_clash if overlap else pairing.label_clash | pairing.span_clash
    of_reference, of_run = reference_cell[pairing.reference], run_cell[pairing.run]
    where = {
        "match": of_reference[~clash],
        "refclash": of_reference[clash],
        "missing": np.delete(reference_cell, pairing.reference),
        "hypclash": of_run[clash],
        "spurious": np.delete(run_cell, pairing.run),
    }
    return {
        name: np.bincount(cell, minlength=cells).reshape(shape).astype(np.int64)
        for name, cell in where.items()
    }


def make_caption_counts(
    mentions: dict[str, Ints], identifiers: IdentifierCounts, shape: tuple[int, int]
) -> CaptionCounts:
    """Put the counts of captions together; a label occurs where either side has a mention of it."""
    names = zip(
        IDENTIFIER_COUNTS, (identifiers.match, identifiers.missing, identifiers.spurious), strict=True
    )
    occurs = sum(mentions.values(), np.zeros(shape, np.int64)) > 0
    return CaptionCounts(mentions, {name: values.reshape(shape) for name, values in names}, occurs)


def score_units(
    counts: CaptionCounts, unit: Ints, units: int, labels: tuple[str, ...], *, as_published: bool
) -> pd.DataFrame:
    """Add the captions of each unit (a caption, a document, the corpus) up; one row a unit and label.

    Parameters
    ----------
    counts : CaptionCounts
        Those of captions.
    unit : ndarray of int64
        Unit of each caption.
    units : int
        Number of units.
    labels : tuple of str
        Names of the columns of `counts`, in alphabetical order.
    as_published : bool
        What 0/0 is; see `measures`.

    Returns
    -------
    DataFrame
        `unit`, then `SCORE_FILE_COLUMNS`; a label has a row only where it occurs.
    """
    # [unit, caption], sparse, adds up: times [caption, label] gives [unit, label]
    sums = csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))), shape=(units, len(unit)))

    def total(values: NDArray[Any]) -> Numbers:
        return np.asarray(sums @ values.astype(np.float64))

    whole = {name: total(values).astype(np.int64) for name, values in counts.mentions.items()}
    names = {name: total(values).astype(np.int64) for name, values in counts.identifiers.items()}
    # the mean over captions that have an identifier of the label, on either side
    found, lost, made_up = (counts.identifiers[name] for name in IDENTIFIER_COUNTS)
    has = found + lost + made_up > 0
    macro: list[Numbers] = []
    for values in compute_measures(found, lost, made_up, as_published):
        known = has & ~np.isnan(values)
        macro.append(ratio(total(np.where(known, values, 0.0)), total(known)))
    table: dict[str, NDArray[Any]] = {
        **whole,
        "refonly": whole["refclash"] + whole["missing"],
        "hyponly": whole["hypclash"] + whole["spurious"],
        **names,
    }
    table["reftotal"] = whole["match"] + table["refonly"]
    table["hyptotal"] = whole["match"] + table["hyponly"]
    table |= zip(
        MEASURES,
        compute_measures(whole["match"], table["refonly"], table["hyponly"], as_published),
        strict=True,
    )
    micro = compute_measures(names["norm_match"], names["norm_missing"], names["norm_spurious"], as_published)
    table |= zip(IDENTIFIER_MEASURES, (*micro, *macro), strict=True)
    occurs = total(counts.occurs) > 0
    row, column = np.nonzero(occurs)
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
"""Columns that this task appends to the score table."""


def make_score_rows(
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
