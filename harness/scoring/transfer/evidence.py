"""Evidence about a tagger: its verdicts on mentions of suites, annotated corpora and annotated sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.feature import Feature
from ..arrays import Flags, Ints, Numbers
from ..classes import ALL, Class
from ..scores import Scores
from ..statistics.design import Design, make_design
from ..statistics.jackknife import CORPUS_PAIR_WEIGHT
from ..statistics.sums import SIDES, Measure
from .composition import (
    CLUSTER_COLUMNS,
    COUNT_COLUMN,
    Composition,
    convert_categories,
    describe_mentions,
    list_model_features,
)
from .stretching import score_stretched


@dataclass(frozen=True)
class JudgedMentions:
    """Gold mentions (for recall) or predicted mentions (for precision) of one source, with their verdicts.

    Attributes
    ----------
    frame : DataFrame
        Features of the mentions.
    is_right : array
        Verdict on each mention, from 0 to 1.
    ways : tuple of array
        Group of each mention in each grouping, such as entities, contexts, and pairs of both.
    pair_weight : float
        Fraction of the variance due to pairs that is subtracted from the variance of an estimate.
    """

    frame: pd.DataFrame
    is_right: Numbers
    ways: tuple[Ints, ...]
    pair_weight: float


def list_features(measure: Measure, known_columns: Collection[str] | None = None) -> list[Feature]:
    """Return the model's features that are in `known_columns`, or all features if it is None."""
    return [f for f in list_model_features(measure) if known_columns is None or f.column in known_columns]


def collect_judged(
    scores: Scores, measure: Measure, notion: str, features: Sequence[Feature], *, stretched: bool = False
) -> JudgedMentions:
    """Collect the mentions of a suite or an annotated corpus that have a verdict.

    With `stretched`, the longer versions of gold mentions are added (see `score_stretched`).

    Raises
    ------
    InputError
        If there is no gold mention (for recall) or no predicted mention (for precision).
    """
    side = SIDES[measure]
    if not len(getattr(scores, side)):
        problem = f"{measure} cannot be estimated without {side} mentions in the run"
        raise InputError(problem, found=scores.run or scores.corpus.name)
    design = make_design(scores)
    all_rows = np.arange(len(getattr(scores, side)), dtype=np.int64)
    parts = [_collect_rows(scores, side, notion, features, design, all_rows)]
    if stretched and measure == "recall":
        parts += [
            _collect_rows(longer, side, notion, features, design, rows)
            for rows, longer in score_stretched(scores, notion)
        ]
    _, frames, rights, groups = zip(*parts, strict=True)
    ways = tuple(np.concatenate(way) for way in zip(*groups, strict=True))
    frame = pd.concat(frames, ignore_index=True)
    return JudgedMentions(frame, np.concatenate(rights), ways, design.pair_weight)


def _collect_rows(
    scores: Scores, side: str, notion: str, features: Sequence[Feature], design: Design, rows: Ints
) -> tuple[Ints, pd.DataFrame, Numbers, tuple[Ints, ...]]:
    """Return the row numbers, features, verdicts and groups of the mentions that have a verdict."""
    right = scores.get_tally(notion).get_verdicts(side)
    rows = rows[~np.isnan(right[rows])]
    mentions: pd.DataFrame = getattr(scores, side).take(rows).reset_index(drop=True)
    frame = describe_mentions(scores.corpus, mentions, features)
    frame = frame[[f.column for f in features if f.column in frame]]
    return (
        rows,
        convert_categories(frame),
        right[rows],
        tuple(getattr(way, side)[rows] for way in design.ways),
    )


MISSING_MENTIONS = {
    "gold": "no gold mention in the annotated sentences; give runs on sentences with gold mentions",
    "predicted": "no predicted mention in the annotated sentences; annotate more sentences",
}
"""Error messages for annotated sentences that have no gold mentions or no predicted mentions."""


@dataclass(frozen=True)
class AnnotatedMentions(JudgedMentions):
    """Mentions of annotated sentences from the corpus for which results are estimated.

    Attributes
    ----------
    class_members : array of bool
        Classes × mentions: True if the mention belongs to the class. The class ``all`` is first.
    sentences : int
        Number of annotated sentences, including those without mentions.
    """

    class_members: Flags
    sentences: int


def collect_annotated_mentions(
    scorings: Sequence[Scores],
    classes: Sequence[Class],
    features: Sequence[Feature],
    *,
    notion: str = "strict",
    measure: Measure = "recall",
) -> AnnotatedMentions:
    """Collect the gold or predicted mentions of annotated sentences, with their verdicts.

    Parameters
    ----------
    scorings : sequence of Scores
        Scores of annotated sentences, with `classes`.
    classes : sequence of Class
    features : sequence of Feature
        Features of the model.
    notion : str
    measure : str
        ``recall`` to collect gold mentions, ``precision`` to collect predicted mentions.

    Raises
    ------
    InputError
        If there is no gold mention or, for precision, no predicted mention.
    """
    side = SIDES[measure]
    which = list(SIDES.values()).index(side)
    names = [ALL, *(c.name for c in classes)]
    parts = []
    at = [0, 0, 0]
    for scores in scorings:
        design = make_design(scores)
        all_rows = np.arange(len(getattr(scores, side)), dtype=np.int64)
        rows, frame, right, groups = _collect_rows(scores, side, notion, features, design, all_rows)
        inside = np.array([scores.masks(name)[which][rows] for name in names], dtype=bool)
        # groups of different files get different numbers
        shared = tuple(group + low for group, low in zip(groups, at, strict=True))
        at = [low + way.size for way, low in zip(design.ways, at, strict=True)]
        parts.append((frame, right, inside, shared))
    is_usable = all(any(len(getattr(s, name)) for s in scorings) for name in ("gold", side))
    if not (is_usable and any(len(part[1]) for part in parts)):
        problem = MISSING_MENTIONS[side if any(len(s.gold) for s in scorings) else "gold"]
        raise InputError(problem, found=", ".join(s.run or s.corpus.name for s in scorings))
    frames, rights, masks, shares = zip(*parts, strict=True)
    shared = tuple(np.concatenate(way) for way in zip(*shares, strict=True))
    return AnnotatedMentions(
        pd.concat(frames, ignore_index=True),
        np.concatenate(rights),
        shared,
        CORPUS_PAIR_WEIGHT,
        np.concatenate(masks, axis=1),
        sum(len(s.corpus.texts) for s in scorings),
    )


def make_annotated_composition(annotated: AnnotatedMentions) -> Composition:
    """Return the composition of annotated mentions."""
    frame = annotated.frame.assign(
        **dict(zip(CLUSTER_COLUMNS, annotated.ways, strict=False)), **{COUNT_COLUMN: 1.0}
    )
    return Composition("annotated", frame)
