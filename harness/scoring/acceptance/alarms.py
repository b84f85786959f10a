"""False alarms of a class: the share of texts without gold mentions in which something is predicted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ....sentences.context_features import text_features
from ..classes import Class
from ..scores import Scores
from ..statistics.jackknife import Sums, spread
from ..statistics.shares import Estimate, share_estimate


def alarm_rate(scores: Scores, one: Class, confidence: float) -> tuple[Estimate, float]:
    """The rate of false alarms of a class, and how many texts it is a share of.

    A class of contexts (its query asks features of the context only) is a class of texts: the rate is of
    those. Any other is a class of predicted mentions: the share of all texts without gold mentions that have
    one of the class. Texts of one context, or of one document, are left out together.
    """
    rows, alarmed = alarmed_texts(scores, one)
    groups, name = _groups(scores, rows)
    size = int(groups.max(initial=-1)) + 1
    whole = np.bincount(groups, minlength=size).astype(np.float64)
    sums = [Sums(np.bincount(groups, alarmed, minlength=size).astype(np.float64), whole)]
    total = float(len(rows))
    return share_estimate(sums[0].share, total, spread([sums]), confidence, name), total


def alarmed_texts(scores: Scores, one: Class) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the texts that the rate is of, and which of them have a false alarm."""
    size = len(scores.corpus.texts)
    rows = np.flatnonzero(np.bincount(scores.gold_row, minlength=size) == 0)
    inside = np.ones(len(scores.predicted), dtype=bool)
    if one.query.features and all(f.scope == "context" for f in one.query.features):
        texts = scores.corpus.texts.take(rows).reset_index(drop=True)
        found = text_features(texts, scores.gold.iloc[:0])
        lacking = [c for c in found.columns if c not in texts.columns]
        rows = rows[one.query.evaluate(pd.concat([texts, found[lacking]], axis=1))]
    elif not one.query.selects_everything:
        inside = scores.masks(one.name)[1]
    alarmed = np.bincount(scores.predicted_row[inside], minlength=size) > 0
    return rows, alarmed[rows]


def _groups(scores: Scores, rows: np.ndarray) -> tuple[np.ndarray, str]:
    texts = scores.corpus.texts.take(rows)
    for column, name in (("context_id", "contexts"), ("document_id", "documents")):
        if column not in texts:
            continue
        codes, known = pd.factorize(texts[column])
        if len(known) > 1 and (codes >= 0).all():
            return codes.astype(np.int64), name
    return np.arange(len(rows), dtype=np.int64), "texts"
