"""Calibrated estimates for classes of a corpus, from all evidence and a few annotated sentences.

A model is fitted to all evidence, including the annotated sentences, whose level it estimates. Its
predictions are averaged over a composition (counts of feature combinations). The estimate of a class combines
this average with the results on its annotated mentions: (w + s · expected) / (k + s) if w of k mentions were
found, where the strength s is constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..arrays import Numbers
from ..classes import ALL, Class
from ..statistics.shares import normal_quantile
from ..statistics.sums import Measure
from ..threads import limit_to_one_thread
from .composition import Composition
from .evidence import AnnotatedMentions
from .options import TransferOptions
from .standardise import FittedModel, average_classes, make_interval

COLUMNS = (
    "class",
    "annotated",
    "found",
    "standardised",
    "calibrated",
    "calibrated_low",
    "calibrated_high",
    "support",
)
"""Columns of calibrated estimates."""
STRENGTH = 50.0
"""Strength of the model's prediction for a class, as a number of annotated mentions."""
CLASS_SPREAD: dict[Measure, float] = {"recall": 16.0, "precision": 50.0}
"""Spread of classes around the model, as the strength of a beta distribution."""
DEPENDENCE = 3.0
"""Factor by which shared names and documents increase the variance of results on annotated mentions.

This factor and `CLASS_SPREAD` were chosen on the training parts of two corpora, so that about 94 % of the
95 % intervals contain the result of the class.
"""


@limit_to_one_thread()
def calibrate_classes(
    alone: FittedModel,
    fitted_model: FittedModel,
    composition: Composition,
    classes: Sequence[Class],
    annotated: AnnotatedMentions,
    *,
    confidence: float = 0.95,
    least_support: float = TransferOptions().least_support,
) -> pd.DataFrame:
    """Estimate recall or precision of each class, with ``all`` first.

    Parameters
    ----------
    alone : FittedModel
        Model of the evidence without the annotated sentences.
    fitted_model : FittedModel
        Model of the evidence with the annotated sentences.
    composition : Composition
        Composition to average over.
    classes : sequence of Class
    annotated : AnnotatedMentions
        Annotated mentions, assigned to `classes`.
    confidence : float
    least_support : float
        Minimum share of a class's mentions that the evidence must cover; otherwise the estimate is NaN.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, one row per class.
    """
    standardised, _, _ = average_classes(alone, composition, classes)
    expected, variance, support = average_classes(fitted_model, composition, classes)
    members = annotated.class_members.astype(np.float64)
    count, found = members.sum(axis=1), members @ annotated.is_right
    spread = CLASS_SPREAD[fitted_model.measure]
    value, variance = shrink_classes(count, found, expected, variance, spread)
    low, high = make_interval(value, variance, confidence, 0.0)
    covered = support >= least_support
    return pd.DataFrame(
        {
            "class": pd.Series([ALL, *(c.name for c in classes)], dtype="str"),
            "annotated": annotated.class_members.sum(axis=1),
            "found": found,
            "standardised": np.where(covered, standardised, np.nan),
            "calibrated": np.where(covered, value, np.nan),
            "calibrated_low": np.where(covered, low, np.nan),
            "calibrated_high": np.where(covered, high, np.nan),
            "support": support,
        }
    )


def join_measures(recall: pd.DataFrame, precision: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Combine calibrated recall and precision into F1, their harmonic mean.

    The errors of recall and precision are treated as independent.
    """
    from scipy.special import logit

    values, variances = [], []
    for table in (recall, precision):
        value, low, high = (
            table[f"calibrated{end}"].to_numpy(dtype=np.float64).clip(1e-6, 1 - 1e-6)
            for end in ("", "_low", "_high")
        )
        error = (logit(high) - logit(low)) / (2.0 * normal_quantile(confidence))
        values.append(value)
        variances.append((error * value * (1.0 - value)) ** 2)
    total = values[0] + values[1]
    f1 = 2.0 * values[0] * values[1] / total
    # squared derivatives by recall and precision
    variance = (variances[0] * values[1] ** 4 + variances[1] * values[0] ** 4) * 4.0 / total**4
    low, high = make_interval(f1, variance, confidence, 0.0)
    alone = [table["standardised"].to_numpy(dtype=np.float64) for table in (recall, precision)]
    with np.errstate(divide="ignore", invalid="ignore"):
        standardised = 2.0 * alone[0] * alone[1] / (alone[0] + alone[1])
    return recall.assign(
        annotated=recall["annotated"] + precision["annotated"],
        found=recall["found"] + precision["found"],
        standardised=standardised,
        calibrated=f1,
        calibrated_low=low,
        calibrated_high=high,
        support=np.minimum(recall["support"], precision["support"]),
    )


def shrink_classes(
    count: Numbers, found: Numbers, expected: Numbers, variance: Numbers, spread: float
) -> tuple[Numbers, Numbers]:
    """Return the shrunken estimate of each class, and its variance.

    Predictions and observed results come partly from the same mentions, so that their errors are correlated.
    Therefore the standard errors of both are added, not the variances. The deviation of a class from the
    model is independent of these errors.

    Parameters
    ----------
    count, found : array
        Number of annotated mentions in each class, and number of mentions found.
    expected, variance : array
        Recall or precision that the model predicts for each class, and its variance.
    spread : float
        Spread of classes around the model; see `CLASS_SPREAD`.
    """
    whole = count + STRENGTH
    value = (found + STRENGTH * expected) / whole
    binomial = value * (1.0 - value)
    error = (np.sqrt(DEPENDENCE * count * binomial) + STRENGTH * np.sqrt(variance)) / whole
    return value, error**2 + (STRENGTH / whole) ** 2 * binomial / (spread + 1.0)
