"""Offset tables: a mention a line, by columns or a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....catalogues.core.patterns import searched
from ....sentences.formats.records import TOO_LONG, Length, Records
from ..specification.output import Output
from .locating import locate
from .parsed import Printed
from .placed import Placed


def read(printed: Printed) -> Placed:
    """A table of mentions; lines that were cut off are no rows."""
    return locate(printed.sent, _records(printed), printed.form)


def _records(printed: Printed) -> Records:
    """The rows, by the columns or the pattern that the specification declares."""
    text, form, name, long = printed.text.decode(), printed.form, printed.name, printed.long
    found = Records()
    lines = [line.rstrip("\r") for line in text.split("\n")]
    for number, (line, cells) in enumerate(zip(lines, _cells(lines, form), strict=True)):
        if number < form.header or not line.strip() or (form.comment and line.startswith(form.comment)):
            continue
        first = line.split(form.separator)[0].strip() if form.columns[:1] == ["id"] else None
        if number in long:
            found.refuse(name or (cells or {}).get("id", first), TOO_LONG)
        elif cells is None:
            found.refuse(name or first, _unlike(line, form), line)
        else:
            _add(found, cells, name)
    return found


def _cells(lines: list[str], form: Output) -> Iterator[dict[str, str] | None]:
    """What each line says, by the names of its columns or groups; None where it is of another form."""
    if not form.pattern:
        yield from (_columns(line, form) for line in lines)
        return
    groups = re.compile(form.pattern).groupindex.items()
    for matches in searched(form.pattern, lines):
        if not matches:
            yield None
            continue
        values = matches[0].groups
        yield {name: value for name, place in groups if (value := values[place - 1]) is not None}


def _unlike(line: str, form: Output) -> str:
    """Why a line is no row."""
    if form.pattern:
        return "not a line of the declared form (output.pattern)"
    number = line.count(form.separator) + 1
    return (
        f"not a line of the declared form ({number} of the columns {', '.join(form.columns)}: output.columns)"
    )


def _columns(line: str, form: Output) -> dict[str, str] | None:
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
