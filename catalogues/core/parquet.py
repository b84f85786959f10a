"""Parquet files opened with care: damage is an error of the file, what would fill the memory is refused."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .files import opened
from .limits import packed_limit, too_large

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

# of a value that is no text; more than the widest number takes, with its validity
_WIDTH = 8
# rows that are looked at at once, and bytes of a column that are read at once where its first rows are enough
_ROWS, _BUFFER = 1 << 16, 1 << 16
# encodings by which a short column chunk may stand for long text: places in a dictionary; beginnings of the
# text before, which may grow from row to row
_DICTIONARY, _BEGINNINGS = {"PLAIN_DICTIONARY", "RLE_DICTIONARY"}, {"DELTA_BYTE_ARRAY"}


def arrow_path(path: str | os.PathLike[str]) -> str:
    """Return a path as Arrow reads it: absolute, since Arrow takes a relative one with a colon for a URI."""
    return os.path.abspath(path)  # noqa: PTH100 - links stay as they are


@contextlib.contextmanager
def opened_parquet(
    path: str | os.PathLike[str], columns: Collection[str] | None = None, *, checksums: bool = False
) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; `columns` are those that will be read (all when None).

    Raises
    ------
    InputError
        Missing, damaged, or one that unpacks to more than the limit; also for damage that the block finds.
    """
    import pyarrow.parquet as pq

    source = Path(path)
    with opened(source) as stream:
        size = stream.seek(0, os.SEEK_END)
    with _damage_named(source):
        # Arrow reads a path faster than a stream of Python's; a pipe has no path to read again
        whole: Any = arrow_path(source) if source.is_file() else opened(source)
        with pq.ParquetFile(whole, page_checksum_verification=checksums) as file:
            _refuse_bomb(file, columns, size, source)
            yield file


def read_table(
    path: str | os.PathLike[str], columns: Collection[str] | None = None, *, checksums: bool = False
) -> pa.Table:
    """Read those of `columns` (all when None) that a Parquet file has; see `opened_parquet`."""
    with opened_parquet(path, columns, checksums=checksums) as file:
        names = file.schema_arrow.names
        return file.read(columns=None if columns is None else [n for n in names if n in columns])


def to_frame(table: pa.Table, path: str | os.PathLike[str]) -> pd.DataFrame:
    """A table that was read from `path` as a frame; text is `str` whatever text type the file used."""
    with _damage_named(Path(path)):
        frame: pd.DataFrame = table.to_pandas(split_blocks=True)
        for column, dtype in frame.dtypes.items():
            if dtype == "object":
                frame[column] = frame[column].astype("str")
    return frame


@contextlib.contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    import pyarrow as pa

    # Arrow raises its own errors and, where damage is seen late, Python's
    faults = (
        pa.ArrowException,
        OSError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        OverflowError,
        MemoryError,
    )
    try:
        yield
    except faults as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(
            f"not a readable Parquet file ({reason})", file=path, allowed="a whole one"
        ) from None


def _refuse_bomb(file: pq.ParquetFile, columns: Collection[str] | None, size: int, path: Path) -> None:
    """Refuse what unpacks to too much, by the file's own account of its pages and rows."""
    limit = packed_limit(size)
    if (
        _unpacked(file, columns, path, limit) > limit
        and _unpacked(file, columns, path, limit, exact=True) > limit
    ):
        raise too_large(path, limit, packed=True)


def _unpacked(
    file: pq.ParquetFile, columns: Collection[str] | None, path: Path, limit: int, *, exact: bool = False
) -> int:
    """Bytes that some columns unpack to, or a little more than the limit; at most, where not `exact`."""
    meta = file.metadata
    total = 0
    for group in range(meta.num_row_groups):
        rows = meta.row_group(group)
        for place in range(rows.num_columns):
            chunk = rows.column(place)
            name = chunk.path_in_schema.split(".")[0]
            if columns is not None and name not in columns:
                continue
            flat = max(int(chunk.total_uncompressed_size), _WIDTH * int(chunk.num_values))
            repeating = (_DICTIONARY | _BEGINNINGS) & set(chunk.encodings)
            if repeating and chunk.physical_type == "BYTE_ARRAY":
                column, values = chunk.path_in_schema, int(chunk.num_values)
                if exact:
                    spread = flat if repeating & _BEGINNINGS else 0
                    flat = max(flat, decoded_size(path, group, column, limit, spread))
                elif repeating & _BEGINNINGS or total + values * flat <= limit:
                    # each value may be as long as all that the chunk holds
                    flat *= values
                else:
                    # what stands beside the dictionary takes no more than its pages
                    flat += values * _longest(path, group, column)
            total += flat
            if total > limit:
                return total
    return total


def _longest(path: Path, group: int, column: str) -> int:
    """Bytes of the longest text in a column's dictionary, which writers put before all its values."""
    import pyarrow.parquet as pq

    # not the whole chunk is read for it
    with pq.ParquetFile(arrow_path(path), read_dictionary=[column], buffer_size=_BUFFER) as file:
        for batch in file.iter_batches(1, row_groups=[group], columns=[column]):
            return int(_lengths(batch.column(0).dictionary).max(initial=0))
    return 0


def decoded_size(path: Path, group: int, column: str, limit: int, spread: int = 0) -> int:
    """Bytes of a column of text once each row has its own, or a little more than the limit.

    They are counted on dictionaries, and nothing is spread out. Where the column cannot be read so, they are
    spread out, so many at once that they take no more than the limit if each has `spread` bytes.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    total = 0
    rows = min(max(limit // spread, 1), _ROWS) if spread else _ROWS
    with pq.ParquetFile(arrow_path(path), read_dictionary=[] if spread else [column]) as file:
        for batch in file.iter_batches(rows, row_groups=[group], columns=[column]):
            array = batch.column(0)
            if not pa.types.is_dictionary(array.type):
                total += array.nbytes
            else:
                total += _spread(array.indices, array.dictionary)
            if total > limit:
                break
    return total


def _spread(indices: pa.Array, texts: pa.Array) -> int:
    """Bytes of the texts that stand at indices which are not missing.

    From the buffers themselves: pyarrow.compute takes longer to import than a short run to read its texts.
    """
    import numpy as np

    missing, values = indices.buffers()
    begin, end = indices.offset, indices.offset + len(indices)
    places = np.frombuffer(values or b"", dtype=np.int32)[begin:end]
    if missing is not None:
        bits = np.unpackbits(np.frombuffer(missing, dtype=np.uint8), count=end, bitorder="little")
        places = places[bits[begin:] > 0]
    return int(_lengths(texts)[places].sum())


def _lengths(texts: pa.Array) -> NDArray[np.int64]:
    """Bytes of each text."""
    import numpy as np
    import pyarrow as pa

    wide = pa.types.is_large_string(texts.type) or pa.types.is_large_binary(texts.type)
    edges = np.frombuffer(texts.buffers()[1] or b"", dtype=np.int64 if wide else np.int32)
    return np.diff(edges[texts.offset : texts.offset + len(texts) + 1]).astype(np.int64)
