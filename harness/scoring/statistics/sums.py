"""Numerators and denominators of recall, precision and F1, summed by group for the jackknife."""

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
"""Measures that are predicted for other corpora and compared between runs."""
ALL_MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1")
"""All measures in a score table."""

SIDES = {"recall": "gold", "precision": "predicted"}
"""Kind of mentions that the denominator of each measure counts."""


def sum_class(scores: Verdicts, design: Design, notion: str, name: str) -> dict[Measure, list[ShareSums]]:
    """Return the numerators and denominators of the measures of a class, summed by group in each grouping.

    F1 is replaced by the share of matched mentions, (matched gold + matched predicted) / (gold + predicted).
    This share equals F1 if gold and predicted mentions have the same number of matches, and is similar
    otherwise; `adjust_f1` moves the interval of this share so that it is an interval of F1.
    """
    sums_by_measure: dict[Measure, list[ShareSums]] = {"recall": [], "precision": [], "f1": []}
    for way in design.ways:
        counts = scores.count_by_code(way.gold, way.predicted, way.size, notion, name)
        for measure, sums in sum_by_measure(counts).items():
            sums_by_measure[measure].append(sums)
    return sums_by_measure


def sum_by_measure(counts: Counts) -> dict[Measure, ShareSums]:
    """Return the numerators and denominators of each measure, given the counts of each group."""
    return {
        "recall": ShareSums(counts.gold_matched, counts.gold),
        "precision": ShareSums(counts.predicted_matched, counts.predicted),
        "f1": ShareSums(
            (counts.gold_matched + counts.predicted_matched) / 2.0, (counts.gold + counts.predicted) / 2.0
        ),
    }


def subtract_sums(whole: Sequence[ShareSums], part: Sequence[ShareSums]) -> list[ShareSums]:
    """Subtract the sums of a part of a class from the sums of the class, for each grouping."""
    return [w - p for w, p in zip(whole, part, strict=True)]


def estimate_share(sums: Sequence[ShareSums], design: Dependence, confidence: float) -> Estimate:
    """Return a share with its interval, from the sums for each grouping of a design."""
    return resample_share(sums, design.pair_weight, confidence, design.name)


def estimate_measures(
    sums: dict[Measure, list[ShareSums]], design: Dependence, confidence: float
) -> dict[Measure, Estimate]:
    """Return recall, precision and F1 with their intervals."""
    return adjust_f1({measure: estimate_share(parts, design, confidence) for measure, parts in sums.items()})


def adjust_f1(estimates: dict[Measure, Estimate]) -> dict[Measure, Estimate]:
    """Return the estimates with F1 computed from precision and recall, and its interval shifted to match."""
    exact = float(f_score(estimates["precision"].value, estimates["recall"].value))
    f1 = estimates["f1"]
    move = exact - f1.value
    moved = replace(f1, value=exact, low=max(f1.low + move, 0.0), high=min(f1.high + move, 1.0))
    return {**estimates, "f1": moved}


def average_sums(sums: Sequence[dict[Measure, list[ShareSums]]]) -> dict[Measure, list[ShareSums]]:
    """Return the mean sums per group over several scorings, which must all use the same groups."""

    def mean(same: Sequence[ShareSums]) -> ShareSums:
        return ShareSums(np.mean([s.part for s in same], axis=0), np.mean([s.whole for s in same], axis=0))

    return {
        measure: [mean(way) for way in zip(*(one[measure] for one in sums), strict=True)]
        for measure in sums[0]
    }
