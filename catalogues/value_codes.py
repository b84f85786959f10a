"""Encoding of feature values as one integer code per row and a list of distinct values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from .core.text import Flags, Ints
from .feature import Feature
from .query.columns import QueryColumns

ABSENT_TEXT = ""
"""Text that represents an absent value."""
ValueType = TypeVar("ValueType")


def encode_values(frame: Any, feature: Feature) -> tuple[Ints, list[Any]]:
    """Encode a feature as one code per row and a list of the distinct values that the codes index.

    Parameters
    ----------
    frame : DataFrame, pyarrow.Table or QueryColumns
        Table of entities or mentions; if it lacks the column, all values are absent.
    feature : Feature
        Feature to encode. The values in the list are numbers, Booleans or texts (sets joined with ``|``). If
        a value is absent, the last item of the list is None.
    """
    columns = frame if isinstance(frame, QueryColumns) else QueryColumns(frame)
    if feature.column not in columns:
        return np.zeros(columns.rows, dtype=np.int64), [None]
    if feature.kind in ("integer", "number", "boolean"):
        numbers, present = columns.get_numbers(feature.column)
        distinct, codes = np.unique(numbers[present], return_inverse=True)
        values: list[Any] = distinct.tolist()
    else:
        words, vocabulary = columns.get_words(feature.column)
        present = words >= 0
        distinct, codes = np.unique(words[present], return_inverse=True)
        values = [vocabulary[word] for word in distinct.tolist()]
    row_codes = np.full(columns.rows, len(values), dtype=np.int64)
    row_codes[present] = codes
    return row_codes, values if present.all() else [*values, None]


def combine_codes(
    columns: Sequence[tuple[Ints, Sequence[ValueType]]],
) -> tuple[Ints, list[tuple[ValueType, ...]]]:
    """Encode combinations of values as one code per row and a sorted list of distinct combinations.

    Each item of `columns` belongs to one feature: the codes of the rows, and the values that they index.
    """
    codes = np.zeros(len(columns[0][0]), dtype=np.int64)
    for column_codes, values in columns:
        # renumbering after each column keeps the codes small
        _, codes = np.unique(codes * len(values) + column_codes, return_inverse=True)
    _, first = np.unique(codes, return_index=True)
    names = zip(*([values[c] for c in own[first].tolist()] for own, values in columns), strict=True)
    return codes.astype(np.int64), list(names)


def encode_value_texts(frame: Any, feature: Feature) -> tuple[Ints, list[str]]:
    """Encode a feature as one code per row and a list of the distinct values as texts.

    Numbers are replaced with the names of their bins, if the feature has bins. Booleans are ``true`` and
    ``false``; sets are joined with ``|``. If the frame lacks the column, all values are absent. The list
    begins with the absent value. The values of the taxonomy follow in its order, then other values, sorted.
    """
    codes, values = encode_values(frame, feature)
    shown = [_format_value(feature, value) for value in values]
    names = sorted(set(shown), key=lambda name: _value_sort_key(feature, name))
    index = {name: i for i, name in enumerate(names)}
    # the code of each value's text
    target = np.array([index[name] for name in shown], dtype=np.int64)
    return target[codes], names or [ABSENT_TEXT]


def encode_combinations(frame: Any, features: Sequence[Feature]) -> tuple[Ints, list[tuple[str, ...]]]:
    """Encode combinations of feature values as one code per row and a list of distinct combinations."""
    columns = QueryColumns(frame)
    if not features:
        return np.zeros(columns.rows, dtype=np.int64), [()]
    return combine_codes([encode_value_texts(columns, feature) for feature in features])


def split_value(feature: Feature, value: str) -> list[str]:
    """Return the elements of a set as a list; for a feature that is not a set, the list has one value."""
    return value.split("|") if feature.kind == "set" else [value]


def iterate_closed_values(frame: Any, feature: Feature) -> Iterator[tuple[str, Flags]]:
    """Yield each value of a feature with a fixed set of values, and a mask of the rows with this value.

    For a set-valued feature, a row is included in the mask of each element of its set.
    """
    codes, names = encode_value_texts(frame, feature)
    elements = [split_value(feature, name) for name in names]
    for value in feature.closed_values:
        yield value, np.array([value in each for each in elements], dtype=bool)[codes]


def _format_value(feature: Feature, value: Any) -> str:
    if value is None:
        return ABSENT_TEXT
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    is_whole = value == int(value)
    part = feature.find_bin(int(value)) if is_whole else None
    return part.name if part is not None else str(int(value)) if is_whole else repr(value)


def _value_sort_key(feature: Feature, value: str) -> tuple[int, float, str]:
    """Return a key that sorts the absent value first, then bins or legal values, numbers, and other texts."""
    if value == ABSENT_TEXT:
        return -1, 0.0, value
    ranks = {part.name: place for place, part in enumerate(feature.bins)} or feature.value_ranks
    if value in ranks:
        return ranks[value], 0.0, value
    try:
        # a number below the first bin comes before it
        return len(feature.value_ranks), float(value), value
    except ValueError:
        return len(feature.value_ranks) + 1, 0.0, value
