"""Items (feature values) of the rows of a table, and combinations of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.feature import Feature
from ...catalogues.taxonomy import taxonomy
from ...catalogues.value_codes import encode_value_texts, split_value
from ..case_limits import SCOPES

Flags = NDArray[np.bool_]

DERIVED_FEATURE = "slot.appositive_kind"
"""Feature that is not combined, because it depends on other features."""


@dataclass(frozen=True)
class Items:
    """Items (feature values) that each row of a table has.

    Attributes
    ----------
    features : tuple of Feature
        Features that are combined, in order.
    feature : array of int64
        For each item, the index of its feature.
    values : tuple of str
        For each item, its value; "" for absent.
    has : array of bool, shape (rows, items)
        True if the row has the item.
    """

    features: tuple[Feature, ...]
    feature: NDArray[np.int64]
    values: tuple[str, ...]
    has: Flags


def closed_features(scopes: Sequence[str], chosen: Sequence[str] = ()) -> tuple[Feature, ...]:
    """Return the features of some scopes that have a fixed set of values; only the `chosen` ones, if any.

    Raises
    ------
    InputError
        If a chosen feature is unknown or has no fixed set of values.
    """
    known = taxonomy()
    if not chosen:
        return tuple(
            f for f in known.select_scopes(*scopes) if f.is_closed and f.qualified_name != DERIVED_FEATURE
        )
    found = [known.find(name, SCOPES) for name in dict.fromkeys(chosen)]
    for feature in found:
        if not feature.is_closed:
            raise InputError(
                "only features with a fixed set of values or with bins can be combined",
                found=feature.qualified_name,
            )
    return tuple(f for f in found if f.scope in scopes)


def make_items(frame: pd.DataFrame, features: Sequence[Feature], present: Flags | None = None) -> Items:
    """Determine the items (feature values) of each row of a table.

    Parameters
    ----------
    frame : DataFrame
        Table with a column per feature; a feature without a column has no items.
    features : sequence of Feature
        Features to combine.
    present : array of bool, optional
        False for the rows of contexts without slots, which have no slot features.
    """
    columns: list[Flags] = []
    feature_of: list[int] = []
    names: list[str] = []
    for number, feature in enumerate(features):
        if feature.column not in frame:
            continue
        codes, values = encode_value_texts(frame, feature)
        members = [split_value(feature, v) for v in values]
        distinct = sorted({m for found in members for m in found}, key=lambda m: (m != "", _rank(feature, m)))
        for member in distinct:
            held = np.array([member in found for found in members], dtype=bool)[codes]
            if present is not None and feature.scope == "slot":
                held &= present
            if held.any():
                columns.append(held)
                feature_of.append(number)
                names.append(member)
    has = np.stack(columns, axis=1) if columns else np.zeros((len(frame), 0), dtype=bool)
    return Items(tuple(features), np.array(feature_of, dtype=np.int64), tuple(names), has)


def _rank(feature: Feature, value: str) -> tuple[int, str]:
    order = {b.name: i for i, b in enumerate(feature.bins)} or feature.value_ranks
    return order.get(value, len(order)), value


MAX_COMBINATIONS = 4_000_000
"""Maximum number of combinations for a table of 500 rows, to limit the use of memory."""


@dataclass(frozen=True)
class Combinations:
    """Combinations of a fixed number of items, and the table rows that have them.

    Attributes
    ----------
    members : array of int32, shape (combinations, size)
        Items of each combination, in ascending order.
    has : array of bool, shape (rows, combinations)
        True if the row has the combination.
    """

    members: NDArray[np.int32]
    has: NDArray[np.bool_]


def find_combinations(has: NDArray[np.bool_], feature: NDArray[np.int64], size: int) -> Combinations:
    """Find the combinations of `size` items of different features that at least one row has.

    Raises
    ------
    InputError
        If the combinations do not fit into memory.
    """
    rows = has.shape[0]
    if size == 0:
        return Combinations(np.empty((1, 0), dtype=np.int32), np.ones((rows, 1), dtype=bool))
    members = np.arange(has.shape[1], dtype=np.int32)[:, None]
    held = has
    for _ in range(size - 1):
        grown: list[NDArray[np.int32]] = []
        columns: list[NDArray[np.bool_]] = []
        for number, combo in enumerate(members.tolist()):
            later = np.arange(combo[-1] + 1, has.shape[1])
            later = later[feature[later] != feature[combo[-1]]]
            both = has[:, later] & held[:, number][:, None]
            good = both.any(axis=0)
            if good.any():
                grown.append(
                    np.concatenate(
                        (np.tile(combo, (int(good.sum()), 1)), later[good][:, None]), axis=1
                    ).astype(np.int32)
                )
                columns.append(both[:, good])
        total = sum(map(len, grown))
        if total * max(rows, 1) > MAX_COMBINATIONS * 500:
            raise InputError(
                f"{total:,} combinations of {size} values do not fit into memory; combine fewer features, "
                "or use a smaller t"
            )
        if not grown:
            return Combinations(np.empty((0, size), dtype=np.int32), np.zeros((rows, 0), dtype=bool))
        members, held = np.concatenate(grown), np.concatenate(columns, axis=1)
    return Combinations(members, held)
