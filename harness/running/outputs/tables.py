"""Offset tables: a mention a line."""

from __future__ import annotations

import re
from collections.abc import Collection

from ....sentences.formats.records import TOO_LONG, Length, Records
from ..specification import Output


def parse_table(text: str, form: Output, name: str | None = None, long: Collection[int] = ()) -> Records:
    """Read a table of mentions by its declared columns or pattern.

    Parameters
    ----------
    text : str
        The output.
    form : Output
        Columns or pattern, separator, header, comment.
    name : str, optional
        The case that all of it is about; else a column says so.
    long : collection of int
        Lines that were cut off, for they are too long to be read.
    """
    found = Records()
    pattern = re.compile(form.pattern) if form.pattern else None
    for number, line in enumerate(text.split("\n")):
        line = line.rstrip("\r")
        if number < form.header or not line.strip() or (form.comment and line.startswith(form.comment)):
            continue
        cells = _cells(line, form, pattern)
        first = line.split(form.separator)[0].strip() if form.columns[:1] == ["id"] else None
        if number in long:
            found.refuse(name or (cells or {}).get("id", first), TOO_LONG)
        elif cells is None:
            found.refuse(name or first, "not a line of the declared form", line)
        else:
            _add(found, cells, name)
    return found


def _cells(line: str, form: Output, pattern: re.Pattern[str] | None) -> dict[str, str] | None:
    if pattern is not None:
        match = pattern.search(line)
        return None if match is None else {k: v for k, v in match.groupdict().items() if v is not None}
    values = line.split(form.separator)
    if len(values) < len(form.columns):
        return None
    return {
        c: v.strip() if c != "text" else v for c, v in zip(form.columns, values, strict=False) if c != "-"
    }


def _add(found: Records, cells: dict[str, str], name: str | None) -> None:
    case = name if name is not None else cells.get("id", "")
    end = cells.get("end") if "end" in cells else Length(cells.get("length"))
    found.add(case, [(cells.get("start"), end)], cells.get("type"), cells.get("score"), cells.get("text"))
