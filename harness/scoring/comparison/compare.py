"""Holding predictions against a scored corpus: held, refuted or undecided, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..scores import Scores
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

Numbers = NDArray[np.float64]
DRAWS = 2000


def compare(
    scores: Scores,
    predictions: Sequence[Prediction],
    *,
    notion: str = "strict",
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare a corpus's classes with what was predicted of them.

    ``low`` and ``high`` are about the class against the rest of the corpus (the class's complement; the class
    is part of the overall figure). The interval of the difference comes from resampling documents, or texts
    where a document has but one: held if it lies wholly on the predicted side of 0, refuted if wholly on the
    other, else undecided. Bounds are held if the class's own interval lies within them, refuted if outside.

    Parameters
    ----------
    scores : Scores
        Scored with a class for each prediction, of the same name.
    predictions : sequence of Prediction
    notion : str
        Under which recall and precision are taken.
    confidence : float
        Of the intervals.
    draws, seed : int
        Of the resampling.

    Returns
    -------
    DataFrame
        The score table's columns for the class, then `measure`, `expected`, `observed`, `rest`, `difference`,
        `difference_low`, `difference_high`, `verdict`; first a row of the whole without these.
    """
    table = scores.table
    table = table[(table["notion"] == notion) & (table["type"] == "all")].drop_duplicates("class")
    table = table.set_index("class", drop=False)
    groups = _groups(scores)
    whole = _by_group(scores, notion, "all", groups)
    weights = _weights(whole[0].shape[0], draws, seed)
    rows = [{**table.loc["all"].to_dict(), **dict.fromkeys(COLUMNS)}]
    for prediction in predictions:
        inside = _by_group(scores, notion, prediction.name, groups)
        for measure, expected in prediction.expectations:
            found = _verdict(measure, expected, inside, whole, weights, confidence)
            rows.append({**table.loc[prediction.name].to_dict(), "measure": measure, **found})
    frame = pd.DataFrame(rows)
    numbers = ["observed", "rest", "difference", "difference_low", "difference_high"]
    frame[numbers] = frame[numbers].astype("float64")
    return frame


def _groups(scores: Scores) -> NDArray[np.int64]:
    """The number of each text's document; of the text itself where documents are not told."""
    documents = scores.corpus.texts["document_id"]
    codes, known = pd.factorize(documents)
    if len(known) < 2 or (codes < 0).any():
        return np.arange(len(documents), dtype=np.int64)
    return codes.astype(np.int64)


def _by_group(scores: Scores, notion: str, name: str, groups: NDArray[np.int64]) -> tuple[Numbers, ...]:
    """Numerator and denominator of recall, then of precision, by document."""
    counts = scores.counts(notion, name)
    size = int(groups.max(initial=-1)) + 1

    def total(values: Numbers) -> Numbers:
        return np.bincount(groups, np.asarray(values, dtype=np.float64), minlength=size)

    return (
        total(counts.gold_matched),
        total(counts.gold),
        total(counts.predicted_matched),
        total(counts.predicted),
    )


def _weights(size: int, draws: int, seed: int) -> list[Numbers]:
    """How often each document is drawn, in blocks of draws, so that memory stays small."""
    generator = np.random.Generator(np.random.PCG64(seed))
    block = max(1, min(draws, 4_000_000 // max(size, 1)))
    blocks = []
    for first in range(0, draws, block):
        count = min(block, draws - first)
        drawn = generator.integers(0, size, size=(count, size)) + size * np.arange(count)[:, None]
        times = np.bincount(drawn.ravel(), minlength=count * size).reshape(count, size)
        blocks.append(times.astype(np.float64) if size * draws <= 40_000_000 else times.astype(np.float32))
    return blocks


def _share(part: Numbers, whole: Numbers) -> Numbers:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def _verdict(
    measure: str,
    expected: Expected,
    inside: tuple[Numbers, ...],
    whole: tuple[Numbers, ...],
    weights: list[Numbers],
    confidence: float,
) -> dict[str, object]:
    at = 0 if measure == "recall" else 2
    part, total = inside[at], inside[at + 1]
    rest_part, rest_total = whole[at] - part, whole[at + 1] - total
    stack = np.column_stack([part, total, rest_part, rest_total])
    drawn = np.vstack([w @ stack for w in weights])
    observed = float(_share(part.sum(), total.sum()))
    rest = float(_share(rest_part.sum(), rest_total.sum()))
    own, other = _share(drawn[:, 0], drawn[:, 1]), _share(drawn[:, 2], drawn[:, 3])
    low, high = _interval(own - other, confidence)
    if isinstance(expected, Bounds):
        own_low, own_high = _interval(own, confidence)
        verdict = _within(expected, own_low, own_high)
    else:
        ends = (low, high) if expected == "high" else (-high, -low)
        verdict = "held" if ends[0] > 0 else "refuted" if ends[1] < 0 else "undecided"
    return {
        "expected": str(expected),
        "observed": observed,
        "rest": rest,
        "difference": observed - rest,
        "difference_low": low,
        "difference_high": high,
        "verdict": verdict,
    }


def _interval(values: Numbers, confidence: float) -> tuple[float, float]:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return float("nan"), float("nan")
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


def _within(bounds: Bounds, low: float, high: float) -> str:
    least = 0.0 if bounds.min is None else bounds.min
    most = 1.0 if bounds.max is None else bounds.max
    if low >= least and high <= most:
        return "held"
    return "refuted" if low > most or high < least else "undecided"
