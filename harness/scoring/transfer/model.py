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
from ..discovery.conditions import PUNCTUATION_FEATURES

EDGE_MARKS = "()[]{}-/,.;:'\""
"""Marks at an edge that have a column of their own."""
MIN_COLUMN_MENTIONS = 8
"""Mentions of a suite that a column needs on either side; rarer ones are dropped."""
PENALTIES = (0.03, 0.1, 0.3, 1.0)
"""Variances of the coefficients that are tried, strictest first."""
FOLDS = 4
SEED = 1
"""Of the folds."""
NAMES_LABEL = "name_vs_symbol = name"
VARIANCE_BY_SCOPE = {"entity": 1.0, "slot": 1 / 3, "context": 1 / 30}
"""The variance of a coefficient by what its feature describes, relative to that of names: a few hundred
sentences stand for all that is written, and what they differ in may be chance.
"""
ModelColumns = tuple[list[str], csr_array]
"""Labels, and mentions × columns."""


def make_columns(frame: pd.DataFrame, features: Sequence[Feature]) -> ModelColumns:
    """The columns of a model: labels, and mentions × columns; the same columns for any frame."""
    found = [column for f in features for column in _feature_columns(f, frame[f.column])]
    if not found:
        return [], csr_array((len(frame), 0))
    labels, flags = zip(*found, strict=True)
    return list(labels), csr_array(np.stack(flags, axis=1)).astype(np.float64)


def stack_columns(parts: Sequence[ModelColumns]) -> ModelColumns:
    """The same columns of several frames, one below the other."""
    from scipy.sparse import vstack

    return parts[0][0], csr_array(vstack([matrix for _, matrix in parts], format="csr"))


def _feature_columns(feature: Feature, column: pd.Series) -> list[tuple[str, Flags]]:
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
    values = [v.name for v in feature.values] or list(EDGE_MARKS)
    split = [set(v.split("|")) if feature.kind == "set" else {v} for v in map(str, known.tolist())]
    has = np.array([[v in s for v in values] for s in split], dtype=bool).reshape(len(split), len(values))
    has = np.concatenate((has, np.zeros((1, len(values)), dtype=bool)))[codes]
    found = [(f"{name} = {v}", has[:, i]) for i, v in enumerate(values)]
    return [*found, (f"{name} is present", codes >= 0)] if name in PUNCTUATION_FEATURES else found


@cache
def _count_feature_columns(feature: Feature) -> int:
    """How many columns a feature has, whatever the frame."""
    return len(_feature_columns(feature, pd.Series([], dtype="object")))


def compute_scales(features: Sequence[Feature]) -> Numbers:
    """How large the entries of each column of `columns_of` are; see `VARIANCE_BY_SCOPE`."""
    shares = [
        np.full(_count_feature_columns(f), VARIANCE_BY_SCOPE.get(f.scope, VARIANCE_BY_SCOPE["context"]))
        for f in features
    ]
    return np.sqrt(np.concatenate(shares)) if shares else np.zeros(0)


@dataclass(frozen=True)
class VerdictModel:
    """A fitted model.

    Attributes
    ----------
    features : tuple of Feature
    column_positions : array
        Which columns of `columns_of` it uses.
    has_name_interactions : bool
        Whether each column also counts for names alone.
    penalty : float
        The variance that coefficients were given (of what describes names; see `VARIANCE_BY_SCOPE`).
    weights : array
        The intercept and the coefficients.
    curvature : array
        Second derivatives of the penalised likelihood at the weights.
    rare_columns : array
        Columns that were dropped although the suite has some, or none, of their value.
    """

    features: tuple[Feature, ...]
    column_positions: Ints
    has_name_interactions: bool
    penalty: float
    weights: Numbers
    curvature: Numbers
    rare_columns: Ints

    def make_columns(self, frame: pd.DataFrame) -> ModelColumns:
        """The columns of its features, for `design` and `unseen`."""
        return make_columns(frame, self.features)

    def make_design_matrix(self, columns: ModelColumns) -> csr_array:
        """Mentions × (intercept and columns)."""
        return _make_design_matrix(
            columns, self.column_positions, compute_scales(self.features), crossed=self.has_name_interactions
        )

    def find_unseen(self, columns: ModelColumns) -> Flags:
        """Which mentions have a value that the suite has hardly or never."""
        _, matrix = columns
        return np.asarray(matrix[:, self.rare_columns].sum(axis=1)).ravel() > 0


def _make_design_matrix(given: ModelColumns, kept: Ints, scales: Numbers, *, crossed: bool) -> csr_array:
    from scipy.sparse import hstack

    labels, matrix = given
    # one penalty for all coefficients: a column of small entries needs a larger one
    columns = csr_array(matrix[:, kept].multiply(scales[kept][None, :]))
    parts = [csr_array(np.ones((matrix.shape[0], 1))), columns]
    if crossed and NAMES_LABEL in labels:
        parts.append(csr_array(columns.multiply(matrix[:, [labels.index(NAMES_LABEL)]])))
    return csr_array(hstack(parts, format="csr"))


def fit_model(
    columns: ModelColumns,
    right: Numbers,
    features: Sequence[Feature],
    ways: Sequence[Ints],
    *,
    interaction_choices: Sequence[bool] = (False, True),
) -> VerdictModel:
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
    interaction_choices : sequence of bool
        What is tried.
    """
    labels, matrix = columns
    there = np.asarray(matrix.sum(axis=0)).ravel()
    kept = np.flatnonzero((there >= MIN_COLUMN_MENTIONS) & (there <= len(right) - MIN_COLUMN_MENTIONS))
    # a value that nearly all have is no rare one: only its absence is
    rare = np.flatnonzero(there < MIN_COLUMN_MENTIONS)
    tried = [c for c in interaction_choices if not c or NAMES_LABEL in labels]
    # the choices, simplest first, and the loss of each: choices × folds
    choices = [(c, penalty) for c in tried for penalty in PENALTIES]
    scales = compute_scales(features)
    designs = {c: _make_design_matrix(columns, kept, scales, crossed=c) for c in tried}
    losses = np.concatenate([compute_held_out_loss(x, right, ways) for x in designs.values()])
    crossed, penalty = choices[choose_simplest(losses)]
    x = designs[crossed]
    weights = solve_weights(x, right, penalty)
    p = compute_probabilities(x, weights)
    return VerdictModel(
        tuple(features), kept, crossed, penalty, weights, _compute_curvature(x, p, penalty), rare
    )


def choose_simplest(losses: Numbers) -> int:
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


def compute_held_out_loss(x: csr_array, right: Numbers, ways: Sequence[Ints]) -> Numbers:
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
            weights = solve_weights(inside, right[learnt], penalty, weights)
            z = outside @ weights
            own.append(float((np.logaddexp(0.0, z) - right[judged] * z).mean()))
        found.append(own)
    return np.array(found).reshape(-1, len(PENALTIES)).T


def solve_weights(x: csr_array, right: Numbers, penalty: float, start: Numbers | None = None) -> Numbers:
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


def compute_probabilities(x: csr_array, weights: Numbers) -> Numbers:
    """The probability of each mention."""
    from scipy.special import expit

    return np.asarray(expit(x @ weights))


def _compute_curvature(x: csr_array, p: Numbers, penalty: float) -> Numbers:
    weighed = csr_array(x.multiply((p * (1.0 - p))[:, None]))
    found = np.asarray((csr_array(x.T) @ weighed).todense(), dtype=np.float64)
    found[np.diag_indices_from(found)] += np.r_[1e-6, np.full(len(found) - 1, 1.0 / penalty)]
    return found
