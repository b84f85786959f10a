"""Cache of computed tables.

Each table is a Parquet file, whose name contains a checksum of the table's inputs. The environment variable
``TAGSUITE_CACHE`` sets the cache folder; if it is set to an empty text, nothing is cached. By default, the
folder is ``$XDG_CACHE_HOME/tagsuite`` or, if ``XDG_CACHE_HOME`` is not set, ``~/.cache/tagsuite``. It can be
deleted at any time.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from .core.errors import InputError
from .core.files import atomic_path, digest_bytes, digest_path
from .core.messages import say
from .core.parquet import arrow_path

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MAX_CACHED_FILES = 64
"""Maximum number of cached files; if there are more, the least recently used ones are deleted."""


def cache_folder() -> Path | None:
    """Return the path of the cache folder, or None if caching is off."""
    named = os.environ.get("TAGSUITE_CACHE")
    if named is not None:
        return Path(named) if named else None
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "tagsuite"
    except RuntimeError:
        # the user has no home folder
        return None


_reported_folders: set[Path] = set()


def report_unusable(folder: Path, reason: str) -> None:
    """Report that the cache folder cannot be used, but only once per folder."""
    if folder in _reported_folders:
        return
    _reported_folders.add(folder)
    say(f"cache: {folder} cannot be used ({reason}); to cache tables, set TAGSUITE_CACHE to another folder")


@lru_cache
def source_digest(package: str) -> str:
    """Return a checksum of a package's code and data, which changes when the package is updated."""
    return digest_path(str(resources.files(package)))


def cached_table(
    name: str, key_parts: Iterable[str], build: Callable[[], pa.Table], columns: Iterable[str] | None = None
) -> pa.Table:
    """Return a table from the cache, or build and cache it.

    Parameters
    ----------
    name : str
        First part of the cached file's name.
    key_parts : iterable of str
        Texts that identify the table: checksums of its inputs, options, and the `source_digest` of the code.
    build : callable
        Function that makes the table if it is not cached or the cached file is damaged.
    columns : iterable of str, optional
        Columns to return; columns that the table lacks are skipped. If None, all columns are returned.
    """
    from .core.version import __version__

    folder = cache_folder()
    selected = None if columns is None else list(columns)
    if folder is None:
        return _select_columns(build(), selected)
    key = digest_bytes(name.encode(), __version__.encode(), *(p.encode() for p in key_parts))
    path = folder / f"{name}-{key[:32]}.parquet"
    cached = _read(path, selected)
    if cached is not None:
        return cached
    table = build()
    _store(table, path)
    return _select_columns(table, selected)


def cached_frame(
    name: str,
    key_parts: Iterable[str],
    build: Callable[[], pd.DataFrame],
    columns: Iterable[str] | None = None,
) -> pd.DataFrame:
    """Return a DataFrame from the cache, or build and cache it; see `cached_table`.

    Dtypes are preserved; the index is not stored.
    """
    table = cached_table(name, key_parts, lambda: frame_to_table(build()), columns)
    return table_to_frame(table)


def table_to_frame(table: pa.Table) -> pd.DataFrame:
    """Convert a table made by `frame_to_table` back to a DataFrame with the same dtypes."""
    import pandas as pd

    frame: pd.DataFrame = table.to_pandas()
    texts = pd.CategoricalDtype(pd.Index([], dtype="str"))
    for column, dtype in frame.dtypes.items():
        if _has_no_categories(dtype):
            frame[column] = frame[column].astype(texts)
    return frame


def _has_no_categories(dtype: object) -> bool:
    import pandas as pd

    return isinstance(dtype, pd.CategoricalDtype) and not len(dtype.categories)


def frame_to_table(frame: pd.DataFrame) -> pa.Table:
    """Convert a DataFrame to an Arrow table that also stores the dtypes."""
    import pandas as pd
    import pyarrow as pa

    # Parquet cannot store a dictionary without a value type
    empty = [column for column, dtype in frame.dtypes.items() if _has_no_categories(dtype)]
    if empty:
        frame = frame.astype(dict.fromkeys(empty, pd.CategoricalDtype(pd.Index([], dtype="str"))))
    return pa.Table.from_pandas(frame, preserve_index=False)


def write_table(table: pa.Table, path: str | os.PathLike[str]) -> None:
    """Write a table to a Parquet file atomically; equal tables result in identical files."""
    import pyarrow.parquet as pq

    with atomic_path(path) as temporary:
        pq.write_table(
            table,
            arrow_path(temporary),
            compression="zstd",
            compression_level=3,
            row_group_size=1 << 20,
            store_schema=True,
            write_page_checksum=True,
        )


def _read(path: Path, columns: list[str] | None) -> pa.Table | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        return None
    try:
        with pq.ParquetFile(arrow_path(path), page_checksum_verification=True) as file:
            names = file.schema_arrow.names
            table = file.read(columns=None if columns is None else [c for c in columns if c in names])
    except (pa.ArrowException, OSError, ValueError) as error:
        say(f"cache: {path} is damaged ({_first_line(error)}) and will be rebuilt")
        return None
    with contextlib.suppress(OSError):
        # records the last use; fails silently in a read-only folder
        path.touch()
    return table


def _store(table: pa.Table, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(table, path)
        _prune(path.parent)
    except (OSError, InputError) as error:
        report_unusable(path.parent, describe_error(error))


def _prune(folder: Path) -> None:
    """Delete the least recently used cache files until at most `MAX_CACHED_FILES` are left."""
    used = []
    # the user may keep other files in this folder
    for path in folder.glob(f"*-{'[0-9a-f]' * 32}.parquet"):
        with contextlib.suppress(FileNotFoundError):
            used.append((path.stat().st_mtime_ns, path))
    for _, path in sorted(used)[:-MAX_CACHED_FILES]:
        path.unlink(missing_ok=True)


def _select_columns(table: pa.Table, columns: list[str] | None) -> pa.Table:
    return table if columns is None else table.select([c for c in columns if c in table.column_names])


def describe_error(error: BaseException) -> str:
    """Return a short description of an error in a file operation, without the file name."""
    return getattr(error, "strerror", None) or getattr(error, "problem", None) or _first_line(error)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
