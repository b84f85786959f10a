"""Warnings that the level of an estimate should not be believed, because sources of evidence disagree.

Two kinds of names in the suite (attested in literature, or from a nomenclature), and the suite and each
annotated corpus, are treated as sources of one model. Their levels are compared over the same composition, so
that a difference is not due to the features of the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ....catalogues.feature import Feature
from ....catalogues.taxonomy import taxonomy
from ..arrays import Flags
from ..scores import Scores
from ..statistics.shares import normal_quantile
from ..threads import limit_to_one_thread
from .composition import Composition
from .evidence import JudgedMentions, collect_judged, list_features
from .model import compute_probabilities
from .standardise import FittedModel, fit_sources

MIN_DIFFERENCE = 0.1
"""Minimum difference in recall for a warning."""
MIN_MENTIONS = 50
"""Minimum number of mentions in each of the sources that are compared."""
SOURCE_COLUMN = "source_type"
ATTESTED, LISTED = "literature", "database"
"""Values of `SOURCE_COLUMN` for names that were found in texts, and for names from nomenclatures."""

ADVICE = "do not rely on the level of the estimates"
"""End of each warning."""


@limit_to_one_thread()
def check_levels(
    suite: Scores,
    corpora: Sequence[Scores],
    composition: Composition,
    *,
    notion: str = "strict",
    confidence: float = 0.95,
) -> list[str]:
    """Return warnings about differences in recall that features do not explain.

    There is a warning if recall differs by at least `MIN_DIFFERENCE`, and by more than its interval, between
    attested names and names from nomenclatures, or between the suite and an annotated corpus.
    """
    features = list_features("recall", composition.features)
    whole = collect_judged(suite, "recall", notion, features, stretched=True)
    comparisons = [
        (
            *split_by_origin(suite, features, notion),
            "if they come from a nomenclature",
            "if they come from texts",
        )
    ]
    comparisons += [
        (whole, collect_judged(s, "recall", notion, features), "in the suite", f"in {s.run or s.corpus.name}")
        for s in corpora
    ]
    found = []
    for first, second, place, other_place in comparisons:
        if min(len(first.is_right), len(second.is_right)) < MIN_MENTIONS:
            continue
        one, other, is_clear = compare_levels(fit_sources([first, second], features), composition, confidence)
        if is_clear:
            found.append(
                f"of names with the same features, the tagger finds {one:.2f} {place}, and {other:.2f} "
                f"{other_place}; it may have memorised names, so {ADVICE}"
            )
    return found


def split_by_origin(
    suite: Scores, features: Sequence[Feature], notion: str = "strict"
) -> tuple[JudgedMentions, JudgedMentions]:
    """Return the mentions of names from nomenclatures, and those of attested names."""
    origin = [f for f in taxonomy().features if f.column == SOURCE_COLUMN]
    mentions = collect_judged(suite, "recall", notion, [*features, *origin])
    # absent if the suite was not made from a catalogue
    kinds = mentions.frame.get(SOURCE_COLUMN, pd.Series("", mentions.frame.index)).astype("str")
    flags = [(kinds == kind).to_numpy() for kind in (LISTED, ATTESTED)]
    return _select_mentions(mentions, flags[0]), _select_mentions(mentions, flags[1])


def compare_levels(
    fitted_model: FittedModel, composition: Composition, confidence: float
) -> tuple[float, float, bool]:
    """Return the recall of the two sources of a model over a composition, and whether it clearly differs."""
    share = composition.weights / composition.weights.sum()
    means, slopes = [], []
    for level in (0.0, 1.0):
        model = replace(fitted_model.model, target_levels=np.array([level]))
        x = model.make_design_matrix(model.make_columns(composition.frame))
        p = compute_probabilities(x, model.weights)
        means.append(float(share @ p))
        slopes.append(np.asarray((share * p * (1.0 - p)) @ x))
    # derivative of the difference by each weight
    error = float(np.sqrt(fitted_model.compute_variance((slopes[1] - slopes[0])[None, :])[0]))
    difference = abs(means[1] - means[0])
    is_clear = difference >= MIN_DIFFERENCE and difference > normal_quantile(confidence) * error
    return means[0], means[1], is_clear


def _select_mentions(mentions: JudgedMentions, rows: Flags) -> JudgedMentions:
    """Return the selected mentions; their groups keep their numbers."""
    frame = mentions.frame[rows].reset_index(drop=True)
    ways = tuple(way[rows] for way in mentions.ways)
    return replace(mentions, frame=frame, is_right=mentions.is_right[rows], ways=ways)
