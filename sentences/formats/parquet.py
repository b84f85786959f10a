"""A folder of Parquet tables; see `tablefolder`. Keeps every column with its type."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..corpus import Corpus
from ..suites import read_frame
from .base import EVERYTHING, Format, Options
from .tablefolder import read_table_predictions, read_tables, write_tables


def _save(frame: pd.DataFrame, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, compression="zstd")


def _read(path: Path, options: Options) -> Corpus:  # noqa: ARG001 - a reader's signature
    return read_tables(path, ".parquet", "parquet", read_frame)


def _predictions(path: Path, gold: Corpus, options: Options) -> Corpus:  # noqa: ARG001
    return read_table_predictions(path, gold, ".parquet", "parquet", read_frame)


def _write(corpus: Corpus, path: Path, options: Options) -> None:
    write_tables(corpus, path, ".parquet", _save, options)


FORMAT = Format(
    name="parquet",
    title="a folder of Parquet tables: texts, mentions, …; predictions may be one table of mentions",
    place="folder",
    read=_read,
    write=_write,
    predictions=_predictions,
    options={"force": "yes: replace the folder when writing"},
    carries=EVERYTHING,
)
