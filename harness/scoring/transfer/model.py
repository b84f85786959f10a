"""Logistic model of verdicts: the probability that a mention is found, given its features.

The model is fitted on a suite. Each value of a closed feature is a column of zeros and ones; numeric features
have a column for each bin and for each threshold between bins. Columns of slots and contexts are scaled down,
so that the same penalty gives them smaller coefficients. Cross-validation chooses the penalty and whether
names and symbols have separate coefficients: the simplest choice within one standard error of the best is
used. The entities and contexts of the test folds do not occur in the training folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ....catalogues.feature import Feature
from ..arrays import Flags, Ints, Numbers
from ..discovery.conditions import PUNCTUATION_FEATURES

EDGE_MARKS = "()[]{}-/,.;:'\""
"""Punctuation marks for which the model has a column, if they are next to a mention."""
MIN_COLUMN_MENTIONS = 8
"""Minimum number of zeros and of ones that a column must contain; other columns are dropped."""
PENALTIES = (0.03, 0.1, 0.3, 1.0)
"""Prior variances of the coefficients that cross-validation compares, in ascending order."""
FOLDS = 4
SEED = 1
"""Random seed for dividing mentions into folds."""
NAMES_LABEL = "name_vs_symbol = name"
VARIANCE_BY_SCOPE = {"entity": 1.0, "slot": 1 / 3, "context": 1 / 30}
"""Relative prior variance of a coefficient, by the scope of its feature.

The variance is smaller for features of slots and contexts, because a suite has only a few hundred sentences.
"""
ModelColumns = tuple[list[str], csr_array, Numbers]
"""Labels of the columns, a matrix of mentions × columns, and a scaling factor for each column.

The factor is the square root of the relative prior variance; see `VARIANCE_BY_SCOPE`.
"""


def make_columns(frame: pd.DataFrame, features: Sequence[Feature]) -> ModelColumns:
    """Return the columns for all possible values of the features, even if they do not occur in the frame."""
    columns = [
        (label, flags, VARIANCE_BY_SCOPE.get(f.scope, VARIANCE_BY_SCOPE["context"]))
        for f in features
        for label, flags in _feature_columns(f, frame[f.column])
    ]
    if not columns:
        return [], csr_array((len(frame), 0)), np.zeros(0)
    labels, masks, variances = zip(*columns, strict=True)
    return list(labels), csr_array(np.stack(masks, axis=1)).astype(np.float64), np.sqrt(variances)


def _feature_columns(feature: Feature, column: pd.Series) -> list[tuple[str, Flags]]:
    """Return the label and the values of each column that represents a feature."""
    name = feature.column
    if feature.kind == "boolean":
        return [(name, column.to_numpy(dtype=bool, na_value=False))]
    if feature.bins:
        number = column.to_numpy(dtype=np.float64, na_value=np.nan)
        tops = [np.inf if b.high is None else b.high for b in feature.bins]
        return [
            *(
                (f"{name} in {b.name}", (number >= b.low) & (number <= high))
                for b, high in zip(feature.bins, tops, strict=True)
            ),
            *((f"{name} >= {b.low}", number >= b.low) for b in feature.bins[1:]),
        ]
    if isinstance(column.array, pd.Categorical):
        codes, distinct = column.array.codes, column.array.categories
    else:
        codes, distinct = pd.factorize(column, use_na_sentinel=True)
    # distinct values × columns: True if the value, or an element of the set, is that of the column
    values = [v.name for v in feature.values] or list(EDGE_MARKS)
    split = [set(v.split("|")) if feature.kind == "set" else {v} for v in map(str, distinct.tolist())]
    has = np.array([[v in s for v in values] for s in split], dtype=bool).reshape(len(split), len(values))
    has = np.concatenate((has, np.zeros((1, len(values)), dtype=bool)))[codes]
    columns = [(f"{name} = {v}", has[:, i]) for i, v in enumerate(values)]
    return [*columns, (f"{name} is present", codes >= 0)] if name in PUNCTUATION_FEATURES else columns


@dataclass(frozen=True)
class VerdictModel:
    """Fitted logistic model of verdicts.

    Attributes
    ----------
    features : tuple of Feature
    column_positions : array
        Positions of the model's columns among those from `make_columns`.
    has_name_interactions : bool
        True if each column has an additional coefficient for names, as opposed to symbols.
    penalty : float
        Prior variance of the coefficients of entity features; see `VARIANCE_BY_SCOPE`.
    weights : array
        Intercept and coefficients.
    curvature : array
        Second derivatives of the penalised likelihood at the weights.
    rare_columns : array
        Positions of columns that were dropped because the suite has too few mentions with their value.
    """

    features: tuple[Feature, ...]
    column_positions: Ints
    has_name_interactions: bool
    penalty: float
    weights: Numbers
    curvature: Numbers
    rare_columns: Ints

    def make_columns(self, frame: pd.DataFrame) -> ModelColumns:
        """Return the columns for mentions, which `make_design_matrix` and `find_unseen` take as input."""
        return make_columns(frame, self.features)

    def make_design_matrix(self, columns: ModelColumns) -> csr_array:
        """Return the design matrix of mentions, with the intercept in the first column."""
        return _make_design_matrix(columns, self.column_positions, crossed=self.has_name_interactions)

    def find_unseen(self, columns: ModelColumns) -> Flags:
        """Return True for each mention that has a feature value with too few mentions in the suite."""
        _, matrix, _ = columns
        return np.asarray(matrix[:, self.rare_columns].sum(axis=1)).ravel() > 0


def _make_design_matrix(model_columns: ModelColumns, kept: Ints, *, crossed: bool) -> csr_array:
    from scipy.sparse import hstack

    labels, matrix, scales = model_columns
    # a smaller scale has the effect of a stricter penalty
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
    """Fit a model to the verdicts on the mentions of a suite.

    Parameters
    ----------
    columns : ModelColumns
        Columns of the mentions, from `make_columns`.
    right : array
        Verdict on each mention, from 0 to 1.
    features : sequence of Feature
    ways : sequence of array
        Number of the entity, and number of the context, of each mention.
    interaction_choices : sequence of bool
        Values of `has_name_interactions` that cross-validation compares.
    """
    labels, matrix, _ = columns
    counts = np.asarray(matrix.sum(axis=0)).ravel()
    kept = np.flatnonzero((counts >= MIN_COLUMN_MENTIONS) & (counts <= len(right) - MIN_COLUMN_MENTIONS))
    # a value of nearly all mentions is not rare
    rare = np.flatnonzero(counts < MIN_COLUMN_MENTIONS)
    interactions = [c for c in interaction_choices if not c or NAMES_LABEL in labels]
    # choices, from the simplest, and their losses: choices × folds
    choices = [(c, penalty) for c in interactions for penalty in PENALTIES]
    designs = {c: _make_design_matrix(columns, kept, crossed=c) for c in interactions}
    losses = np.concatenate([compute_held_out_loss(x, right, ways) for x in designs.values()])
    crossed, penalty = choices[choose_simplest(losses)]
    x = designs[crossed]
    weights = solve_weights(x, right, penalty)
    p = compute_probabilities(x, weights)
    return VerdictModel(
        tuple(features), kept, crossed, penalty, weights, _compute_curvature(x, p, penalty), rare
    )


def choose_simplest(losses: Numbers) -> int:
    """Return the index of the first choice that is at most one standard error worse than the best choice.

    Parameters
    ----------
    losses : array
        Loss of each choice (rows) in each fold (columns), sorted from the simplest choice.
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
    """Return the mean log loss on held-out entities and contexts as an array of penalties × folds."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    folds = [generator.integers(0, FOLDS, int(way.max(initial=-1)) + 1)[way] for way in ways]
    losses: list[list[float]] = []
    for fold in range(FOLDS):
        tested = np.logical_and.reduce([f == fold for f in folds])
        trained = np.logical_and.reduce([f != fold for f in folds])
        if not tested.any() or not trained.any():
            continue
        train_x, test_x = x[trained], x[tested]
        weights, fold_losses = None, []
        for penalty in PENALTIES:
            weights = solve_weights(train_x, right[trained], penalty, weights)
            z = test_x @ weights
            fold_losses.append(float((np.logaddexp(0.0, z) - right[tested] * z).mean()))
        losses.append(fold_losses)
    return np.array(losses).reshape(-1, len(PENALTIES)).T


def solve_weights(x: csr_array, right: Numbers, penalty: float, start: Numbers | None = None) -> Numbers:
    """Return the weights that maximise the likelihood with a penalty on all weights except the intercept."""
    from scipy.optimize import minimize
    from scipy.special import expit

    penalties = _make_penalties(x.shape[1], penalty)
    transposed = csr_array(x.T)

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        z = x @ weights
        value = np.logaddexp(0.0, z).sum() - right @ z + 0.5 * float(penalties @ weights**2)
        return float(value), transposed @ (expit(z) - right) + penalties * weights

    initial = np.zeros(x.shape[1]) if start is None else start
    options = {"maxiter": 1000, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-3}
    solution = minimize(loss, initial, jac=True, method="L-BFGS-B", options=options)  # type: ignore[call-overload]
    return np.asarray(solution.x)


def compute_probabilities(x: csr_array, weights: Numbers) -> Numbers:
    """Return the predicted probability that each mention is right."""
    from scipy.special import expit

    return np.asarray(expit(x @ weights))


def _compute_curvature(x: csr_array, p: Numbers, penalty: float) -> Numbers:
    weighted = csr_array(x.multiply((p * (1.0 - p))[:, None]))
    curvature = np.asarray((csr_array(x.T) @ weighted).todense(), dtype=np.float64)
    curvature[np.diag_indices_from(curvature)] += _make_penalties(len(curvature), penalty)
    return curvature


def _make_penalties(size: int, penalty: float) -> Numbers:
    return np.append(1e-6, np.full(size - 1, 1.0 / penalty))
