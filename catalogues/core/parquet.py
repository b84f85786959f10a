"""Parquet files: opened up to the limit on input; damage is reported as an error of the file."""

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
    """Return a path as Arrow reads it: absolute, since Arrow takes a relative one with a colon for a URI."""
    return os.path.abspath(path)  # noqa: PTH100 - links stay as they are


@contextlib.contextmanager
def open_parquet(path: str | os.PathLike[str], *, checksums: bool = False) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file.

    Raises
    ------
    InputError
        Missing, damaged, larger than the limit, or with a column twice; also for damage that the block finds.
    """
    import pyarrow.parquet as pq

    source = Path(path)
    limit = get_input_limit()
    with open_input(source) as stream:
        if stream.seek(0, os.SEEK_END) > limit:
            raise too_large_error(source, limit)
    with _report_damage(source):
        # Arrow reads a path faster than a stream of Python's; a pipe has no path to read again
        whole: Any = arrow_path(source) if source.is_file() else open_input(source)
        with pq.ParquetFile(whole, page_checksum_verification=checksums) as file:
            names = file.schema_arrow.names
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise InputError("a column occurs twice", file=source, found=twice)
            yield file


def read_table(path: str | os.PathLike[str], columns: Collection[str] | None = None) -> pa.Table:
    """Read those of `columns` (all when None) that a Parquet file has; see `open_parquet`."""
    with open_parquet(path) as file:
        names = file.schema_arrow.names
        return file.read(columns=None if columns is None else [n for n in names if n in columns])


def table_to_frame(table: pa.Table, path: str | os.PathLike[str]) -> pd.DataFrame:
    """Return a table that was read from `path` as a frame; text is `str` whatever text type the file used."""
    with _report_damage(Path(path)):
        frame: pd.DataFrame = table.to_pandas(split_blocks=True)
        for column, dtype in frame.dtypes.items():
            if dtype == "object":
                frame[column] = frame[column].astype("str")
    return frame


@contextlib.contextmanager
def _report_damage(path: Path) -> Iterator[None]:
    import pyarrow as pa

    # Arrow raises its own errors and, where damage is seen late, Python's
    faults = (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError, MemoryError)
    try:
        yield
    except faults as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(
            f"not a readable Parquet file ({reason})", file=path, allowed="a whole one"
        ) from None
