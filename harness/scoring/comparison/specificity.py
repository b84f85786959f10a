"""Specificity: whether a prediction that held is about this tagger, or about any.

Long names are hard for everyone, so a prediction of that kind holds whatever tagger it is made for. A
reference tagger over the same suite and corpus shows what was to be expected anyway.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..classes import ALL
from ..scores import Scores
from ..statistics.corrections import benjamini_hochberg
from ..statistics.design import make_shared_designs
from ..statistics.differences import compare_effects, estimate_difference
from ..statistics.paired_differences import check_same_texts
from ..statistics.sums import Measure, subtract_sums, sum_class
from .prediction_verdicts import decide_verdict
from .predictions import Bounds, Expectation, Prediction

COLUMNS = (
    "reference",
    "reference_expected",
    "reference_observed",
    "reference_difference",
    "reference_verdict",
    "apart",
    "apart_low",
    "apart_high",
    "apart_p",
    "apart_adjusted_p",
    "specificity",
)
"""What a reference appends to a comparison's rows."""
TEXT_COLUMNS = ("reference", "reference_expected", "reference_verdict", "specificity")
"""Those of them that are text; the others are numbers."""
GENERAL, PECULIAR, UNDECIDED = "general", "peculiar", "undecided"


@dataclass(frozen=True)
class ReferenceTagger:
    """A reference tagger beside the one that is compared.

    Attributes
    ----------
    name : str
    scores : list of Scores
        Over each corpus that is compared, in the same order and of the same classes.
    predictions : tuple of Prediction
        What its own results on the suite predict; none without a suite.
    """

    name: str
    scores: list[Scores]
    predictions: tuple[Prediction, ...] = ()


def add_reference_columns(
    tables: Sequence[pd.DataFrame],
    corpora: Sequence[Scores],
    predictions: Sequence[Prediction],
    reference: ReferenceTagger,
    *,
    notion: str = "strict",
    confidence: float = 0.95,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Add to comparisons what a reference tagger shows.

    Parameters
    ----------
    tables : sequence of DataFrame
        What `compare` gives for each corpus.
    corpora : sequence of Scores
    predictions : sequence of Prediction
        As they were given to `compare`.
    reference : Reference
    notion : str
    confidence : float

    Returns
    -------
    table : DataFrame
        All tables, with `COLUMNS`. `apart` is the tagger's effect (class less rest; of bounds the class
        itself) less the reference's, all four shares resampled together; `apart_adjusted_p` is its p value
        among all rows that held. `specificity` of these is ``peculiar`` where the tagger's effect lies
        further on the predicted side than the reference's, ``general`` where it does not and the same held
        for the reference, else ``undecided``.
    notes : tuple of str
        How many there are of each.

    Raises
    ------
    InputError
        When the reference was not run over the same texts.
    """
    foreseen = {p.name: dict(p.expectations) for p in reference.predictions}
    found = []
    for table, scores, other in zip(tables, corpora, reference.scores, strict=True):
        check_same_texts(scores, other)
        rows = _compare_rows(scores, other, predictions, notion, confidence)
        for row, prediction, measure in rows:
            row["reference"] = reference.name
            row["reference_expected"] = str(foreseen.get(prediction, {}).get(measure, ""))
        # the first row is the whole, of which nothing is predicted
        appended = pd.DataFrame([{}, *(row for row, _, _ in rows)], index=table.index, columns=list(COLUMNS))
        appended = appended.astype({c: "float64" for c in COLUMNS if c not in TEXT_COLUMNS})
        found.append(table.join(appended))
    whole = pd.concat(found, ignore_index=True)
    held = (whole["verdict"] == "held").to_numpy()
    p = np.where(held, whole["apart_p"].to_numpy(dtype=np.float64), np.nan)
    whole["apart_adjusted_p"] = benjamini_hochberg(p)
    by_class = {one.name: dict(one.expectations) for one in predictions}
    whole["specificity"] = [
        decide_specificity(row, by_class[str(row["class"])][row["measure"]], confidence) if own else None
        for row, own in zip(whole.to_dict("records"), held, strict=True)
    ]
    whole = whole.astype(dict.fromkeys(TEXT_COLUMNS, "str"))
    return whole, _count_specificity(whole, corpora, reference)


def decide_specificity(row: Mapping[Hashable, Any], expected: Expectation, confidence: float) -> str:
    """Whether what held is peculiar to the tagger, general, or undecided; see `add_reference_columns`."""
    p, apart = row["apart_adjusted_p"], row["apart"]
    also = row["reference_verdict"] == "held"
    if p < 1.0 - confidence:
        # of bounds no side is further on, but the reference keeps them too or does not
        side = {"high": apart > 0, "low": apart < 0}
        if (not also) if isinstance(expected, Bounds) else side[expected]:
            return PECULIAR
    return GENERAL if also else UNDECIDED


def _compare_rows(
    scores: Scores,
    other: Scores,
    predictions: Sequence[Prediction],
    notion: str,
    confidence: float,
) -> list[tuple[dict[str, object], str, Measure]]:
    """A row for each expectation, in the order of `compare`."""
    both = (scores, other)
    designs = make_shared_designs(both)
    wholes = [sum_class(s, d, notion, ALL) for s, d in zip(both, designs, strict=True)]
    rows: list[tuple[dict[str, object], str, Measure]] = []
    for prediction in predictions:
        inside = [sum_class(s, d, notion, prediction.name) for s, d in zip(both, designs, strict=True)]
        for measure, expected in prediction.expectations:
            # of each tagger the class and its rest
            first, second = (
                (own[measure], subtract_sums(whole[measure], own[measure]))
                for own, whole in zip(inside, wholes, strict=True)
            )
            effects = compare_effects(first, second, designs[0], confidence)
            apart, p = effects.estimate, effects.p
            if isinstance(expected, Bounds):
                levels = estimate_difference(first[0], second[0], designs[0], confidence)
                apart, p = levels.estimate, levels.p
            row: dict[str, object] = {
                "reference_observed": effects.second.first.value,
                "reference_difference": effects.second.estimate.value,
                "reference_verdict": decide_verdict(expected, effects.second),
                "apart": apart.value,
                "apart_low": apart.low,
                "apart_high": apart.high,
                "apart_p": p,
            }
            rows.append((row, prediction.name, measure))
    return rows


def _count_specificity(
    table: pd.DataFrame, corpora: Sequence[Scores], reference: ReferenceTagger
) -> tuple[str, ...]:
    """How many of the predictions that held are general, peculiar or undecided."""
    held = table[table["verdict"] == "held"]
    count = held["specificity"].value_counts()
    own = [int(count.get(name, 0)) for name in (GENERAL, PECULIAR, UNDECIDED)]
    notes = [
        f"{len(held)} predictions held: {own[0]} as for any tagger ({reference.name}), {own[1]} peculiar to "
        f"this one, {own[2]} undecided between these"
    ]
    notes += [
        f"{scores.run} is {reference.name} itself: nothing can be peculiar to it"
        for scores, other in zip(corpora, reference.scores, strict=True)
        if scores.tagger_part == other.tagger_part
    ]
    return tuple(notes)
