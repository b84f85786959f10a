"""Composition of an unannotated text, from mentions that several taggers propose.

A model estimates the probability that a proposal is a name, given the taggers that proposed it. It is fitted
to an annotated text with proposals by the same taggers. Because all taggers miss some names, half of the
weight of the composition comes from the names of the annotated text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ....catalogues.core.errors import InputError
from ....catalogues.feature import Feature
from ....catalogues.query import Query
from ....sentences.corpus import MENTION_COLUMNS, Corpus
from ..arrays import Flags, Numbers
from ..division import divide_by_feature
from .composition import COUNT_COLUMN, Composition, list_model_features, make_mention_composition
from .model import solve_weights

SPAN = ["text_id", "start", "end"]
"""Columns that identify a proposal."""


@dataclass(frozen=True)
class Proposals:
    """Distinct spans that taggers propose in a corpus.

    Attributes
    ----------
    spans : DataFrame
        Columns `text_id`, `start`, `end`; one row per span.
    exact, overlapping : array of bool, shape (spans, taggers)
        True if the tagger predicts exactly this span (`exact`), or another span that overlaps it
        (`overlapping`).
    """

    spans: pd.DataFrame
    exact: Flags
    overlapping: Flags

    def make_columns(self) -> Numbers:
        """Return the columns of the model: an intercept, all columns of both masks, and their pairs."""
        single = [*self.exact.T, *self.overlapping.T]
        pairs = [one & other for one, other in combinations(single, 2)]
        return np.stack([np.ones(len(self.spans)), *single, *pairs], axis=1).astype(np.float64)

    def select(self, rows: Flags) -> Proposals:
        """Return the selected spans."""
        return Proposals(self.spans[rows].reset_index(drop=True), self.exact[rows], self.overlapping[rows])

    def find_names(self, gold: pd.DataFrame) -> Flags:
        """Return a mask of the spans that are gold mentions."""
        return pd.MultiIndex.from_frame(self.spans).isin(pd.MultiIndex.from_frame(gold[SPAN]))


def collect_proposals(predictions: Sequence[pd.DataFrame]) -> Proposals:
    """Collect the distinct spans in the predictions of several taggers."""
    every = pd.concat([p[SPAN].assign(tagger=i) for i, p in enumerate(predictions)], ignore_index=True)
    spans = every[SPAN].drop_duplicates().sort_values(SPAN).reset_index(drop=True)
    exact, overlapping = (np.zeros((len(spans), len(predictions)), dtype=bool) for _ in range(2))
    rows_by_text = {name: some.index.to_numpy() for name, some in spans.groupby("text_id")}
    starts, ends = spans["start"].to_numpy(), spans["end"].to_numpy()
    for name, start, end, tagger in every.itertuples(index=False, name=None):
        rows = rows_by_text[name]
        touched = rows[(starts[rows] < end) & (start < ends[rows])]
        same = (starts[touched] == start) & (ends[touched] == end)
        exact[touched[same], tagger] = True
        overlapping[touched[~same], tagger] = True
    return Proposals(spans, exact, overlapping)


def resolve_overlaps(proposals: Proposals, probability: Numbers) -> Flags:
    """Return a mask of spans that do not overlap; the most probable ones are chosen first."""
    chosen = np.zeros(len(probability), dtype=bool)
    taken: dict[object, list[tuple[int, int]]] = {}
    spans = list(proposals.spans.itertuples(index=False, name=None))
    for row in np.argsort(-probability, kind="stable").tolist():
        name, start, end = spans[row]
        others = taken.setdefault(name, [])
        if not any(start < high and low < end for low, high in others):
            others.append((start, end))
            chosen[row] = True
    return chosen


def make_proposed_composition(
    raw: Corpus,
    annotated: Corpus,
    predictions: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]],
) -> tuple[Composition, tuple[str, ...]]:
    """Return the composition of an unannotated text, and notes on how certain it is.

    Parameters
    ----------
    raw : Corpus
        Texts without annotations.
    annotated : Corpus
        Texts with gold mentions, such as a public corpus.
    predictions : mapping of str to (DataFrame, DataFrame)
        For each tagger, its predicted mentions in `raw` and in `annotated`.

    Raises
    ------
    InputError
        If the annotated corpus has no gold mention, or no tagger predicts a mention in one of the texts.
    """
    gold = annotated.mentions[annotated.mentions["side"] == "gold"].reset_index(drop=True)
    if not len(gold):
        raise InputError("the annotated corpus has no gold mention", found=annotated.name)
    sides = [collect_proposals(side) for side in zip(*predictions.values(), strict=True)]
    for corpus, side in zip((raw, annotated), sides, strict=True):
        if not len(side.spans):
            raise InputError("the proposers predict no mention", found=corpus.name)
    # the model is fitted again without the spans that lose to overlapping ones
    weights = _fit_votes(sides[1], gold)
    there, here = (side.select(resolve_overlaps(side, _rate(side, weights))) for side in sides)
    weights = _fit_votes(here, gold)
    features = list_model_features()
    names = make_mention_composition(annotated, gold, features)
    proposed, repeated = (
        _weigh_proposals(corpus, side, _rate(side, weights), features)
        for corpus, side in ((raw, there), (annotated, here))
    )
    share = here.find_names(gold).sum() / len(gold)
    notes = (
        f"{len(there.spans):,} proposals in {raw.name}, which count as {proposed.weights.sum():,.0f} names",
        f"the proposers find an estimated {share:.0%} of the names; this is their joint recall in "
        f"{annotated.name}",
        _describe_uncertain(repeated, names, features),
    )
    return replace(_join(proposed, names), proposers=tuple(predictions)), notes


def _fit_votes(proposals: Proposals, gold: pd.DataFrame) -> Numbers:
    x = csr_array(proposals.make_columns())
    penalties = np.append(1e-6, np.ones(x.shape[1] - 1))
    return solve_weights(x, proposals.find_names(gold).astype(np.float64), penalties)


def _rate(proposals: Proposals, weights: Numbers) -> Numbers:
    """Return the probability that each proposal is a name."""
    from scipy.special import expit

    return np.asarray(expit(proposals.make_columns() @ weights))


def _weigh_proposals(
    corpus: Corpus, proposals: Proposals, probability: Numbers, features: Sequence[Feature]
) -> Composition:
    """Return the composition of proposals, weighted by their probabilities."""
    size = len(probability)
    mentions = proposals.spans.assign(
        mention_id=np.arange(size), side="gold", type="gp", score=np.full(size, np.nan)
    )[list(MENTION_COLUMNS)]
    corpus = corpus.with_mentions(mentions)
    return make_mention_composition(corpus, mentions, features, weights=probability)


def _join(proposed: Composition, names: Composition) -> Composition:
    """Join two compositions with equal weights; the total weight is that of the proposals."""
    total = proposed.weights.sum()
    parts = [
        part.frame.assign(**{COUNT_COLUMN: part.weights * (total / part.weights.sum() / 2)})
        for part in (proposed, names)
    ]
    parts[1]["document"] += parts[0]["document"].max() + 1
    return Composition(proposed.name, pd.concat(parts, ignore_index=True))


def _describe_uncertain(found: Composition, names: Composition, features: Sequence[Feature]) -> str:
    """Return a note on the feature values whose share among proposals differs most from that among names."""
    differences = []
    for feature in features[:-1]:
        for name in divide_by_feature(feature, found.frame, names.frame).names:
            query = Query.parse(name)
            shares = [
                float(c.weights[query.evaluate(c.frame)].sum() / c.weights.sum()) for c in (found, names)
            ]
            differences.append((abs(shares[0] - shares[1]), name, shares))
    worst = sorted(differences, key=lambda d: (-d[0], d[1]))[:3]
    listed = "; ".join(
        f"{name} ({shares[0]:.0%} of the proposals, {shares[1]:.0%} of the names)"
        for _, name, shares in worst
    )
    return f"most uncertain, according to {names.name}: {listed}"
