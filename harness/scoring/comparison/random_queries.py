"""Random queries: what a class of some size shows when nobody had a reason to look at it.

Queries of one or two conditions on the features that `discover` searches, and what such queries leave out,
are all counted: the distribution is that of endlessly many draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ....sentences.corpus import Corpus
from ..arrays import Flags, Ints, Numbers
from ..features import with_features
from ..scores import Scores
from ..statistics.sums import SIDES, Measure
from ..transfer.composition import described_features
from ..transfer.model import columns_of
from ..views.errors import sample
from .predictions import Bounds, Expected

ALIKE = 1.25
"""A query is of the same size when neither has more than so many times the other's mentions."""
FEWEST = 20
"""Queries of the same size without which nothing is said."""
MOST_MENTIONS = 100_000
"""Of larger corpora so many mentions are drawn."""
SEED = 0
"""Of that draw."""
BLOCK = 1 << 15


@dataclass(frozen=True)
class RandomQueries:
    """All queries of one or two conditions on one side of a scoring, and their complements.

    Attributes
    ----------
    share : array
        The part of all mentions that each selects.
    value : array
        The measure inside of each.
    effect : array
        Inside less outside.
    """

    share: Numbers
    value: Numbers
    effect: Numbers

    def alike(self, share: float) -> Ints:
        """The queries of about that size."""
        return np.flatnonzero((self.share >= share / ALIKE) & (self.share <= share * ALIKE))

    def as_extreme(self, share: float, expected: Expected, effect: float) -> tuple[float, int]:
        """How often a query of some size is as far on the side that was expected, and of how many.

        Parameters
        ----------
        share : float
            The part of all mentions that the class has.
        expected : "low", "high" or Bounds
            Of bounds: how often a query lies within them.
        effect : float
            Of the class.
        """
        among = self.alike(share)
        if len(among) < FEWEST or np.isnan(effect):
            return float("nan"), len(among)
        if isinstance(expected, Bounds):
            value = self.value[among]
            return float(((value >= expected.least) & (value <= expected.most)).mean()), len(among)
        side = 1.0 if expected == "high" else -1.0
        # the class's own query is among them: what is equal up to rounding is as extreme
        return float((side * self.effect[among] >= side * effect - 1e-9).mean()), len(among)


@dataclass(frozen=True)
class Conditions:
    """The conditions that mentions of a corpus fulfil, of all mentions or of those that were drawn.

    Attributes
    ----------
    drawn : array
        The mentions' places in their frame.
    flags : array
        Mentions × conditions.
    """

    drawn: Ints
    flags: Flags


def conditions(corpus: Corpus, mentions: pd.DataFrame, measure: Measure) -> Conditions:
    """The conditions of some mentions of a corpus."""
    drawn = sample(len(mentions), MOST_MENTIONS, SEED)
    features = described_features(measure)
    frame = with_features(corpus, mentions.take(drawn).reset_index(drop=True), features)
    _, found = columns_of(frame.reset_index(drop=True), features)
    return Conditions(drawn, np.asarray(found.toarray(), dtype=bool))


def random_queries(known: Conditions, right: Numbers) -> RandomQueries:
    """Count all queries of one or two conditions.

    Parameters
    ----------
    known : Conditions
    right : array
        What each mention of the frame is worth, from 0 to 1; NaN where it does not count.
    """
    worth = right[known.drawn]
    judged = np.flatnonzero(~np.isnan(worth))
    whole, found = float(len(judged)), float(worth[judged].sum())
    width = known.flags.shape[1]
    both, matched = np.zeros((width, width)), np.zeros((width, width))
    for low in range(0, len(judged), BLOCK):
        at = judged[low : low + BLOCK]
        # conditions × conditions: how many mentions fulfil both, and how many of these are right
        flags = known.flags[at].astype(np.float32)
        both += flags.T @ flags
        matched += (flags * worth[at, None].astype(np.float32)).T @ flags
    size = np.diag(both)
    first, second = np.triu_indices(width, 1)
    # a pair that selects what one of its conditions selects is no further query
    further = both[first, second] < np.minimum(size[first], size[second])
    first, second = first[further], second[further]
    inside = np.concatenate((size, both[first, second]))
    right_inside = np.concatenate((np.diag(matched), matched[first, second]))
    kept = (inside > 0) & (inside < whole)
    inside, right_inside = inside[kept], right_inside[kept]
    # what each query leaves out is a query too
    outside, right_outside = whole - inside, found - right_inside
    within, without = right_inside / inside, right_outside / outside
    return RandomQueries(
        np.concatenate((inside, outside)) / max(whole, 1.0),
        np.concatenate((within, without)),
        np.concatenate((within - without, without - within)),
    )


def queries_of(
    corpora: Sequence[Scores], notion: str, measures: Sequence[Measure]
) -> list[dict[Measure, RandomQueries]]:
    """The random queries of each scoring; what corpora have in common is computed once."""
    golds: dict[int, Conditions] = {}
    found = []
    for scores in corpora:
        by: dict[Measure, RandomQueries] = {}
        for measure in measures:
            if measure == "recall":
                known = golds.get(id(scores.corpus))
                if known is None:
                    known = golds[id(scores.corpus)] = conditions(scores.corpus, scores.gold, measure)
            else:
                known = conditions(scores.corpus, scores.predicted, measure)
            by[measure] = random_queries(known, scores.tally(notion).verdict(SIDES[measure]))
        found.append(by)
    return found
