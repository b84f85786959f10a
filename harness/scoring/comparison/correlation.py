"""Rank correlation between a suite's and a corpus's figures, over classes, with an interval."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..statistics.shares import normal

COLUMNS = ("run", "corpus", "notion", "measure", "classes", "rho", "rho_low", "rho_high")
FEWEST = 4


def rank_correlation(points: pd.DataFrame, confidence: float = 0.95, least: int = 1) -> pd.DataFrame:
    """Spearman's rho between suite and corpus values over classes.

    The interval is Fisher's with the variance of Bonett and Wright (2000), (1 + rho²/2) / (n - 3). Classes
    that overlap are not independent, so it is rather too narrow than too wide.

    Parameters
    ----------
    points : DataFrame
        What `suite_predictions.points_of` gives, of one or more runs.
    confidence : float
    least : int
        Mentions that a class needs on both sides.

    Returns
    -------
    DataFrame
        `COLUMNS`, one row a run, corpus, notion and measure; rho is undefined for fewer than two classes or
        without any variation, its interval for fewer than four.
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
    return pd.DataFrame(rows, columns=list(COLUMNS))
