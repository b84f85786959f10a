"""Distinction between confirmed predictions that are specific to a tagger and those that are general.

A prediction that long names are missed is confirmed for most taggers, because long names are difficult.
The results of a reference tagger on the same suite and corpus show which predictions are general.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ....sentences.corpus import Corpus
from ...running.folder.runs import Run
from ..classes import ALL, Class
from ..scores import Scores
from ..statistics.corrections import benjamini_hochberg
from ..statistics.design import make_shared_designs
from ..statistics.differences import compare_effects, estimate_difference
from ..statistics.paired_differences import check_same_texts
from ..statistics.sums import subtract_sums, sum_class
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
"""Columns that `add_reference_columns` adds to a comparison."""
TEXT_COLUMNS = ("reference", "reference_expected", "reference_verdict", "specificity")
"""Columns among `COLUMNS` that contain text instead of numbers."""
GENERAL, SPECIFIC, UNDECIDED = "general", "specific", "undecided"
"""Values of the column `specificity`."""


@dataclass(frozen=True)
class ReferenceTagger:
    """Tagger with which another tagger is compared.

    Attributes
    ----------
    name : str
    scores : list of Scores
        Scores on each compared corpus, in the same order and with the same classes as the comparisons.
    predictions : tuple of Prediction
        Predictions from the results of the reference tagger on the suite; empty if there is no suite.
    """

    name: str
    scores: list[Scores]
    predictions: tuple[Prediction, ...] = ()


@dataclass(frozen=True)
class ReferenceTarget:
    """Scores of a tagger, and the input on which the reference tagger is to be scored in the same way.

    Attributes
    ----------
    scores : Scores
    input_path : str
        Path of the suite or corpus on which the tagger was run; empty if the corpus was not read from a file.
    gold_part : str
        Part of the signature that identifies the gold standard.
    classes : tuple of Class
    """

    scores: Scores
    input_path: str
    gold_part: str
    classes: tuple[Class, ...]

    @classmethod
    def from_source(
        cls, scores: Scores, source: Run | str | Corpus, classes: Sequence[Class]
    ) -> ReferenceTarget:
        """Create the target from scores and their source: a run, a corpus file or a corpus in memory."""
        if isinstance(source, Run):
            return cls(scores, source.input, source.gold_part, tuple(classes))
        return cls(scores, source if isinstance(source, str) else "", scores.gold_part, tuple(classes))


def add_reference_columns(
    tables: Sequence[pd.DataFrame],
    corpora: Sequence[Scores],
    predictions: Sequence[Prediction],
    reference: ReferenceTagger,
    *,
    notion: str = "strict",
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Add the results of a reference tagger to comparisons.

    Parameters
    ----------
    tables : sequence of DataFrame
        Result of `compare` for each corpus.
    corpora : sequence of Scores
    predictions : sequence of Prediction
        Predictions that were passed to `compare`.
    reference : ReferenceTagger
    notion : str

    Returns
    -------
    table : DataFrame
        Concatenation of `tables`, with the additional columns `COLUMNS`. `apart` is the effect for the tagger
        minus the effect for the reference. An effect is the value of the class minus that of the rest; if the
        prediction has bounds, it is the value of the class alone. The values for both taggers are resampled
        together. `apart_adjusted_p` is the p value, corrected for the number of confirmed predictions.
        `specificity` of a confirmed prediction is ``specific`` if the tagger's effect is significantly larger
        than the reference's, ``general`` if it is not and the prediction is also confirmed for the reference,
        and ``undecided`` otherwise.
    notes : tuple of str
        Notes on the number of general, specific and undecided predictions.

    Raises
    ------
    InputError
        If the reference tagger was run on different texts.
    """
    joined_tables = []
    for table, scores, other in zip(tables, corpora, reference.scores, strict=True):
        check_same_texts(scores, other)
        rows = _compare_rows(scores, other, predictions, reference, notion)
        # the first row is about all mentions, and no prediction belongs to it
        appended = pd.DataFrame([{}, *rows], index=table.index, columns=list(COLUMNS))
        appended = appended.astype({c: "float64" for c in COLUMNS if c not in TEXT_COLUMNS})
        joined_tables.append(table.join(appended))
    joined = pd.concat(joined_tables, ignore_index=True)
    confirmed = (joined["verdict"] == "confirmed").to_numpy()
    p = np.where(confirmed, joined["apart_p"].to_numpy(dtype=np.float64), np.nan)
    joined["apart_adjusted_p"] = benjamini_hochberg(p)
    expected = {prediction.name: dict(prediction.expectations) for prediction in predictions}
    confidence = corpora[0].options.confidence
    joined["specificity"] = [
        decide_specificity(row, expected[str(row["class"])][row["measure"]], confidence)
        if is_confirmed
        else None
        for row, is_confirmed in zip(joined.to_dict("records"), confirmed, strict=True)
    ]
    joined = joined.astype(dict.fromkeys(TEXT_COLUMNS, "str"))
    return joined, _count_specificity(joined, corpora, reference)


def decide_specificity(row: Mapping[Hashable, Any], expected: Expectation, confidence: float) -> str:
    """Return the specificity of a confirmed prediction; see `add_reference_columns`."""
    p, apart = row["apart_adjusted_p"], row["apart"]
    confirmed_for_reference = row["reference_verdict"] == "confirmed"
    if p < 1.0 - confidence:
        # bounds have no direction: what counts is whether the reference keeps them as well
        is_larger = {"high": apart > 0, "low": apart < 0}
        if (not confirmed_for_reference) if isinstance(expected, Bounds) else is_larger[expected]:
            return SPECIFIC
    return GENERAL if confirmed_for_reference else UNDECIDED


def _compare_rows(
    scores: Scores,
    other: Scores,
    predictions: Sequence[Prediction],
    reference: ReferenceTagger,
    notion: str,
) -> list[dict[str, object]]:
    """Return one row per predicted class and measure, in the order of `compare`."""
    both, confidence = (scores, other), scores.options.confidence
    foreseen = {p.name: dict(p.expectations) for p in reference.predictions}
    designs = make_shared_designs(both)
    wholes = [sum_class(s, d, notion, ALL) for s, d in zip(both, designs, strict=True)]
    rows: list[dict[str, object]] = []
    for prediction in predictions:
        inside = [sum_class(s, d, notion, prediction.name) for s, d in zip(both, designs, strict=True)]
        for measure, expected in prediction.expectations:
            # the class and the rest, for each tagger
            first, second = (
                (own[measure], subtract_sums(whole[measure], own[measure]))
                for own, whole in zip(inside, wholes, strict=True)
            )
            effects = compare_effects(first, second, designs[0], confidence)
            apart, p = effects.estimate, effects.p
            if isinstance(expected, Bounds):
                levels = estimate_difference(first[0], second[0], designs[0], confidence)
                apart, p = levels.estimate, levels.p
            rows.append(
                {
                    "reference": reference.name,
                    "reference_expected": str(foreseen.get(prediction.name, {}).get(measure, "")),
                    "reference_observed": effects.second.first.value,
                    "reference_difference": effects.second.estimate.value,
                    "reference_verdict": decide_verdict(expected, effects.second),
                    "apart": apart.value,
                    "apart_low": apart.low,
                    "apart_high": apart.high,
                    "apart_p": p,
                }
            )
    return rows


def _count_specificity(
    table: pd.DataFrame, corpora: Sequence[Scores], reference: ReferenceTagger
) -> tuple[str, ...]:
    """Return notes on the number of general, specific and undecided predictions."""
    confirmed = table[table["verdict"] == "confirmed"]
    counts = confirmed["specificity"].value_counts()
    general, specific, undecided = (int(counts.get(name, 0)) for name in (GENERAL, SPECIFIC, UNDECIDED))
    notes = [
        f"{len(confirmed)} predictions confirmed: {general} general (confirmed for {reference.name} too), "
        f"{specific} specific to this tagger, {undecided} undecided"
    ]
    notes += [
        f"{scores.run} is a run of the reference tagger {reference.name}, so no prediction is specific to it"
        for scores, other in zip(corpora, reference.scores, strict=True)
        if scores.tagger_part == other.tagger_part
    ]
    return tuple(notes)
