"""Thresholds: precision and recall over the confidence of the predictions, per class."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.plumbing.errors import InputError
from .candidates import Candidates
from .classes import ALL
from .matching import condition
from .measures import f_score, precision, recall
from .notions import find_notion
from .scores import Scores

CURVE_COLUMNS = (
    "run",
    "class",
    "notion",
    "threshold",
    "gold",
    "predicted",
    "gold_matched",
    "predicted_matched",
    "precision",
    "recall",
    "f1",
    "best",
)


def curve(
    scores: Scores, notion: str = "strict", name: str = ALL, *, points: int | None = None
) -> pd.DataFrame:
    """Precision, recall and F where only predictions of at least some confidence count.

    A gold mention is found at a threshold when some prediction that satisfies the notion with it has at least
    that confidence; so every row is what scoring the kept predictions anew would give, without doing so.

    Parameters
    ----------
    scores : Scores
        Scores under pairing ``any`` without alternatives, whose predictions carry confidences.
    notion : str
        A notion of mentions.
    name : str
        A class of the table.
    points : int, optional
        Show so many thresholds only, evenly spread, and the best one; every distinct confidence when None.

    Returns
    -------
    DataFrame
        CURVE_COLUMNS, thresholds falling; `best` marks the highest F (of several, the highest threshold).

    Raises
    ------
    InputError
        When a prediction has no confidence, or the notion or the pairing does not allow a curve.
    """
    chosen = find_notion(notion)
    if chosen.condition in ("tokens", "scheme"):
        raise InputError(
            "no curve is defined for this notion", found=chosen.name, allowed="notions of mentions"
        )
    how = scores.settings
    if how.pairing != "any" or how.alternatives != "none" or how.counting != "text":
        found = f"--pairing {how.pairing} --alternatives {how.alternatives} --counting {how.counting}"
        raise InputError("a curve needs pairing any, no alternatives and counting text", found=found)
    confidence = scores.predicted["score"].to_numpy(dtype=np.float64)
    missing = int(np.isnan(confidence).sum())
    if missing or not len(confidence):
        problem = "the predictions carry no confidence" if missing else "there are no predictions"
        raise InputError(problem, found=f"{missing} of {len(confidence)} without one")
    in_gold, in_predicted = scores.masks(name)
    reached = _reached(scores.candidates, confidence, chosen.name, how.ignore_types)[in_gold]
    kept = confidence[in_predicted]
    right = scores.tallies[chosen.name].predicted_matched.astype(bool)[in_predicted]
    thresholds = np.unique(kept)[::-1]
    predicted = _at_least(kept, thresholds)
    predicted_matched = _at_least(kept[right], thresholds)
    gold_matched = _at_least(reached[np.isfinite(reached)], thresholds)
    gold = np.full(len(thresholds), len(reached))
    p, r = precision(predicted_matched, predicted), recall(gold_matched, gold)
    f = f_score(p, r, how.beta)
    best = np.zeros(len(thresholds), dtype=bool)
    if np.isfinite(f).any():
        best[int(np.nanargmax(f))] = True
    frame = pd.DataFrame(
        {
            "run": how.run,
            "class": name,
            "notion": chosen.name,
            "threshold": thresholds,
            "gold": gold,
            "predicted": predicted,
            "gold_matched": gold_matched,
            "predicted_matched": predicted_matched,
            "precision": p,
            "recall": r,
            "f1": f,
            "best": best,
        },
        columns=list(CURVE_COLUMNS),
    )
    if points is not None and len(frame) > points:
        shown = np.unique(np.linspace(0, len(frame) - 1, points).round().astype(np.int64))
        frame = frame.take(np.union1d(shown, np.flatnonzero(best))).reset_index(drop=True)
    return frame


def _reached(
    pairs: Candidates, confidence: NDArray[np.float64], notion: str, ignore_types: bool
) -> NDArray[np.float64]:
    """For each gold mention the highest confidence of a prediction that satisfies the notion with it."""
    gold, predicted = pairs.sides
    fits = condition(pairs, find_notion(notion))
    if not ignore_types:
        fits = fits & pairs.same_type
    best = np.full(len(gold), -np.inf)
    np.maximum.at(best, pairs.gold[fits], confidence[predicted.places[pairs.predicted[fits]]])
    return gold.in_frame_order(best)


def _at_least(values: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many values are not below each threshold."""
    ordered = np.sort(values)
    return len(ordered) - np.searchsorted(ordered, thresholds, side="left")
