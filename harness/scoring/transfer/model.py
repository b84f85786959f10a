"""A model of verdicts: the probability that a mention is found, given its features, learnt on a suite.

Every value of every closed feature is a column of noughts and ones, numbers have one for each bin and one for
each threshold between bins; entries of columns that describe slots and contexts are made smaller than one, so
that the same penalty keeps their coefficients smaller. The penalty, and whether each column counts for names
apart, is chosen by cross-validation inside the suite, entities and contexts of the held-out part being new
ones: the simplest choice within a standard error of the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ....catalogues.taxonomy import Feature
from ..arrays import Flags, Ints, Numbers
from ..discovery.conditions import MARKS

SHOWN_MARKS = "()[]{}-/,.;:'\""
"""Marks at an edge that have a column of their own."""
RARE = 8
"""Mentions of a suite that a column needs on either side; rarer ones are dropped."""
PENALTIES = (0.03, 0.1, 0.3, 1.0)
"""Variances of the coefficients that are tried, strictest first."""
FOLDS = 4
SEED = 1
"""Of the folds."""
NAMES = "name_vs_symbol = name"
SHARES = {"entity": 1.0, "slot": 1 / 3, "context": 1 / 30}
"""The variance of a coefficient by what its feature describes, relative to that of names: a few hundred
sentences stand for all that is written, and what they differ in may be chance.
"""
Columns = tuple[list[str], csr_array]
"""Labels, and mentions × columns."""


def columns_of(frame: pd.DataFrame, features: Sequence[Feature]) -> Columns:
    """The columns of a model: labels, and mentions × columns; the same columns for any frame."""
    found = [column for f in features for column in _columns(f, frame[f.column])]
    if not found:
        return [], csr_array((len(frame), 0))
    labels, flags = zip(*found, strict=True)
    return list(labels), csr_array(np.stack(flags, axis=1)).astype(np.float64)


def stacked(parts: Sequence[Columns]) -> Columns:
    """The same columns of several frames, one below the other."""
    from scipy.sparse import vstack

    return parts[0][0], csr_array(vstack([matrix for _, matrix in parts], format="csr"))


def _columns(feature: Feature, column: pd.Series) -> list[tuple[str, Flags]]:
    """The columns of one feature, each with its label."""
    name = feature.column
    if feature.kind == "boolean":
        return [(name, column.to_numpy(dtype=bool, na_value=False))]
    if feature.bins:
        number = column.to_numpy(dtype=np.float64, na_value=np.nan)
        tops = [np.inf if one.high is None else one.high for one in feature.bins]
        return [
            *(
                (f"{name} in {one.name}", (number >= one.low) & (number <= high))
                for one, high in zip(feature.bins, tops, strict=True)
            ),
            *((f"{name} >= {one.low}", number >= one.low) for one in feature.bins[1:]),
        ]
    if isinstance(column.array, pd.Categorical):
        codes, known = column.array.codes, column.array.categories
    else:
        codes, known = pd.factorize(column, use_na_sentinel=True)
    # values × columns: which of the listed values each distinct one is, or has among its elements
    values = [v.name for v in feature.values] or list(SHOWN_MARKS)
    split = [set(v.split("|")) if feature.kind == "set" else {v} for v in map(str, known.tolist())]
    has = np.array([[v in s for v in values] for s in split], dtype=bool).reshape(len(split), len(values))
    has = np.concatenate((has, np.zeros((1, len(values)), dtype=bool)))[codes]
    found = [(f"{name} = {v}", has[:, i]) for i, v in enumerate(values)]
    return [*found, (f"{name} is present", codes >= 0)] if name in MARKS else found


@cache
def _width(feature: Feature) -> int:
    """How many columns a feature has, whatever the frame."""
    return len(_columns(feature, pd.Series([], dtype="object")))


def scales_of(features: Sequence[Feature]) -> Numbers:
    """How large the entries of each column of `columns_of` are; see `SHARES`."""
    shares = [np.full(_width(f), SHARES.get(f.scope, SHARES["context"])) for f in features]
    return np.sqrt(np.concatenate(shares)) if shares else np.zeros(0)


@dataclass(frozen=True)
class Model:
    """A fitted model.

    Attributes
    ----------
    features : tuple of Feature
    kept : array
        Which columns of `columns_of` it uses.
    crossed : bool
        Whether each column also counts for names alone.
    penalty : float
        The variance that coefficients were given (of what describes names; see `SHARES`).
    weights : array
        The intercept and the coefficients.
    curvature : array
        Second derivatives of the penalised likelihood at the weights.
    rare : array
        Columns that were dropped although the suite has some, or none, of their value.
    """

    features: tuple[Feature, ...]
    kept: Ints
    crossed: bool
    penalty: float
    weights: Numbers
    curvature: Numbers
    rare: Ints

    def columns(self, frame: pd.DataFrame) -> Columns:
        """The columns of its features, for `design` and `unseen`."""
        return columns_of(frame, self.features)

    def design(self, columns: Columns) -> csr_array:
        """Mentions × (intercept and columns)."""
        return _design(columns, self.kept, scales_of(self.features), crossed=self.crossed)

    def unseen(self, columns: Columns) -> Flags:
        """Which mentions have a value that the suite has hardly or never."""
        _, matrix = columns
        return np.asarray(matrix[:, self.rare].sum(axis=1)).ravel() > 0


def _design(given: Columns, kept: Ints, scales: Numbers, *, crossed: bool) -> csr_array:
    from scipy.sparse import hstack

    labels, matrix = given
    # one penalty for all coefficients: a column of small entries needs a larger one
    columns = csr_array(matrix[:, kept].multiply(scales[kept][None, :]))
    parts = [csr_array(np.ones((matrix.shape[0], 1))), columns]
    if crossed and NAMES in labels:
        parts.append(csr_array(columns.multiply(matrix[:, [labels.index(NAMES)]])))
    return csr_array(hstack(parts, format="csr"))


def fit(
    columns: Columns,
    right: Numbers,
    features: Sequence[Feature],
    ways: Sequence[Ints],
    *,
    crossings: Sequence[bool] = (False, True),
) -> Model:
    """Fit the verdicts of a suite's mentions.

    Parameters
    ----------
    columns : Columns
        Of the mentions, as `columns_of` makes them of these features.
    right : array
        What each is worth, from 0 to 1.
    features : sequence of Feature
    ways : sequence of array
        What mentions share (entity and context): one number a mention for each way.
    crossings : sequence of bool
        What is tried.
    """
    labels, matrix = columns
    there = np.asarray(matrix.sum(axis=0)).ravel()
    kept = np.flatnonzero((there >= RARE) & (there <= len(right) - RARE))
    # a value that nearly all have is no rare one: only its absence is
    rare = np.flatnonzero(there < RARE)
    tried = [c for c in crossings if not c or NAMES in labels]
    # the choices, simplest first, and the loss of each: choices × folds
    choices = [(c, penalty) for c in tried for penalty in PENALTIES]
    scales = scales_of(features)
    designs = {c: _design(columns, kept, scales, crossed=c) for c in tried}
    losses = np.concatenate([held_out_loss(x, right, ways) for x in designs.values()])
    crossed, penalty = choices[simplest(losses)]
    x = designs[crossed]
    weights = solve(x, right, penalty)
    p = probability(x, weights)
    return Model(tuple(features), kept, crossed, penalty, weights, _curvature(x, p, penalty), rare)


def simplest(losses: Numbers) -> int:
    """The first choice that is worse than the best by no more than a standard error of the difference.

    Parameters
    ----------
    losses : array
        Choices × folds, the simplest choice first.
    """
    if not losses.shape[1]:
        return 0
    best = int(losses.mean(axis=1).argmin())
    worse = losses - losses[best]
    error = (
        worse.std(axis=1, ddof=1) / np.sqrt(losses.shape[1]) if losses.shape[1] > 1 else np.zeros(len(losses))
    )
    return int(np.argmax(worse.mean(axis=1) <= error + 1e-12))


def held_out_loss(x: csr_array, right: Numbers, ways: Sequence[Ints]) -> Numbers:
    """Penalties × folds: the mean logarithmic loss on mentions of new entities in new contexts."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    folds = [generator.integers(0, FOLDS, int(way.max(initial=-1)) + 1)[way] for way in ways]
    found: list[list[float]] = []
    for fold in range(FOLDS):
        judged = np.logical_and.reduce([f == fold for f in folds])
        learnt = np.logical_and.reduce([f != fold for f in folds])
        if not judged.any() or not learnt.any():
            continue
        inside, outside = x[learnt], x[judged]
        weights, own = None, []
        for penalty in PENALTIES:
            weights = solve(inside, right[learnt], penalty, weights)
            z = outside @ weights
            own.append(float((np.logaddexp(0.0, z) - right[judged] * z).mean()))
        found.append(own)
    return np.array(found).reshape(-1, len(PENALTIES)).T


def solve(x: csr_array, right: Numbers, penalty: float, start: Numbers | None = None) -> Numbers:
    """The weights that maximise the penalised likelihood; the first, the intercept, is not penalised."""
    from scipy.optimize import minimize
    from scipy.special import expit

    strict = np.full(x.shape[1], 1.0 / penalty)
    strict[0] = 1e-6
    turned = csr_array(x.T)

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        z = x @ weights
        value = np.logaddexp(0.0, z).sum() - right @ z + 0.5 * float(strict @ weights**2)
        return float(value), turned @ (expit(z) - right) + strict * weights

    begun = np.zeros(x.shape[1]) if start is None else start
    options = {"maxiter": 1000, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-3}
    found = minimize(loss, begun, jac=True, method="L-BFGS-B", options=options)  # type: ignore[call-overload]
    return np.asarray(found.x)


def probability(x: csr_array, weights: Numbers) -> Numbers:
    """The probability of each mention."""
    from scipy.special import expit

    return np.asarray(expit(x @ weights))


def _curvature(x: csr_array, p: Numbers, penalty: float) -> Numbers:
    weighed = csr_array(x.multiply((p * (1.0 - p))[:, None]))
    found = np.asarray((csr_array(x.T) @ weighed).todense(), dtype=np.float64)
    found[np.diag_indices_from(found)] += np.r_[1e-6, np.full(len(found) - 1, 1.0 / penalty)]
    return found
