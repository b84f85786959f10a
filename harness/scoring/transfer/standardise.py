"""Standardised estimates: predictions of a model that is fitted on a suite, averaged over a composition.

The method is known as direct standardisation, model-based post-stratification, or g-computation (Robins 1986;
Gelman and Little 1997). It is unbiased if names with the same features are found equally often in the suite
and in the corpus.

Annotation guidelines differ on whether "gene" in "the p53 gene" or "human" in "human p53" belongs to the
name. If a name in the suite is next to such a word, the output of the tagger also shows whether it would have
found the longer name. Therefore the model is also fitted on these longer (*stretched*) names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ....catalogues.core.errors import InputError
from ....catalogues.feature import Feature
from ....catalogues.query import Query
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
    convert_categories,
    describe_mentions,
    find_missing_features,
    list_model_features,
    make_mention_composition,
)
from .model import ModelColumns, VerdictModel, compute_probabilities, fit_model, make_columns
from .options import TransferOptions

COLUMNS = ("standardised", "standardised_low", "standardised_high", "support")
"""Columns of standardised estimates that are added to a comparison."""
BLOCK_SIZE = 256
"""Number of classes that are processed together, which limits the use of memory."""


@dataclass(frozen=True)
class FittedModel:
    """Fitted model, with the data from which variances are computed.

    Attributes
    ----------
    measure : str
    model : VerdictModel
    x : array
        Design matrix of the mentions of the suite and, for recall, of stretched mentions.
    residuals : array
        Verdict minus predicted probability of each mention.
    ways : tuple of array
        Group of each mention in each grouping, such as entities and contexts; see `Groups`.
    pair_weight : float
        Fraction of the variance due to pairs that is subtracted from the variance of an estimate.
    max_leverage : float
        Largest leverage of any mention of the suite; see `compute_leverage`.
    """

    measure: Measure
    model: VerdictModel
    x: csr_array
    residuals: Numbers
    ways: tuple[Ints, ...]
    pair_weight: float
    max_leverage: float

    def is_near(self, columns: ModelColumns, x: csr_array) -> Flags:
        """Return True for each mention that is similar to mentions of the suite.

        `columns` and the design matrix `x` describe the mentions.
        """
        return ~self.model.find_unseen(columns) & (compute_leverage(self.model, x) <= self.max_leverage)

    def compute_variance(self, slope: Numbers, scale: float = 1.0) -> Numbers:
        """Return the variances of linear functions of the model's weights.

        `slope` has one row of coefficients for each function; the residuals are multiplied by `scale`.
        """
        # functions × mentions of the suite: influence of each mention
        influence = np.asarray(np.linalg.solve(self.model.curvature, slope.T).T @ self.x.T)
        influence *= scale * self.residuals
        return estimate_grouped_variance(influence, self.ways, self.pair_weight)


@limit_to_one_thread()
def fit_suite(
    suite: Scores,
    measure: Measure = "recall",
    notion: str = "strict",
    known_columns: Collection[str] | None = None,
) -> FittedModel:
    """Fit a model to the verdicts on the mentions of a suite.

    Parameters
    ----------
    suite : Scores
    measure : str
        ``recall`` for gold mentions, ``precision`` for predicted ones.
    notion : str
    known_columns : collection of str, optional
        Columns of the composition; the model uses only features that have a column in it.

    Raises
    ------
    InputError
        If the run on the suite has no gold mention (for recall) or no predicted mention (for precision).
    """
    side = SIDES[measure]
    if not len(getattr(suite, side)):
        problem = f"{measure} cannot be estimated without {side} mentions in the run on the suite"
        raise InputError(problem, found=suite.run)
    features = [f for f in list_model_features(measure) if known_columns is None or f.column in known_columns]
    design: Design = make_design(suite)
    all_rows = np.arange(len(getattr(suite, side)), dtype=np.int64)
    parts = [collect_judged(suite, side, notion, features, design, all_rows)]
    if measure == "recall":
        parts += [
            collect_judged(longer, side, notion, features, design, rows)
            for rows, longer in score_stretched(suite, notion)
        ]
    _, frames, rights, shared = zip(*parts, strict=True)
    columns = make_columns(pd.concat(frames, ignore_index=True), features)
    right = np.concatenate(rights)
    ways = tuple(np.concatenate(way) for way in zip(*shared, strict=True))
    model = fit_model(columns, right, features, ways[:2])
    x = model.make_design_matrix(columns)
    residual = right - compute_probabilities(x, model.weights)
    max_leverage = float(compute_leverage(model, x).max(initial=0.0))
    return FittedModel(measure, model, x, residual, ways, design.pair_weight, max_leverage)


def collect_judged(
    scores: Scores, side: str, notion: str, features: Sequence[Feature], design: Design, rows: Ints
) -> tuple[Ints, pd.DataFrame, Numbers, tuple[Ints, ...]]:
    """Return the row numbers, features, verdicts and groups of the mentions that have a verdict."""
    right = scores.get_tally(notion).get_verdicts(side)
    rows = rows[~np.isnan(right[rows])]
    mentions: pd.DataFrame = getattr(scores, side).take(rows).reset_index(drop=True)
    frame = describe_mentions(scores.corpus, mentions, features)[[f.column for f in features]]
    return (
        rows,
        convert_categories(frame),
        right[rows],
        tuple(getattr(way, side)[rows] for way in design.ways),
    )


def compute_leverage(model: VerdictModel, x: csr_array) -> Numbers:
    """Return the variance of the linear predictor of each mention.

    The variance is large for mentions that differ from the mentions of the suite.
    """
    inverse = np.linalg.inv(model.curvature)
    leverages = [
        np.asarray((x[low : low + 4096] @ inverse) * x[low : low + 4096].toarray()).sum(axis=1)
        for low in range(0, x.shape[0], 4096)
    ]
    return np.concatenate(leverages) if leverages else np.zeros(0)


class CompositionForecast:
    """Predictions of a model for the rows of a composition.

    Attributes
    ----------
    design_matrix : array
        Rows of the composition × columns of the model.
    probabilities : array
        Predicted probability, for each row of the composition, that its mentions are right.
    is_near : array of bool
        True for rows of the composition that describe mentions similar to those of the suite.
    """

    def __init__(self, fitted_model: FittedModel, composition: Composition) -> None:
        self.fitted_model, self.composition = fitted_model, composition
        columns = fitted_model.model.make_columns(composition.frame)
        self.design_matrix = fitted_model.model.make_design_matrix(columns)
        self.probabilities = compute_probabilities(self.design_matrix, fitted_model.model.weights)
        self.is_near = fitted_model.is_near(columns, self.design_matrix)

    def estimate_classes(
        self, class_weights: Numbers, options: TransferOptions, confidence: float
    ) -> pd.DataFrame:
        """Return the estimates of classes, with the columns `COLUMNS`.

        `class_weights` is the number of mentions of each class in each row of the composition.
        """
        from scipy.special import expit, logit

        whole = class_weights.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = class_weights / whole[:, None]
            value = np.where(whole > 0, class_weights @ self.probabilities / whole, np.nan)
        share = np.nan_to_num(share)
        support = np.where(whole > 0, share @ self.is_near.astype(np.float64), np.nan)
        # classes × columns: derivative of the estimate by each weight
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
        estimates = {
            name: np.where(covered, column, np.nan) for name, column in zip(COLUMNS, columns, strict=False)
        }
        return pd.DataFrame({**estimates, "support": support})


@limit_to_one_thread()
def standardise_classes(
    fitted_model: FittedModel,
    composition: Composition,
    classes: Sequence[Class],
    options: TransferOptions | None = None,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Estimate recall or precision of each class in a corpus with a given composition.

    Parameters
    ----------
    fitted_model : FittedModel
        Model that was fitted on a suite.
    composition : Composition
        Composition of gold mentions for recall, of predicted mentions for precision.
    classes : sequence of Class
    options : TransferOptions, optional
    confidence : float

    Returns
    -------
    DataFrame
        One row per class, with ``all`` first; columns `class`, `measure` and `COLUMNS`. The estimate of a
        class is NaN if too few of its mentions are similar to mentions of the suite.
    """
    chosen, forecast = options or TransferOptions(), CompositionForecast(fitted_model, composition)
    names = [ALL, *(c.name for c in classes)]
    rows = [
        forecast.estimate_classes(mass, chosen, confidence)
        for mass in iterate_class_weights(composition, classes)
    ]
    table = pd.concat(rows, ignore_index=True)
    table.insert(0, "class", pd.Series(names, dtype="str"))
    table.insert(1, "measure", pd.Series([str(fitted_model.measure)] * len(names), dtype="str"))
    return table


def iterate_class_weights(composition: Composition, classes: Sequence[Class]) -> Iterator[Numbers]:
    """Yield, for blocks of classes, the number of mentions of each class in each row of a composition.

    The first class is ``all``. If the query of a class uses features that the composition lacks, all numbers
    of the class are 0.
    """
    queries = [Query.parse(ALL), *(c.query for c in classes)]
    for low in range(0, len(queries), BLOCK_SIZE):
        masks = [
            query.evaluate(composition.frame) & (not find_missing_features(composition, query.features))
            for query in queries[low : low + BLOCK_SIZE]
        ]
        yield np.asarray(masks, dtype=np.float64) * composition.weights


def make_predicted_composition(scores: Scores) -> Composition:
    """Return the composition of the predicted mentions in a corpus."""
    features = list_model_features("precision")
    return make_mention_composition(scores.corpus, scores.predicted.reset_index(drop=True), features)


FOLLOWING_WORD = re.compile(r" ([A-Za-z]+)(?![\w-])")
PRECEDING_WORD = re.compile(r"(?<![\w-])([\w-]+) $")
MAX_PRECEDING_CHARACTERS = 40
"""Maximum length of the word before a name, including the space after it, in characters."""


def score_stretched(suite: Scores, notion: str) -> Iterator[tuple[Ints, Scores]]:
    """Score a suite after extending names by the following head word, the preceding organism, or both.

    Yields the positions of the stretched mentions among the gold mentions, and the scores of the suite.
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
    """Return the start and end of each mention after stretching it without overlapping other mentions."""
    texts = dict(zip(corpus.texts["text_id"], corpus.texts["text"], strict=True))
    spans = list(zip(gold["text_id"], gold["start"], gold["end"], strict=True))
    spans_by_text: dict[object, list[tuple[int, int]]] = {}
    for name, start, end in spans:
        spans_by_text.setdefault(name, []).append((start, end))
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
        others = [span for span in spans_by_text[name] if span != (start, end)]
        starts.append(start if any(s < start and low < e for s, e in others) else low)
        ends.append(end if any(s < high and end < e for s, e in others) else high)
    return np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)
