"""Tables of a run folder: their files and columns, and a writer that adds blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ....catalogues.core.parquet import arrow_path
from ..costs import COST_COLUMNS as COST_NAMES

INTEGER, FLOAT = pa.int64(), pa.float64()
TEXT_TYPE = pa.dictionary(pa.int32(), pa.string())
"""Arrow type of text columns with few distinct values."""
BLOCK_ROWS = 100_000
"""Minimum number of rows per written block."""


@dataclass(frozen=True)
class Table:
    """A Parquet file of a run folder.

    Attributes
    ----------
    name : str
        File name without its suffix.
    columns : dict
        Types of the columns by name; None for case identifiers, whose type is the same as in the input.
    dictionary_columns : frozenset of str
        Columns with few distinct values.
    """

    name: str
    columns: dict[str, pa.DataType | None]
    dictionary_columns: frozenset[str] = frozenset()

    @property
    def file(self) -> str:
        """Name of the file."""
        return f"{self.name}.parquet"


PREDICTIONS = Table(
    "predictions",
    {
        "mention_id": INTEGER,
        "text_id": None,
        "side": TEXT_TYPE,
        "start": INTEGER,
        "end": INTEGER,
        "type": TEXT_TYPE,
        "score": FLOAT,
        "identifiers": TEXT_TYPE,
    },
    frozenset(("side", "type", "score", "identifiers")),
)
FRAGMENTS = Table("fragments", dict.fromkeys(("mention_id", "start", "end"), INTEGER))
"""Table of the fragments of discontinuous mentions."""
OUTCOMES = Table(
    "outcomes",
    {"case_id": None, "outcome": TEXT_TYPE, "placed": TEXT_TYPE, "unplaced": pa.int32(), "reason": TEXT_TYPE},
    frozenset(("outcome", "placed", "unplaced", "reason")),
)
COSTS = Table(
    "costs",
    {"case_id": None, **dict.fromkeys(COST_NAMES, INTEGER), "seconds": FLOAT, "price": FLOAT},
    frozenset(("attempts", "shared")),
)
REPLIES = Table("replies", {"case_id": None, "reply": pa.string()})
"""Table of the tagger's stored replies."""
STRINGS = Table(
    "strings",
    {
        "text_id": None,
        "text": TEXT_TYPE,
        "type": TEXT_TYPE,
        "score": FLOAT,
        "status": TEXT_TYPE,
        "mention_id": INTEGER,
    },
    frozenset(("text", "type", "score", "status")),
)
"""Table of strings that the tagger returned without offsets."""
TABLES = {table.name: table for table in (PREDICTIONS, FRAGMENTS, OUTCOMES, COSTS, REPLIES, STRINGS)}
REQUIRED_TABLES = (PREDICTIONS, OUTCOMES)
"""Tables of every run folder; all other tables are written only if they have rows."""


class TableWriter:
    """Writer of a Parquet file, block by block.

    Parameters
    ----------
    scratch : Path
        Folder in which the file is first written; it is on the same file system as the run folder.
    table : Table
        Name and columns. Columns with few distinct values are dictionary-encoded; other integer columns are
        delta-encoded.
    ids : Arrow type
        Type of case identifiers.
    """

    def __init__(self, scratch: Path, table: Table, ids: pa.DataType) -> None:
        self.path = scratch / f"{table.name}.part"
        self.table = table
        self.schema = pa.schema([(name, kind or ids) for name, kind in table.columns.items()])
        integer_columns = {f.name for f in self.schema if pa.types.is_integer(f.type)}
        # without Arrow's own schema in the file, so that readers get texts, not dictionaries
        self._writer = pq.ParquetWriter(
            arrow_path(self.path),
            self.schema,
            store_schema=False,
            write_statistics=False,
            use_dictionary=sorted(table.dictionary_columns),
            column_encoding=dict.fromkeys(integer_columns - table.dictionary_columns, "DELTA_BINARY_PACKED"),
        )
        self._waiting: list[pa.Table] = []

    def add(self, table: pa.Table, *, min_rows: int = BLOCK_ROWS) -> None:
        """Add rows; write all waiting rows to the file if there are at least `min_rows`."""
        self._waiting.append(table.select(self.schema.names).cast(self.schema))
        if sum(map(len, self._waiting)) >= min_rows:
            block = pa.concat_tables(self._waiting)
            self._waiting = []
            self._writer.write_table(block.unify_dictionaries().combine_chunks(), row_group_size=1 << 20)

    def close(self, folder: Path | None) -> None:
        """Write the remaining rows and move the file into `folder`; if `folder` is None, delete the file."""
        if self._waiting:
            self.add(self._waiting.pop(), min_rows=0)
        self._writer.close()
        if folder is None:
            self.path.unlink()
        else:
            self.path.replace(folder / self.table.file)
