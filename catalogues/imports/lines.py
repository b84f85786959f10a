"""Lines of a text file, compressed or not, each with its number; faults are reported with their place."""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..core.errors import InputError
from ..core.files import decode_utf8, get_unpacked_limit, open_input, too_large_error

_GZIP = b"\x1f\x8b"


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    r"""Each line with its one-based number, without the line's end (``\n`` or ``\r\n``).

    Gzip is recognised by its content. A file is not read into memory at once; a pipe is.

    Raises
    ------
    InputError
        No such file, not UTF-8 (UTF-16 is named), damaged or cut-off gzip, more than the limit unpacked.
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
        problem = "ends too early" if isinstance(error, EOFError) else f"is damaged ({error})"
        raise InputError(
            f"the compressed file {problem}",
            file=source,
            line=number or None,
            allowed="a whole gzip file or plain text",
        ) from None


def read_rows(
    path: str | os.PathLike[str], delimiter: str, *, quoted: bool, skip: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Each row of a delimited table with the number of its last line; the first is the header.

    Parameters
    ----------
    delimiter : str
        One character.
    quoted : bool
        Whether fields may stand in quotation marks (``"``), doubled within.
    skip : int
        Lines before the header.

    Raises
    ------
    InputError
        A row with more or fewer fields than the header; an unclosed quotation mark.
    """
    numbers = [0]

    def texts() -> Iterator[str]:
        for number, line in read_lines(path):
            numbers[0] = number
            if number > skip:
                yield line + "\n"

    header: list[str] = []
    try:
        if quoted:
            table = csv.reader(texts(), delimiter=delimiter, strict=True)
        else:
            table = csv.reader(texts(), delimiter=delimiter, quoting=csv.QUOTE_NONE)
        for row in table:
            if not row:
                continue
            if header and len(row) != len(header):
                raise InputError(
                    "the row does not fit the header",
                    file=path,
                    line=numbers[0],
                    found=f"{len(row)} fields",
                    allowed=f"{len(header)} fields",
                )
            header = header or row
            yield numbers[0], row
    except csv.Error as error:
        raise InputError(f"not a table ({error})", file=path, line=numbers[0]) from None


def read_table(
    path: str | os.PathLike[str],
    needed: Sequence[str],
    *,
    quoted: bool,
    skip: int = 0,
    rename_header: Callable[[str], str] = str,
) -> tuple[dict[str, int], Iterator[tuple[int, list[str]]]]:
    """Open a table separated by tabs: where each column stands, and the rows below the header.

    Parameters
    ----------
    needed : sequence of str
        The columns that it must have.
    quoted, skip
        As for `read_rows`.
    rename_header : callable
        What a column of the header is called here.

    Raises
    ------
    InputError
        When a needed column is missing or a column stands twice; as the rows are read, as `read_rows`.
    """
    rows = read_rows(path, "\t", quoted=quoted, skip=skip)
    _, header = next(rows, (1, [""]))
    return locate_columns([rename_header(name) for name in header], needed, path), rows


def locate_columns(
    header: Sequence[str], needed: Sequence[str], path: str | os.PathLike[str]
) -> dict[str, int]:
    """Where each column stands.

    Raises
    ------
    InputError
        When a needed column is missing or a column stands twice.
    """
    places = {name: i for i, name in enumerate(header)}
    if len(places) != len(header):
        twice = next(name for i, name in enumerate(header) if name in header[:i])
        raise InputError("the column stands twice in the header", file=path, line=1, found=twice)
    missing = [name for name in needed if name not in places]
    if missing:
        raise InputError(
            f"the column {missing[0]!r} is missing",
            file=path,
            line=1,
            found=", ".join(header),
            allowed="a header with " + ", ".join(needed),
        )
    return places
