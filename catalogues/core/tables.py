"""Results on standard output, as a table, JSON, JSON lines, CSV or Markdown; CSV files read as frames.

A spreadsheet program computes a cell that begins with ``=``, ``+``, ``-`` or ``@``, whoever wrote it: a name
in a text, or a file made to do harm. With `--spreadsheet-csv` an apostrophe before it makes it text.
"""

from __future__ import annotations

import enum
import functools
import io
import math
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError, TagsuiteError
from .files import read_text
from .messages import _discard, make_printable, say

if TYPE_CHECKING:
    import pandas as pd


FORMULA_START = re.compile("[=+\\-@\uff1d\uff0b\uff0d\uff20\x00-\x1f\x7f-\x9f]")
"""What a harmful cell begins with: signs of a formula, in full width too, and control characters."""

BLOCK_ROWS = 20_000
"""Rows that are printed at a time as CSV or JSON lines."""
ESCAPE_SIGN = "'"
_NOT_ASCII = re.compile("[^\x00-\x7f]")
spreadsheet_csv_requested: ContextVar[bool] = ContextVar("asked", default=False)
"""Whether the command that runs was given the option."""


class OutputFormat(enum.StrEnum):
    """How a result is printed."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    markdown = "markdown"

    @property
    def is_for_people(self) -> bool:
        """Whether people read it, for whom a table's most telling columns are enough."""
        return self in (OutputFormat.table, OutputFormat.markdown)


@dataclass(frozen=True)
class ColumnTable:
    """A small table that is printed without pandas, where its import would be most of a command's time.

    Attributes
    ----------
    columns : mapping of str to list
        Lists of one length.
    attrs : dict
        As those of a frame.
    """

    columns: Mapping[str, list[Any]]
    attrs: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)

    def to_dict(self, _orient: str) -> list[dict[str, Any]]:
        """The rows, as ``to_dict("records")`` of a frame gives them."""
        rows = zip(*self.columns.values(), strict=True)
        return [dict(zip(self.columns, row, strict=True)) for row in rows]

    def to_csv(self, buffer: io.StringIO, *, index: bool, header: bool, lineterminator: str) -> None:
        """Write CSV as a frame does; there is no index to write."""
        import csv

        if index:
            raise ValueError("Rows have no index")
        writer = csv.writer(buffer, lineterminator=lineterminator)
        if header:
            writer.writerow(self.columns)
        writer.writerows(zip(*self.columns.values(), strict=True))


def _columns(frame: pd.DataFrame | ColumnTable) -> dict[str, list[Any]]:
    """Return the values of each column by its name."""
    if isinstance(frame, ColumnTable):
        return dict(frame.columns)
    return {str(c): frame[c].tolist() for c in frame.columns}


def format_frame(
    frame: pd.DataFrame | ColumnTable,
    form: OutputFormat,
    *,
    key: str = "rows",
    width: int | None = None,
    spreadsheet: bool | None = None,
    header: bool = True,
) -> str:
    r"""Write a frame as text.

    Parameters
    ----------
    frame : DataFrame
        Any columns; missing values become an empty cell, JSON ``null``.
    form : Format
        ``table`` (aligned, three decimals), ``json`` (``{key: [row, ...]}``), ``jsonl`` (an object a line),
        ``csv`` (full precision, lines end with ``\n``), ``markdown``.
        ``frame.attrs["decimals"]`` may name another number of decimals, ``frame.attrs["heads"]`` the
        heads of columns, in a table for reading, that are not called as they are there.
    key : str
        The one key of the JSON object.
    width : int, optional
        Width that a table is fitted to, in characters; unlimited when None.
    spreadsheet : bool, optional
        Whether text in CSV that a spreadsheet program would compute is made harmless; as the command line
        asks when None.
    header : bool
        Write the names of the columns as the first line of CSV.
    """
    if form is OutputFormat.json:
        import orjson

        return orjson.dumps({key: frame_to_records(frame)}, option=orjson.OPT_INDENT_2).decode() + "\n"
    if form is OutputFormat.jsonl:
        import orjson

        return "".join(orjson.dumps(row).decode() + "\n" for row in frame_to_records(frame))
    if form is OutputFormat.csv:
        return _format_csv(
            frame, spreadsheet_csv_requested.get() if spreadsheet is None else spreadsheet, header
        )
    return _format_table(frame, form, width)


def _format_csv(frame: pd.DataFrame | ColumnTable, spreadsheet: bool, header: bool) -> str:
    if spreadsheet:
        columns = _columns(frame).items()
        frame = ColumnTable(
            {
                escape_formula(c): [None if _is_missing(v) else escape_formula(v) for v in vs]
                for c, vs in columns
            }
        )
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False, header=header, lineterminator="\n")
    return buffer.getvalue()


def _format_table(frame: pd.DataFrame | ColumnTable, form: OutputFormat, width: int | None) -> str:
    decimals = int(frame.attrs.get("decimals", 3))
    columns = _columns(frame)
    heads = [str(frame.attrs.get("heads", {}).get(c, c)) for c in columns]
    numeric = [_is_numeric(values) for values in columns.values()]
    cells = [[_format_cell(v, decimals) for v in values] for values in columns.values()]
    if form is OutputFormat.markdown:
        rule = ["---:" if n else "---" for n in numeric]
        lines = [
            map(_escape_markdown, heads),
            rule,
            *(map(_escape_markdown, row) for row in zip(*cells, strict=True)),
        ]
        return "".join("| " + " | ".join(line) + " |\n" for line in lines)
    sizes = [max(map(len, [head, *column])) for head, column in zip(heads, cells, strict=True)]
    if width is not None:
        sizes = _fit(sizes, [len(h) for h in heads], numeric, width)
    padded = [
        _pad([h, "-" * s, *c], s, right=n) for h, c, s, n in zip(heads, cells, sizes, numeric, strict=True)
    ]
    return "".join("  ".join(row).rstrip() + "\n" for row in zip(*padded, strict=True))


def frame_to_records(frame: pd.DataFrame | ColumnTable) -> list[dict[str, Any]]:
    """The rows as JSON has them: plain values, ``null`` for what is missing or no finite number."""
    return [{str(k): _plain(v) for k, v in row.items()} for row in frame.to_dict("records")]


def frame_to_html(frame: pd.DataFrame) -> str:
    """A frame as an HTML table for notebooks: three decimals, missing values empty, all text escaped."""
    return frame.to_html(index=False, escape=True, na_rep="", float_format=lambda v: f"{v:.3f}", border=0)


def print_frame(frame: pd.DataFrame | ColumnTable, form: OutputFormat, *, key: str = "rows") -> None:
    """Print a frame on standard output; a table is fitted to the terminal's width, and only there."""
    if form in (OutputFormat.csv, OutputFormat.jsonl) and not isinstance(frame, ColumnTable):
        # a block of rows at a time: the text of a long table takes more memory than the table
        for low in range(0, max(len(frame), 1), BLOCK_ROWS):
            print_text(format_frame(frame.iloc[low : low + BLOCK_ROWS], form, header=low == 0), form)
        return
    width = shutil.get_terminal_size().columns if form is OutputFormat.table and sys.stdout.isatty() else None
    print_text(format_frame(frame, form, key=key, width=width), form)


def print_text(text: str, form: OutputFormat = OutputFormat.table) -> None:
    r"""Print a result; what standard output cannot hold (an ASCII terminal, say) is written as ``\u03b1``.

    In JSON that is the same text. Elsewhere it is another, and a message says so.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    errors = "surrogateescape" if getattr(sys.stdout, "errors", "") == "surrogateescape" else "strict"
    try:
        text.encode(encoding, errors)
    except UnicodeEncodeError:
        if form in (OutputFormat.json, OutputFormat.jsonl):
            text = _NOT_ASCII.sub(_escape, text)
        else:
            text = text.encode(encoding, "backslashreplace").decode(encoding)
            _warn_escaped(encoding)
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # its reader has closed it
        _discard(sys.stdout)
    except OSError as error:
        _discard(sys.stdout)
        raise TagsuiteError(f"cannot write to standard output: {error.strerror}") from None


def _escape(match: re.Match[str]) -> str:
    """Return a character as JSON writes it in ASCII."""
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


@functools.cache
def _warn_escaped(encoding: str) -> None:
    """Say once that what is printed is not the text itself."""
    say(f"standard output is {encoding}: other characters are written as escapes")


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (str, int, float, bool, list, dict)) or value is None:
        return value
    return None if value != value else str(value)


def _is_missing(value: Any) -> bool:
    return value is None or value is getattr(sys.modules.get("pandas"), "NA", None) or bool(value != value)


def _format_cell(value: Any, decimals: int) -> str:
    if _is_missing(value):
        return ""
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    if isinstance(value, list):
        return make_printable(", ".join(map(str, value)))
    return make_printable(str(value)).replace("\n", " ")


def _is_numeric(values: list[Any]) -> bool:
    present = [v for v in values if not _is_missing(v)]
    return bool(present) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in present)


def _escape_markdown(text: str) -> str:
    return text.replace("|", "\\|")


def _pad(cells: Iterable[str], size: int, *, right: bool) -> list[str]:
    """Cut the cells of a column to its width, and fill them up to it."""
    cut = [text if len(text) <= size else text[: max(size - 1, 0)] + "…" for text in cells]
    return [text.rjust(size) if right else text.ljust(size) for text in cut]


def _fit(sizes: list[int], heads: list[int], numeric: list[bool], width: int) -> list[int]:
    """Shorten the widest text columns until the table fits; numbers are never cut."""
    sizes = list(sizes)
    while sum(sizes) + 2 * (len(sizes) - 1) > width:
        able = [i for i, n in enumerate(numeric) if not n and sizes[i] > max(8, min(heads[i], 12))]
        if not able:
            break
        widest = max(able, key=lambda i: sizes[i])
        sizes[widest] -= 1
    return sizes


def escape_formula(cell: Any) -> Any:
    r"""A cell that no spreadsheet program computes: text gets an apostrophe where it needs one.

    Examples
    --------
    >>> [harmless(c) for c in ("=1+1", "-ase", -1.5, "p53", "\tx", None)]
    ["'=1+1", "'-ase", -1.5, 'p53', "'\tx", None]
    """
    return ESCAPE_SIGN + cell if isinstance(cell, str) and FORMULA_START.match(cell) else cell


def unescape_formula(cell: Any) -> Any:
    """What `harmless` was given.

    Examples
    --------
    >>> original("'=1+1"), original("'s"), original(3)
    ('=1+1', "'s", 3)
    """
    if isinstance(cell, str) and cell.startswith(ESCAPE_SIGN) and FORMULA_START.match(cell, 1):
        return cell[1:]
    return cell


def read_csv_frame(
    path: Path, columns: Sequence[str] = (), allowed: str = "", **options: Any
) -> pd.DataFrame:
    """Read a CSV file with a head line.

    Parameters
    ----------
    path : Path
        The file, UTF-8.
    columns : sequence of str
        Those that it must have.
    allowed : str, optional
        What the file should be, in words; a head line with these columns where nothing is said.
    **options
        Of `pandas.read_csv`.

    Raises
    ------
    InputError
        Empty, no CSV, or without one of the columns.
    """
    import pandas as pd

    wanted = allowed or f"a head line with {', '.join(columns)}" if columns else allowed or "a CSV file"
    text = read_text(path)
    if not text.strip():
        raise InputError("the file is empty", file=path, allowed=wanted)
    try:
        table: pd.DataFrame = pd.read_csv(io.StringIO(text), **options)
    except (ValueError, OverflowError) as error:
        # pandas' own errors of parsing are of the first kind
        raise InputError(
            f"not a readable CSV file ({str(error).strip()})", file=path, allowed=wanted
        ) from None
    lacking = [c for c in columns if c not in table]
    if lacking:
        found = ", ".join(map(str, table.columns))
        raise InputError(f"a column is missing, {lacking[0]}", file=path, line=1, found=found, allowed=wanted)
    return table
