"""A Parquet file written from encoded pages, row group by row group."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO, Any

import pyarrow as pa

from .columns import BYTE_ARRAY, DELTA, DELTA_LENGTH, PLAIN, RLE, RLE_DICTIONARY, Column
from .pages import CODEC, Page, dictionary_page
from .thrift import Long, struct

MAGIC = b"PAR1"
ROWS_IN_GROUP = 1 << 19


class PageWriter:
    """Collects pages by column and writes a row group whenever enough rows are there.

    Parameters
    ----------
    stream : binary stream
        Where the file goes.
    columns : sequence of Column
        The columns in order. The file's bytes depend on these and on the pages alone.
    metadata : mapping of str to bytes, optional
        Key-value metadata of the file.
    """

    def __init__(
        self, stream: IO[bytes], columns: Sequence[Column], metadata: Mapping[str, bytes] | None = None
    ) -> None:
        self._metadata = dict(metadata or {})
        self.columns = tuple(columns)
        self.rows = 0
        self._stream = stream
        self._position = 0
        self._groups: list[Any] = []
        self._pages: list[list[Page]] = [[] for _ in self.columns]
        self._pending = 0
        self._write(MAGIC)

    def __enter__(self) -> PageWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()

    def add(self, pages: Sequence[Page | Sequence[Page]]) -> None:
        """Add a block: for each column a page, or several, in all of the same number of rows."""
        block = [[p] if isinstance(p, Page) else list(p) for p in pages]
        rows = sum(p.rows for p in block[0])
        if any(sum(p.rows for p in own) != rows for own in block) or len(block) != len(self.columns):
            raise ValueError("the pages of a block differ in their number of rows")
        for held, own in zip(self._pages, block, strict=True):
            held += own
        self._pending += rows
        if self._pending >= ROWS_IN_GROUP:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the footer."""
        if self._pending:
            self._flush()
        schema = pa.schema([pa.field(c.name, c.arrow, nullable=c.nullable) for c in self.columns])
        schema = schema.with_metadata(self._metadata)
        metadata = {**self._metadata, "ARROW:schema": base64.b64encode(schema.serialize().to_pybytes())}
        elements: list[Any] = [{3: 0, 4: "schema", 5: len(self.columns)}]
        for column in self.columns:
            element: dict[int, Any] = {1: column.physical, 3: int(column.nullable), 4: column.name}
            if column.physical == BYTE_ARRAY:
                element |= {6: 0, 10: {1: {}}}
            elements.append(element)
        footer = struct(
            {
                1: 2,
                2: elements,
                3: Long(self.rows),
                4: self._groups,
                5: [{1: k, 2: v} for k, v in metadata.items()],
                6: "tagsuite",
            }
        )
        self._write(footer + len(footer).to_bytes(4, "little") + MAGIC)

    def _flush(self) -> None:
        chunks: list[Any] = []
        total = 0
        for column, pages in zip(self.columns, self._pages, strict=True):
            start = self._position
            dictionary = dictionary_page(column) if column.has_dictionary else None
            size = 0
            if dictionary is not None:
                self._write(dictionary.content)
                size += dictionary.uncompressed
            first = self._position
            self._write(b"".join(p.content for p in pages))
            size += sum(p.uncompressed for p in pages)
            meta: dict[int, Any] = {
                1: column.physical,
                2: _encodings(column),
                3: [column.name],
                4: CODEC,
                5: Long(self._pending),
                6: Long(size),
                7: Long(self._position - start),
                9: Long(first),
            }
            if dictionary is not None:
                meta[11] = Long(start)
            chunks.append({2: Long(start), 3: meta})
            total += size
            pages.clear()
        self._groups.append({1: chunks, 2: Long(total), 3: Long(self._pending)})
        self.rows += self._pending
        self._pending = 0

    def _write(self, content: bytes) -> None:
        self._stream.write(content)
        self._position += len(content)


def _encodings(column: Column) -> list[int]:
    """The encodings that pages of a column may have."""
    if column.has_dictionary:
        return [PLAIN, RLE, RLE_DICTIONARY]
    if column.codes is not None:
        return [PLAIN, RLE]
    return [PLAIN, RLE, DELTA_LENGTH] if column.physical == BYTE_ARRAY else [PLAIN, RLE, DELTA]
