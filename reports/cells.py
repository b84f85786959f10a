"""Cells of a table as they are shown: text, value to sort by, ends of an interval, link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
    for row in table.frame.to_dict("records"):
        yield [cell(column, row) for column in table.columns]


def cell(column: Column, row: dict[Any, Any]) -> Cell:
    """The cell of a column in a row."""
    under: Any = row.get(column.under) if column.under else None
    found = _cell(column, row)
    return found if missing(under) else replace(found, under=str(under))


def _cell(column: Column, row: dict[Any, Any]) -> Cell:
    value: Any = row.get(column.name)
    link = str(row[column.link]) if column.link and not missing(row.get(column.link)) else ""
    if missing(value):
        return Cell(NONE, link=link)
    if column.kind in ("share", "range", "heat", "difference"):
        return _share(column, row, float(value), link)
    if column.kind == "count":
        return Cell(count(value), _plain(value), link=link)
    if column.kind == "number":
        return Cell(number(value), _plain(value), link=link)
    text = str(value)
    return Cell(text, text, link=link, mark=MARKS.get(text, "") if column.kind == "verdict" else "")


def _share(column: Column, row: dict[Any, Any], value: float, link: str) -> Cell:
    low: Any = row.get(column.low)
    high: Any = row.get(column.high)
    difference = column.kind == "difference"
    show = signed if difference else in_percent
    found = Cell(show(value), _plain(value), place=_drawn(value, difference), link=link)
    if missing(low) or missing(high):
        return found
    return replace(
        found,
        low=_plain(low),
        high=_plain(high),
        from_=_drawn(float(low), difference),
        to=_drawn(float(high), difference),
        between=f"{show(float(low))}{' to ' if difference else '–'}{show(float(high))}",
    )


def _drawn(value: float, difference: bool) -> float:
    """A share's place on its track: of a difference, 0 is in the middle."""
    return round(min(max(50 + 50 * value if difference else 100 * value, 0.0), 100.0), 2)


def _plain(value: Any) -> str:
    """A number as it is sorted and copied."""
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() else f"{float(value):.6g}"
