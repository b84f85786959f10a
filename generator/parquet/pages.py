"""Values encoded as data pages.

Source: the Apache Parquet format specification, "Data Pages" and "Encodings". Dictionary codes are written
with widths of whole bytes, so that a bit-packed run is the codes' own memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .columns import BOOLEAN, DELTA, DELTA_LENGTH, PLAIN, RLE, Column
from .deltas import delta_encoded
from .thrift import struct, varint, zigzag

DATA_PAGE, DICTIONARY_PAGE = 0, 2
CODEC = 1
"""Parquet's number for Snappy, which every reader has."""


@lru_cache
def _snappy() -> Any:
    return pa.Codec("snappy")


@dataclass(frozen=True)
class Page:
    """A page with its header, ready to be written.

    Attributes
    ----------
    content : bytes
        Header and compressed body.
    rows : int
        How many values, absent ones included.
    uncompressed : int
        Bytes of header and body before compression.
    """

    content: bytes
    rows: int
    uncompressed: int


def data_page_header(plain: int, packed: int, rows: int, encoding: int) -> bytes:
    """What `struct` gives for a data page's header; there are thousands of these."""
    numbers = [b"\x15" + zigzag(number) for number in (DATA_PAGE, plain, packed)]
    return b"".join((*numbers, b"\x2c\x15", zigzag(rows), b"\x15", zigzag(encoding), _LEVELS_END))


_LEVELS_END = b"\x15" + zigzag(RLE) + b"\x15" + zigzag(RLE) + b"\x00\x00"


def _page(body: bytes, rows: int, kind: int, encoding: int) -> Page:
    packed = _snappy().compress(body, asbytes=True)
    if kind == DATA_PAGE:
        header = data_page_header(len(body), len(packed), rows, encoding)
    else:
        header = struct({1: kind, 2: len(body), 3: len(packed), 7: {1: rows, 2: encoding}})
    return Page(header + packed, rows, len(header) + len(body))


def dictionary_page(column: Column) -> Page:
    """The page of a column's distinct values."""
    return _page(b"".join(column.entries), len(column.entries), DICTIONARY_PAGE, PLAIN)


def fixed_page(values: NDArray[Any]) -> Page:
    """A page of plain numbers."""
    return _page(
        values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes(), len(values), DATA_PAGE, PLAIN
    )


def stepped_page(values: NDArray[np.integer[Any]]) -> Page:
    """A page of whole numbers written as differences: short where they rise evenly or not at all."""
    return _page(delta_encoded(values.astype(np.int64, copy=False)), len(values), DATA_PAGE, DELTA)


def text_page(contents: Sequence[bytes | memoryview], sizes: NDArray[np.int64]) -> Page:
    """A page of texts, given end to end in some pieces, and the size of each in bytes."""
    return _page(b"".join((delta_encoded(sizes), *contents)), len(sizes), DATA_PAGE, DELTA_LENGTH)


def coded_page(column: Column, rows: NDArray[np.integer[Any]]) -> Page:
    """A page of the values that some rows of the pool have."""
    pool = column.pool
    codes = pool[rows]
    levels = b""
    if column.nullable:
        valid = np.ones(len(rows), dtype=bool) if column.valid is None else column.valid[rows]
        levels = _levels(valid)
        codes = codes[valid]
    return _page(levels + _values(column, codes), len(rows), DATA_PAGE, column.encoding)


def repeated_page(column: Column, rows: NDArray[np.integer[Any]], times: int) -> Page:
    """A page in which the value of each row of the pool stands `times` times in succession."""
    pool = column.pool
    if not column.has_dictionary:
        return coded_page(column, np.repeat(rows, times))
    head = varint(times << 1)
    levels = b""
    if column.nullable:
        valid = np.ones(len(rows), dtype=bool) if column.valid is None else column.valid[rows]
        levels = b"".join(head + (b"\x01" if present else b"\x00") for present in valid.tolist())
        levels = len(levels).to_bytes(4, "little") + levels
        rows = rows[valid]
    width = pool.itemsize
    codes = pool[rows].astype(pool.dtype.newbyteorder("<"), copy=False).tobytes()
    runs = b"".join(head + codes[i : i + width] for i in range(0, len(codes), width))
    return _page(
        levels + bytes([8 * width]) + runs,
        len(valid if column.nullable else rows) * times,
        DATA_PAGE,
        column.encoding,
    )


def _values(column: Column, codes: NDArray[Any]) -> bytes:
    if column.physical == BOOLEAN:
        return np.packbits(codes, bitorder="little").tobytes()
    if column.plain is not None:
        taken = column.plain.take(pa.array(codes.astype(np.int64)))
        start, end = taken.offset, taken.offset + len(taken)
        offsets = np.frombuffer(taken.buffers()[1], dtype=np.int64)
        return bytes(taken.buffers()[2][int(offsets[start]) : int(offsets[end])]) if len(taken) else b""
    return bytes([8 * codes.itemsize]) + _packed(codes)


def _packed(codes: NDArray[Any]) -> bytes:
    """One bit-packed run of whole bytes: groups of eight values, the last filled up."""
    groups = -(-len(codes) // 8)
    content = codes.astype(codes.dtype.newbyteorder("<"), copy=False).tobytes()
    return varint(groups << 1 | 1) + content + bytes(groups * 8 * codes.itemsize - len(content))


def _levels(valid: NDArray[np.bool_]) -> bytes:
    """Definition levels, one bit each."""
    if valid.all():
        run = varint(len(valid) << 1) + b"\x01"
    else:
        groups = -(-len(valid) // 8)
        run = varint(groups << 1 | 1) + np.packbits(valid, bitorder="little").tobytes()
    return len(run).to_bytes(4, "little") + run
