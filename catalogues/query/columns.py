"""Access to the columns of a table (DataFrame, Arrow table or mapping of arrays) as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .nodes import Condition

Bools = NDArray[np.bool_]
MAX_REMEMBERED_BYTES = 1 << 26
"""Maximum memory for cached results of conditions, in bytes."""


class QueryColumns:
    """Columns of a table as arrays, with a cache of the results of conditions.

    Parameters
    ----------
    frame : DataFrame, pyarrow.Table or mapping of str to array
        Table to query. Arrow tables are read without importing pandas.

    Attributes
    ----------
    rows : int
        Number of rows.
    answers : dict of Condition to array of bool
        Cached mask of the rows that each condition selects; the masks must not be modified.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._arrow = hasattr(frame, "column_names")
        self._names = frozenset(frame.column_names if self._arrow else frame.keys())
        self.rows = int(frame.num_rows) if self._arrow else _count_rows(frame)
        self._numbers: dict[str, tuple[NDArray[Any], Bools]] = {}
        self._words: dict[str, tuple[NDArray[np.intp], list[str]]] = {}
        self.answers: dict[Condition, Bools] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def remember_answer(self, condition: Condition, chosen: Bools) -> None:
        """Cache the mask of the rows that a condition selects, up to `MAX_REMEMBERED_BYTES` in total."""
        if (len(self.answers) + 1) * self.rows <= MAX_REMEMBERED_BYTES:
            self.answers[condition] = chosen

    def get_numbers(self, name: str) -> tuple[NDArray[Any], Bools]:
        """Return the values of a numeric or Boolean column, and a mask of the rows that have a value.

        In a row without a value, the number is arbitrary.
        """
        if name not in self._numbers:
            self._numbers[name] = _arrow_numbers(self._array(name))
        return self._numbers[name]

    def get_words(self, name: str) -> tuple[NDArray[np.intp], list[str]]:
        """Return a code for each row of a text column (-1 if absent), and the values that the codes index."""
        if name not in self._words:
            self._words[name] = _arrow_words(self._array(name))
        return self._words[name]

    def get_present(self, name: str) -> Bools:
        """Return a mask of the rows in which a column has a value."""
        array = self._array(name)
        import pyarrow as pa
        import pyarrow.compute as pc

        nan = pa.types.is_floating(array.type)
        return _numpy(pc.invert(pc.is_null(array, nan_is_null=nan)))

    def _array(self, name: str) -> Any:
        import pyarrow as pa

        column = self._frame[name]
        if not self._arrow:
            column = _from_pandas(column)
        if isinstance(column, pa.ChunkedArray):
            if pa.types.is_dictionary(column.type):
                column = column.unify_dictionaries()
            column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks else pa.array([], type=column.type)
        return column


def mask_to_arrow(chosen: Bools) -> Any:
    """Convert a NumPy mask to an Arrow array; Arrow's own function would import pandas."""
    import pyarrow as pa

    bits = np.packbits(chosen, bitorder="little").tobytes()
    return pa.Array.from_buffers(pa.bool_(), len(chosen), [None, pa.py_buffer(bits)])


def _count_rows(frame: Any) -> int:
    if hasattr(frame, "index"):
        return len(frame)
    return max((len(column) for column in frame.values()), default=0)


def _from_pandas(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return column
    # object columns with text and missing values become text, and NaN becomes null
    return pa.array(column, from_pandas=True)


def _arrow_numbers(array: Any) -> tuple[NDArray[Any], Bools]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if pa.types.is_null(array.type):
        return np.zeros(len(array)), np.zeros(len(array), dtype=bool)
    present = _numpy(pc.is_valid(array))
    values = _numpy(array)
    if values.dtype.kind == "f":
        present = present & ~np.isnan(values)
    return values, present


def _arrow_words(array: Any) -> tuple[NDArray[np.intp], list[str]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_null(array.type):
        return np.full(len(array), -1, dtype=np.intp), []
    if not pa.types.is_dictionary(array.type):
        if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
            array = array.cast(pa.string())
        array = array.dictionary_encode()
    indices = array.indices
    # the index of a missing value is arbitrary
    codes = np.where(_numpy(pc.is_valid(indices)), _numpy(indices), -1)
    words = array.dictionary
    if not (pa.types.is_string(words.type) or pa.types.is_large_string(words.type)):
        words = words.cast(pa.string())
    return codes.astype(np.intp), words.to_pylist()


def _numpy(array: Any) -> NDArray[Any]:
    """Convert an Arrow array of numbers or Booleans to NumPy; nulls become arbitrary values.

    Arrow's own conversion is not used, because it would import pandas.
    """
    import pyarrow as pa

    if pa.types.is_boolean(array.type):
        return _numpy(array.cast(pa.uint8())).view(bool)
    names = {"double": "float64", "float": "float32", "halffloat": "float16"}
    values = np.frombuffer(array.buffers()[1] or b"", dtype=names.get(str(array.type), str(array.type)))
    return values[array.offset : array.offset + len(array)]
