"""Standardised estimates: a model of a suite's verdicts, averaged over what a corpus is made of.

Direct standardisation, post-stratification with a model, or g-computation (Robins 1986; Gelman and Little
1997). It is right if, given the features, a name in a suite's sentence is found as often as one in a corpus.

Whether "gene" belongs to "the p53 gene", or "human" to "human p53", depends on a corpus's guideline, and
corpora differ. A tagger has one habit: where a suite's name is next to such a word, its output also shows
whether the longer name would have been found. So the model learns from such stretched names too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ....catalogues.query import Query
from ....catalogues.taxonomy import Feature
from ....sentences.corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus
from ....sentences.words import read_gene_words, read_word_list
from ..arrays import Flags, Ints, Numbers
from ..classes import ALL, Class
from ..engine import score
from ..scores import Scores
from ..statistics.design import Design, make_design
from ..statistics.jackknife import CORPUS_PAIR_WEIGHT, estimate_grouped_variance
from ..statistics.shares import normal_quantile
from ..statistics.sums import SIDES, Measure
from ..threads import limit_to_one_thread
from .composition import (
    Composition,
    describe_mentions,
    find_missing_features,
    list_model_features,
    make_mention_composition,
)
from .model import ModelColumns, VerdictModel, compute_probabilities, fit_model, make_columns, stack_columns
from .options import TransferOptions

COLUMNS = ("standardised", "standardised_low", "standardised_high", "support")
"""What a comparison appends to its rows."""
BLOCK_SIZE = 256
"""Classes that are looked at together."""


@dataclass(frozen=True)
class FittedModel:
    """A model with what its uncertainty hangs on.

    Attributes
    ----------
    measure : str
    model : Model
    x : array
        The suite's mentions, and for recall stretched ones, × columns.
    residuals : array
        By how much each verdict differs from its probability.
    ways : tuple of array
        What the suite's mentions share; three where two ways cross.
    pair_weight : float
        How much of the pairs' variance is taken away.
    max_leverage : float
        The leverage up to which a mention counts as near those of the suite.
    """

    measure: Measure
    model: VerdictModel
    x: csr_array
    residuals: Numbers
    ways: tuple[Ints, ...]
    pair_weight: float
    max_leverage: float

    def is_near(self, columns: ModelColumns, x: csr_array) -> Flags:
        """Which mentions, with columns and their design, are like some of the suite's."""
        return ~self.model.find_unseen(columns) & (compute_leverage(self.model, x) <= self.max_leverage)

    def compute_variance(self, slope: Numbers, bend: float = 1.0) -> Numbers:
        """The variance of functions of the model's weights, one a row; `bend` scales the residuals."""
        # functions × suite mentions: by how much each mention moves each function
        influence = np.asarray(np.linalg.solve(self.model.curvature, slope.T).T @ self.x.T)
        influence *= bend * self.residuals
        return estimate_grouped_variance(influence, self.ways, self.pair_weight)


@limit_to_one_thread()
def fit_suite(
    suite: Scores,
    measure: Measure = "recall",
    notion: str = "strict",
    known_columns: Collection[str] | None = None,
) -> FittedModel:
    """Fit the verdicts of a scored suite.

    Parameters
    ----------
    suite : Scores
    measure : str
        ``recall``: of gold mentions; ``precision``: of predicted ones.
    notion : str
    known_columns : collection of str, optional
        The features that the composition has; the model does without others.
    """
    side = SIDES[measure]
    features = [f for f in list_model_features(measure) if known_columns is None or f.column in known_columns]
    design: Design = make_design(suite)
    every = np.arange(len(getattr(suite, side)), dtype=np.int64)
    parts = [collect_judged(suite, side, notion, features, design, every)]
    if measure == "recall":
        parts += [
            collect_judged(longer, side, notion, features, design, rows)
            for rows, longer in score_stretched(suite, notion)
        ]
    _, frames, rights, shared = zip(*parts, strict=True)
    columns, right = (
        stack_columns([make_columns(frame, features) for frame in frames]),
        np.concatenate(rights),
    )
    ways = tuple(np.concatenate(way) for way in zip(*shared, strict=True))
    model = fit_model(columns, right, features, ways[:2])
    x = model.make_design_matrix(columns)
    residual = right - compute_probabilities(x, model.weights)
    furthest = float(compute_leverage(model, x).max(initial=0.0))
    return FittedModel(measure, model, x, residual, ways, design.pair_weight, furthest)


def collect_judged(
    scores: Scores, side: str, notion: str, features: Sequence[Feature], design: Design, rows: Ints
) -> tuple[Ints, pd.DataFrame, Numbers, tuple[Ints, ...]]:
    """Those of some mentions that have a verdict: rows, features, verdicts, and what they share."""
    right = scores.get_tally(notion).get_verdicts(side)
    rows = rows[~np.isnan(right[rows])]
    mentions: pd.DataFrame = getattr(scores, side).take(rows).reset_index(drop=True)
    frame = describe_mentions(scores.corpus, mentions, features)[[f.column for f in features]]
    return rows, frame, right[rows], tuple(getattr(way, side)[rows] for way in design.ways)


def compute_leverage(model: VerdictModel, x: csr_array) -> Numbers:
    """The variance of each mention's linear predictor: large where the suite has nothing like it."""
    inverse = np.linalg.inv(model.curvature)
    found = [
        np.asarray((x[low : low + 4096] @ inverse) * x[low : low + 4096].toarray()).sum(axis=1)
        for low in range(0, x.shape[0], 4096)
    ]
    return np.concatenate(found) if found else np.zeros(0)


@dataclass(frozen=True)
class CompositionForecast:
    """Prediction of a suite's model for each row of a composition."""

    fitted_model: FittedModel
    composition: Composition

    @cached_property
    def columns(self) -> ModelColumns:
        """The columns of the composition's rows."""
        return self.fitted_model.model.make_columns(self.composition.frame)

    @cached_property
    def design_matrix(self) -> csr_array:
        """Rows × columns of the model."""
        return self.fitted_model.model.make_design_matrix(self.columns)

    @cached_property
    def probabilities(self) -> Numbers:
        """The probability that a mention of each row is right."""
        return compute_probabilities(self.design_matrix, self.fitted_model.model.weights)

    @cached_property
    def is_near(self) -> Flags:
        """Which rows are like some of the suite's mentions."""
        return self.fitted_model.is_near(self.columns, self.design_matrix)

    def estimate_classes(
        self, class_weights: Numbers, options: TransferOptions, confidence: float
    ) -> pd.DataFrame:
        """Return `COLUMNS` for some classes; `class_weights` holds their number of mentions per row."""
        from scipy.special import expit, logit

        whole = class_weights.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = class_weights / whole[:, None]
            value = np.where(whole > 0, class_weights @ self.probabilities / whole, np.nan)
        share = np.nan_to_num(share)
        support = np.where(whole > 0, share @ self.is_near.astype(np.float64), np.nan)
        # classes × columns: how the estimate moves with each weight
        slope = np.asarray((share * (self.probabilities * (1.0 - self.probabilities))) @ self.design_matrix)
        drawn = share * (self.probabilities - np.nan_to_num(value)[:, None])
        variance = self.fitted_model.compute_variance(slope) + estimate_grouped_variance(
            drawn, self.composition.ways, CORPUS_PAIR_WEIGHT
        )
        inside = np.clip(value, 1e-6, 1.0 - 1e-6)
        error = np.sqrt(variance / (inside * (1.0 - inside)) ** 2 + options.allowance**2)
        reach = normal_quantile(confidence) * error
        covered = support >= options.least_support
        columns = value, expit(logit(inside) - reach), expit(logit(inside) + reach)
        found = {
            name: np.where(covered, column, np.nan) for name, column in zip(COLUMNS, columns, strict=False)
        }
        return pd.DataFrame({**found, "support": support})


@limit_to_one_thread()
def standardise_classes(
    fitted_model: FittedModel,
    composition: Composition,
    classes: Sequence[Class],
    options: TransferOptions | None = None,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """What to expect of each class in a corpus of some composition.

    Parameters
    ----------
    fitted_model : Fitted
        The model of a suite's verdicts.
    composition : Composition
        Of gold mentions for recall, of predicted ones for precision.
    classes : sequence of Class
    options : TransferOptions, optional
    confidence : float

    Returns
    -------
    DataFrame
        `class`, `measure` and `COLUMNS`; the whole (``all``) first. Where less than the least support is
        covered by the suite there is no figure but the support.
    """
    chosen, expected = options or TransferOptions(), CompositionForecast(fitted_model, composition)
    names = [ALL, *(c.name for c in classes)]
    rows = [
        expected.estimate_classes(mass, chosen, confidence)
        for mass in iterate_class_weights(composition, classes)
    ]
    table = pd.concat(rows, ignore_index=True)
    table.insert(0, "class", pd.Series(names, dtype="str"))
    table.insert(1, "measure", pd.Series([str(fitted_model.measure)] * len(names), dtype="str"))
    return table


def iterate_class_weights(composition: Composition, classes: Sequence[Class]) -> Iterator[Numbers]:
    """Classes × rows: how many mentions of each row are in each class (all first), in blocks.

    A class that asks features which the composition does not have has none: nothing is known of its mentions.
    """
    queries = [Query.parse(ALL), *(c.query for c in classes)]
    for low in range(0, len(queries), BLOCK_SIZE):
        masks = [
            query.evaluate(composition.frame) & (not find_missing_features(composition, query.features))
            for query in queries[low : low + BLOCK_SIZE]
        ]
        yield np.asarray(masks, dtype=np.float64) * composition.weights


def make_predicted_composition(scores: Scores) -> Composition:
    """The composition of what a tagger proposed in a corpus."""
    features = list_model_features("precision")
    return make_mention_composition(scores.corpus, scores.predicted.reset_index(drop=True), features)


FOLLOWING_WORD = re.compile(r" ([A-Za-z]+)(?![\w-])")
PRECEDING_WORD = re.compile(r"(?<![\w-])([\w-]+) $")
MAX_PRECEDING_CHARACTERS = 40
"""Characters before a name in which the word before it is looked for."""


def score_stretched(suite: Scores, notion: str) -> Iterator[tuple[Ints, Scores]]:
    """Score a suite with longer names: by the word behind, by the organism before, and by both.

    Each scoring comes with the places of the longer mentions in the suite's gold.
    """
    gold = suite.gold.reset_index(drop=True)
    starts, ends = _find_reach(suite.corpus, gold)
    begins, stops = (gold[c].to_numpy(dtype=np.int64) for c in ("start", "end"))
    before, behind = starts < begins, ends > stops
    texts = suite.corpus.texts[list(TEXT_COLUMNS)]
    options = replace(suite.options, notions=(notion,), alternatives="none", type_map={})
    for longer, low, high in (
        (behind, begins, ends),
        (before, starts, stops),
        (before & behind, starts, ends),
    ):
        if not longer.any():
            continue
        new = gold.assign(
            start=np.where(longer, low, begins),
            end=np.where(longer, high, stops),
            mention_id=range(len(gold)),
        )
        corpus = Corpus(suite.corpus.name, texts, new[list(MENTION_COLUMNS)])
        yield np.flatnonzero(longer), score(corpus, suite.predicted, options, run=suite.run)


def _find_reach(corpus: Corpus, gold: pd.DataFrame) -> tuple[Ints, Ints]:
    """How far each mention could reach on either side without touching another."""
    texts = dict(zip(corpus.texts["text_id"], corpus.texts["text"], strict=True))
    spans = list(zip(gold["text_id"], gold["start"], gold["end"], strict=True))
    of_text: dict[object, list[tuple[int, int]]] = {}
    for name, start, end in spans:
        of_text.setdefault(name, []).append((start, end))
    starts, ends = [], []
    for name, start, end in spans:
        low, high, text = start, end, texts[name]
        word = FOLLOWING_WORD.match(text, end)
        if word and word[1].lower() in read_gene_words("head"):
            high = word.end()
        first = max(start - MAX_PRECEDING_CHARACTERS, 0)
        word = PRECEDING_WORD.search(text[first:start])
        if word and word[1].lower() in read_word_list("species"):
            low = first + word.start()
        others = [span for span in of_text[name] if span != (start, end)]
        starts.append(start if any(s < start and low < e for s, e in others) else low)
        ends.append(end if any(s < high and end < e for s, e in others) else high)
    return np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)
