"""Functions that print results as a table, JSON, JSON lines, CSV or Markdown, and that read CSV files.

A spreadsheet program runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula, even if it is a
name in a text or comes from a malicious file. `--spreadsheet-csv` puts an apostrophe before such a cell.
"""

from __future__ import annotations

import csv
import enum
import functools
import io
import json
import math
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import InputError, TagsuiteError
from .files import read_text
from .messages import _discard, say
from .text_table import TableLayout, format_markdown, format_text, is_missing, make_text_table

if TYPE_CHECKING:
    import pandas as pd


FORMULA_START = re.compile("[=+\\-@\uff1d\uff0b\uff0d\uff20\x00-\x1f\x7f-\x9f]")
"""Pattern of the first character of a cell that a spreadsheet program may run as a formula."""

BLOCK_ROWS = 20_000
"""Number of rows that are printed at a time as CSV or JSON lines."""
ESCAPE_SIGN = "'"
_NOT_ASCII = re.compile("[^\x00-\x7f]")
spreadsheet_csv_requested: ContextVar[bool] = ContextVar("spreadsheet_csv_requested", default=False)
"""True while a command runs with the option `--spreadsheet-csv`."""


class OutputFormat(enum.StrEnum):
    """Format of a printed result."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    markdown = "markdown"

    @property
    def is_for_people(self) -> bool:
        """True if the output format is meant for human readers (a table or Markdown)."""
        return self in (OutputFormat.table, OutputFormat.markdown)


Columns: TypeAlias = Mapping[str, list[Any]]
"""Table as a mapping of column names to values; printing it does not require the slow import of pandas."""


def _columns(frame: pd.DataFrame | Columns) -> Columns:
    """Convert a frame to a mapping of column names to lists of values."""
    return frame if isinstance(frame, Mapping) else {str(c): frame[c].tolist() for c in frame.columns}


def format_frame(
    frame: pd.DataFrame | Columns,
    form: OutputFormat,
    *,
    key: str = "rows",
    width: int | None = None,
    spreadsheet: bool | None = None,
    header: bool = True,
) -> str:
    r"""Return a frame as text.

    Parameters
    ----------
    frame : DataFrame or mapping of str to list
        Table to format. A missing value becomes an empty cell or, in JSON, ``null``. A `TableLayout` in
        ``frame.attrs["layout"]`` is applied if it exists.
    form : OutputFormat
        ``table`` (aligned), ``json`` (``{key: [row, ...]}``), ``jsonl`` (one object per line), ``csv`` (full
        precision, lines end with ``\n``), ``markdown``.
    key : str
        The only key of the JSON object.
    width : int, optional
        Width to which a table is fitted, in characters; unlimited by default.
    spreadsheet : bool, optional
        Put an apostrophe before CSV text that a spreadsheet program would run as a formula; by default, the
        option `--spreadsheet-csv` of the command decides.
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
    return _format_for_people(frame, form, width=width)[0]


def _format_for_people(
    frame: pd.DataFrame | Columns,
    form: OutputFormat,
    *,
    dash: str = "–",
    width: int | None = None,
    colour: bool = False,
) -> tuple[str, list[str]]:
    """Return a table as text or Markdown, and the heads of columns that were left out to fit the width."""
    layout = get_layout(frame)
    table = make_text_table(_columns(frame), layout, dash)
    if form is OutputFormat.markdown:
        return format_markdown(table), []
    return format_text(table, layout, width=width, colour=colour)


def get_layout(frame: pd.DataFrame | Columns) -> TableLayout:
    """Return the layout stored in the attributes of a frame, or the default layout if there is none."""
    layout = None if isinstance(frame, Mapping) else frame.attrs.get("layout")
    return layout if isinstance(layout, TableLayout) else TableLayout()


def _format_csv(frame: pd.DataFrame | Columns, spreadsheet: bool, header: bool) -> str:
    columns = _columns(frame)
    protect = escape_formula if spreadsheet else lambda cell: cell
    cells = [[None if is_missing(v) else protect(v) for v in values] for values in columns.values()]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    if header:
        writer.writerow(map(protect, columns))
    writer.writerows(zip(*cells, strict=True))
    return buffer.getvalue()


def frame_to_records(frame: pd.DataFrame | Columns) -> list[dict[str, Any]]:
    """Convert a frame to a list of rows for JSON; missing values and infinite numbers become ``null``."""
    columns = _columns(frame)
    rows = zip(*(map(_to_json_value, values) for values in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def frame_to_html(frame: pd.DataFrame) -> str:
    """Return a frame as an HTML table for notebooks; its layout is applied and all text is escaped."""
    import pandas as pd

    table = make_text_table(_columns(frame), get_layout(frame))
    text = pd.DataFrame(list(zip(*(c.cells for c in table.columns), strict=True)))
    text.columns = pd.Index([column.head for column in table.columns])
    return text.to_html(index=False, escape=True, border=0)


def print_frame(frame: pd.DataFrame | Columns, form: OutputFormat, *, key: str = "rows") -> None:
    """Print a frame on standard output; on a terminal, a table is fitted to the width and shown in colour."""
    if form in (OutputFormat.csv, OutputFormat.jsonl) and not isinstance(frame, Mapping):
        # in blocks of rows: the text of a long table needs more memory than the table
        for low in range(0, max(len(frame), 1), BLOCK_ROWS):
            print_text(format_frame(frame.iloc[low : low + BLOCK_ROWS], form, header=low == 0), form)
        return
    if not form.is_for_people:
        print_text(format_frame(frame, form, key=key), form)
        return
    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else None
    has_colour = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    dash = "–" if _can_print("–") else "-"
    text, omitted = _format_for_people(frame, form, dash=dash, width=width, colour=has_colour)
    print_text(text, form)
    if omitted:
        say(f"columns not shown at this width: {', '.join(omitted)}; --format csv prints all columns")


def _can_print(text: str) -> bool:
    """Return True if standard output can encode a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def print_text(text: str, form: OutputFormat = OutputFormat.table) -> None:
    r"""Print a result; characters that standard output cannot encode are escaped, as in ``\u03b1``.

    JSON readers decode the escapes. In other formats they change the text, so a message is printed.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    errors = "surrogateescape" if getattr(sys.stdout, "errors", "") == "surrogateescape" else "strict"
    try:
        text.encode(encoding, errors)
    except UnicodeEncodeError:
        if form in (OutputFormat.json, OutputFormat.jsonl):
            text = _NOT_ASCII.sub(lambda match: json.dumps(match[0])[1:-1], text)
        else:
            text = text.encode(encoding, "backslashreplace").decode(encoding)
            _warn_escaped(encoding)
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader has closed the pipe
        _discard(sys.stdout)
    except OSError as error:
        _discard(sys.stdout)
        raise TagsuiteError(f"cannot write to standard output: {error.strerror}") from None


@functools.cache
def _warn_escaped(encoding: str) -> None:
    """Report, only once per encoding, that unsupported characters are printed as escapes."""
    say(f"standard output uses {encoding}; characters outside this encoding are printed as escapes")


def _to_json_value(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if is_missing(value) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value if isinstance(value, (str, int, float, bool, list, dict)) else str(value)


def escape_formula(cell: Any) -> Any:
    r"""Put an apostrophe before a text that a spreadsheet program would run as a formula.

    Examples
    --------
    >>> [escape_formula(c) for c in ("=1+1", "-ase", -1.5, "p53", "\tx", None)]
    ["'=1+1", "'-ase", -1.5, 'p53', "'\tx", None]
    """
    return ESCAPE_SIGN + cell if isinstance(cell, str) and FORMULA_START.match(cell) else cell


def unescape_formula(cell: Any) -> Any:
    """Remove the apostrophe that `escape_formula` put before a text.

    Examples
    --------
    >>> unescape_formula("'=1+1"), unescape_formula("'s"), unescape_formula(3)
    ('=1+1', "'s", 3)
    """
    if isinstance(cell, str) and cell.startswith(ESCAPE_SIGN) and FORMULA_START.match(cell, 1):
        return cell[1:]
    return cell


def read_csv_frame(
    path: Path, columns: Sequence[str] = (), allowed: str = "", **options: Any
) -> pd.DataFrame:
    """Read a CSV file with a header line.

    Parameters
    ----------
    path : Path
        Path of the file, which must be in UTF-8.
    columns : sequence of str
        Required columns.
    allowed : str, optional
        Description of a correct file for error messages; by default a header line with the required columns.
    **options
        Arguments for `pandas.read_csv`.

    Raises
    ------
    InputError
        If the file is empty, is not CSV, or lacks a required column.
    """
    import pandas as pd

    wanted = allowed or f"a header line with {', '.join(columns)}" if columns else allowed or "a CSV file"
    text = read_text(path)
    if not text.strip():
        raise InputError("the file is empty", file=path, allowed=wanted)
    try:
        table: pd.DataFrame = pd.read_csv(io.StringIO(text), **options)
    except (ValueError, OverflowError) as error:
        # pandas' parsing errors are ValueErrors
        raise InputError(
            f"not a readable CSV file ({str(error).strip()})", file=path, allowed=wanted
        ) from None
    missing = [c for c in columns if c not in table]
    if missing:
        found = ", ".join(map(str, table.columns))
        raise InputError(f"missing column {missing[0]}", file=path, line=1, found=found, allowed=wanted)
    return table
