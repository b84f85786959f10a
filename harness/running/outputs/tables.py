"""Offset tables: a mention a line."""

from __future__ import annotations

import re

from ..specification import Output
from .parsed import Located


def parse_table(text: str, form: Output, name: str | None = None) -> Located:
    """Read a table of mentions by its declared columns or pattern.

    Parameters
    ----------
    text : str
        The output.
    form : Output
        Columns or pattern, separator, header, comment.
    name : str, optional
        The case that all of it is about; else a column says so.
    """
    found = Located()
    pattern = re.compile(form.pattern) if form.pattern else None
    for number, line in enumerate(text.split("\n")):
        line = line.rstrip("\r")
        if number < form.header or not line.strip() or (form.comment and line.startswith(form.comment)):
            continue
        cells = _cells(line, form, pattern)
        if cells is None or not _add(found, cells, name):
            found.broken += 1
            if cells is not None and "id" in cells:
                found.broken_names.append(cells["id"])
            elif form.columns[:1] == ["id"]:
                found.broken_names.append(line.split(form.separator)[0].strip())
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


def _add(found: Located, cells: dict[str, str], name: str | None) -> bool:
    try:
        start = int(cells["start"])
        end = int(cells["end"]) if "end" in cells else start + int(cells["length"])
        score = float(cells["score"]) if cells.get("score") else float("nan")
    except (KeyError, ValueError):
        return False
    case = name if name is not None else cells.get("id", "")
    found.add(case, start, end, cells.get("type", ""), score, cells.get("text"))
    return True
