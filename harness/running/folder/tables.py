"""The tables of a run folder: their files, their columns, and how they are written block by block."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ....catalogues.core.parquet import arrow_path
from ..costs import COST_COLUMNS as COST_NAMES

TEXT_TYPE = pa.dictionary(pa.int32(), pa.string())
"""A column of texts, few of which differ."""
BLOCK_ROWS = 100_000
"""Rows that are written at once, or more."""


@dataclass(frozen=True)
class Table:
    """A Parquet file of a run folder.

    Attributes
    ----------
    name : str
        The file's, without its ending.
    columns : dict
        Names and types; a column of cases' identifiers, which have the type that they have in the input, has
        none.
    dictionary_columns : frozenset of str
        Columns of few distinct values.
    """

    name: str
    columns: dict[str, pa.DataType | None]
    dictionary_columns: frozenset[str] = frozenset()

    @property
    def file(self) -> str:
        """The file's name."""
        return f"{self.name}.parquet"


PREDICTIONS = Table(
    "predictions",
    {
        "mention_id": pa.int64(),
        "text_id": None,
        "side": TEXT_TYPE,
        "start": pa.int64(),
        "end": pa.int64(),
        "type": TEXT_TYPE,
        "score": pa.float64(),
        "identifiers": TEXT_TYPE,
    },
    frozenset(("side", "type", "score", "identifiers")),
)
FRAGMENTS = Table("fragments", dict.fromkeys(("mention_id", "start", "end"), pa.int64()))
"""Of discontinuous mentions."""
OUTCOMES = Table(
    "outcomes",
    {"case_id": None, "outcome": TEXT_TYPE, "placed": TEXT_TYPE, "unplaced": pa.int32(), "reason": TEXT_TYPE},
    frozenset(("outcome", "placed", "unplaced", "reason")),
)
COSTS = Table(
    "costs",
    {
        "case_id": None,
        **dict.fromkeys(COST_NAMES, pa.int64()),
        "seconds": pa.float64(),
        "price": pa.float64(),
    },
    frozenset(("attempts", "shared")),
)
REPLIES = Table("replies", {"case_id": None, "reply": pa.string()})
"""What the tagger answered to the cases whose replies are kept."""
STRINGS = Table(
    "strings",
    {
        "text_id": None,
        "text": TEXT_TYPE,
        "type": TEXT_TYPE,
        "score": pa.float64(),
        "status": TEXT_TYPE,
        "mention_id": pa.int64(),
    },
    frozenset(("text", "type", "score", "status")),
)
"""What was answered in place of offsets."""
TABLES = {table.name: table for table in (PREDICTIONS, FRAGMENTS, OUTCOMES, COSTS, REPLIES, STRINGS)}
REQUIRED_TABLES = (PREDICTIONS, OUTCOMES)
"""Tables that every run folder has; the others are there where there is something in them."""


class TableWriter:
    """A Parquet file written block by block.

    Parameters
    ----------
    scratch : Path
        A folder on the same device; the file is moved to its place when all is written.
    table : Table
        Columns of few distinct values are written as such; the others that are integers as differences.
    ids : Arrow type
        Type of the cases' identifiers.
    """

    def __init__(self, scratch: Path, table: Table, ids: pa.DataType) -> None:
        self.path = scratch / f"{table.name}.part"
        self.table = table
        self.schema = pa.schema([(name, kind or ids) for name, kind in table.columns.items()])
        many = [
            f.name
            for f in self.schema
            if f.name not in table.dictionary_columns and pa.types.is_integer(f.type)
        ]
        # without Arrow's own schema in the file: who reads it gets texts, not dictionaries
        self._writer = pq.ParquetWriter(
            arrow_path(self.path),
            self.schema,
            store_schema=False,
            write_statistics=False,
            use_dictionary=[f.name for f in self.schema if f.name in table.dictionary_columns],
            column_encoding=dict.fromkeys(many, "DELTA_BINARY_PACKED"),
        )
        self._waiting: list[pa.Table] = []

    def add(self, table: pa.Table, *, min_rows: int = BLOCK_ROWS) -> None:
        """Write a table, or keep it until there are more rows."""
        self._waiting.append(table.select(self.schema.names).cast(self.schema))
        if sum(map(len, self._waiting)) >= min_rows:
            whole = pa.concat_tables(self._waiting)
            self._waiting = []
            self._writer.write_table(whole.unify_dictionaries().combine_chunks(), row_group_size=1 << 20)

    def close(self, folder: Path | None) -> None:
        """Write the rest and move the file into the run folder; without one it is given up."""
        if self._waiting:
            self.add(self._waiting.pop(), min_rows=0)
        self._writer.close()
        if folder is None:
            self.path.unlink()
        else:
            self.path.replace(folder / self.table.file)
