"""A table of the run folder, written block by block."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ....catalogues.core.parquet import arrow_path
from .tables import Table

ROWS = 100_000
"""Rows that are written at once, or more."""


class Sink:
    """A Parquet file written block by block.

    Parameters
    ----------
    scratch : Path
        A folder on the same device; the file is moved to its place when all is written.
    table : Table
        Columns of few distinct values are written as such; the others that are integers as differences.
    ids : Arrow type
        Of the cases' identifiers.
    """

    def __init__(self, scratch: Path, table: Table, ids: pa.DataType) -> None:
        self.path = scratch / f"{table.name}.part"
        self.table = table
        self.schema = table.schema(ids)
        many = [f.name for f in self.schema if f.name not in table.few and pa.types.is_integer(f.type)]
        # without Arrow's own schema in the file: who reads it gets texts, not dictionaries
        self._writer = pq.ParquetWriter(
            arrow_path(self.path),
            self.schema,
            store_schema=False,
            write_statistics=False,
            use_dictionary=[f.name for f in self.schema if f.name in table.few],
            column_encoding=dict.fromkeys(many, "DELTA_BINARY_PACKED"),
        )
        self._waiting: list[pa.Table] = []
        self.rows = 0

    def add(self, table: pa.Table) -> None:
        """Write a table, or keep it until there are more rows."""
        self._waiting.append(table)
        self.rows += len(table)
        if sum(map(len, self._waiting)) >= ROWS:
            self._write()

    def _write(self) -> None:
        table = pa.concat_tables(self._waiting)
        self._waiting = []
        self._writer.write_table(table.unify_dictionaries().combine_chunks(), row_group_size=1 << 20)

    def close(self, folder: Path | None) -> None:
        """Write the rest and move the file into the run folder; without one it is given up."""
        if folder is not None and self._waiting:
            self._write()
        self._writer.close()
        if folder is not None:
            self.path.replace(folder / self.table.file)
        else:
            self.path.unlink(missing_ok=True)
