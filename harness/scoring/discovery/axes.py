"""Axes: the features of a table of mentions as small whole numbers, and the conditions that they offer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ....catalogues.taxonomy import LIST_PREFIX, Feature, taxonomy
from ..division import SCOPES, by_feature, shortest_name

Codes = NDArray[np.int64]

UNTOLD = frozenset({"side", "text_id", "document_id", "mention_id", "score", "slots"})
"""Columns that name a mention or its text: no fault lies in these."""
ABSENT = " is absent"
MARKS = frozenset({"left_punctuation", "right_punctuation"})
"""Open features of which the presence is searched: a mark at the mention's own edge."""
MOST_VALUES = 40
"""A feature of more values names its mentions rather than describes them."""


@dataclass(frozen=True)
class Axis:
    """A feature, or one element of a set-valued one.

    Attributes
    ----------
    feature : str
        The feature's column.
    labels : tuple of str
        The conditions, as queries; code i of `codes` is condition i.
    codes : array
        One number a mention; ``len(labels)`` where no condition holds (the feature is absent, the element is
        not in the set).
    """

    feature: str
    labels: tuple[str, ...]
    codes: Codes

    @property
    def size(self) -> int:
        """Number of codes, that of no condition included."""
        return len(self.labels) + 1

    @property
    def of_context(self) -> bool:
        """Whether it describes the whole sentence, not the mention or its place."""
        feature = taxonomy().by_column.get(self.feature)
        return feature is not None and feature.scope == "context"


def table_axes(
    table: pd.DataFrame, features: Sequence[str] | None = None, *, by_mark: bool | None = None
) -> list[Axis]:
    """The axes of a table of mentions.

    Parameters
    ----------
    table : DataFrame
        Columns named as features are. A column that the taxonomy does not know is taken for a category.
    features : sequence of str, optional
        Columns to use; by default all features that can be listed: those of the taxonomy that are closed,
        whether there is a mark at either edge, and unknown columns of at most 40 values.
    by_mark : bool, optional
        Whether each mark at an edge is a condition, too; by default where `features` are given.

    Returns
    -------
    list of Axis
        In the order of the table's columns, but those of whole sentences last; those that are constant or the
        same as an earlier one are left out. So what can be said of the mention is not said of its sentence.
    """
    if by_mark is None:
        by_mark = features is not None
    known = taxonomy().by_column
    found: list[Axis] = []
    for column in table.columns if features is None else features:
        name = str(column)
        if name in UNTOLD and features is None:
            continue
        listed = name.startswith(LIST_PREFIX)
        feature = taxonomy().find(name, ("entity",)) if listed else known.get(name)
        if feature is None:
            found += _plain(name, table[name], always=features is not None)
        elif name in MARKS:
            found += _presence(feature, table)
            found += _of_feature(feature, table) if by_mark else []
        elif features is not None or feature.closed:
            found += _of_feature(feature, table)
    return _distinct(sorted(found, key=lambda axis: axis.of_context))


def _presence(feature: Feature, table: pd.DataFrame) -> list[Axis]:
    absent = table[feature.column].isna().to_numpy()
    written = shortest_name(feature)
    return [Axis(feature.column, (f"{written} is present", f"{written}{ABSENT}"), absent.astype(np.int64))]


def _of_feature(feature: Feature, table: pd.DataFrame) -> list[Axis]:
    division = by_feature(taxonomy().find(feature.path, SCOPES), table, table.iloc[:0])
    cells = division.gold.astype(np.int64)
    told = [i for i, name in enumerate(division.names) if not name.endswith(ABSENT)]
    names = tuple(division.names[i] for i in told)
    member = division.member[:, told]
    if (member.sum(axis=1) <= 1).all():
        code = np.where(member.any(axis=1), member.argmax(axis=1) if len(told) else 0, len(told))
        return [Axis(feature.column, names, code[cells].astype(np.int64))]
    return [
        Axis(feature.column, (name,), np.where(member[:, i], 0, 1)[cells].astype(np.int64))
        for i, name in enumerate(names)
    ]


def _plain(name: str, column: pd.Series, *, always: bool) -> list[Axis]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy().astype(np.int64)
        values = column.cat.categories.tolist()
    elif always or not pd.api.types.is_float_dtype(column.dtype):
        numbers, uniques = pd.factorize(column, sort=True, use_na_sentinel=True)
        codes, values = numbers.astype(np.int64), uniques.tolist()
    else:
        return []
    if len(values) > MOST_VALUES and not always:
        return []
    labels = tuple(f"{name} = {_quoted(str(v))}" for v in values)
    return [Axis(name, labels, np.where(codes < 0, len(values), codes))]


def _quoted(value: str) -> str:
    return value if value.replace("_", "").isalnum() else '"' + value.replace('"', '\\"') + '"'


def _distinct(axes: Sequence[Axis]) -> list[Axis]:
    """Axes that divide the mentions at all, and not as an earlier one does."""
    kept: list[Axis] = []
    seen: dict[bytes, list[Axis]] = {}
    for axis in axes:
        counts = np.bincount(axis.codes, minlength=axis.size)
        if not axis.labels or (counts > 0).sum() < 2:
            continue
        # equal partitions have equal sorted sizes; only these are compared in full
        key = np.sort(counts[counts > 0]).tobytes()
        alike = seen.setdefault(key, [])
        if any(_same(axis, other) for other in alike):
            continue
        alike.append(axis)
        kept.append(axis)
    return kept


def _same(one: Axis, other: Axis) -> bool:
    """Whether two axes divide the mentions alike, so that a condition of one is a condition of the other."""
    if one.size != other.size and abs(one.size - other.size) > 1:
        return False
    pairs = np.unique(one.codes * other.size + other.codes)
    return len(pairs) == len(np.unique(one.codes)) == len(np.unique(other.codes))
