"""From a scoring to sums by groups: what the jackknife leaves out of a class's recall, precision or F."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from ..counting import Counts
from ..measures import f_score
from ..verdicts import Verdicts
from .design import Design
from .groups import Dependence
from .jackknife import ShareSums
from .shares import Estimate, resample_share

Measure = Literal["recall", "precision", "f1"]
MEASURES: tuple[Measure, ...] = ("recall", "precision")
"""Those that are predicted and compared."""
ALL_MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1")
"""Those of a score table."""

SIDES = {"recall": "gold", "precision": "predicted"}
"""The side whose mentions each of these is a share of."""


def sum_class(scores: Verdicts, design: Design, notion: str, name: str) -> dict[Measure, list[ShareSums]]:
    """Numerator and denominator of a class's measures by each way of the design.

    F1 is the share of matched mentions, (matched gold + matched predicted) / (gold + predicted), where both
    sides have the same number of matches; where a notion matches more of one side than of the other it lies
    close by, and `estimates` puts the interval around F1 itself.
    """
    found: dict[Measure, list[ShareSums]] = {"recall": [], "precision": [], "f1": []}
    for way in design.ways:
        counts = scores.count_by_code(way.gold, way.predicted, way.size, notion, name)
        for measure, sums in sum_by_measure(counts).items():
            found[measure].append(sums)
    return found


def sum_by_measure(counts: Counts) -> dict[Measure, ShareSums]:
    """The sums of each measure from counts by group."""
    return {
        "recall": ShareSums(counts.gold_matched, counts.gold),
        "precision": ShareSums(counts.predicted_matched, counts.predicted),
        "f1": ShareSums(
            (counts.gold_matched + counts.predicted_matched) / 2.0, (counts.gold + counts.predicted) / 2.0
        ),
    }


def subtract_sums(whole: Sequence[ShareSums], part: Sequence[ShareSums]) -> list[ShareSums]:
    """The complement of a class: what is left of the whole, way by way."""
    return [w - p for w, p in zip(whole, part, strict=True)]


def estimate_share(sums: Sequence[ShareSums], design: Dependence, confidence: float) -> Estimate:
    """A share with its interval."""
    return resample_share(sums, design.pair_weight, confidence, design.name)


def estimate_measures(
    sums: dict[Measure, list[ShareSums]], design: Dependence, confidence: float
) -> dict[Measure, Estimate]:
    """Recall, precision and F1 with their intervals; F1 is that of recall and precision."""
    return adjust_f1({measure: estimate_share(parts, design, confidence) for measure, parts in sums.items()})


def adjust_f1(found: dict[Measure, Estimate]) -> dict[Measure, Estimate]:
    """Return estimates whose F1, with its interval, is moved to that of recall and precision."""
    exact = float(f_score(found["precision"].value, found["recall"].value))
    near = found["f1"]
    move = exact - near.value
    moved = replace(near, value=exact, low=max(near.low + move, 0.0), high=min(near.high + move, 1.0))
    return {**found, "f1": moved}


def average_sums(sums: Sequence[dict[Measure, list[ShareSums]]]) -> dict[Measure, list[ShareSums]]:
    """Return the means of several scorings' sums by the same groups."""

    def mean(same: Sequence[ShareSums]) -> ShareSums:
        return ShareSums(np.mean([s.part for s in same], axis=0), np.mean([s.whole for s in same], axis=0))

    return {
        measure: [mean(way) for way in zip(*(one[measure] for one in sums), strict=True)]
        for measure in sums[0]
    }
