"""Columns as Parquet pages hold them: codes into a dictionary, flags, or plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

BOOLEAN, INT32, INT64, DOUBLE, BYTE_ARRAY = 0, 1, 2, 5, 6
PLAIN, RLE, DELTA, DELTA_LENGTH, RLE_DICTIONARY = 0, 3, 5, 6, 8

LARGE_DICTIONARY = 8 << 20
"""A dictionary of more bytes than this is not repeated in every row group; its values are written plainly."""

_PHYSICAL = {"int32": INT32, "int64": INT64, "double": DOUBLE, "bool": BOOLEAN}


class Column:
    """A column of a Parquet file.

    Attributes
    ----------
    name : str
        The column's name.
    arrow : pyarrow.DataType
        What a reader gets.
    physical : int
        Parquet's physical type.
    nullable : bool
        Whether values may be absent.
    codes : array, optional
        For each row of the pool (an entity, a slot) the code of its value: into `entries`, or 0 and 1 for
        flags. None when values are given row by row.
    valid : array of bool, optional
        For each row of the pool whether it has a value; None when all have.
    entries : list of bytes
        The distinct values, plainly encoded.
    """

    def __init__(self, name: str, arrow: Any, physical: int, *, nullable: bool) -> None:
        self.name = name
        self.arrow = arrow
        self.physical = physical
        self.nullable = nullable
        self.codes: NDArray[Any] | None = None
        self.valid: NDArray[np.bool_] | None = None
        self.entries: list[bytes] = []
        self.plain: Any = None
        self._known: dict[bytes, int] = {}

    @property
    def pool(self) -> NDArray[Any]:
        """The codes of the pool's rows.

        Raises
        ------
        ValueError
            When the column's values are given row by row.
        """
        if self.codes is None:
            raise ValueError(f"column {self.name} has no pool")
        return self.codes

    @property
    def has_dictionary(self) -> bool:
        """Whether data pages hold codes."""
        return self.codes is not None and self.physical != BOOLEAN and self.plain is None

    @property
    def encoding(self) -> int:
        """Parquet's encoding of the data pages."""
        return RLE_DICTIONARY if self.has_dictionary else PLAIN

    def extend(self, values: Any) -> None:
        """Add rows to the pool; earlier codes stay what they are.

        Raises
        ------
        ValueError
            When a value is absent in a column that was declared to have none.
        """
        valid = np.asarray(pc.is_valid(values))
        if not valid.all() and not self.nullable:
            raise ValueError(f"absent values in column {self.name}")
        codes = self._codes(values)
        if self.codes is not None and len(self.codes):
            codes = np.concatenate((self.codes.astype(codes.dtype), codes))
            valid = np.concatenate(
                (np.ones(len(self.codes), dtype=bool) if self.valid is None else self.valid, valid)
            )
        self.codes = codes
        self.valid = None if valid.all() else valid
        if self.plain is not None or sum(map(len, self.entries)) > LARGE_DICTIONARY:
            self.plain = pa.array(self.entries, type=pa.large_binary())

    def _codes(self, values: Any) -> NDArray[Any]:
        if self.physical == BOOLEAN:
            if pa.types.is_null(values.type):
                return np.zeros(len(values), dtype=np.uint8)
            return np.asarray(pc.fill_null(values, False)).astype(np.uint8)
        if not pa.types.is_dictionary(values.type):
            values = values.cast(
                pa.string() if self.physical == BYTE_ARRAY else self.arrow
            ).dictionary_encode()
        distinct = [_plain(v, self.physical) for v in values.dictionary.to_pylist()]
        for value in distinct:
            if value not in self._known:
                self._known[value] = len(self.entries)
                self.entries.append(value)
        if not self.entries:
            self.entries.append(_plain("" if self.physical == BYTE_ARRAY else 0, self.physical))
            self._known[self.entries[0]] = 0
        target = np.array([self._known[v] for v in distinct] or [0], dtype=np.int64)
        indices = np.asarray(pc.fill_null(values.indices.cast(pa.int64()), 0))
        codes: NDArray[Any] = target[indices].astype(_code_type(len(self.entries)))
        return codes


def _plain(value: Any, physical: int) -> bytes:
    if physical == BYTE_ARRAY:
        content = str(value).encode()
        return len(content).to_bytes(4, "little") + content
    return int(value).to_bytes(4 if physical == INT32 else 8, "little", signed=True)


def _code_type(entries: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if entries <= 1 << 8 else np.uint16 if entries <= 1 << 16 else np.uint32


def fixed(name: str, dtype: str) -> Column:
    """A column of numbers given row by row, never absent: ``i4``, ``i8`` or ``f8``."""
    arrow = pa.from_numpy_dtype(np.dtype(dtype))
    return Column(name, arrow, _PHYSICAL[str(arrow)], nullable=False)


def texts(name: str) -> Column:
    """A column of texts given row by row, never absent."""
    return Column(name, pa.large_string(), BYTE_ARRAY, nullable=False)


def coded(name: str, values: Any, *, category: bool = False, nullable: bool | None = None) -> Column:
    """A column whose values come from a pool.

    Parameters
    ----------
    name : str
        The column's name.
    values : pyarrow.Array
        The value of each row of the pool: text (dictionary-encoded or not), whole numbers, or booleans.
    category : bool
        Whether readers get a dictionary column (a pandas category) rather than text.
    nullable : bool, optional
        Whether values may be absent; by default when one is.
    """
    if nullable is None:
        nullable = values.null_count > 0
    if pa.types.is_boolean(values.type):
        column = Column(name, pa.bool_(), BOOLEAN, nullable=nullable)
    elif pa.types.is_integer(values.type):
        wide = pa.types.is_int64(values.type)
        column = Column(name, pa.int64() if wide else pa.int32(), INT64 if wide else INT32, nullable=nullable)
    else:
        arrow = pa.dictionary(pa.int32(), pa.string()) if category else pa.string()
        column = Column(name, arrow, BYTE_ARRAY, nullable=nullable)
    column.extend(values)
    return column
