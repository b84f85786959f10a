"""Holding predictions against a scored corpus: held, refuted or undecided, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..classes import ALL
from ..scores import Scores
from ..statistics.corrections import benjamini_hochberg
from ..statistics.design import Design, design_of
from ..statistics.differences import Difference, difference, p_value
from ..statistics.jackknife import Sums
from ..statistics.shares import Estimate, student
from ..statistics.sums import SIDES, Measure, class_sums, estimates, less
from ..table import rows_under
from .predictions import Bounds, Expected, Prediction

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

FURTHER = ("p", "adjusted_p", "predicted_value", "power", "detectable", "remark")
"""What it appends after these: its p value alone and among all predictions, the value where the prediction
comes from, and what could be seen at all."""

WORTH_SEEING = 0.1
"""A difference worth seeing, where the prediction names none."""
USUAL_POWER = 0.8
"""Cohen's (1988) convention."""

TEXTS = ("measure", "expected", "verdict", "remark")
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
    suites entities and contexts; see ``docs/uncertainty.md``.

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
    table = rows_under(scores.counted, scores.tally(notion).notion.name)
    known = {str(r["class"]): {str(k): v for k, v in r.items()} for r in table.to_dict("records")}
    design = design_of(scores)
    whole = class_sums(scores, design, notion, ALL)
    rows = [{**_resampled(known[ALL], whole, design, confidence), **dict.fromkeys((*COLUMNS, *FURTHER))}]
    for prediction in predictions:
        inside = class_sums(scores, design, notion, prediction.name)
        row = _resampled(known[prediction.name], inside, design, confidence)
        for measure, expected in prediction.expectations:
            found = _verdict(
                measure, expected, inside[measure], whole[measure], design, confidence, prediction
            )
            rows.append({**row, "measure": measure, **found})
    frame = pd.DataFrame(rows)
    kinds = {c: "str" if c in TEXTS else "float64" for c in (*COLUMNS, *FURTHER)}
    return adjusted(frame.astype(kinds))


def adjusted(table: pd.DataFrame) -> pd.DataFrame:
    """A comparison's table with `adjusted_p`: its p values among all its rows (Benjamini and Hochberg)."""
    return table.assign(adjusted_p=benjamini_hochberg(table["p"].to_numpy(dtype=np.float64)))


def _resampled(
    row: Mapping[str, object], sums: dict[Measure, list[Sums]], design: Design, confidence: float
) -> dict[str, object]:
    """A row of the score table with intervals that know of the design."""
    values: dict[str, object] = dict(row)
    methods = []
    for measure, found in estimates(sums, design, confidence).items():
        values[f"{measure}_low"], values[f"{measure}_high"] = found.low, found.high
        if not np.isnan(found.value):
            methods.append(found.method)
    values["interval"] = "; ".join(dict.fromkeys(methods))
    return values


def _verdict(
    measure: Measure,
    expected: Expected,
    part: list[Sums],
    whole: list[Sums],
    design: Design,
    confidence: float,
    prediction: Prediction,
) -> dict[str, object]:
    apart = difference(part, less(whole, part), design, confidence)
    own, verdict = apart.first, verdict_of(expected, apart)
    value = prediction.value_of(measure)
    # how far off the class would be from the rest if it were as on the suite; a tenth where none is given
    effect = WORTH_SEEING if value is None or np.isnan(apart.second.value) else value - apart.second.value
    smallest = detectable(apart, confidence)
    return {
        "expected": str(expected),
        "observed": own.value,
        "rest": apart.second.value,
        "difference": apart.estimate.value,
        "difference_low": apart.estimate.low,
        "difference_high": apart.estimate.high,
        "verdict": verdict,
        "p": bounds_p(expected, own, confidence) if isinstance(expected, Bounds) else apart.p,
        "predicted_value": value,
        "power": power(apart, effect, confidence),
        "detectable": smallest,
        "remark": remark(measure, part[0], smallest, verdict, apart),
    }


def verdict_of(expected: Expected, apart: Difference) -> str:
    """What is said of an expectation: of bounds by the class itself, else by how far it is from its rest."""
    if isinstance(expected, Bounds):
        return within(expected, apart.first)
    return on_side(apart.estimate, expected)


def on_side(found: Estimate, expected: str) -> str:
    """``held`` when an interval lies wholly on the predicted side of 0, ``refuted`` on the other."""
    low, high = (found.low, found.high) if expected == "high" else (-found.high, -found.low)
    return "held" if low > 0 else "refuted" if high < 0 else "undecided"


def within(bounds: Bounds, found: Estimate) -> str:
    """``held`` when an interval lies within bounds, ``refuted`` when it lies outside."""
    if found.low >= bounds.least and found.high <= bounds.most:
        return "held"
    return "refuted" if found.low > bounds.most or found.high < bounds.least else "undecided"


def bounds_p(bounds: Bounds, found: Estimate, confidence: float) -> float:
    """Two-sided p value of a value on the other side of a bound; of two bounds, the one less sure.

    Below one less the confidence just where the interval excludes the bound. Bounds of 0 and 1 are none.
    """
    if np.isnan(found.value):
        return float("nan")
    quantile = float(student(confidence, found.degrees))
    below, above = found.value - found.low, found.high - found.value
    # how far within each bound the value lies, and how far the interval reaches to it from within and without
    margins = []
    if bounds.least > 0:
        margins.append((found.value - bounds.least, below, above))
    if bounds.most < 1:
        margins.append((bounds.most - found.value, above, below))
    judged = [m for m in margins if m[0] < 0] or margins
    return max(
        (p_value(m, (inner if m >= 0 else outer) / quantile, found.degrees) for m, inner, outer in judged),
        default=0.0,
    )


def remark(measure: str, part: Sums, smallest: float, verdict: str, apart: Difference) -> str:
    """What a reader should know before believing a verdict, or its absence."""
    count = part.whole.sum()
    what = SIDES[measure]
    if not count:
        return f"no {what} mention: nothing can be said"
    if np.isnan(apart.second.value):
        return "the class is the whole corpus: there is no rest"
    mentions = f"{count:g} {what} mention{'' if count == 1 else 's'}"
    if verdict == "undecided" and smallest > WORTH_SEEING:
        return f"{mentions}: only a difference of {smallest:.2f} or more would show"
    if smallest > 3 * WORTH_SEEING:
        return f"{mentions}: few"
    return ""


def power(found: Difference, effect: float, confidence: float) -> float:
    """Probability that the interval would exclude 0 if the true difference were `effect`.

    By the normal distribution, with the standard error that the interval implies.
    """
    from scipy.special import ndtr

    if not found.error > 0:
        return float("nan")
    limit = float(student(confidence, found.estimate.degrees))
    away = abs(effect) / found.error
    return float(ndtr(away - limit) + ndtr(-away - limit))


def detectable(found: Difference, confidence: float) -> float:
    """The smallest true difference that would be seen with probability .8; at most 1 can be."""
    from scipy.special import ndtri

    if not found.error > 0:
        return float("nan")
    limit = float(student(confidence, found.estimate.degrees))
    return min((limit + float(ndtri(USUAL_POWER))) * found.error, 1.0)
