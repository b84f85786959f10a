"""A suite's results as predictions for a corpus, and their rank correlation with the corpus's results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ....catalogues.query import Query
from ..classes import ALL, Class
from ..scores import Scores
from ..statistics.design import design_of
from ..statistics.differences import difference
from ..statistics.shares import normal
from ..statistics.sums import MEASURES, SIDES, class_sums, less
from .predictions import Prediction

POINTS = (
    *("run", "corpus", "class", "notion", "measure"),
    *("suite_value", "suite_whole", "corpus_value", "corpus_whole"),
)
"""Columns of `points_of`."""
CORRELATIONS = ("run", "corpus", "notion", "measure", "classes", "rho", "rho_low", "rho_high")
"""Columns of `rank_correlation`."""
FEWEST = 4
"""Classes that an interval of a correlation needs."""


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


def rank_correlation(points: pd.DataFrame, confidence: float = 0.95, least: int = 1) -> pd.DataFrame:
    """Spearman's rho between suite and corpus values over classes.

    The interval is Fisher's with the variance of Bonett and Wright (2000), (1 + rho²/2) / (n - 3). Classes
    that overlap are not independent, so it is rather too narrow than too wide.

    Parameters
    ----------
    points : DataFrame
        What `points_of` gives, of one or more runs.
    confidence : float
    least : int
        Mentions that a class needs on both sides.

    Returns
    -------
    DataFrame
        `CORRELATIONS`, one row per run, corpus, notion and measure; rho is undefined for fewer than two
        classes or without any variation, its interval for fewer than four.
    """
    enough = points[(points["suite_whole"] >= least) & (points["corpus_whole"] >= least)]
    rows = []
    for key, group in enough.groupby(["run", "corpus", "notion", "measure"], sort=True):
        first, second = (group[c].rank().to_numpy() for c in ("suite_value", "corpus_value"))
        size = len(group)
        rho = low = high = float("nan")
        if size >= 2 and np.ptp(first) > 0 and np.ptp(second) > 0:
            rho = float(np.corrcoef(first, second)[0, 1])
            if size >= FEWEST and abs(rho) < 1.0:
                reach = normal(confidence) * np.sqrt((1.0 + rho * rho / 2.0) / (size - 3))
                low, high = (float(np.tanh(np.arctanh(rho) + s * reach)) for s in (-1.0, 1.0))
        rows.append([*key, size, rho, low, high])
    return pd.DataFrame(rows, columns=list(CORRELATIONS))
