"""False alarms of a class: the share of texts without gold mentions in which something is predicted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..arrays import Flags, Ints
from ..classes import Class
from ..scores import Scores
from ..statistics.groups import Groups
from ..statistics.jackknife import COMMON
from ..statistics.shares import Estimate, resampled
from ..views.false_alarms import cases, of_texts, texts_with


def alarm_rate(scores: Scores, one: Class, confidence: float) -> tuple[Estimate, float]:
    """The rate of false alarms of a class, and how many texts it is a share of.

    A class of contexts (its query asks features of the context only) is a class of texts: the rate is of
    those. Any other is a class of predicted mentions: the share of all texts without gold mentions that have
    one of the class. Texts of one context, or of one document, are left out together.
    """
    rows, alarmed = alarmed_texts(scores, one)
    groups = _groups(scores, rows)
    sums = groups.sums(alarmed.astype(np.float64), np.ones(len(rows)))
    return resampled(sums, COMMON, confidence, groups.name), float(len(rows))


def alarmed_texts(scores: Scores, one: Class) -> tuple[Ints, Flags]:
    """Positions of the texts that the rate is of, and which of them have a false alarm."""
    rows, alarmed = cases(scores)
    if one.query.selects_everything:
        return rows, alarmed
    if one.query.features and of_texts(one):
        inside = one.query.evaluate(texts_with(scores, rows, one.query.columns))
        return rows[inside], alarmed[inside]
    members = scores.predicted_row[scores.masks(one.name)[1]]
    return rows, np.isin(rows, members)


def _groups(scores: Scores, rows: Ints) -> Groups:
    texts = scores.corpus.texts.take(rows)
    for column, name in (("context_id", "contexts"), ("document_id", "documents")):
        if column not in texts:
            continue
        codes, known = pd.factorize(texts[column])
        if len(known) > 1 and (codes >= 0).all():
            return Groups(name, (codes.astype(np.int64),))
    return Groups("texts", (np.arange(len(rows), dtype=np.int64),))
