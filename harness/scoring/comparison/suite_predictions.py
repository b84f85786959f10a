"""A suite's results as predictions: what is low on the suite should be low on a corpus."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ....catalogues.query import Query
from ..classes import ALL, Class
from ..scores import Scores
from ..statistics.design import design_of
from ..statistics.differences import difference
from ..statistics.sums import MEASURES, SIDES, class_sums, less
from .predictions import Prediction

POINTS = (
    *("run", "corpus", "class", "notion", "measure"),
    *("suite_value", "suite_whole", "corpus_value", "corpus_whole"),
)
"""Columns of `points_of`."""


def predictions_from(
    suite: Scores,
    classes: Sequence[Class],
    *,
    notion: str = "strict",
    confidence: float = 0.95,
) -> list[Prediction]:
    """Predict ``low`` or ``high`` for every class that differs from the rest of the suite.

    Parameters
    ----------
    suite : Scores
        A scored suite.
    classes : sequence of Class
        Classes of that scoring.
    notion : str
    confidence : float
        The interval of the difference must exclude 0 at this confidence; else nothing is predicted.

    Returns
    -------
    list of Prediction
        Of the classes of which something is predicted; each has the suite's values.
    """
    design = design_of(suite)
    whole = class_sums(suite, design, notion, ALL)
    found = []
    for one in classes:
        inside = class_sums(suite, design, notion, one.name)
        said: dict[str, str] = {}
        values = []
        for measure in MEASURES:
            apart = difference(inside[measure], less(whole[measure], inside[measure]), design, confidence)
            if apart.first.value == apart.first.value:
                values.append((str(measure), apart.first.value))
            if apart.estimate.high < 0:
                said[measure] = "low"
            elif apart.estimate.low > 0:
                said[measure] = "high"
        if said:
            # both words are legal values of an expectation
            found.append(Prediction(one.name, one.query, one.note, **said, values=tuple(values)))  # type: ignore[arg-type]
    return found


def classes_of(scores: Scores) -> list[Class]:
    """All classes of a scoring but the whole: those of files, and the values of features, as classes."""
    named = {c.name: c for c in scores.classes}
    return [named.get(n) or Class(n, Query.parse(n)) for n in scores.names if n != ALL]


def points_of(
    suite: Scores, corpus: Scores, classes: Sequence[Class], *, notion: str = "strict"
) -> pd.DataFrame:
    """Each class's recall and precision on a suite beside those on a corpus, for charts and correlation.

    Returns
    -------
    DataFrame
        `POINTS`, the wholes being denominators; classes without any mention on one side are left out.
    """
    rows = []
    for one in classes:
        counts = [
            s.counts_by(s.gold_row * 0, s.predicted_row * 0, 1, notion, one.name) for s in (suite, corpus)
        ]
        for measure in MEASURES:
            side = SIDES[measure]
            wholes = [float(getattr(c, side)[0]) for c in counts]
            parts = [float(getattr(c, f"{side}_matched")[0]) for c in counts]
            if not all(wholes):
                continue
            values = (parts[0] / wholes[0], wholes[0], parts[1] / wholes[1], wholes[1])
            rows.append([corpus.run, corpus.corpus.name, one.name, notion, measure, *values])
    return pd.DataFrame(rows, columns=list(POINTS))
