"""Compare methods that use a few annotated sentences of the target.

Part of ``transfer.py``. Sentences are drawn at random with fixed seeds; the true value is the recall or
precision of each class in the rest of the target.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.transfer.calibration import (
    AnnotatedMentions,
    Calibration,
    collect_annotated_mentions,
)

Numbers = NDArray[np.float64]

DRAWS = 10
WAYS = ("alone", "standardised", "recalibrated", "calibrated", "ppi", "ppi tuned")


def take_mentions(mentions: AnnotatedMentions, rows: np.ndarray, sentences: int) -> AnnotatedMentions:
    """Return the selected mentions, which come from `sentences` sentences."""
    ways = tuple(pd.factorize(way[rows])[0].astype(np.int64) for way in mentions.ways)
    frame, members = mentions.frame.take(rows).reset_index(drop=True), mentions.class_members[:, rows]
    return AnnotatedMentions(frame, mentions.is_right[rows], members, ways, sentences)


def prediction_powered(tool: Calibration, known: AnnotatedMentions) -> tuple[Numbers, Numbers]:
    """Return prediction-powered means of classes (Angelopoulos et al. 2023), plain and with tuned weight."""
    x = tool.design_matrix(known.frame)
    p = np.asarray(expit(x @ tool.by.model.weights))
    k = known.class_members.sum(axis=1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        y_mean, p_mean = (known.class_members @ v / k for v in (known.is_right, p))
        shared = known.class_members @ (known.is_right * p) / k - y_mean * p_mean
        spread = known.class_members @ p**2 / k - p_mean**2
        # classes: how far the predictions are trusted (PPI++, 2024), the composition being the larger sample
        trust = np.clip(np.nan_to_num(shared / (spread * (1.0 + k / np.maximum(tool.size, 1.0)))), 0.0, 1.0)
        found = [y_mean + weight * (tool.standardised - p_mean) for weight in (1.0, trust)]
    return np.clip(found[0], 0.0, 1.0), np.clip(found[1], 0.0, 1.0)


def with_annotation(
    tool: Calibration, target: Scores, classes: Sequence[Class], numbers: Sequence[int]
) -> pd.DataFrame:
    """Return one row per draw and method: `sentences`, `way`, mean squared error, share of correct intervals.

    Parameters
    ----------
    tool : Calibration
        Model of the suite: for recall, with the composition of another corpus; for precision, with the
        predictions of the tagger on the target.
    target : Scores
        The target, scored by `classes`.
    classes : sequence of Class
        The classes.
    numbers : sequence of int
        Numbers of annotated sentences.
    """
    measure = tool.by.measure
    whole = collect_annotated_mentions([target], classes, tool.by.model.features, measure=measure)
    rows_of = target.gold_row if measure == "recall" else target.predicted_row
    rows = []
    for number in numbers:
        for seed in range(DRAWS):
            generator = np.random.Generator(np.random.PCG64(seed))
            chosen = generator.choice(len(target.corpus.texts), number, replace=False)
            there = np.isin(rows_of, chosen)
            known = take_mentions(whole, np.flatnonzero(there), number)
            rest = whole.class_members[1:, ~there]
            with np.errstate(divide="ignore", invalid="ignore"):
                truth = rest @ whole.is_right[~there] / rest.sum(axis=1)
                alone = known.class_members @ known.is_right / known.class_members.sum(axis=1)
            table = tool.estimate_classes(known)
            plain, tuned = prediction_powered(tool, known)
            values = {
                "alone": alone,
                "standardised": table["standardised"].to_numpy(),
                "recalibrated": tool.predict_composition(
                    tool.fit_recalibration(known, tool.design_matrix(known.frame))[0]
                )[1],
                "calibrated": table["calibrated"].to_numpy(),
                "ppi": plain,
                "ppi tuned": tuned,
            }
            low, high = (table[f"calibrated_{side}"].to_numpy()[1:] for side in ("low", "high"))
            told = np.isfinite(low)
            inside = float(((low <= truth) & (truth <= high))[told].mean())
            for way in WAYS:
                error = values[way][1:] - truth
                rows.append(
                    {
                        "sentences": number,
                        "way": way,
                        "square": float(np.nanmean(error**2)),
                        "inside": inside if way == "calibrated" else float("nan"),
                        "width": float((high - low)[told].mean()) if way == "calibrated" else float("nan"),
                    }
                )
    return pd.DataFrame(rows)


def print_annotated(table: pd.DataFrame, target: str, tagger: str) -> None:
    """Print root mean square errors, one line for each number of sentences."""
    for number, some in table.groupby("sentences"):
        means = np.sqrt(some.groupby("way", sort=False)["square"].mean())
        errors = "  ".join(f"{v:12.3f}" for v in means)
        holds = f"{some['inside'].mean():6.3f}  {some['width'].mean():5.2f}"
        print(f"{target:13s} {tagger:11s} {number:9d}  {errors}  {holds}", flush=True)
