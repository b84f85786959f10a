"""Thresholds: precision and recall as functions of a confidence threshold, per class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ..arrays import Ints, Numbers
from ..classes import ALL
from ..measures import f_score, precision, recall
from ..notions import NOTIONS, ConditionNotion, find_notion
from ..scores import Scores


def build_curves(
    scores: Scores, notion: str = "strict", names: Sequence[str] = (ALL,), *, points: int | None = None
) -> pd.DataFrame:
    """Return precision, recall and F at each threshold on the confidence of predictions, per class.

    Each row equals the result of scoring only the predictions with at least that confidence.

    Parameters
    ----------
    scores : Scores
        Scores with pairing ``any`` and without alternatives. Every prediction must have a confidence.
    notion : str
        Name of a scored notion whose unit is the mention.
    names : sequence of str
        Names of classes in the score table.
    points : int, optional
        Number of evenly spaced thresholds; the best one is added. By default, every distinct confidence is a
        threshold.

    Returns
    -------
    DataFrame
        The measures at each threshold, in descending order of thresholds. `best` marks the highest F (on a
        tie, the highest threshold).

    Raises
    ------
    InputError
        If a prediction has no confidence, or no curve is possible under the notion or the options.
    """
    chosen = find_notion(notion)
    if not isinstance(chosen, ConditionNotion):
        allowed = ", ".join(n.name for n in NOTIONS if isinstance(n, ConditionNotion))
        raise InputError("this notion has no threshold curve", found=chosen.name, allowed=allowed)
    options = scores.options
    if (options.pairing, options.alternatives, options.counting) != ("any", "none", "text"):
        raise InputError(
            "threshold curves are not available with these options",
            found=f"--pairing {options.pairing} --alternatives {options.alternatives} "
            f"--counting {options.counting}",
            allowed="--pairing any --alternatives none --counting text",
        )
    confidence = scores.predicted["score"].to_numpy(dtype=np.float64)
    missing = int(np.isnan(confidence).sum())
    if missing or not len(confidence):
        problem = "some predictions have no confidence" if missing else "there are no predictions"
        raise InputError(problem, found=f"{missing} of {len(confidence)}")
    matched = _find_match_thresholds(scores, chosen, confidence)
    frames = [_build_curve(scores, chosen, name, confidence, matched, points) for name in names]
    return pd.concat(frames, ignore_index=True)


def _build_curve(
    scores: Scores,
    notion: ConditionNotion,
    name: str,
    confidence: Numbers,
    matched: tuple[Numbers, Numbers],
    points: int | None,
) -> pd.DataFrame:
    in_gold, in_predicted = scores.masks(name)
    thresholds = np.unique(confidence[in_predicted])[::-1]
    predicted = _count_from(confidence[in_predicted], thresholds)
    gold_matched = _count_from(matched[0][in_gold], thresholds)
    predicted_matched = _count_from(matched[1][in_predicted], thresholds)
    gold = np.full(len(thresholds), int(in_gold.sum()))
    p, r = precision(predicted_matched, predicted), recall(gold_matched, gold)
    f = f_score(p, r, scores.options.beta)
    best = np.zeros(len(thresholds), dtype=bool)
    if np.isfinite(f).any():
        best[int(np.nanargmax(f))] = True
    frame = pd.DataFrame(
        {
            "run": scores.run,
            "class": name,
            "notion": notion.name,
            "threshold": thresholds,
            "gold": gold,
            "predicted": predicted,
            "gold_matched": gold_matched,
            "predicted_matched": predicted_matched,
            "precision": p,
            "recall": r,
            "f1": f,
            "best": best,
        }
    ).astype(dict.fromkeys(("run", "class", "notion"), "str"))
    if points is not None and len(frame) > points:
        shown = np.unique(np.linspace(0, len(frame) - 1, points).round().astype(np.int64))
        frame = frame.take(np.union1d(shown, np.flatnonzero(best))).reset_index(drop=True)
    return frame


def _count_from(confidence: Numbers, thresholds: Numbers) -> Ints:
    """Return the number of mentions whose confidence is at or above each threshold."""
    found = len(confidence) - np.searchsorted(np.sort(confidence), thresholds, side="left")
    return np.asarray(found, dtype=np.int64)


def _find_match_thresholds(
    scores: Scores, notion: ConditionNotion, confidence: Numbers
) -> tuple[Numbers, Numbers]:
    """Return the highest threshold at which each gold and each predicted mention is matched.

    The threshold is -inf for a mention that is never matched.
    """
    pairs = scores.candidates
    fits = pairs.match_types(notion.admits(pairs), scores.options.ignore_types)
    gold, predicted = (
        side.frame_positions[of[fits]]
        for side, of in zip(pairs.sides, (pairs.gold, pairs.predicted), strict=True)
    )
    sure = confidence[predicted]
    highest = np.full(len(scores.gold), -np.inf), np.full(len(confidence), -np.inf)
    for own, places in zip(highest, (gold, predicted), strict=True):
        np.maximum.at(own, places, sure)
    return highest
