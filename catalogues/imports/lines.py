"""Lines of a text file, compressed or not, each with its number; faults are told with their place."""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NoReturn

from ..plumbing.errors import InputError
from ..plumbing.files import decode, opened

_GZIP = b"\x1f\x8b"
_MARK = "﻿"


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    r"""Each line with its one-based number, without the line's end (``\n`` or ``\r\n``).

    Gzip is told by its content. Nothing is read into memory at once.

    Raises
    ------
    InputError
        No such file, not UTF-8 (UTF-16 is named), damaged or cut-off gzip.
    """
    source = Path(path)
    number = 0
    try:
        with _open(source) as stream:
            for raw in stream:
                number += 1
                try:
                    line = raw.decode("utf-8")
                except UnicodeDecodeError:
                    line = "\0"
                if "\0" in line:
                    decode(raw, source, number)  # says what is wrong
                if number == 1:
                    line = line.removeprefix(_MARK)
                yield number, line.rstrip("\r\n")
    except EOFError:
        _damaged("the compressed file ends too early", source, number)
    except (gzip.BadGzipFile, zlib.error) as error:
        _damaged(f"the compressed file is damaged ({error})", source, number)


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
        A row with more or fewer fields than the header; an unclosed quotation mark; the header once more,
        as where two files were put together.
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
            # a table of one column may well hold its header's word
            if row == header and len(row) > 1:
                raise InputError(
                    "the header stands a second time",
                    file=path,
                    line=numbers[0],
                    found=delimiter.join(row),
                    allowed="one table a file",
                )
            header = header or row
            yield numbers[0], row
    except csv.Error as error:
        raise InputError(f"not a table ({error})", file=path, line=numbers[0]) from None


def columns_of(header: Sequence[str], needed: Sequence[str], path: str | os.PathLike[str]) -> dict[str, int]:
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


def _open(source: Path) -> IO[bytes] | gzip.GzipFile:
    stream = opened(source)
    start = stream.read(2)
    stream.seek(0)
    if start != _GZIP:
        return stream
    # one object to close: the wrapper closes what it wraps when it is given a name
    stream.close()
    return gzip.open(source, "rb")


def _damaged(problem: str, source: Path, number: int) -> NoReturn:
    raise InputError(
        problem, file=source, line=number or None, allowed="a whole gzip file or plain text"
    ) from None
