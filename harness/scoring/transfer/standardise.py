"""Standardised estimates: a model of a suite's verdicts, averaged over what a corpus is made of.

Direct standardisation, post-stratification with a model, or g-computation (Robins 1986; Gelman and Little
1997). It is right if, given the features, a name in a suite's sentence is found as often as one in a corpus.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..classes import ALL, Class
from ..features import with_features
from ..scores import Scores
from ..statistics.design import Design, design_of
from ..statistics.jackknife import COMMON_IN_CORPORA
from ..statistics.sums import SIDES, Measure
from .composition import Composition, composition_of, described_features
from .model import Model, fit, probability
from .options import TransferOptions

Numbers = NDArray[np.float64]
Ints = NDArray[np.int64]

COLUMNS = ("standardised", "standardised_low", "standardised_high", "support")
"""What a comparison appends to its rows."""
TOGETHER = 256
"""Classes that are looked at together."""


@dataclass(frozen=True)
class Fitted:
    """A model with what its uncertainty hangs on.

    Attributes
    ----------
    measure : str
    model : Model
    x : array
        The suite's mentions × columns.
    residual : array
        By how much each verdict differs from its probability.
    ways : tuple of array
        What the suite's mentions share; three where two ways cross.
    common : float
        How much of the pairs' variance is taken away.
    furthest : float
        The leverage up to which a mention counts as near those of the suite.
    """

    measure: Measure
    model: Model
    x: csr_array
    residual: Numbers
    ways: tuple[Ints, ...]
    common: float
    furthest: float


def fitted(
    suite: Scores,
    measure: Measure = "recall",
    notion: str = "strict",
    known: Collection[str] | None = None,
) -> Fitted:
    """Fit the verdicts of a scored suite.

    Parameters
    ----------
    suite : Scores
    measure : str
        ``recall``: of gold mentions; ``precision``: of predicted ones.
    notion : str
    known : collection of str, optional
        The features that the composition has; the model does without others.
    """
    side = SIDES[measure]
    features = [f for f in described_features(measure) if known is None or f.column in known]
    mentions: pd.DataFrame = getattr(suite, side)
    frame = with_features(suite.corpus, mentions, features).reset_index(drop=True)
    right = suite.tally(notion).verdict(side)
    design: Design = design_of(suite)
    told = np.flatnonzero(~np.isnan(right))
    ways = tuple(getattr(way, side)[told] for way in design.ways)
    frame, right = frame.take(told).reset_index(drop=True), right[told]
    model = fit(frame, right, features, ways[:2])
    x = model.design(frame)
    residual = right - probability(x, model.weights)
    furthest = float(leverage(model, x).max(initial=0.0))
    return Fitted(measure, model, x, residual, ways, design.common, furthest)


def leverage(model: Model, x: csr_array) -> Numbers:
    """The variance of each mention's linear predictor: large where the suite has nothing like it."""
    inverse = np.linalg.inv(model.curvature)
    found = [
        np.asarray((x[low : low + 4096] @ inverse) * x[low : low + 4096].toarray()).sum(axis=1)
        for low in range(0, x.shape[0], 4096)
    ]
    return np.concatenate(found) if found else np.zeros(0)


def standardised(
    by: Fitted,
    over: Composition,
    classes: Sequence[Class],
    options: TransferOptions | None = None,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """What to expect of each class in a corpus of some composition.

    Parameters
    ----------
    by : Fitted
        The model of a suite's verdicts.
    over : Composition
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
    chosen = options or TransferOptions()
    x = by.model.design(over.frame)
    p = probability(x, by.model.weights)
    near = ~by.model.unseen(over.frame) & (leverage(by.model, x) <= by.furthest)
    names = [ALL, *(c.name for c in classes)]
    rows = []
    for low in range(0, len(names), TOGETHER):
        masks = [
            np.ones(len(p), dtype=bool) if i == 0 else classes[i - 1].query.evaluate(over.frame)
            for i in range(low, min(low + TOGETHER, len(names)))
        ]
        # classes × rows: how many mentions of each row are in each class
        mass = np.asarray(masks, dtype=np.float64) * over.weights
        rows.append(_estimates(by, over, mass, x, p, near, chosen, confidence))
    table = pd.concat(rows, ignore_index=True)
    table.insert(0, "class", pd.Series(names, dtype="str"))
    table.insert(1, "measure", pd.Series([str(by.measure)] * len(names), dtype="str"))
    return table


def _estimates(
    by: Fitted,
    over: Composition,
    mass: Numbers,
    x: csr_array,
    p: Numbers,
    near: NDArray[np.bool_],
    options: TransferOptions,
    confidence: float,
) -> pd.DataFrame:
    from scipy.special import expit, logit, ndtri

    whole = mass.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = mass / whole[:, None]
        value = np.where(whole > 0, mass @ p / whole, np.nan)
    share = np.nan_to_num(share)
    support = np.where(whole > 0, share @ near.astype(np.float64), np.nan)
    # classes × columns: how the estimate moves with each weight; then classes × suite mentions
    slope = np.asarray((share * (p * (1.0 - p))) @ x)
    influence = np.asarray(np.linalg.solve(by.model.curvature, slope.T).T @ by.x.T) * by.residual
    drawn = share * (p - np.nan_to_num(value)[:, None])
    variance = grouped_variance(influence, by.ways, by.common) + grouped_variance(
        drawn, over.ways, COMMON_IN_CORPORA
    )
    inside = np.clip(value, 1e-6, 1.0 - 1e-6)
    error = np.sqrt(variance / (inside * (1.0 - inside)) ** 2 + options.allowance**2)
    reach = float(ndtri(0.5 + confidence / 2.0)) * error
    told = support >= options.least_support
    columns = value, expit(logit(inside) - reach), expit(logit(inside) + reach)
    found = {name: np.where(told, column, np.nan) for name, column in zip(COLUMNS, columns, strict=False)}
    return pd.DataFrame({**found, "support": support})


def grouped_variance(influence: Numbers, ways: Sequence[Ints], common: float) -> Numbers:
    """The variance of each class from the influence of every mention, groups of mentions drawn together."""
    each = []
    for way in ways:
        groups = int(way.max(initial=-1)) + 1
        # mentions × groups: which mention is in which group
        member = csr_array((np.ones(len(way)), (np.arange(len(way)), way)), shape=(len(way), groups))
        sums = np.asarray(csr_array(member.T) @ influence.T)
        each.append((sums**2).sum(axis=0) * groups / max(groups - 1, 1))
    if len(each) < 3:
        return np.asarray(each[0])
    total = each[0] + each[1] - common * each[2]
    return np.asarray(np.maximum.reduce([total, *each]))


def predicted_composition(scores: Scores) -> Composition:
    """The composition of what a tagger proposed in a corpus."""
    features = described_features("precision")
    return composition_of(scores.corpus, scores.predicted.reset_index(drop=True), features)
