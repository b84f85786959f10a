"""Which row has which value of a feature: each row the number of its value, and the values in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from .core.text import Flags, Ints
from .query.columns import Columns
from .taxonomy import Feature

ABSENT = ""
"""How an absent value is written."""
Value = TypeVar("Value")


def distinct(frame: Any, feature: Feature) -> tuple[Ints, list[Any]]:
    """For each row the index of its value among those that occur; absent is None, and the last.

    Parameters
    ----------
    frame : DataFrame, pyarrow.Table or Columns
        A column that it lacks is absent everywhere.
    feature : Feature
        Numbers and truths come as such, all else as text (a set joined with ``|``).
    """
    columns = frame if isinstance(frame, Columns) else Columns(frame)
    if feature.column not in columns:
        return np.zeros(columns.rows, dtype=np.int64), [None]
    if feature.kind in ("integer", "number", "boolean"):
        numbers, present = columns.numbers(feature.column)
        held, codes = np.unique(numbers[present], return_inverse=True)
        values: list[Any] = held.tolist()
    else:
        words, vocabulary = columns.words(feature.column)
        present = words >= 0
        held, codes = np.unique(words[present], return_inverse=True)
        values = [vocabulary[word] for word in held.tolist()]
    found = np.full(columns.rows, len(values), dtype=np.int64)
    found[present] = codes
    return found, values if present.all() else [*values, None]


def joint(columns: Sequence[tuple[Ints, Sequence[Value]]]) -> tuple[Ints, list[tuple[Value, ...]]]:
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


def value_codes(frame: Any, feature: Feature) -> tuple[Ints, list[str]]:
    """For each row the index of its value among those that occur, as tables show them, in a stated order.

    Numbers with bins become the bin's name; without bins, the number. Booleans are ``true`` and ``false``; a
    set is its members joined with ``|``. A column that the frame lacks is absent everywhere. Values are in
    the taxonomy's order where it lists them, else sorted; absent comes first.
    """
    codes, values = distinct(frame, feature)
    shown = [_written(feature, value) for value in values]
    names = sorted(set(shown), key=lambda name: _order(feature, name))
    index = {name: i for i, name in enumerate(names)}
    # the number of each value's name
    target = np.array([index[name] for name in shown], dtype=np.int64)
    return target[codes], names or [ABSENT]


def joint_codes(frame: Any, features: Sequence[Feature]) -> tuple[Ints, list[tuple[str, ...]]]:
    """For each row a number for its combination of values (see `value_codes`), and those that occur."""
    columns = Columns(frame)
    if not features:
        return np.zeros(columns.rows, dtype=np.int64), [()]
    return joint([value_codes(columns, feature) for feature in features])


def elements(feature: Feature, value: str) -> list[str]:
    """The members of a set's value; of any other feature's the value itself."""
    return value.split("|") if feature.kind == "set" else [value]


def values_of(frame: Any, feature: Feature) -> Iterator[tuple[str, Flags]]:
    """Each of a feature's closed values, and which rows of a frame have it.

    A set has each of its elements; a row without a value has none.
    """
    codes, names = value_codes(frame, feature)
    held = [elements(feature, name) for name in names]
    for value in feature.closed_values:
        yield value, np.array([value in each for each in held], dtype=bool)[codes]


def _written(feature: Feature, value: Any) -> str:
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    whole = value == int(value)
    held = feature.bin_of(int(value)) if whole else None
    return held.name if held is not None else str(int(value)) if whole else repr(value)


def _order(feature: Feature, value: str) -> tuple[int, float, str]:
    """Absent, the bins, the taxonomy's values, numbers, other values by the alphabet."""
    if value == ABSENT:
        return -1, 0.0, value
    ranks = {part.name: place for place, part in enumerate(feature.bins)} or feature.rank
    if value in ranks:
        return ranks[value], 0.0, value
    try:
        # a number below the first bin comes before it
        return len(feature.rank), float(value), value
    except ValueError:
        return len(feature.rank) + 1, 0.0, value
