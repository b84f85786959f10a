"""Arrow columns straight from NumPy's memory, and back.

`pyarrow.array` and `to_numpy` ask pandas about whatever they are given, and so import it; that takes longer
than everything else that a short run does. Here Arrow is handed the buffers as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

WORD = pa.dictionary(pa.int32(), pa.string())
"""A column of texts, few of which differ."""


def numbers(values: NDArray[np.generic], present: NDArray[np.bool_] | None = None) -> pa.Array:
    """A column of numbers; those that are not `present` are missing."""
    values = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(values.dtype)
    mask = None
    if present is not None and not present.all():
        mask = pa.py_buffer(np.packbits(present, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [mask, pa.py_buffer(values)])


def known(values: NDArray[np.float64], kind: pa.DataType) -> pa.Array:
    """A column of numbers of which some are missing: those that are NaN."""
    present = ~np.isnan(values)
    return numbers(np.where(present, values, 0).astype(kind.to_pandas_dtype()), present)


def strings(words: Sequence[str]) -> pa.Array:
    """A column of texts."""
    coded = [word.encode() for word in words]
    edges = np.cumsum([0, *map(len, coded)], dtype=np.int32)
    return pa.Array.from_buffers(
        pa.string(), len(coded), [None, pa.py_buffer(edges), pa.py_buffer(b"".join(coded))]
    )


def categories(codes: NDArray[np.integer], words: Sequence[str]) -> pa.Array:
    """A column of texts by their places in `words`; a negative place is a missing value."""
    indices = numbers(np.maximum(codes, 0).astype(np.int32), codes >= 0)
    return pa.DictionaryArray.from_arrays(indices, strings(words))


def values(column: pa.Array) -> NDArray[Any]:
    """The numbers of a column without missing values."""
    content = np.frombuffer(column.buffers()[1] or b"", dtype=column.type.to_pandas_dtype())
    return content[column.offset : column.offset + len(column)]


def codes_of(column: pa.DictionaryArray) -> NDArray[np.integer]:
    """The opposite of `categories`: the place of each text in the dictionary, -1 for a missing value."""
    places = values(column.indices)
    mask = column.indices.buffers()[0]
    if mask is None:
        return places
    bits = np.unpackbits(np.frombuffer(mask, dtype=np.uint8), bitorder="little")
    present = bits[column.offset : column.offset + len(column)]
    return np.where(present, places, -1)
