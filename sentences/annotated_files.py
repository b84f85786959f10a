"""Annotating a corpus on disk into a table for use elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_path
from ..catalogues.core.parquet import arrow_path
from ..catalogues.taxonomy import LIST_PREFIX, taxonomy
from ..catalogues.word_lists import read_lists, require_lists
from .annotate import annotate
from .formats import read_corpus, read_predictions

KINDS = (".parquet", ".csv")


def annotate_to(
    spec: str, out: Path, *, predicted: str = "", features: Sequence[str] | None, word_lists: Sequence[str]
) -> str:
    """Annotate the corpus `spec` (or predictions over it) into `out` and say how much that was.

    Raises
    ------
    InputError
        When the output is neither ``.parquet`` nor ``.csv``, a feature is unknown or a list is not NAME=FILE.
    """
    if out.suffix not in KINDS:
        raise InputError("unknown kind of output", file=out, allowed=" or ".join(KINDS))
    lists = read_lists(word_lists)
    corpus = read_corpus(spec).spread()
    mentions = read_predictions(predicted, corpus).mentions if predicted else None
    listed = [LIST_PREFIX + name for name in lists]
    wanted = None if not features else [*features, *listed]
    known = taxonomy().by_column
    asked = [known[name] if name in known else taxonomy().find(name) for name in features or ()]
    require_lists(asked, {*listed, *(corpus.mentions if mentions is None else mentions).columns})
    frame = annotate(corpus, mentions, wanted, lists=lists)
    # frames may hold several kinds of missing values; Arrow has one
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    with atomic_path(out) as temporary:
        if out.suffix == ".csv":
            pyarrow.csv.write_csv(_plain(table), arrow_path(temporary))
        else:
            pyarrow.parquet.write_table(table, arrow_path(temporary), compression="zstd")
    return f"{table.num_rows} mentions, {table.num_columns} columns: {out}"


def _plain(table: pa.Table) -> pa.Table:
    """Dictionary columns as text, which is all that CSV has."""
    columns = [
        c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in table.itercolumns()
    ]
    return pa.table(columns, names=table.column_names)
