"""Calibrated estimates: a suite and a few annotated sentences, for every class of a corpus.

The suite's model is recalibrated on the annotated mentions and averaged over a composition; the estimate
of a class is shrunk from what was found of its own mentions towards that, with a strength estimated from all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack

from ..arrays import Numbers
from ..classes import ALL, Class
from ..statistics.jackknife import COMMON_IN_CORPORA, grouped_variance
from ..statistics.shares import normal
from ..statistics.sums import Measure
from ..threads import one_thread
from .annotated import Annotated
from .composition import Composition
from .options import TransferOptions
from .recalibration import Recalibrated, recalibrated
from .shrinkage import shrunk, strength
from .standardise import TOGETHER, Expectations, Fitted, masses

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
WORTH: dict[Measure, float] = {"recall": 40.0, "precision": np.inf}
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

    def __init__(self, by: Fitted, over: Composition, classes: Sequence[Class]) -> None:
        self.by, self.over = by, over
        self.names = [ALL, *(c.name for c in classes)]
        self.alone = Expectations(by, over)
        self.x = self.alone.x
        self.f = np.asarray(self.x @ by.model.weights)
        self.centre = float(np.average(self.f, weights=over.weights))
        # classes × rows: how many mentions of each row are in each class
        mass = csr_array(vstack([csr_array(block) for block in masses(over, classes)], format="csr"))
        self.size: Numbers = np.asarray(mass.sum(axis=1)).ravel()
        self.share = csr_array(mass.multiply((1.0 / np.maximum(self.size, 1e-300))[:, None]))

    def _mean(self, values: Numbers) -> Numbers:
        """The mean of each class; NaN where the composition has none of it."""
        return np.where(self.size > 0, self.share @ values, np.nan)

    @cached_property
    def support(self) -> Numbers:
        """How much of each class's composition the suite covers."""
        return self._mean(self.alone.near.astype(np.float64))

    @cached_property
    def standardised(self) -> Numbers:
        """What the suite alone lets expect of each class."""
        return self._mean(self.alone.p)

    def design(self, frame: pd.DataFrame) -> csr_array:
        """Some mentions, with their features, × columns of the model."""
        return self.by.model.design(self.by.model.columns(frame))

    @one_thread()
    def fit(self, known: Annotated, x: csr_array) -> tuple[Recalibrated, float]:
        """The recalibration, and by how much mentions that belong together make its variance larger.

        Mentions of one document or name count less by that factor; `x` is the `design` of their frame.
        """
        f = np.asarray(x @ self.by.model.weights)
        columns = x.toarray()[:, 1:]
        # as many mentions as weights of unlike sizes are worth (Kish)
        weights = known.weights * known.weights.sum() / max(float((known.weights**2).sum()), 1e-300)
        first = recalibrated(f, columns, known.right, weights, self.centre)
        p = _probability(first, f, columns)
        residual = (weights * (known.right - p))[None, :]
        alone = float((residual**2).sum())
        together = float(grouped_variance(residual, known.ways, COMMON_IN_CORPORA)[0])
        factor = max(1.0, together / alone) if alone > 0 else 1.0
        return recalibrated(f, columns, known.right, weights / factor, self.centre), factor

    def expected(self, bent: Recalibrated) -> tuple[Numbers, Numbers]:
        """What a recalibration expects of each row of the composition, and of each class."""
        p = _probability(bent, self.f, self.x[:, 1:])
        return p, self._mean(p)

    @one_thread()
    def estimates(
        self,
        known: Annotated,
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

        x = self.design(known.frame)
        bent, factor = self.fit(known, x)
        p, expected = self.expected(bent)
        variance = self._variance(bent, p, expected)
        # as many mentions as those of each class are worth, and how many of them were found
        mass = known.inside * known.weights
        whole, squares = mass.sum(axis=1), (mass**2).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            count = np.where(squares > 0, whole**2 / squares, 0.0) / factor
            found = np.where(whole > 0, mass @ known.right / whole, 0.0) * count
            share = np.where(whole[:, None] > 0, mass / whole[:, None], 0.0)
        expected, variance = self._joined(expected, variance, self.foreseen(bent, x), share, count)
        apart = slice(1 if len(count) > 1 else 0, None)
        s = strength(count[apart], found[apart], expected[apart], float(count[0]), self.by.measure)
        value, variance = shrunk(count, found, expected, variance, s)
        inside = np.clip(value, 1e-3, 1.0 - 1e-3)
        reach = normal(confidence) * np.sqrt(variance) / (inside * (1.0 - inside))
        covered = self.support >= least_support
        table = pd.DataFrame(
            {
                "class": pd.Series(self.names, dtype="str"),
                "annotated": known.inside.sum(axis=1),
                "found": known.inside @ known.right,
                "standardised": np.where(covered, self.standardised, np.nan),
                "calibrated": np.where(covered, value, np.nan),
                "calibrated_low": np.where(covered, np.minimum(expit(logit(inside) - reach), value), np.nan),
                "calibrated_high": np.where(covered, np.maximum(expit(logit(inside) + reach), value), np.nan),
                "support": self.support,
            }
        )
        table.attrs.update(strength=s, level=bent.level, slope=bent.slope, factor=factor)
        return table

    def foreseen(self, bent: Recalibrated, x: csr_array) -> Numbers:
        """What a recalibration expects of each of some mentions, by their `design`."""
        return _probability(bent, np.asarray(x @ self.by.model.weights), x[:, 1:])

    def _joined(
        self, expected: Numbers, variance: Numbers, p: Numbers, share: Numbers, count: Numbers
    ) -> tuple[Numbers, Numbers]:
        """What is expected over the composition together with the annotated mentions.

        The mixture within a class differs from corpus to corpus, and that of the annotated mentions is right:
        the composition counts as `WORTH` mentions of each class (with precision it is right itself).

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
        part = np.where(np.isfinite(expected), count / (WORTH[self.by.measure] + count), 0.0)
        # how much the mean of so few mentions of a class hangs on chance
        spread = np.maximum(share @ p**2 - own**2, 0.0) / np.maximum(count, 1.0)
        return (1.0 - part) * expected + part * own, variance + part**2 * spread

    def _variance(self, bent: Recalibrated, p: Numbers, expected: Numbers) -> Numbers:
        """The variance of each class's mean: of the recalibration, the suite's model and the composition."""
        share = self.share
        steep = csr_array(share.multiply((p * (1.0 - p))[None, :]))
        # classes × columns: how the estimate moves with each column's weight
        slope = np.asarray((steep @ self.x).todense())
        moved = np.concatenate(
            (slope[:, :1], (steep @ (self.f - self.centre))[:, None], slope[:, 1:]), axis=1
        )
        total = bent.variance(moved) + self.by.variance(slope, bent.slope)
        for low in range(0, len(self.names), TOGETHER):
            part = slice(low, low + TOGETHER)
            drawn = share[part].toarray() * (p - np.nan_to_num(expected[part])[:, None])
            total[part] += grouped_variance(drawn, self.over.ways, COMMON_IN_CORPORA)
        return np.asarray(np.maximum(total, 0.0))


def _probability(bent: Recalibrated, f: Numbers, columns: Numbers | csr_array) -> Numbers:
    from scipy.special import expit

    level, slope = bent.coefficients[:2]
    eta = bent.centre + level + slope * (f - bent.centre) + columns @ bent.coefficients[2:]
    return np.asarray(expit(eta))
