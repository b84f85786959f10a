"""Values of features as tables show them: text, numbers in the taxonomy's bins, absent as the empty text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.taxonomy import Feature

ABSENT = ""


def value_codes(frame: pd.DataFrame, feature: Feature) -> tuple[NDArray[np.int64], list[str]]:
    """For each row the index of its value among the values that occur, in a stated order.

    Numbers with bins become the bin's name; without bins, the number. Booleans are ``true`` and ``false``; a
    set is its members joined with ``|``. A column that the frame lacks is absent everywhere. Values are in
    the taxonomy's order where it lists them, else sorted; absent comes first.
    """
    if feature.column not in frame:
        return np.zeros(len(frame), dtype=np.int64), [ABSENT]
    column = frame[feature.column]
    present = column.notna().to_numpy(dtype=bool)
    if feature.kind in ("integer", "number"):
        numbers = column[present].to_numpy(dtype=float)
        distinct, inverse = np.unique(numbers, return_inverse=True)
        written = [_number(feature, n) for n in distinct.tolist()]
    elif feature.kind == "boolean":
        flags = column[present].to_numpy(dtype=bool)
        distinct, inverse = np.unique(flags, return_inverse=True)
        written = ["true" if f else "false" for f in distinct.tolist()]
    else:
        codes, labels = pd.factorize(column[present].astype("str"))
        inverse = codes
        written = [str(v) for v in labels]
    names = sorted(set(written), key=lambda v: _order(feature, v))
    if not present.all():
        names = [ABSENT, *names]
    index = {v: i for i, v in enumerate(names)}
    target = np.array([index[w] for w in written], dtype=np.int64)
    out = np.zeros(len(frame), dtype=np.int64)
    if len(target):
        out[present] = target[inverse]
    return out, names or [ABSENT]


def joint_codes(
    frame: pd.DataFrame, features: Sequence[Feature]
) -> tuple[NDArray[np.int64], list[tuple[str, ...]]]:
    """For each row a code for its combination of values, and the combinations that occur, in order."""
    codes = np.zeros(len(frame), dtype=np.int64)
    if not features:
        return codes, [()]
    columns = [value_codes(frame, feature) for feature in features]
    for own, values in columns:
        _, codes = np.unique(codes * len(values) + own, return_inverse=True)
    _, first = np.unique(codes, return_index=True)
    names = zip(*([values[c] for c in own[first].tolist()] for own, values in columns), strict=True)
    return codes.astype(np.int64), list(names)


def _number(feature: Feature, number: float) -> str:
    held = feature.bin_of(int(number)) if feature.bins and number == int(number) else None
    if held is not None:
        return held.name
    return str(int(number)) if number == int(number) else repr(number)


def _order(feature: Feature, value: str) -> tuple[int, float, str]:
    if feature.bins:
        for place, held in enumerate(feature.bins):
            if held.name == value:
                return place, 0.0, value
    if value in feature.rank:
        return feature.rank[value], 0.0, value
    try:
        return len(feature.rank), float(value), value
    except ValueError:
        return len(feature.rank) + 1, 0.0, value
