"""Holding predictions against a scored corpus: held, refuted or undecided, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..classes import ALL
from ..scores import Scores
from ..statistics.corrections import benjamini_hochberg
from ..statistics.design import Design, make_design
from ..statistics.differences import Difference, compute_p_value, estimate_difference
from ..statistics.jackknife import ShareSums
from ..statistics.shares import Estimate, student_quantile
from ..statistics.sums import SIDES, Measure, estimate_measures, subtract_sums, sum_class
from ..table import select_notion_rows
from .predictions import Bounds, Expectation, Prediction

COLUMNS = (
    "measure",
    "expected",
    "observed",
    "rest",
    "difference",
    "difference_low",
    "difference_high",
    "verdict",
)
"""What a comparison appends to the score table's row."""

EXTRA_COLUMNS = ("p", "adjusted_p", "predicted_value", "power", "detectable", "remark")
"""What it appends after these: its p value alone and among all predictions, the value where the prediction
comes from, and what could be seen at all."""

MIN_DIFFERENCE = 0.1
"""A difference worth seeing, where the prediction names none."""
TARGET_POWER = 0.8
"""Cohen's (1988) convention."""

TEXT_COLUMNS = ("measure", "expected", "verdict", "remark")
"""Those of both that are text; the others are numbers."""


def compare(
    scores: Scores,
    predictions: Sequence[Prediction],
    *,
    notion: str = "strict",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare a corpus's classes with what was predicted of them.

    ``low`` and ``high`` are about the class against the rest of the corpus (the class's complement; the class
    is part of the overall figure): held if the interval of the difference lies wholly on the predicted side
    of 0, refuted if wholly on the other, else undecided. Bounds are held if the class's own interval lies
    within them, refuted if outside. Intervals leave out documents (texts where a document has but one), in
    suites entities and contexts; see ``docs/background/intervals.md``.

    Parameters
    ----------
    scores : Scores
        Scored with a class for each prediction, of the same name.
    predictions : sequence of Prediction
    notion : str
        Under which recall and precision are taken.
    confidence : float
        Of the intervals.

    Returns
    -------
    DataFrame
        The score table's columns for the class, its intervals resampled, then `COLUMNS` and `FURTHER`; first
        a row of the whole without these. `p` is that of the verdict, `adjusted_p` the same among all
        predictions here (see `adjusted`), `power` is the probability to see a difference of a tenth (or the
        predicted one), `detectable` the smallest difference that is seen with probability .8, `remark` says
        so in words where it is large.

    Raises
    ------
    InputError
        When the notion was not scored.
    """
    table = select_notion_rows(scores.wilson_table, scores.get_tally(notion).notion.name)
    known = {str(r["class"]): {str(k): v for k, v in r.items()} for r in table.to_dict("records")}
    design = make_design(scores)
    whole = sum_class(scores, design, notion, ALL)
    rows = [
        {**_resample_row(known[ALL], whole, design, confidence), **dict.fromkeys((*COLUMNS, *EXTRA_COLUMNS))}
    ]
    for prediction in predictions:
        inside = sum_class(scores, design, notion, prediction.name)
        row = _resample_row(known[prediction.name], inside, design, confidence)
        for measure, expected in prediction.expectations:
            found = _judge_expectation(
                measure, expected, inside[measure], whole[measure], design, confidence, prediction
            )
            rows.append({**row, "measure": measure, **found})
    frame = pd.DataFrame(rows)
    kinds = {c: "str" if c in TEXT_COLUMNS else "float64" for c in (*COLUMNS, *EXTRA_COLUMNS)}
    return add_adjusted_p(frame.astype(kinds))


def add_adjusted_p(table: pd.DataFrame) -> pd.DataFrame:
    """A comparison's table with `adjusted_p`: its p values among all its rows (Benjamini and Hochberg)."""
    return table.assign(adjusted_p=benjamini_hochberg(table["p"].to_numpy(dtype=np.float64)))


def _resample_row(
    row: Mapping[str, object], sums: dict[Measure, list[ShareSums]], design: Design, confidence: float
) -> dict[str, object]:
    """A row of the score table with intervals that know of the design."""
    values: dict[str, object] = dict(row)
    methods = []
    for measure, found in estimate_measures(sums, design, confidence).items():
        values[f"{measure}_low"], values[f"{measure}_high"] = found.low, found.high
        if not np.isnan(found.value):
            methods.append(found.method)
    values["interval"] = "; ".join(dict.fromkeys(methods))
    return values


def _judge_expectation(
    measure: Measure,
    expected: Expectation,
    part: list[ShareSums],
    whole: list[ShareSums],
    design: Design,
    confidence: float,
    prediction: Prediction,
) -> dict[str, object]:
    apart = estimate_difference(part, subtract_sums(whole, part), design, confidence)
    own, verdict = apart.first, decide_verdict(expected, apart)
    value = prediction.get_suite_value(measure)
    # how far off the class would be from the rest if it were as on the suite; a tenth where none is given
    effect = MIN_DIFFERENCE if value is None or np.isnan(apart.second.value) else value - apart.second.value
    smallest = find_detectable_difference(apart, confidence)
    return {
        "expected": str(expected),
        "observed": own.value,
        "rest": apart.second.value,
        "difference": apart.estimate.value,
        "difference_low": apart.estimate.low,
        "difference_high": apart.estimate.high,
        "verdict": verdict,
        "p": compute_bounds_p(expected, own, confidence) if isinstance(expected, Bounds) else apart.p,
        "predicted_value": value,
        "power": compute_power(apart, effect, confidence),
        "detectable": smallest,
        "remark": write_remark(measure, part[0], smallest, verdict, apart),
    }


def decide_verdict(expected: Expectation, found: Difference) -> str:
    """What is said of an expectation: of bounds by the class itself, else by how far it is from its rest."""
    if isinstance(expected, Bounds):
        return judge_bounds(expected, found.first)
    return judge_direction(found.estimate, expected)


def judge_direction(estimate: Estimate, expected: str) -> str:
    """``confirmed`` when an interval lies wholly on the predicted side of 0, ``refuted`` on the other."""
    low, high = (estimate.low, estimate.high) if expected == "high" else (-estimate.high, -estimate.low)
    return "confirmed" if low > 0 else "refuted" if high < 0 else "undecided"


def judge_bounds(bounds: Bounds, estimate: Estimate) -> str:
    """``confirmed`` when an interval lies within bounds, ``refuted`` when it lies outside."""
    if estimate.low >= bounds.lower and estimate.high <= bounds.upper:
        return "confirmed"
    return "refuted" if estimate.low > bounds.upper or estimate.high < bounds.lower else "undecided"


def compute_bounds_p(bounds: Bounds, estimate: Estimate, confidence: float) -> float:
    """Two-sided p value of a value on the other side of a bound; of two bounds, the one less sure.

    Below one less the confidence just where the interval excludes the bound. Bounds of 0 and 1 are none.
    """
    if np.isnan(estimate.value):
        return float("nan")
    quantile = float(student_quantile(confidence, estimate.known_degrees))
    below, above = estimate.value - estimate.low, estimate.high - estimate.value
    # how far within each bound the value lies, and how far the interval reaches to it from within and without
    margins = []
    if bounds.lower > 0:
        margins.append((estimate.value - bounds.lower, below, above))
    if bounds.upper < 1:
        margins.append((bounds.upper - estimate.value, above, below))
    judged = [m for m in margins if m[0] < 0] or margins
    return max(
        (
            compute_p_value(m, (inner if m >= 0 else outer) / quantile, estimate.known_degrees)
            for m, inner, outer in judged
        ),
        default=0.0,
    )


def write_remark(measure: str, part: ShareSums, smallest: float, verdict: str, apart: Difference) -> str:
    """What a reader should know before believing a verdict, or its absence."""
    count = part.whole.sum()
    what = SIDES[measure]
    if not count:
        return f"no {what} mention: nothing can be said"
    if np.isnan(apart.second.value):
        return "the class is the whole corpus: there is no rest"
    mentions = f"{count:g} {what} mention{'' if count == 1 else 's'}"
    if verdict == "undecided" and smallest > MIN_DIFFERENCE:
        return f"{mentions}: only a difference of {smallest:.2f} or more would show"
    if smallest > 3 * MIN_DIFFERENCE:
        return f"{mentions}: few"
    return ""


def compute_power(estimate: Difference, effect: float, confidence: float) -> float:
    """Probability that the interval would exclude 0 if the true difference were `effect`.

    By the normal distribution, with the standard error that the interval implies.
    """
    from scipy.special import ndtr

    if not estimate.error > 0:
        return float("nan")
    limit = float(student_quantile(confidence, estimate.estimate.known_degrees))
    away = abs(effect) / estimate.error
    return float(ndtr(away - limit) + ndtr(-away - limit))


def find_detectable_difference(estimate: Difference, confidence: float) -> float:
    """The smallest true difference that would be seen with probability .8; at most 1 can be."""
    from scipy.special import ndtri

    if not estimate.error > 0:
        return float("nan")
    limit = float(student_quantile(confidence, estimate.estimate.known_degrees))
    return min((limit + float(ndtri(TARGET_POWER))) * estimate.error, 1.0)
