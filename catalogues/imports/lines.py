"""Functions that read numbered lines, rows and tables from text files, which may be gzipped."""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.files import decode_utf8, get_unpacked_limit, open_input, too_large_error

_GZIP = b"\x1f\x8b"


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    r"""Yield the number (from 1) and the text of each line, without its line end (``\n`` or ``\r\n``).

    Gzipped files are recognised by their content. The file is read line by line.

    Raises
    ------
    InputError
        If the file is missing, is not UTF-8, is a damaged or incomplete gzip file, or exceeds the maximum
        input size when it is unpacked.
    """
    source = Path(path)
    number = total = 0
    try:
        with open_input(source) as packed:
            limit = get_unpacked_limit(packed.seek(0, os.SEEK_END))
            packed.seek(0)
            is_packed = packed.read(2) == _GZIP
            packed.seek(0)
            stream = gzip.GzipFile(fileobj=packed) if is_packed else packed
            while raw := stream.readline(limit + 1 - total):
                number += 1
                total += len(raw)
                if total > limit:
                    raise too_large_error(source, limit, packed=True)
                yield number, decode_utf8(raw, source, number).rstrip("\r\n")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        problem = "is incomplete" if isinstance(error, EOFError) else f"is damaged ({error})"
        raise InputError(
            f"the compressed file {problem}; use an undamaged gzip file or plain text",
            file=source,
            line=number or None,
        ) from None


def read_rows(
    path: str | os.PathLike[str], delimiter: str, *, quoted: bool, skip: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Yield the header and the rows of a delimited table, each with the number of its last line.

    Parameters
    ----------
    path : path
        Path of the file.
    delimiter : str
        Character between the fields.
    quoted : bool
        If True, fields may be in quotation marks (``"``, doubled inside a field).
    skip : int
        Number of lines before the header.

    Raises
    ------
    InputError
        If a row has more or fewer fields than the header, or a quotation mark is not closed.
    """
    lines = (line + "\n" for number, line in read_lines(path) if number > skip)
    quoting: Any = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    table = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    header: list[str] = []
    try:
        for row in table:
            if not row:
                continue
            if header and len(row) != len(header):
                raise InputError(
                    "the row and the header have different numbers of fields",
                    file=path,
                    line=skip + table.line_num,
                    found=f"{len(row)} fields",
                    allowed=f"{len(header)} fields",
                )
            header = header or row
            yield skip + table.line_num, row
    except csv.Error as error:
        raise InputError(
            f"the file cannot be read as a table ({error})", file=path, line=skip + table.line_num
        ) from None


def read_table(
    path: str | os.PathLike[str],
    needed: Sequence[str],
    *,
    quoted: bool,
    skip: int = 0,
    rename_header: Callable[[str], str] = str,
) -> tuple[dict[str, int], Iterator[tuple[int, list[str]]]]:
    """Open a tab-separated table; return the index of each column by name, and an iterator over the rows.

    Parameters
    ----------
    path : path
        Path of the file.
    needed : sequence of str
        Names of the required columns.
    quoted, skip
        See `read_rows`.
    rename_header : callable
        Function applied to each column name of the header.

    Raises
    ------
    InputError
        If a required column is missing, the header has duplicate columns, or `read_rows` raises InputError.
    """
    rows = read_rows(path, "\t", quoted=quoted, skip=skip)
    _, header = next(rows, (1, [""]))
    return locate_columns([rename_header(name) for name in header], needed, path), rows


def locate_columns(
    header: Sequence[str], needed: Sequence[str], path: str | os.PathLike[str]
) -> dict[str, int]:
    """Return the index of each column by name.

    Raises
    ------
    InputError
        If a required column is missing or the header has duplicate columns.
    """
    places = {name: i for i, name in enumerate(header)}
    if len(places) != len(header):
        duplicate = next(name for i, name in enumerate(header) if name in header[:i])
        raise InputError("duplicate column in the header", file=path, line=1, found=duplicate)
    missing = [name for name in needed if name not in places]
    if missing:
        raise InputError(
            f"the column {missing[0]!r} is missing; needed: {', '.join(needed)}",
            file=path,
            line=1,
            found=", ".join(header),
        )
    return places
