"""A suite's results as predictions for a corpus, and their rank correlation with the corpus's results."""

from __future__ import annotations

from collections.abc import Sequence

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
"""Columns of `collect_points`."""
CORRELATION_COLUMNS = ("run", "corpus", "notion", "measure", "classes", "rho", "rho_low", "rho_high")
"""Columns of `correlate_ranks`."""
MIN_CLASSES = 4
"""Classes that an interval of a correlation needs."""


def predict_from_suite(
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
    design = make_design(suite)
    whole = sum_class(suite, design, notion, ALL)
    found = []
    for one in classes:
        inside = sum_class(suite, design, notion, one.name)
        said: dict[str, str] = {}
        values = []
        for measure in MEASURES:
            apart = estimate_difference(
                inside[measure], subtract_sums(whole[measure], inside[measure]), design, confidence
            )
            if apart.first.value == apart.first.value:
                values.append((str(measure), apart.first.value))
            if apart.estimate.high < 0:
                said[measure] = "low"
            elif apart.estimate.low > 0:
                said[measure] = "high"
        if said:
            # both words are legal values of an expectation
            found.append(Prediction(one.name, one.query, one.note, **said, suite_values=tuple(values)))  # type: ignore[arg-type]
    return found


def list_classes(scores: Scores) -> list[Class]:
    """All classes of a scoring but the whole: those of files, and the values of features, as classes."""
    named = {c.name: c for c in scores.classes}
    return [named.get(n) or Class(n, Query.parse(n)) for n in scores.class_names if n != ALL]


def collect_points(
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
            s.count_by_code(s.gold_row * 0, s.predicted_row * 0, 1, notion, one.name) for s in (suite, corpus)
        ]
        for measure in MEASURES:
            side = SIDES[measure]
            wholes = [float(getattr(c, side)[0]) for c in counts]
            parts = [float(getattr(c, f"{side}_matched")[0]) for c in counts]
            if not all(wholes):
                continue
            values = (parts[0] / wholes[0], wholes[0], parts[1] / wholes[1], wholes[1])
            rows.append([corpus.run, corpus.corpus.name, one.name, notion, measure, *values])
    return pd.DataFrame(rows, columns=list(POINT_COLUMNS))


def correlate_ranks(points: pd.DataFrame, confidence: float = 0.95, min_mentions: int = 1) -> pd.DataFrame:
    """Spearman's rho between suite and corpus values over classes.

    The interval is Fisher's with the variance of Bonett and Wright (2000), (1 + rho²/2) / (n - 3). Classes
    that overlap are not independent, so it is rather too narrow than too wide.

    Parameters
    ----------
    points : DataFrame
        What `collect_points` gives, of one or more runs.
    confidence : float
    min_mentions : int
        Mentions that a class needs on both sides.

    Returns
    -------
    DataFrame
        `CORRELATION_COLUMNS`, one row per run, corpus, notion and measure; rho is undefined for fewer than
        two classes or without any variation, its interval for fewer than four.
    """
    enough = points[(points["suite_whole"] >= min_mentions) & (points["corpus_whole"] >= min_mentions)]
    rows = []
    for key, group in enough.groupby(["run", "corpus", "notion", "measure"], sort=True):
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
