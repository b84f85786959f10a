"""Counts of identifiers per document, regardless of the mentions to which they belong."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....sentences.identifiers import IDENTIFIERS_COLUMN
from ..identifiers import IDENTIFIER_COUNTS, compute_measures, count_identifiers
from ..scores import Scores
from ..table import add_label_columns


def score_document_identifiers(scores: Scores) -> pd.DataFrame:
    """Compare the set of gold identifiers in each document with the predicted set, as the BioID task does.

    A text that belongs to no document counts as a document.

    Returns
    -------
    DataFrame
        One row for all types together, then one row per type: `run`, `corpus`, `type`, `documents` (number of
        documents with an identifier of the type), `matched`, `missing`, `spurious` (numbers of identifiers,
        each counted once per document), `precision`, `recall`, `f1` (from these numbers), `macro_precision`,
        `macro_recall`, `macro_f1` (means over documents).

    Raises
    ------
    InputError
        If the scores were made without the option `identifiers`.
    """
    if not scores.options.identifiers:
        raise InputError("--show identifiers needs --identifiers")
    texts = scores.corpus.texts
    names = texts["document_id"].astype("str").fillna("")
    document, _ = pd.factorize(names.where(names != "", "\0" + texts["text_id"].astype("str")))
    sides = [
        (document[rows], mentions[IDENTIFIERS_COLUMN], types)
        for rows, mentions, types in (
            (scores.gold_row, scores.gold, scores.gold_type),
            (scores.predicted_row, scores.predicted, scores.predicted_type),
        )
    ]
    rows = []
    for code, name in enumerate(("all", *scores.types), start=-1):
        gold, predicted = (
            column.set_axis(cell)[((types == code) | (code < 0)) & (column != "").to_numpy()]
            for cell, column, types in sides
        )
        counts = count_identifiers(int(document.max(initial=-1)) + 1, gold, predicted, {})
        matched, missing, spurious = (counts[column] for column in IDENTIFIER_COUNTS)
        used = matched + missing + spurious > 0
        totals = [np.array([numbers.sum()]) for numbers in (matched, missing, spurious)]
        micro = compute_measures(totals[0], totals[1], totals[2], as_published=False)
        macro = compute_measures(matched[used], missing[used], spurious[used], as_published=False)
        sums = (used.sum(), matched.sum(), missing.sum(), spurious.sum())
        means = (float(pd.Series(share).mean()) for share in macro)
        rows.append((name, *map(int, sums), *(float(share[0]) for share in micro), *means))
    measures = ("precision", "recall", "f1")
    columns = ["type", "documents", "matched", "missing", "spurious", *measures]
    frame = pd.DataFrame(rows, columns=[*columns, *(f"macro_{name}" for name in measures)])
    frame = frame.iloc[:1] if len(scores.types) == 1 else frame
    return add_label_columns(frame, run=scores.run, corpus=scores.corpus.name)
