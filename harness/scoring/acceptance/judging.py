"""Judging one criterion on one run: each limit is a check that passes or fails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..scores import Scores
from ..statistics.design import design_of, shared_design
from ..statistics.differences import difference
from ..statistics.sums import MEASURES, Measure, class_sums, estimates
from .alarms import alarm_rate
from .criteria import Criterion

USUAL_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Check:
    """One limit of a criterion on one run.

    Attributes
    ----------
    measure : str
        ``recall``, ``precision``, ``f1``, ``false_alarms``, or one of the first three ``against`` a run.
    required : str
        The limit in words.
    observed, low, high : float
        What was found; the interval is two-sided and its relevant end the one-sided bound at `confidence`.
    confidence : float
        NaN where the observed value itself is judged.
    cases : float
        How many mentions (or cases, for false alarms) it rests on.
    passed : bool
    reason : str
        Why it failed, where the numbers do not say so.
    interval : str
        How the interval came about.
    """

    measure: str
    required: str
    observed: float
    low: float
    high: float
    confidence: float
    cases: float
    passed: bool
    reason: str = ""
    interval: str = ""


def judge(criterion: Criterion, scores: Scores, reference: Scores | None = None) -> list[Check]:
    """Judge a criterion.

    A limit without `confidence` is held against the observed value. With one, the bound of the interval on
    the limit's side must meet it: the tagger is at least so good with that confidence. What cannot be
    judged, because the class has no mention, fails.

    Parameters
    ----------
    criterion : Criterion
    scores : Scores
        Scored with the criterion's class and notion.
    reference : Scores, optional
        The run of ``no_worse_than``, over the same texts.
    """
    limits = criterion.limits
    # the end of a two-sided interval at 2c - 1 is the one-sided bound at c
    asked = limits.confidence or USUAL_CONFIDENCE
    two_sided = 2.0 * asked - 1.0 if asked > 0.5 else 0.0001
    design = design_of(scores)
    sums = class_sums(scores, design, criterion.notion, criterion.one.name)
    found = estimates(sums, design, two_sided)
    checks = []
    floors: tuple[tuple[Measure, float | None], ...] = (
        ("recall", limits.min_recall),
        ("precision", limits.min_precision),
        ("f1", limits.min_f1),
    )
    for measure, least in floors:
        if least is None:
            continue
        it = found[measure]
        judged = it.value if limits.confidence is None else it.low
        checks.append(
            Check(
                measure,
                f">= {least:g}",
                it.value,
                it.low,
                it.high,
                _shown(limits.confidence),
                float(sums[measure][0].whole.sum()) * (2 if measure == "f1" else 1),
                bool(judged >= least),
                "" if it.value == it.value else "undefined: the class has no such mention",
                it.method,
            )
        )
    if limits.max_false_alarms is not None:
        rate, size = alarm_rate(scores, criterion.one, two_sided)
        judged = rate.value if limits.confidence is None else rate.high
        checks.append(
            Check(
                "false_alarms",
                f"<= {limits.max_false_alarms:g}",
                rate.value,
                rate.low,
                rate.high,
                _shown(limits.confidence),
                size,
                bool(judged <= limits.max_false_alarms),
                "" if size else "undefined: no case without gold mentions",
                rate.method,
            )
        )
    if reference is not None and limits.margin is not None:
        checks += _against(criterion, scores, reference, two_sided, asked)
    return checks


def _against(
    criterion: Criterion, scores: Scores, reference: Scores, two_sided: float, asked: float
) -> list[Check]:
    """No worse than another run: the bound of the paired difference lies above the margin's negative."""
    margin = float(criterion.limits.margin or 0.0)
    designs = shared_design([scores, reference])
    sums = [
        class_sums(s, d, criterion.notion, criterion.one.name)
        for s, d in zip((scores, reference), designs, strict=True)
    ]
    checks = []
    for measure in criterion.limits.measures or MEASURES:
        it = difference(sums[0][measure], sums[1][measure], designs[0], two_sided).estimate
        undefined = bool(np.isnan(it.value))
        checks.append(
            Check(
                f"{measure} against {reference.settings.run}",
                f">= {-margin:g}" if margin else ">= 0",
                it.value,
                it.low,
                it.high,
                asked,
                float(sums[0][measure][0].whole.sum()),
                bool(it.low >= -margin),
                "undefined: one of the two has no such mention" if undefined else "",
                it.method,
            )
        )
    return checks


def _shown(confidence: float | None) -> float:
    return float("nan") if confidence is None else confidence
