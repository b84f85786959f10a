"""Which closed value each entity has: the columns that coverage is counted over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.bundled import bundled_rows
from ..taxonomy import Feature, taxonomy
from ..value_codes import values_of

if TYPE_CHECKING:
    import pandas as pd

LEAST = 20
"""Each value has at least so many bundled entities, or contexts, or a reason why not."""
# what an entry is, not what it looks like: how many there are of each is the sources' choice
NOT_VARIED = ("kind", "look_alike_category", "species", "function")


def closed_features() -> tuple[Feature, ...]:
    """The entity features whose values can be listed: booleans, categories, closed sets, binned numbers."""
    return tuple(
        f for f in taxonomy().of("entity") if f.closed and f.name not in (*NOT_VARIED, "in_list.NAME")
    )


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


def shortages(package: str) -> dict[tuple[str, str], str]:
    """Why some values are rarer than `LEAST`, by feature and value: the shortages.tsv of a package."""
    rows = bundled_rows(package, "shortages.tsv")
    return {(feature, value): reason for feature, value, reason in rows}


def values(frame: pd.DataFrame, features: Iterable[Feature] | None = None) -> Values:
    """Which closed values each row of a frame has; a missing column has none."""
    labels: list[tuple[str, str]] = []
    columns: list[NDArray[np.bool_]] = []
    for feature in closed_features() if features is None else features:
        for value, flags in values_of(frame, feature):
            labels.append((feature.name, value))
            columns.append(flags)
    matrix = np.column_stack(columns) if columns else np.zeros((len(frame), 0), dtype=bool)
    return Values(tuple(labels), matrix)
