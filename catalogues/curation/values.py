"""Which closed value each entity has: the columns that coverage is counted over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..taxonomy import Feature, taxonomy

if TYPE_CHECKING:
    import pandas as pd

# what an entry is, not what it looks like: how many there are of each is the sources' choice
NOT_VARIED = ("kind", "look_alike_category", "species")


def closed_features() -> tuple[Feature, ...]:
    """The entity features whose values can be listed: booleans, categories, closed sets, binned numbers."""
    return tuple(
        f for f in taxonomy().of("entity") if f.closed and f.name not in (*NOT_VARIED, "in_list.NAME")
    )


def values_of(feature: Feature) -> tuple[str, ...]:
    """The values that coverage asks for: both truths, every legal value, every bin."""
    if feature.kind == "boolean":
        return ("true", "false")
    return tuple(v.name for v in feature.values) or tuple(b.name for b in feature.bins)


@dataclass(frozen=True)
class Values:
    """Rows by closed values: whether each entity has each value.

    Attributes
    ----------
    labels : tuple of (feature name, value)
        What each column stands for.
    matrix : ndarray of bool, shape (rows, labels)
        An element of a set counts for each of its values.
    """

    labels: tuple[tuple[str, str], ...]
    matrix: NDArray[np.bool_]

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """How many rows have both values, for every two labels; the diagonal counts single values."""
        whole = self.matrix.astype(np.float32)
        counts: NDArray[np.int64] = np.rint(whole.T @ whole).astype(np.int64)
        return counts

    @cached_property
    def across(self) -> NDArray[np.bool_]:
        """Above the diagonal, and of two features: the places of `pairs` that are pairs."""
        names = np.array([name for name, _ in self.labels])
        return np.triu(names[:, None] != names[None, :], 1)


def values(frame: pd.DataFrame, features: Iterable[Feature] | None = None) -> Values:
    """Tell which closed values each row of a frame has; a missing column has none."""
    labels: list[tuple[str, str]] = []
    columns: list[NDArray[np.bool_]] = []
    for feature in closed_features() if features is None else features:
        for value in values_of(feature):
            labels.append((feature.name, value))
            columns.append(_has(frame, feature, value))
    matrix = np.column_stack(columns) if columns else np.zeros((len(frame), 0), dtype=bool)
    return Values(tuple(labels), matrix)


def _has(frame: pd.DataFrame, feature: Feature, value: str) -> NDArray[np.bool_]:
    if feature.column not in frame:
        return np.zeros(len(frame), dtype=bool)
    column = frame[feature.column]
    if feature.kind == "boolean":
        wanted = value == "true"
        return (column == wanted).fillna(False).to_numpy(dtype=bool)
    if feature.values:
        categories = column.astype("category").cat
        holds = np.array([value in str(c).split("|") for c in categories.categories], dtype=bool)
        return np.append(holds, False)[categories.codes.to_numpy()]
    section = next(b for b in feature.bins if b.name == value)
    high = np.inf if section.high is None else section.high
    numbers = column.to_numpy(dtype=float, na_value=np.nan)
    return np.asarray((numbers >= section.low) & (numbers <= high))
