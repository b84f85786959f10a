"""Which row has which value of a feature: each row the number of its value, and the values in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from .core.text import Flags, Ints
from .query.columns import QueryColumns
from .taxonomy import Feature

ABSENT_TEXT = ""
"""How an absent value is written."""
ValueType = TypeVar("ValueType")


def encode_values(frame: Any, feature: Feature) -> tuple[Ints, list[Any]]:
    """For each row the index of its value among those that occur; absent is None, and the last.

    Parameters
    ----------
    frame : DataFrame, pyarrow.Table or Columns
        A column that it lacks is absent everywhere.
    feature : Feature
        Numbers and truths come as such, all else as text (a set joined with ``|``).
    """
    columns = frame if isinstance(frame, QueryColumns) else QueryColumns(frame)
    if feature.column not in columns:
        return np.zeros(columns.rows, dtype=np.int64), [None]
    if feature.kind in ("integer", "number", "boolean"):
        numbers, present = columns.get_numbers(feature.column)
        held, codes = np.unique(numbers[present], return_inverse=True)
        values: list[Any] = held.tolist()
    else:
        words, vocabulary = columns.get_words(feature.column)
        present = words >= 0
        held, codes = np.unique(words[present], return_inverse=True)
        values = [vocabulary[word] for word in held.tolist()]
    found = np.full(columns.rows, len(values), dtype=np.int64)
    found[present] = codes
    return found, values if present.all() else [*values, None]


def combine_codes(
    columns: Sequence[tuple[Ints, Sequence[ValueType]]],
) -> tuple[Ints, list[tuple[ValueType, ...]]]:
    """For each row a number for its combination of values, and the combinations that occur, in order.

    `columns` are each row's numbers in one column, and the values that these stand for.
    """
    codes = np.zeros(len(columns[0][0]), dtype=np.int64)
    for own, values in columns:
        # numbers stay small however many columns there are
        _, codes = np.unique(codes * len(values) + own, return_inverse=True)
    _, first = np.unique(codes, return_index=True)
    names = zip(*([values[c] for c in own[first].tolist()] for own, values in columns), strict=True)
    return codes.astype(np.int64), list(names)


def encode_value_texts(frame: Any, feature: Feature) -> tuple[Ints, list[str]]:
    """For each row the index of its value among those that occur, as tables show them, in a stated order.

    Numbers with bins become the bin's name; without bins, the number. Booleans are ``true`` and ``false``; a
    set is its members joined with ``|``. A column that the frame lacks is absent everywhere. Values are in
    the taxonomy's order where it lists them, else sorted; absent comes first.
    """
    codes, values = encode_values(frame, feature)
    shown = [_format_value(feature, value) for value in values]
    names = sorted(set(shown), key=lambda name: _value_sort_key(feature, name))
    index = {name: i for i, name in enumerate(names)}
    # the number of each value's name
    target = np.array([index[name] for name in shown], dtype=np.int64)
    return target[codes], names or [ABSENT_TEXT]


def encode_combinations(frame: Any, features: Sequence[Feature]) -> tuple[Ints, list[tuple[str, ...]]]:
    """Return a code per row for its combination of values, and the list of combinations."""
    columns = QueryColumns(frame)
    if not features:
        return np.zeros(columns.rows, dtype=np.int64), [()]
    return combine_codes([encode_value_texts(columns, feature) for feature in features])


def split_value(feature: Feature, value: str) -> list[str]:
    """The members of a set's value; of any other feature's the value itself."""
    return value.split("|") if feature.kind == "set" else [value]


def iterate_closed_values(frame: Any, feature: Feature) -> Iterator[tuple[str, Flags]]:
    """Each of a feature's closed values, and which rows of a frame have it.

    A set has each of its elements; a row without a value has none.
    """
    codes, names = encode_value_texts(frame, feature)
    held = [split_value(feature, name) for name in names]
    for value in feature.closed_values:
        yield value, np.array([value in each for each in held], dtype=bool)[codes]


def _format_value(feature: Feature, value: Any) -> str:
    if value is None:
        return ABSENT_TEXT
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    whole = value == int(value)
    held = feature.find_bin(int(value)) if whole else None
    return held.name if held is not None else str(int(value)) if whole else repr(value)


def _value_sort_key(feature: Feature, value: str) -> tuple[int, float, str]:
    """Absent, the bins, the taxonomy's values, numbers, other values by the alphabet."""
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
