"""Format that stores a corpus as a folder of Parquet tables, which preserve the type of each column."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ...catalogues.core.parquet import arrow_path
from ..suites import read_frame
from .table_folder import make_table_format


def _save(frame: pd.DataFrame, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), arrow_path(path), compression="zstd")


FORMAT = make_table_format("parquet", "Parquet", read_frame, _save)
