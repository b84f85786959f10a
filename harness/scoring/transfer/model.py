"""Logistic model of verdicts: the probability that a mention is found, given its features and its source.

A feature with a fixed list of values has a column of zeros and ones for each value. A numeric feature has a
column for each bin and for each threshold between bins. Columns of slots and contexts are scaled down, so
that the same penalty gives them smaller coefficients. Each source after the first has a column for its
*level*: the difference in log odds from the first source that the features do not explain.
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
COEFFICIENT_VARIANCE = 1.0
"""Prior variance of the coefficients of entity features.

The value was chosen on the training parts of two corpora, with suites of 300 to 3,000 mentions.
"""
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
    weights : array
        Intercept, coefficients of the columns, their deviations in the last source (if any), and levels.
    curvature : array
        Second derivatives of the penalised likelihood at the weights.
    rare_columns : array
        Positions of columns that were dropped because the evidence has too few mentions with their value.
    level_variances : array
        Prior variance of each deviation of a coefficient, and of each level.
    target_levels : array
        Weight of each level in the level of the corpus for which results are predicted.
    """

    features: tuple[Feature, ...]
    column_positions: Ints
    weights: Numbers
    curvature: Numbers
    rare_columns: Ints
    level_variances: Numbers
    target_levels: Numbers

    def make_columns(self, frame: pd.DataFrame) -> ModelColumns:
        """Return the columns for mentions, which `make_design_matrix` and `find_unseen` take as input."""
        return make_columns(frame, self.features)

    def make_design_matrix(self, columns: ModelColumns) -> csr_array:
        """Return the design matrix of mentions in the corpus for which results are predicted."""
        levels = np.tile(self.target_levels, (columns[1].shape[0], 1))
        deviates = len(self.level_variances) > len(self.target_levels)
        return _make_design_matrix(columns, self.column_positions, levels, deviates=deviates)

    def find_unseen(self, columns: ModelColumns) -> Flags:
        """Return a mask of the mentions with a feature value that is too rare in the evidence."""
        _, matrix, _ = columns
        return np.asarray(matrix[:, self.rare_columns].sum(axis=1)).ravel() > 0


def _make_design_matrix(
    model_columns: ModelColumns, kept: Ints, levels: Numbers, *, deviates: bool
) -> csr_array:
    """Return the intercept, the scaled columns, their deviations, and the levels, as one matrix."""
    from scipy.sparse import hstack

    _, matrix, scales = model_columns
    # a smaller scale has the effect of a stricter penalty
    columns = csr_array(matrix[:, kept].multiply(scales[kept][None, :]))
    parts = [csr_array(np.ones((matrix.shape[0], 1))), columns]
    if deviates:
        parts.append(csr_array(columns.multiply(levels[:, -1:])))
    parts.append(csr_array(levels))
    return csr_array(hstack(parts, format="csr"))


def fit_model(
    columns: ModelColumns,
    right: Numbers,
    features: Sequence[Feature],
    levels: Numbers,
    level_variances: Numbers,
    target_levels: Numbers,
    deviation: float = 0.0,
) -> tuple[VerdictModel, csr_array]:
    """Fit a model to verdicts; return it with the design matrix of the mentions.

    Parameters
    ----------
    columns : ModelColumns
        Columns of the mentions, from `make_columns`.
    right : array
        Verdict on each mention, from 0 to 1.
    features : sequence of Feature
    levels : array, shape (mentions, levels)
        Weight of each level for each mention.
    level_variances, target_levels : array
        Prior variance and weight of each level; see `VerdictModel`.
    deviation : float
        Prior variance of the deviations of coefficients in the source with the last level; 0 for none.
    """
    _, matrix, _ = columns
    counts = np.asarray(matrix.sum(axis=0)).ravel()
    kept = np.flatnonzero((counts >= MIN_COLUMN_MENTIONS) & (counts <= len(right) - MIN_COLUMN_MENTIONS))
    # a value of nearly all mentions is not rare
    rare = np.flatnonzero(counts < MIN_COLUMN_MENTIONS)
    x = _make_design_matrix(columns, kept, levels, deviates=deviation > 0)
    if deviation:
        level_variances = np.concatenate((np.full(len(kept), deviation), level_variances))
    penalties = np.concatenate(
        (np.array([1e-6]), np.full(len(kept), 1.0 / COEFFICIENT_VARIANCE), 1.0 / level_variances)
    )
    weights = solve_weights(x, right, penalties)
    p = compute_probabilities(x, weights)
    weighted = csr_array(x.multiply((p * (1.0 - p))[:, None]))
    curvature = np.asarray((csr_array(x.T) @ weighted).todense(), dtype=np.float64) + np.diag(penalties)
    return VerdictModel(tuple(features), kept, weights, curvature, rare, level_variances, target_levels), x


def solve_weights(x: csr_array, right: Numbers, penalties: Numbers) -> Numbers:
    """Return the weights that maximise the penalised likelihood."""
    from scipy.optimize import minimize
    from scipy.special import expit

    transposed = csr_array(x.T)

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        z = x @ weights
        value = np.logaddexp(0.0, z).sum() - right @ z + 0.5 * float(penalties @ weights**2)
        return float(value), transposed @ (expit(z) - right) + penalties * weights

    options = {"maxiter": 1000, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-3}
    start = np.zeros(x.shape[1])
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)  # type: ignore[call-overload]
    return np.asarray(solution.x)


def compute_probabilities(x: csr_array, weights: Numbers) -> Numbers:
    """Return the predicted probability that each mention is right."""
    from scipy.special import expit

    return np.asarray(expit(x @ weights))
