"""Calibrated estimates for classes of a corpus, from a suite and a few annotated sentences.

The model that was fitted on the suite is recalibrated on the annotated mentions. Its linear predictor f
becomes c + b0 + b1·(f − c) + d·x, where c is the mean of f over the composition, b0 a level, b1 a slope, and
d a small deviation for each column of the design matrix x. The priors of these parameters were chosen on the
training parts of several corpora.

The recalibrated predictions are averaged over a composition (counts of feature combinations). The estimate of
a class combines this average with the results on its annotated mentions (empirical Bayes): (w + s · expected)
/ (k + s) if w of k mentions were found. The strength s is estimated from all annotated classes, with a
beta-binomial model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack

from ....catalogues.core.errors import InputError
from ....catalogues.feature import Feature
from ..arrays import Flags, Ints, Numbers
from ..classes import ALL, Class
from ..scores import Scores
from ..statistics.design import categorise_forms, make_design
from ..statistics.groups import ENTITIES_BY_CONTEXTS, number_pairs
from ..statistics.jackknife import CORPUS_PAIR_WEIGHT, estimate_grouped_variance
from ..statistics.shares import normal_quantile
from ..statistics.sums import SIDES, Measure
from ..threads import limit_to_one_thread
from .composition import CLUSTER_COLUMNS, COUNT_COLUMN, Composition
from .options import TransferOptions
from .recalibration import Recalibration, estimate_strength, recalibrate, shrink_classes
from .standardise import BLOCK_SIZE, CompositionForecast, FittedModel, collect_judged, iterate_class_weights

COLUMNS = (
    "class",
    "annotated",
    "found",
    "standardised",
    "calibrated",
    "calibrated_low",
    "calibrated_high",
    "support",
)
"""Columns of calibrated estimates."""
MIXTURE_WEIGHTS: dict[Measure, float] = {"recall": 40.0, "precision": np.inf}
"""Weight of the composition in the estimate of a class, as a number of annotated mentions.

For recall, the composition comes from another corpus. For precision, it comes from the corpus itself, and the
annotated mentions are a part of it.
"""


class Calibration:
    """Recalibration of a suite's model on annotated mentions, and estimates for a given composition.

    Parameters
    ----------
    by : FittedModel
        Model of recall or precision, fitted on a suite.
    over : Composition
        Composition to average over.
    classes : sequence of Class
    """

    def __init__(self, by: FittedModel, over: Composition, classes: Sequence[Class]) -> None:
        self.by, self.over = by, over
        self.names = [ALL, *(c.name for c in classes)]
        self.alone = CompositionForecast(by, over)
        self.x = self.alone.design_matrix
        self.f = np.asarray(self.x @ by.model.weights)
        self.centre = float(np.average(self.f, weights=over.weights))
        # classes × rows: number of mentions of each row in each class
        mass = csr_array(
            vstack([csr_array(block) for block in iterate_class_weights(over, classes)], format="csr")
        )
        self.size: Numbers = np.asarray(mass.sum(axis=1)).ravel()
        self.share = csr_array(mass.multiply((1.0 / np.maximum(self.size, 1e-300))[:, None]))
        # for each class: share of mentions that the suite covers, and estimate without annotated mentions
        self.support = self._average_classes(self.alone.is_near.astype(np.float64))
        self.standardised = self._average_classes(self.alone.probabilities)

    def _average_classes(self, values: Numbers) -> Numbers:
        return np.where(self.size > 0, self.share @ values, np.nan)

    def design_matrix(self, frame: pd.DataFrame) -> csr_array:
        """Return the design matrix (mentions × columns of the model) for a table of features."""
        return self.by.model.make_design_matrix(self.by.model.make_columns(frame))

    @limit_to_one_thread()
    def fit_recalibration(self, annotated: AnnotatedMentions, x: csr_array) -> tuple[Recalibration, float]:
        """Return the recalibration, and the factor by which dependent mentions increase its variance.

        Mentions in the same document, and mentions of the same name, are dependent; therefore each mention
        has the weight 1 / factor. `x` is the design matrix of the annotated mentions.
        """
        f = np.asarray(x @ self.by.model.weights)
        columns = x.toarray()[:, 1:]
        weights = np.ones(len(f))
        first = recalibrate(f, columns, annotated.is_right, weights, self.centre)
        p = _compute_probability(first, f, columns)
        residual = (annotated.is_right - p)[None, :]
        independent = float((residual**2).sum())
        grouped = float(estimate_grouped_variance(residual, annotated.ways, CORPUS_PAIR_WEIGHT)[0])
        factor = max(1.0, grouped / independent) if independent > 0 else 1.0
        return recalibrate(f, columns, annotated.is_right, weights / factor, self.centre), factor

    def predict_composition(self, recalibration: Recalibration) -> tuple[Numbers, Numbers]:
        """Return recalibrated probabilities for the rows of the composition, and the mean for each class."""
        p = _compute_probability(recalibration, self.f, self.x[:, 1:])
        return p, self._average_classes(p)

    @limit_to_one_thread()
    def estimate_classes(
        self,
        annotated: AnnotatedMentions,
        *,
        confidence: float = 0.95,
        least_support: float = TransferOptions().least_support,
    ) -> pd.DataFrame:
        """Estimate recall or precision of each class, with ``all`` first.

        Parameters
        ----------
        annotated : AnnotatedMentions
            Annotated mentions, assigned to the classes of this calibration.
        confidence : float
        least_support : float
            Minimum share of a class that must be similar to mentions in the suite; otherwise its estimate is
            NaN.

        Returns
        -------
        DataFrame
            Columns `COLUMNS`, one row per class. The attribute ``attrs`` of the table contains the parameters
            `strength`, `level`, `slope` and `factor`.
        """
        from scipy.special import expit, logit

        x = self.design_matrix(annotated.frame)
        recalibration, factor = self.fit_recalibration(annotated, x)
        p, expected = self.predict_composition(recalibration)
        variance = self._estimate_variance(recalibration, p, expected)
        # effective number of annotated mentions in each class, and of found ones
        members = annotated.class_members.astype(np.float64)
        whole = members.sum(axis=1)
        count, found = whole / factor, members @ annotated.is_right / factor
        share = members / np.maximum(whole, 1.0)[:, None]
        expected, variance = self._join_estimates(
            expected, variance, self.predict_mentions(recalibration, x), share, count
        )
        apart = slice(1 if len(count) > 1 else 0, None)
        s = estimate_strength(count[apart], found[apart], expected[apart], float(count[0]), self.by.measure)
        value, variance = shrink_classes(count, found, expected, variance, s)
        inside = np.clip(value, 1e-3, 1.0 - 1e-3)
        reach = normal_quantile(confidence) * np.sqrt(variance) / (inside * (1.0 - inside))
        covered = self.support >= least_support
        table = pd.DataFrame(
            {
                "class": pd.Series(self.names, dtype="str"),
                "annotated": annotated.class_members.sum(axis=1),
                "found": annotated.class_members @ annotated.is_right,
                "standardised": np.where(covered, self.standardised, np.nan),
                "calibrated": np.where(covered, value, np.nan),
                "calibrated_low": np.where(covered, np.minimum(expit(logit(inside) - reach), value), np.nan),
                "calibrated_high": np.where(covered, np.maximum(expit(logit(inside) + reach), value), np.nan),
                "support": self.support,
            }
        )
        table.attrs.update(strength=s, level=recalibration.level, slope=recalibration.slope, factor=factor)
        return table

    def predict_mentions(self, recalibration: Recalibration, x: csr_array) -> Numbers:
        """Return the recalibrated probability of each mention (row) in a design matrix."""
        return _compute_probability(recalibration, np.asarray(x @ self.by.model.weights), x[:, 1:])

    def _join_estimates(
        self, expected: Numbers, variance: Numbers, p: Numbers, share: Numbers, count: Numbers
    ) -> tuple[Numbers, Numbers]:
        """Combine the mean predictions over the composition with those over the annotated mentions.

        Mentions of the same class have different features in different corpora, and only the annotated
        mentions certainly come from the corpus for which results are estimated. The composition has the
        weight of `MIXTURE_WEIGHTS` annotated mentions.

        Parameters
        ----------
        expected, variance : array
            Mean prediction of each class over the composition, and its variance.
        p : array
            Prediction for each annotated mention.
        share : array
            Classes × annotated mentions: weight of each mention in the mean of its class.
        count : array
            Effective number of annotated mentions in each class.
        """
        mean = share @ p
        part = np.where(np.isfinite(expected), count / (MIXTURE_WEIGHTS[self.by.measure] + count), 0.0)
        # sampling variance of the mean over the annotated mentions
        spread = np.maximum(share @ p**2 - mean**2, 0.0) / np.maximum(count, 1.0)
        return (1.0 - part) * expected + part * mean, variance + part**2 * spread

    def _estimate_variance(self, recalibration: Recalibration, p: Numbers, expected: Numbers) -> Numbers:
        """Return the variance of each class mean that is due to recalibration, model and composition."""
        share = self.share
        steep = csr_array(share.multiply((p * (1.0 - p))[None, :]))
        # classes × columns: derivative of the estimate by the weight of each column
        slope = np.asarray((steep @ self.x).todense())
        moved = np.concatenate(
            (slope[:, :1], (steep @ (self.f - self.centre))[:, None], slope[:, 1:]), axis=1
        )
        total = recalibration.compute_variance(moved) + self.by.compute_variance(slope, recalibration.slope)
        for low in range(0, len(self.names), BLOCK_SIZE):
            part = slice(low, low + BLOCK_SIZE)
            drawn = share[part].toarray() * (p - np.nan_to_num(expected[part])[:, None])
            total[part] += estimate_grouped_variance(drawn, self.over.ways, CORPUS_PAIR_WEIGHT)
        return np.asarray(np.maximum(total, 0.0))


def _compute_probability(recalibration: Recalibration, f: Numbers, columns: Numbers | csr_array) -> Numbers:
    from scipy.special import expit

    level, slope = recalibration.coefficients[:2]
    eta = recalibration.centre + level + slope * (f - recalibration.centre)
    eta = eta + columns @ recalibration.coefficients[2:]
    return np.asarray(expit(eta))


MISSING_MENTIONS = {
    "gold": "no gold mention in the annotated sentences; give runs on sentences with gold mentions",
    "predicted": "no predicted mention in the annotated sentences; annotate more sentences",
}
"""Error messages for annotated sentences that have no gold mentions or no predicted mentions."""


@dataclass(frozen=True)
class AnnotatedMentions:
    """Gold mentions (for recall) or predicted mentions (for precision) of annotated sentences.

    Attributes
    ----------
    frame : DataFrame
        Features of the mentions.
    is_right : array
        Verdict on each mention, from 0 to 1.
    class_members : array of bool
        Classes × mentions: True if the mention belongs to the class. The class ``all`` is first.
    ways : tuple of array
        Group of each mention in each grouping: documents (or texts), surface forms, and pairs of both.
    sentences : int
        Number of annotated sentences, including those without mentions.
    """

    frame: pd.DataFrame
    is_right: Numbers
    class_members: Flags
    ways: tuple[Ints, ...]
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
    parts, forms = [], []
    at = [0, 0, 0]
    for scores in scorings:
        design = make_design(scores)
        all_rows = np.arange(len(getattr(scores, side)), dtype=np.int64)
        rows, frame, right, groups = collect_judged(scores, side, notion, features, design, all_rows)
        inside = np.array([scores.masks(name)[which][rows] for name in names], dtype=bool)
        if len(scorings) > 1:
            forms.append(
                None if design.name == ENTITIES_BY_CONTEXTS else categorise_forms(scores)[which][rows]
            )
        # groups of different corpora get different numbers
        shared = tuple(group + low for group, low in zip(groups, at, strict=True))
        at = [low + way.size for way, low in zip(design.ways, at, strict=True)]
        parts.append((frame, right, inside, shared))
    is_usable = all(any(len(getattr(s, name)) for s in scorings) for name in ("gold", side))
    if not (is_usable and any(len(part[1]) for part in parts)):
        problem = MISSING_MENTIONS[side if any(len(s.gold) for s in scorings) else "gold"]
        raise InputError(problem, found=", ".join(s.run or s.corpus.name for s in scorings))
    frames, rights, masks, shares = zip(*parts, strict=True)
    shared = tuple(np.concatenate(way) for way in zip(*shares, strict=True))
    corpus_forms = [form for form in forms if form is not None]
    if len(corpus_forms) == len(forms) > 1:
        # except surface forms, which are the same in all corpora
        form = pd.factorize(pd.api.types.union_categoricals(corpus_forms))[0].astype(np.int64)
        shared = (shared[0], form, number_pairs(shared[0], form))
    return AnnotatedMentions(
        pd.concat(frames, ignore_index=True),
        np.concatenate(rights),
        np.concatenate(masks, axis=1),
        shared,
        sum(len(s.corpus.texts) for s in scorings),
    )


def make_annotated_composition(annotated: AnnotatedMentions) -> Composition:
    """Return the composition of annotated mentions."""
    frame = annotated.frame.assign(
        **dict(zip(CLUSTER_COLUMNS, annotated.ways, strict=False)), **{COUNT_COLUMN: 1.0}
    )
    return Composition("annotated", frame)
