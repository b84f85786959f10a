"""Verdicts on predictions: confirmed, refuted or undecided, according to the results on a corpus."""

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
"""Columns that a comparison adds to each row of the score table."""

EXTRA_COLUMNS = ("p", "adjusted_p", "predicted_value", "power", "detectable", "remark")
"""Further columns: p values, power, smallest detectable difference, and value of the class on the suite."""

MIN_DIFFERENCE = 0.1
"""Difference for which the power is computed if the prediction does not come from a suite."""
TARGET_POWER = 0.8
"""Power for which the smallest detectable difference is computed (Cohen 1988)."""

TEXT_COLUMNS = ("measure", "expected", "verdict", "remark")
"""Added columns of a comparison that contain text; the other added columns contain numbers."""


def compare(
    scores: Scores,
    predictions: Sequence[Prediction],
    *,
    notion: str = "strict",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare predictions about classes with their results on a corpus.

    The predictions ``low`` and ``high`` compare a class with the rest of the corpus. They are confirmed if
    the interval of the difference lies entirely on the predicted side of 0, refuted if it lies entirely on
    the other side, and undecided otherwise. Predicted bounds are confirmed if the interval of the class lies
    within them, and refuted if it lies outside. Intervals are computed by resampling documents (texts if each
    document has one text) or, in a suite, entities and contexts; see ``docs/background/intervals.md``.

    Parameters
    ----------
    scores : Scores
        Scores of the corpus, with a class of the same name for each prediction.
    predictions : sequence of Prediction
    notion : str
        Notion of correctness for recall and precision.
    confidence : float
        Confidence level of the intervals.

    Returns
    -------
    DataFrame
        A row for all mentions, followed by a row for each prediction. The columns are those of the score
        table with resampled intervals, `COLUMNS` and `EXTRA_COLUMNS`. `p` is the p value of the verdict;
        `adjusted_p` is corrected for the number of predictions. `power` is the probability of detecting the
        predicted difference, or a difference of .1 if the prediction does not specify a size. `detectable` is
        the smallest difference that is detected with probability .8. `remark` is a warning for classes that
        are too small.

    Raises
    ------
    InputError
        If the notion was not scored.
    """
    table = select_notion_rows(scores.wilson_table, scores.get_tally(notion).notion.name)
    scored_rows = {str(r["class"]): {str(k): v for k, v in r.items()} for r in table.to_dict("records")}
    design = make_design(scores)
    whole = sum_class(scores, design, notion, ALL)
    rows = [
        {
            **_resample_row(scored_rows[ALL], whole, design, confidence),
            **dict.fromkeys((*COLUMNS, *EXTRA_COLUMNS)),
        }
    ]
    for prediction in predictions:
        inside = sum_class(scores, design, notion, prediction.name)
        row = _resample_row(scored_rows[prediction.name], inside, design, confidence)
        for measure, expected in prediction.expectations:
            columns = _judge_expectation(
                measure, expected, inside[measure], whole[measure], design, confidence, prediction
            )
            rows.append({**row, "measure": measure, **columns})
    frame = pd.DataFrame(rows)
    kinds = {c: "str" if c in TEXT_COLUMNS else "float64" for c in (*COLUMNS, *EXTRA_COLUMNS)}
    return add_adjusted_p(frame.astype(kinds))


def add_adjusted_p(table: pd.DataFrame) -> pd.DataFrame:
    """Add the column `adjusted_p`: p values corrected for the number of rows (Benjamini and Hochberg)."""
    return table.assign(adjusted_p=benjamini_hochberg(table["p"].to_numpy(dtype=np.float64)))


def _resample_row(
    row: Mapping[str, object], sums: dict[Measure, list[ShareSums]], design: Design, confidence: float
) -> dict[str, object]:
    """Return a row of the score table with resampled intervals."""
    values: dict[str, object] = dict(row)
    methods = []
    for measure, estimate in estimate_measures(sums, design, confidence).items():
        values[f"{measure}_low"], values[f"{measure}_high"] = estimate.low, estimate.high
        if not np.isnan(estimate.value):
            methods.append(estimate.method)
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
    verdict = decide_verdict(expected, apart)
    value = prediction.get_suite_value(measure)
    # expected difference between class and rest: that of the suite, or .1 if the suite value is unknown
    effect = MIN_DIFFERENCE if value is None or np.isnan(apart.second.value) else value - apart.second.value
    power, smallest = compute_power(apart, effect, confidence)
    return {
        "expected": str(expected),
        "observed": apart.first.value,
        "rest": apart.second.value,
        "difference": apart.estimate.value,
        "difference_low": apart.estimate.low,
        "difference_high": apart.estimate.high,
        "verdict": verdict,
        "p": compute_bounds_p(expected, apart.first, confidence) if isinstance(expected, Bounds) else apart.p,
        "predicted_value": value,
        "power": power,
        "detectable": smallest,
        "remark": write_remark(measure, part[0], smallest, verdict, apart),
    }


def decide_verdict(expected: Expectation, found: Difference) -> str:
    """Return the verdict on a prediction, given the results for the class and for all other mentions."""
    if isinstance(expected, Bounds):
        return judge_bounds(expected, found.first)
    apart = found.estimate
    # confirmed if the interval is on the predicted side of 0, refuted if it is on the other side
    low, high = (apart.low, apart.high) if expected == "high" else (-apart.high, -apart.low)
    return "confirmed" if low > 0 else "refuted" if high < 0 else "undecided"


def judge_bounds(bounds: Bounds, estimate: Estimate) -> str:
    """Return the verdict on predicted bounds, given the estimate for the class and its interval."""
    if estimate.low >= bounds.lower and estimate.high <= bounds.upper:
        return "confirmed"
    return "refuted" if estimate.low > bounds.upper or estimate.high < bounds.lower else "undecided"


def compute_bounds_p(bounds: Bounds, estimate: Estimate, confidence: float) -> float:
    """Return the two-sided p value of the test that a value equals a bound.

    If there are two bounds, the larger p value is returned. It is less than ``1 - confidence`` if and only if
    the interval excludes the bound. Bounds of 0 and 1 are not tested.
    """
    if np.isnan(estimate.value):
        return float("nan")
    quantile = float(student_quantile(confidence, estimate.known_degrees))
    below, above = estimate.value - estimate.low, estimate.high - estimate.value
    # for each bound: distance of the value inside it, and the halves of the interval inside and outside
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
    """Return a warning if a class is too small for a verdict, otherwise an empty string."""
    count = part.whole.sum()
    side = SIDES[measure]
    if not count:
        return f"no {side} mention in the class: no verdict is possible"
    if np.isnan(apart.second.value):
        return "the class contains all mentions of the corpus: there is no rest to compare with"
    mentions = f"{count:g} {side} mention{'' if count == 1 else 's'}"
    if verdict == "undecided" and smallest > MIN_DIFFERENCE:
        return f"{mentions}: only differences of {smallest:.2f} or more can be detected"
    if smallest > 3 * MIN_DIFFERENCE:
        return f"only {mentions}"
    return ""


def compute_power(estimate: Difference, effect: float, confidence: float) -> tuple[float, float]:
    """Return the power for a true difference of `effect`, and the smallest detectable difference.

    The power is the probability that the interval excludes 0. The detectable difference, at most 1, is the
    true difference with a power of .8. The computation assumes that the estimate is normally distributed with
    the given standard error.
    """
    from scipy.special import ndtr, ndtri

    if not estimate.error > 0:
        return float("nan"), float("nan")
    limit = float(student_quantile(confidence, estimate.estimate.known_degrees))
    away = abs(effect) / estimate.error
    power = float(ndtr(away - limit) + ndtr(-away - limit))
    return power, min((limit + float(ndtri(TARGET_POWER))) * estimate.error, 1.0)
