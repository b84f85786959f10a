"""The tables of a run folder: their files, their columns."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from ..costs import NAMES as COST_NAMES
from .arrow import WORD


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
    few : frozenset of str
        Columns of few distinct values.
    """

    name: str
    columns: dict[str, pa.DataType | None]
    few: frozenset[str] = frozenset()

    @property
    def file(self) -> str:
        """The file's name."""
        return f"{self.name}.parquet"

    def schema(self, ids: pa.DataType) -> pa.Schema:
        """The columns, where identifiers are of this type."""
        return pa.schema([(name, kind or ids) for name, kind in self.columns.items()])


def id_type(ids: pa.Array) -> pa.DataType:
    """The type that the identifiers of an input's cases have in every table."""
    return pa.int64() if pa.types.is_integer(ids.type) else pa.string()


PREDICTIONS = Table(
    "predictions",
    {
        "mention_id": pa.int64(),
        "text_id": None,
        "side": WORD,
        "start": pa.int64(),
        "end": pa.int64(),
        "type": WORD,
        "score": pa.float64(),
        "identifiers": WORD,
    },
    frozenset(("side", "type", "score", "identifiers")),
)
FRAGMENTS = Table("fragments", dict.fromkeys(("mention_id", "start", "end"), pa.int64()))
"""Of discontinuous mentions; the file is there where there are any."""
STRINGS = Table(
    "strings",
    {
        "text_id": None,
        "text": WORD,
        "type": WORD,
        "score": pa.float64(),
        "status": WORD,
        "mention_id": pa.int64(),
    },
    frozenset(("text", "type", "score", "status")),
)
"""Of a form without offsets, and of no other."""
OUTCOMES = Table(
    "outcomes",
    {"case_id": None, "outcome": WORD, "placed": WORD, "unplaced": pa.int32(), "reason": WORD},
    frozenset(("outcome", "placed", "unplaced", "reason")),
)
REPLIES = Table("replies", {"case_id": None, "reply": pa.string()})
"""What the tagger answered to the cases whose replies are kept; the file is there where there are any."""
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
"""The file is there where something is known of some case."""
