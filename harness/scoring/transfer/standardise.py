"""Standardised estimates: predictions of a model of all evidence, averaged over a composition.

The method is known as direct standardisation, model-based post-stratification, or g-computation (Robins 1986;
Gelman and Little 1997). It is unbiased if names with the same features are found equally often in the
evidence and in the corpus, except for a difference in level.

All mentions of the evidence have the same weight. The level of the corpus is the mean of the levels of the
suite and of the annotated corpora. If there are annotated sentences from the corpus itself, they shift this
level.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ....catalogues.feature import Feature
from ....catalogues.query import Query
from ..arrays import Numbers
from ..classes import ALL, Class
from ..scores import Scores
from ..statistics.jackknife import CORPUS_PAIR_WEIGHT, estimate_grouped_variance
from ..statistics.shares import normal_quantile
from ..statistics.sums import Measure
from ..threads import limit_to_one_thread
from .composition import Composition, find_missing_features, list_model_features, make_mention_composition
from .evidence import AnnotatedMentions, JudgedMentions, collect_judged, list_features
from .model import VerdictModel, compute_probabilities, fit_model, make_columns
from .options import TransferOptions

COLUMNS = ("standardised", "standardised_low", "standardised_high", "support")
"""Columns of standardised estimates that are added to a comparison."""
BLOCK_SIZE = 256
"""Number of classes that are processed together, which limits the use of memory."""
CORPUS_LEVEL_VARIANCE = 10.0
"""Prior variance of the level of an annotated corpus, in squared log odds."""
OWN_LEVEL_VARIANCE = 0.3
"""Prior variance of the level of annotated sentences, relative to the mean level of the other sources."""


OWN_DEVIATION: dict[Measure, float] = {"recall": 0.0, "precision": 0.02}
"""Prior variance of the deviations of coefficients in annotated sentences.

Suites lack the false positives of running text, so that coefficients of precision differ more.
"""


@dataclass(frozen=True)
class FittedModel:
    """Fitted model, with the data from which variances are computed.

    Attributes
    ----------
    measure : str
    model : VerdictModel
    x : array
        Design matrix of the mentions of all sources.
    residuals : array
        Verdict minus predicted probability of each mention.
    sources : tuple of (slice, JudgedMentions)
        Rows of each source in `x`, and its mentions.
    """

    measure: Measure
    model: VerdictModel
    x: csr_array
    residuals: Numbers
    sources: tuple[tuple[slice, JudgedMentions], ...]

    def compute_variance(self, slope: Numbers) -> Numbers:
        """Return the variances of linear functions of the model's weights, one per row of `slope`.

        Each mention influences the weights. Its influence is summed by group, separately for each source. The
        less the mentions determine a level, the more of its prior variance is added.
        """
        # functions × columns
        spread = np.linalg.solve(self.model.curvature, slope.T).T
        variances = self.model.level_variances
        total = (spread[:, spread.shape[1] - len(variances) :] ** 2 / variances).sum(axis=1)
        for rows, source in self.sources:
            # functions × mentions of the source
            influence = np.asarray(spread @ self.x[rows].T) * self.residuals[rows]
            total += estimate_grouped_variance(influence, source.ways, source.pair_weight)
        return np.asarray(total)


@limit_to_one_thread()
def fit_evidence(
    suite: Scores,
    corpora: Sequence[Scores] = (),
    annotated: AnnotatedMentions | None = None,
    *,
    measure: Measure = "recall",
    notion: str = "strict",
    known_columns: Collection[str] | None = None,
) -> FittedModel:
    """Fit one model to a tagger's verdicts on a suite, annotated corpora, and annotated sentences.

    Parameters
    ----------
    suite : Scores
    corpora : sequence of Scores
        Scores of annotated corpora other than the one for which results are estimated.
    annotated : AnnotatedMentions, optional
        Mentions of annotated sentences from the corpus for which results are estimated.
    measure : str
        ``recall`` for gold mentions, ``precision`` for predicted ones.
    notion : str
    known_columns : collection of str, optional
        Columns of the composition; the model uses only features that have a column in it.

    Raises
    ------
    InputError
        If a run has no gold mention (for recall) or no predicted mention (for precision).
    """
    features = list_features(measure, known_columns)
    sources = [collect_judged(suite, measure, notion, features, stretched=True)]
    sources += [collect_judged(scores, measure, notion, features) for scores in corpora]
    return fit_sources(sources, features, measure, annotated)


def fit_sources(
    sources: Sequence[JudgedMentions],
    features: Sequence[Feature],
    measure: Measure = "recall",
    annotated: AnnotatedMentions | None = None,
) -> FittedModel:
    """Fit one model to the mentions of several sources; see `fit_evidence`."""
    # the last level is that of the annotated sentences
    count = len(sources) - 1 + (annotated is not None)
    source_levels = np.eye(len(sources), count, k=-1)
    target = source_levels.mean(axis=0)
    variances = np.full(count, CORPUS_LEVEL_VARIANCE)
    if annotated is not None:
        sources = [*sources, annotated]
        target[-1], variances[-1] = 1.0, OWN_LEVEL_VARIANCE
        source_levels = np.vstack((source_levels, target))
    sizes = [len(source.is_right) for source in sources]
    frame = pd.concat([source.frame[[f.column for f in features]] for source in sources], ignore_index=True)
    right = np.concatenate([source.is_right for source in sources])
    columns = make_columns(frame, features)
    levels = np.repeat(source_levels, sizes, axis=0)
    deviation = OWN_DEVIATION[measure] if annotated is not None else 0.0
    model, x = fit_model(columns, right, features, levels, variances, target, deviation)
    ends = np.cumsum(sizes).tolist()
    parts = tuple(
        (slice(end - size, end), source) for end, size, source in zip(ends, sizes, sources, strict=True)
    )
    residuals = right - compute_probabilities(x, model.weights)
    return FittedModel(measure, model, x, residuals, parts)


def average_classes(
    fitted_model: FittedModel, composition: Composition, classes: Sequence[Class]
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the mean prediction of ``all`` and of each class, its variance, and the support of the class.

    The support is the share of mentions whose feature values occur in the evidence often enough. All numbers
    of a class without mentions are NaN.
    """
    model = fitted_model.model
    columns = model.make_columns(composition.frame)
    x = model.make_design_matrix(columns)
    p = compute_probabilities(x, model.weights)
    covered = 1.0 - model.find_unseen(columns)
    blocks = []
    for mass in iterate_class_weights(composition, classes):
        whole = mass.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            # classes × rows of the composition
            share = mass / whole[:, None]
        value, support = share @ p, share @ covered
        share = np.nan_to_num(share)
        # classes × columns: derivative of the mean by each weight
        slope = np.asarray((share * (p * (1.0 - p))) @ x)
        drawn = share * (p - np.nan_to_num(value)[:, None])
        variance = fitted_model.compute_variance(slope) + estimate_grouped_variance(
            drawn, composition.ways, CORPUS_PAIR_WEIGHT
        )
        blocks.append((value, variance, support))
    value, variance, support = (np.concatenate(part) for part in zip(*blocks, strict=True))
    return value, variance, support


def make_interval(
    value: Numbers, variance: Numbers, confidence: float, allowance: float
) -> tuple[Numbers, Numbers]:
    """Return the ends of intervals of shares, computed in log odds.

    `allowance` is a standard error in log odds that is added to `variance`.
    """
    from scipy.special import expit, logit

    inside = np.clip(value, 1e-3, 1.0 - 1e-3)
    error = np.sqrt(variance / (inside * (1.0 - inside)) ** 2 + allowance**2)
    reach = normal_quantile(confidence) * error
    low, high = expit(logit(inside) - reach), expit(logit(inside) + reach)
    return np.minimum(low, value), np.maximum(high, value)


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
        Model of the evidence.
    composition : Composition
        Composition of gold mentions for recall, of predicted mentions for precision.
    classes : sequence of Class
    options : TransferOptions, optional
    confidence : float

    Returns
    -------
    DataFrame
        One row per class, with ``all`` first; columns `class`, `measure` and `COLUMNS`. The estimate of a
        class is NaN if the evidence covers too few of its mentions.
    """
    chosen = options or TransferOptions()
    value, variance, support = average_classes(fitted_model, composition, classes)
    low, high = make_interval(value, variance, confidence, chosen.allowance)
    covered = support >= chosen.least_support
    names = [ALL, *(c.name for c in classes)]
    estimates = {
        name: np.where(covered, column, np.nan)
        for name, column in zip(COLUMNS, (value, low, high), strict=False)
    }
    return pd.DataFrame(
        {
            "class": pd.Series(names, dtype="str"),
            "measure": pd.Series([str(fitted_model.measure)] * len(names), dtype="str"),
            **estimates,
            "support": support,
        }
    )


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
