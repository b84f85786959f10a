"""Cells of a table as they are shown: text, value to sort by, ends of an interval, link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .model import Column, Table, missing
from .numbers import count, in_percent, number, signed

NONE = "–"
LONG_WORD = 32
MARKS = {
    "held": "✓",
    "passed": "✓",
    "refuted": "✗",
    "failed": "✗",
    "undecided": "?",
    "passed, not assured": "?",
}
"""A sign before a verdict, so that its meaning does not depend on its colour."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes
    ----------
    text : str
        What the reader sees.
    value : str
        What is sorted by and copied.
    low, high : str
        The ends of an interval, as they are copied.
    place, from_, to : float or None
        Where value and ends are drawn, in per cent of the width.
    between : str
        The interval as the reader sees it.
    link : str
    mark : str
    under : str
        A remark in small print.
    """

    text: str
    value: str = ""
    low: str = ""
    high: str = ""
    place: float | None = None
    from_: float | None = None
    to: float | None = None
    between: str = ""
    link: str = ""
    mark: str = ""
    under: str = ""

    @property
    def full(self) -> str:
        """Text and interval."""
        return f"{self.text} ({self.between})" if self.between else self.text

    @property
    def unbroken(self) -> bool:
        """Whether a word is so long that a line has to end within it."""
        return any(len(word) > LONG_WORD for word in self.text.split())


def rows(table: Table) -> Iterator[list[Cell]]:
    """The rows of a table."""
    used = {name for c in table.columns for name in (c.name, c.low, c.high, c.link, c.under)}
    columns = {name: table.frame[name].tolist() for name in table.frame.columns if name in used}
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        yield [cell(column, row) for column in table.columns]


def cell(column: Column, row: dict[Any, Any]) -> Cell:
    """The cell of a column in a row."""
    value: Any = row.get(column.name)
    link, under = (_beside(row, name) for name in (column.link, column.under))
    if missing(value):
        return Cell(NONE, link=link, under=under)
    if column.kind in ("share", "range", "heat", "difference"):
        return _share(column, row, float(value), link, under)
    if column.kind == "count":
        return Cell(count(value), _plain(value), link=link, under=under)
    if column.kind == "number":
        return Cell(number(value), _plain(value), link=link, under=under)
    text = str(value)
    mark = MARKS.get(text, "") if column.kind == "verdict" else ""
    return Cell(text, text, link=link, mark=mark, under=under)


def _beside(row: dict[Any, Any], name: str) -> str:
    """What stands in another column that a cell may have; nothing where it has none."""
    return "" if not name or missing(row.get(name)) else str(row[name])


def _share(column: Column, row: dict[Any, Any], value: float, link: str, under: str) -> Cell:
    low: Any = row.get(column.low)
    high: Any = row.get(column.high)
    difference = column.kind == "difference"
    show = signed if difference else in_percent
    text, plain, place = show(value), _plain(value), _drawn(value, difference)
    if missing(low) or missing(high):
        return Cell(text, plain, place=place, link=link, under=under)
    return Cell(
        text,
        plain,
        low=_plain(low),
        high=_plain(high),
        place=place,
        from_=_drawn(float(low), difference),
        to=_drawn(float(high), difference),
        between=f"{show(float(low))}{' to ' if difference else '–'}{show(float(high))}",
        link=link,
        under=under,
    )


def _drawn(value: float, difference: bool) -> float:
    """A share's place on its track: of a difference, 0 is in the middle."""
    return round(min(max(50 + 50 * value if difference else 100 * value, 0.0), 100.0), 2)


def _plain(value: Any) -> str:
    """A number as it is sorted and copied."""
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() else f"{float(value):.6g}"
