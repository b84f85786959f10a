"""Functions that read Parquet files and raise InputError if a file is damaged or too large."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .files import get_input_limit, open_input, too_large_error

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq


def arrow_path(path: str | os.PathLike[str]) -> str:
    """Return an absolute path, because Arrow reads a relative path with a colon as a URI."""
    return os.path.abspath(path)  # noqa: PTH100 - links stay as they are


@contextlib.contextmanager
def open_parquet(path: str | os.PathLike[str], *, checksums: bool = False) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file for reading.

    Parameters
    ----------
    path : path
        Path of a Parquet file.
    checksums : bool
        If True, verify the checksums of the file's pages.

    Raises
    ------
    InputError
        If the file is missing, has duplicate columns, exceeds the maximum input size, or is damaged. Some
        damage is detected only while the ``with`` block reads the file.
    """
    import pyarrow.parquet as pq

    source = Path(path)
    limit = get_input_limit()
    with open_input(source) as stream:
        if stream.seek(0, os.SEEK_END) > limit:
            raise too_large_error(source, limit)
    with _report_damage(source):
        # Arrow reads a path faster than a Python stream; a pipe cannot be opened again by its path
        path_or_stream: Any = arrow_path(source) if source.is_file() else open_input(source)
        with pq.ParquetFile(path_or_stream, page_checksum_verification=checksums) as file:
            names = file.schema_arrow.names
            duplicate = next((name for name in names if names.count(name) > 1), None)
            if duplicate is not None:
                raise InputError("the table has a duplicate column", file=source, found=duplicate)
            yield file


def read_table(path: str | os.PathLike[str], columns: Collection[str] | None = None) -> pa.Table:
    """Read all columns of a Parquet file, or those of the given `columns` that the file has."""
    with open_parquet(path) as file:
        names = file.schema_arrow.names
        return file.read(columns=None if columns is None else [n for n in names if n in columns])


def table_to_frame(table: pa.Table, path: str | os.PathLike[str]) -> pd.DataFrame:
    """Convert a table read from `path` to a DataFrame, with text columns of dtype `str`."""
    with _report_damage(Path(path)):
        frame: pd.DataFrame = table.to_pandas(split_blocks=True)
        for column, dtype in frame.dtypes.items():
            if dtype == "object":
                frame[column] = frame[column].astype("str")
    return frame


@contextlib.contextmanager
def _report_damage(path: Path) -> Iterator[None]:
    import pyarrow as pa

    # Arrow raises its own errors and, for damage noticed late, built-in ones
    faults = (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError, MemoryError)
    try:
        yield
    except faults as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(f"not a readable Parquet file ({reason})", file=path) from None
