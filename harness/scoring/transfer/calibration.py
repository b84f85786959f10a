"""Calibrated estimates: a suite and a few annotated sentences, for every class of a corpus.

The suite's model is recalibrated on the annotated mentions: its linear predictor f becomes
c + b0 + b1·(f − c) + d·x, a level and a slope (c is the mean over the composition, so that the level depends
on b0 alone) and a small deviation for every column. All have priors that were chosen on training parts of
corpora; with no annotated mention the priors are what is left.

The result is averaged over a composition, and the estimate of a class is shrunk from what was found of its
own mentions towards that by empirical Bayes: (w + s · expected) / (k + s) for w of k mentions found. The
strength s is estimated from all annotated classes; under it the number found is beta-binomial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack

from ....catalogues.core.errors import InputError
from ....catalogues.taxonomy import Feature
from ....sentences.corpus import Corpus
from ..arrays import Flags, Ints, Numbers
from ..classes import ALL, Class
from ..scores import Scores
from ..statistics.design import categorise_forms, make_design
from ..statistics.groups import ENTITIES_BY_CONTEXTS, number_pairs
from ..statistics.jackknife import CORPUS_PAIR_WEIGHT, estimate_grouped_variance
from ..statistics.shares import normal_quantile
from ..statistics.sums import SIDES, Measure
from ..threads import limit_to_one_thread
from .composition import CLUSTER_COLUMNS, COUNT_COLUMN, Composition, convert_categories
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
"""What a calibration gives of each class."""
MIXTURE_WEIGHTS: dict[Measure, float] = {"recall": 40.0, "precision": np.inf}
"""Annotated mentions of a class that say as much of its mixture as what is averaged over.

For recall that is the composition of another corpus; for precision what the tagger proposes in the corpus
itself, of which the annotated mentions are but a part.
"""


class Calibration:
    """A suite's model over a composition, ready for annotated mentions.

    Parameters
    ----------
    by : Fitted
        The model of recall or precision.
    over : Composition
    classes : sequence of Class
    """

    def __init__(self, by: FittedModel, over: Composition, classes: Sequence[Class]) -> None:
        self.by, self.over = by, over
        self.names = [ALL, *(c.name for c in classes)]
        self.alone = CompositionForecast(by, over)
        self.x = self.alone.design_matrix
        self.f = np.asarray(self.x @ by.model.weights)
        self.centre = float(np.average(self.f, weights=over.weights))
        # classes × rows: how many mentions of each row are in each class
        mass = csr_array(
            vstack([csr_array(block) for block in iterate_class_weights(over, classes)], format="csr")
        )
        self.size: Numbers = np.asarray(mass.sum(axis=1)).ravel()
        self.share = csr_array(mass.multiply((1.0 / np.maximum(self.size, 1e-300))[:, None]))

    def _average_classes(self, values: Numbers) -> Numbers:
        """The mean of each class; NaN where the composition has none of it."""
        return np.where(self.size > 0, self.share @ values, np.nan)

    @cached_property
    def support(self) -> Numbers:
        """How much of each class's composition the suite covers."""
        return self._average_classes(self.alone.is_near.astype(np.float64))

    @cached_property
    def standardised(self) -> Numbers:
        """What the suite alone lets expect of each class."""
        return self._average_classes(self.alone.probabilities)

    def design_matrix(self, frame: pd.DataFrame) -> csr_array:
        """Some mentions, with their features, × columns of the model."""
        return self.by.model.make_design_matrix(self.by.model.make_columns(frame))

    @limit_to_one_thread()
    def fit_recalibration(self, known: AnnotatedMentions, x: csr_array) -> tuple[Recalibration, float]:
        """The recalibration, and by how much mentions that belong together make its variance larger.

        Mentions of one document or name count less by that factor; `x` is the `design` of their frame.
        """
        f = np.asarray(x @ self.by.model.weights)
        columns = x.toarray()[:, 1:]
        # as many mentions as weights of unlike sizes are worth (Kish)
        weights = known.weights * known.weights.sum() / max(float((known.weights**2).sum()), 1e-300)
        first = recalibrate(f, columns, known.is_right, weights, self.centre)
        p = _compute_probability(first, f, columns)
        residual = (weights * (known.is_right - p))[None, :]
        alone = float((residual**2).sum())
        together = float(estimate_grouped_variance(residual, known.ways, CORPUS_PAIR_WEIGHT)[0])
        factor = max(1.0, together / alone) if alone > 0 else 1.0
        return recalibrate(f, columns, known.is_right, weights / factor, self.centre), factor

    def predict_composition(self, bent: Recalibration) -> tuple[Numbers, Numbers]:
        """What a recalibration expects of each row of the composition, and of each class."""
        p = _compute_probability(bent, self.f, self.x[:, 1:])
        return p, self._average_classes(p)

    @limit_to_one_thread()
    def estimate_classes(
        self,
        known: AnnotatedMentions,
        *,
        confidence: float = 0.95,
        least_support: float = TransferOptions().least_support,
    ) -> pd.DataFrame:
        """The estimate of every class, the whole first.

        Parameters
        ----------
        known : Annotated
            Whose classes are those of this calibration.
        confidence : float
        least_support : float
            Of a class of which the suite covers less there is no figure.

        Returns
        -------
        DataFrame
            `COLUMNS`; ``attrs`` has `strength`, `level`, `slope` and `factor`.
        """
        from scipy.special import expit, logit

        x = self.design_matrix(known.frame)
        bent, factor = self.fit_recalibration(known, x)
        p, expected = self.predict_composition(bent)
        variance = self._estimate_variance(bent, p, expected)
        # as many mentions as those of each class are worth, and how many of them were found
        mass = known.class_members * known.weights
        whole, squares = mass.sum(axis=1), (mass**2).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            count = np.where(squares > 0, whole**2 / squares, 0.0) / factor
            found = np.where(whole > 0, mass @ known.is_right / whole, 0.0) * count
            share = np.where(whole[:, None] > 0, mass / whole[:, None], 0.0)
        expected, variance = self._join_estimates(
            expected, variance, self.predict_mentions(bent, x), share, count
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
                "annotated": known.class_members.sum(axis=1),
                "found": known.class_members @ known.is_right,
                "standardised": np.where(covered, self.standardised, np.nan),
                "calibrated": np.where(covered, value, np.nan),
                "calibrated_low": np.where(covered, np.minimum(expit(logit(inside) - reach), value), np.nan),
                "calibrated_high": np.where(covered, np.maximum(expit(logit(inside) + reach), value), np.nan),
                "support": self.support,
            }
        )
        table.attrs.update(strength=s, level=bent.level, slope=bent.slope, factor=factor)
        return table

    def predict_mentions(self, bent: Recalibration, x: csr_array) -> Numbers:
        """What a recalibration expects of each of some mentions, by their `design`."""
        return _compute_probability(bent, np.asarray(x @ self.by.model.weights), x[:, 1:])

    def _join_estimates(
        self, expected: Numbers, variance: Numbers, p: Numbers, share: Numbers, count: Numbers
    ) -> tuple[Numbers, Numbers]:
        """What is expected over the composition together with the annotated mentions.

        The mixture within a class differs from corpus to corpus, and that of the annotated mentions is right:
        the composition counts as `MIXTURE_WEIGHTS` mentions of each class (with precision it is right
        itself).

        Parameters
        ----------
        expected, variance : array
            Over the composition.
        p : array
            What is expected of each annotated mention.
        share : array
            Classes × annotated mentions: the part of each in the class.
        count : array
            How many mentions those of each class are worth.
        """
        own = share @ p
        part = np.where(np.isfinite(expected), count / (MIXTURE_WEIGHTS[self.by.measure] + count), 0.0)
        # how much the mean of so few mentions of a class hangs on chance
        spread = np.maximum(share @ p**2 - own**2, 0.0) / np.maximum(count, 1.0)
        return (1.0 - part) * expected + part * own, variance + part**2 * spread

    def _estimate_variance(self, bent: Recalibration, p: Numbers, expected: Numbers) -> Numbers:
        """The variance of each class's mean: of the recalibration, the suite's model and the composition."""
        share = self.share
        steep = csr_array(share.multiply((p * (1.0 - p))[None, :]))
        # classes × columns: how the estimate moves with each column's weight
        slope = np.asarray((steep @ self.x).todense())
        moved = np.concatenate(
            (slope[:, :1], (steep @ (self.f - self.centre))[:, None], slope[:, 1:]), axis=1
        )
        total = bent.compute_variance(moved) + self.by.compute_variance(slope, bent.slope)
        for low in range(0, len(self.names), BLOCK_SIZE):
            part = slice(low, low + BLOCK_SIZE)
            drawn = share[part].toarray() * (p - np.nan_to_num(expected[part])[:, None])
            total[part] += estimate_grouped_variance(drawn, self.over.ways, CORPUS_PAIR_WEIGHT)
        return np.asarray(np.maximum(total, 0.0))


def _compute_probability(bent: Recalibration, f: Numbers, columns: Numbers | csr_array) -> Numbers:
    from scipy.special import expit

    level, slope = bent.coefficients[:2]
    eta = bent.centre + level + slope * (f - bent.centre) + columns @ bent.coefficients[2:]
    return np.asarray(expit(eta))


MISSING_MENTIONS = {
    "gold": ("no annotated mention", "runs over sentences with gold mentions"),
    "predicted": ("the tagger proposes nothing in the annotated sentences", "more sentences"),
}
"""What is told where there is no mention of a side, and what is allowed."""


@dataclass(frozen=True)
class AnnotatedMentions:
    """Mentions of annotated sentences with verdicts: for recall the gold ones, for precision the predicted.

    Attributes
    ----------
    frame : DataFrame
        Their features.
    is_right : array
        What each is worth, from 0 to 1.
    weights : array
        How many mentions of the corpus each stands for, relative to the others.
    class_members : array
        Classes × mentions: which are in which class, the first class being that of all.
    ways : tuple of array
        What mentions share: documents (or texts), surface forms, pairs.
    sentences : int
        How many sentences were annotated, those without mentions among them.
    """

    frame: pd.DataFrame
    is_right: Numbers
    weights: Numbers
    class_members: Flags
    ways: tuple[Ints, ...]
    sentences: int

    def take(self, rows: Ints, sentences: int) -> AnnotatedMentions:
        """Some of the mentions, of so many sentences."""
        ways = tuple(pd.factorize(way[rows])[0].astype(np.int64) for way in self.ways)
        frame = self.frame.take(rows).reset_index(drop=True)
        return AnnotatedMentions(
            frame, self.is_right[rows], self.weights[rows], self.class_members[:, rows], ways, sentences
        )


def has_verdicts(scorings: Sequence[Scores], measure: Measure) -> bool:
    """Whether annotated sentences have what a measure is a share of, and gold that says what is right.

    Without any gold mention sentences cannot be told from such as nobody has annotated.
    """
    return all(any(len(getattr(s, side)) for s in scorings) for side in ("gold", SIDES[measure]))


def collect_annotated_mentions(
    scorings: Sequence[Scores],
    classes: Sequence[Class],
    features: Sequence[Feature],
    weights: Sequence[Numbers],
    *,
    notion: str = "strict",
    measure: Measure = "recall",
) -> AnnotatedMentions:
    """The mentions of some scored runs that a measure is a share of, with their verdicts.

    Parameters
    ----------
    scorings : sequence of Scores
        Of annotated sentences, scored by `classes`.
    classes : sequence of Class
    features : sequence of Feature
        Those of the suite's model.
    weights : sequence of array
        For each of them the weight of every text.
    notion : str
    measure : str
        ``recall``: gold mentions; ``precision``: predicted ones.

    Raises
    ------
    InputError
        When there is none, or no gold mention.
    """
    side = SIDES[measure]
    which = list(SIDES.values()).index(side)
    names = [ALL, *(c.name for c in classes)]
    parts, forms = [], []
    at = [0, 0, 0]
    for scores, own in zip(scorings, weights, strict=True):
        design = make_design(scores)
        every = np.arange(len(getattr(scores, side)), dtype=np.int64)
        rows, frame, right, groups = collect_judged(scores, side, notion, features, design, every)
        inside = np.array([scores.masks(name)[which][rows] for name in names], dtype=bool)
        if len(scorings) > 1:
            forms.append(
                None if design.name == ENTITIES_BY_CONTEXTS else categorise_forms(scores)[which][rows]
            )
        # groups of different corpora are different ones
        shared = tuple(group + low for group, low in zip(groups, at, strict=True))
        at = [low + way.size for way, low in zip(design.ways, at, strict=True)]
        parts.append((frame, right, own[getattr(scores, f"{side}_row")[rows]], inside, shared))
    if not (has_verdicts(scorings, measure) and any(len(part[1]) for part in parts)):
        told, allowed = MISSING_MENTIONS[side if any(len(s.gold) for s in scorings) else "gold"]
        raise InputError(told, found=", ".join(s.run or s.corpus.name for s in scorings), allowed=allowed)
    frames, rights, masses, masks, shares = zip(*parts, strict=True)
    shared = tuple(np.concatenate(way) for way in zip(*shares, strict=True))
    known = [form for form in forms if form is not None]
    if len(known) == len(forms) > 1:
        # but a name is the same wherever it stands
        form = pd.factorize(pd.api.types.union_categoricals(known))[0].astype(np.int64)
        shared = (shared[0], form, number_pairs(shared[0], form))
    return AnnotatedMentions(
        pd.concat([convert_categories(frame) for frame in frames], ignore_index=True),
        np.concatenate(rights),
        np.concatenate(masses).astype(np.float64),
        np.concatenate(masks, axis=1),
        shared,
        sum(len(s.corpus.texts) for s in scorings),
    )


def make_annotated_composition(annotated: AnnotatedMentions, corpus: Corpus | None = None) -> Composition:
    """What the annotated mentions themselves are made of, by their weights."""
    frame = annotated.frame.assign(
        **dict(zip(CLUSTER_COLUMNS, annotated.ways, strict=False)), **{COUNT_COLUMN: annotated.weights}
    )
    return Composition(corpus.name if corpus is not None else "annotated", frame)
