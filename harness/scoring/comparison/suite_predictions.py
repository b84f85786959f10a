"""Predictions from the results on a suite, and rank correlation between suite and corpus results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ....catalogues.query import Query
from ..classes import ALL, Class
from ..scores import Scores
from ..statistics.design import make_design
from ..statistics.differences import estimate_difference
from ..statistics.shares import normal_quantile
from ..statistics.sums import MEASURES, SIDES, subtract_sums, sum_class
from .predictions import Prediction

POINT_COLUMNS = (
    *("run", "corpus", "class", "notion", "measure"),
    *("suite_value", "suite_whole", "corpus_value", "corpus_whole"),
)
"""Columns of the result of `collect_points`."""
CORRELATION_COLUMNS = ("run", "corpus", "notion", "measure", "classes", "rho", "rho_low", "rho_high")
"""Columns of the result of `correlate_ranks`."""
MIN_CLASSES = 4
"""Minimum number of classes for computing the interval of a correlation."""


def predict_from_suite(
    suite: Scores, classes: Sequence[Class], *, notion: str = "strict"
) -> list[Prediction]:
    """Predict ``low`` or ``high`` for each class whose results differ from the rest of the suite.

    A class gets no prediction if the interval of the difference, at the confidence level of the scores,
    contains 0.

    Parameters
    ----------
    suite : Scores
        Scores of a suite.
    classes : sequence of Class
        Classes of these scores.
    notion : str

    Returns
    -------
    list of Prediction
        Predictions, each with the value of the class on the suite.
    """
    design = make_design(suite)
    whole = sum_class(suite, design, notion, ALL)
    predictions = []
    for class_ in classes:
        inside = sum_class(suite, design, notion, class_.name)
        expected: dict[str, Any] = {}
        for measure in MEASURES:
            rest = subtract_sums(whole[measure], inside[measure])
            apart = estimate_difference(inside[measure], rest, design, suite.options.confidence)
            if not np.isnan(apart.first.value):
                expected[f"suite_{measure}"] = apart.first.value
            if apart.estimate.high < 0:
                expected[measure] = "low"
            elif apart.estimate.low > 0:
                expected[measure] = "high"
        prediction = Prediction(class_.name, class_.query, class_.note, **expected)
        if prediction.expectations:
            predictions.append(prediction)
    return predictions


def list_classes(scores: Scores) -> list[Class]:
    """Return all scored classes except ``all``: those read from files and those made from feature values."""
    named = {c.name: c for c in scores.classes}
    return [named.get(n) or Class(n, Query.parse(n)) for n in scores.class_names if n != ALL]


def collect_points(
    suite: Scores, corpus: Scores, classes: Sequence[Class], *, notion: str = "strict"
) -> pd.DataFrame:
    """Return recall and precision of each class on a suite and on a corpus.

    Returns
    -------
    DataFrame
        Columns `POINT_COLUMNS`; `suite_whole` and `corpus_whole` are the denominators of the measures.
        Classes without mentions in the suite or the corpus are left out.
    """
    rows = []
    for class_ in classes:
        counts = [
            s.count_by_code(s.gold_row * 0, s.predicted_row * 0, 1, notion, class_.name)
            for s in (suite, corpus)
        ]
        for measure in MEASURES:
            side = SIDES[measure]
            wholes = [float(getattr(c, side)[0]) for c in counts]
            parts = [float(getattr(c, f"{side}_matched")[0]) for c in counts]
            if not all(wholes):
                continue
            values = (parts[0] / wholes[0], wholes[0], parts[1] / wholes[1], wholes[1])
            rows.append([corpus.run, corpus.corpus.name, class_.name, notion, measure, *values])
    return pd.DataFrame(rows, columns=list(POINT_COLUMNS))


def correlate_ranks(points: pd.DataFrame, confidence: float = 0.95) -> pd.DataFrame:
    """Return Spearman's rho between the values of classes on suite and corpus.

    The interval uses Fisher's transformation, with the variance (1 + rho²/2) / (n - 3) of Bonett and Wright
    (2000). It may be too narrow, because overlapping classes are not independent.

    Parameters
    ----------
    points : DataFrame
        Results of `collect_points` for one or more runs.
    confidence : float

    Returns
    -------
    DataFrame
        Columns `CORRELATION_COLUMNS`, one row per run, corpus, notion and measure. Rho is undefined for fewer
        than two classes or constant values; its interval is undefined for fewer than four classes.
    """
    rows = []
    for key, group in points.groupby(["run", "corpus", "notion", "measure"], sort=True):
        first, second = (group[c].rank().to_numpy() for c in ("suite_value", "corpus_value"))
        size = len(group)
        rho = low = high = float("nan")
        if size >= 2 and np.ptp(first) > 0 and np.ptp(second) > 0:
            rho = float(np.corrcoef(first, second)[0, 1])
            if size >= MIN_CLASSES and abs(rho) < 1.0:
                reach = normal_quantile(confidence) * np.sqrt((1.0 + rho * rho / 2.0) / (size - 3))
                low, high = (float(np.tanh(np.arctanh(rho) + s * reach)) for s in (-1.0, 1.0))
        rows.append([*key, size, rho, low, high])
    return pd.DataFrame(rows, columns=list(CORRELATION_COLUMNS))
