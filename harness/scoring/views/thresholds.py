"""Thresholds: precision and recall over the confidence of the predictions, per class."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ..arrays import Ints, Numbers
from ..classes import ALL
from ..measures import f_score, precision, recall
from ..notions import NOTIONS, ConditionNotion, find_notion
from ..scores import Scores


def build_curve(
    scores: Scores, notion: str = "strict", name: str = ALL, *, points: int | None = None
) -> pd.DataFrame:
    """Precision, recall and F where only predictions of at least some confidence count.

    Every row is what scoring the kept predictions anew would give, without doing so.

    Parameters
    ----------
    scores : Scores
        Scores under pairing ``any``, without alternatives, whose predictions carry confidences.
    notion : str
        A notion of mentions.
    name : str
        A class of the table.
    points : int, optional
        Show so many thresholds only, evenly spread, and the best one; every distinct confidence when None.

    Returns
    -------
    DataFrame
        The measures at each threshold, thresholds falling; `best` marks the highest F (of several, the
        highest threshold).

    Raises
    ------
    InputError
        When a prediction has no confidence, or the notion or the choices do not allow a curve.
    """
    return build_curves(scores, notion, [name], points=points)


def build_curves(scores: Scores, notion: str, names: list[str], *, points: int | None = None) -> pd.DataFrame:
    """Return the curves of several classes below each other; see `curve`."""
    chosen = find_notion(notion)
    if not isinstance(chosen, ConditionNotion):
        allowed = ", ".join(n.name for n in NOTIONS if isinstance(n, ConditionNotion))
        raise InputError("no curve is defined for this notion", found=chosen.name, allowed=allowed)
    options = scores.options
    if (options.pairing, options.alternatives, options.counting) != ("any", "none", "text"):
        raise InputError(
            "no curve is defined for this way of counting",
            found=f"--pairing {options.pairing} --alternatives {options.alternatives} "
            f"--counting {options.counting}",
            allowed="--pairing any --alternatives none --counting text",
        )
    confidence = scores.predicted["score"].to_numpy(dtype=np.float64)
    missing = int(np.isnan(confidence).sum())
    if missing or not len(confidence):
        problem = "the predictions carry no confidence" if missing else "there are no predictions"
        raise InputError(problem, found=f"{missing} of {len(confidence)} without one")
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
    """Count, at each threshold, the mentions of at least that confidence."""
    found = len(confidence) - np.searchsorted(np.sort(confidence), thresholds, side="left")
    return np.asarray(found, dtype=np.int64)


def _find_match_thresholds(
    scores: Scores, notion: ConditionNotion, confidence: Numbers
) -> tuple[Numbers, Numbers]:
    """Return the highest threshold at which each mention of either side is matched; -inf where none is."""
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
