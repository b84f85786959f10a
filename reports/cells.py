"""Cells of the tables in a report, and functions that format numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..catalogues.core.text_table import TableLayout
from .model import Column, Table, is_missing

MISSING = "–"
MAX_WORD = 32
MARKS = {
    "confirmed": "✓",
    "passed": "✓",
    "refuted": "✗",
    "failed": "✗",
    "undecided": "?",
    "passed, uncertain": "?",
    "too few names": "?",
}
"""Symbols before verdicts, so that readers need not distinguish colours."""


@dataclass(frozen=True)
class Cell:
    """Cell of a table.

    Attributes
    ----------
    text : str
        Displayed text.
    value : str
        Value for sorting and copying.
    low, high : str
        Limits of the interval, for copying.
    place, from_, to : float or None
        Positions of the value and of the interval's limits on the bar in the cell, in per cent of its width.
    between : str
        Displayed interval.
    link : str
        Address within the report to which the cell links.
    mark : str
        Symbol before the text.
    under : str
        Remark in small print below the text.
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
        """Displayed text, followed by the interval if there is one."""
        return f"{self.text} ({self.between})" if self.between else self.text

    @property
    def unbroken(self) -> bool:
        """True if the text contains a word that is too long for a line and must be broken."""
        return any(len(word) > MAX_WORD for word in self.text.split())


def make_rows(table: Table) -> Iterator[list[Cell]]:
    """Yield the rows of a table as lists of cells."""
    used = {name for c in table.columns for name in (c.name, c.low, c.high, c.link, c.under)}
    columns = {name: table.frame[name].tolist() for name in table.frame.columns if name in used}
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        yield [make_cell(column, row) for column in table.columns]


def text_frame(table: Table) -> pd.DataFrame:
    """Return the table as a DataFrame of strings for the terminal, with right-aligned numbers."""
    lines = [[f"{cell.mark} {cell.full}".strip() for cell in line] for line in make_rows(table)]
    frame = pd.DataFrame(lines, columns=[column.name for column in table.columns], dtype="str")
    frame.attrs["layout"] = TableLayout(
        heads={column.name: column.label for column in table.columns},
        numbers=[column.name for column in table.columns if column.numeric],
    )
    return frame


def make_cell(column: Column, row: dict[Any, Any]) -> Cell:
    """Return the cell for one column of a row."""
    value: Any = row.get(column.name)
    link, under = (_read_neighbour(row, name) for name in (column.link, column.under))
    if is_missing(value):
        return Cell(MISSING, link=link, under=under)
    if column.kind in ("share", "range", "heat", "difference"):
        return _share_cell(column, row, float(value), link, under)
    if column.kind in ("count", "number"):
        show = format_count if column.kind == "count" else format_number
        return Cell(show(value), _format_plain(value), link=link, under=under)
    text = str(value)
    mark = MARKS.get(text, "") if column.kind == "verdict" else ""
    return Cell(text, text, link=link, mark=mark, under=under)


def _read_neighbour(row: dict[Any, Any], name: str) -> str:
    """Return the value of column `name` in a row, or an empty string if it is missing."""
    return "" if not name or is_missing(row.get(name)) else str(row[name])


def _share_cell(column: Column, row: dict[Any, Any], value: float, link: str, under: str) -> Cell:
    low: Any = row.get(column.low)
    high: Any = row.get(column.high)
    difference = column.kind == "difference"
    show = format_difference if difference else format_bare_percent
    plain, place = _format_plain(value), _track_place(value, difference)
    cell = Cell(show(value), plain, place=place, link=link, under=under)
    if is_missing(low) or is_missing(high):
        return cell
    return replace(
        cell,
        low=_format_plain(low),
        high=_format_plain(high),
        from_=_track_place(float(low), difference),
        to=_track_place(float(high), difference),
        between=f"{show(float(low))}{' to ' if difference else '–'}{show(float(high))}",
    )


def _track_place(value: float, difference: bool) -> float:
    """Return the position of a share, or of a difference of shares, in per cent of the bar's width."""
    return round(min(max(50 + 50 * value if difference else 100 * value, 0.0), 100.0), 2)


def _format_plain(value: Any) -> str:
    """Return a number as a string for sorting and copying."""
    return str(int(value)) if float(value).is_integer() else f"{float(value):.6g}"


def format_count(value: Any) -> str:
    """Format a count with a thousands separator; counts that are not integers get two decimals.

    Examples
    --------
    >>> format_count(1400), format_count(12.5)
    ('1,400', '12.50')
    """
    return f"{int(value):,}" if float(value).is_integer() else f"{float(value):,.2f}"


def format_number(value: Any) -> str:
    """Format a number: integers from 2 upwards as counts, other numbers with three decimals."""
    return format_count(value) if float(value).is_integer() and abs(value) >= 2 else f"{float(value):.3f}"


def format_quantity(quantity: int, one: str, many: str = "") -> str:
    """Format a number with its noun in the singular or plural.

    Examples
    --------
    >>> format_quantity(1, "case"), format_quantity(1400, "case")
    ('1 case', '1,400 cases')
    """
    return f"{quantity:,} {one if quantity == 1 else many or one + 's'}"


def format_bare_percent(value: float) -> str:
    """Format a share in per cent with one decimal, without the per cent sign.

    Examples
    --------
    >>> format_bare_percent(0.579), format_bare_percent(-0.02)
    ('57.9', '−2.0')
    """
    return f"{100 * value:.1f}".replace("-", "−")


def format_difference(value: float) -> str:
    """Format a difference of shares in percentage points, with its sign.

    Examples
    --------
    >>> format_difference(0.05), format_difference(-0.2)
    ('+5.0', '−20.0')
    """
    return f"{100 * value:+.1f}".replace("-", "−")


def format_percent(value: float) -> str:
    r"""Format a share in per cent.

    Examples
    --------
    >>> format_percent(0.579), format_percent(float("nan"))
    ('57.9\xa0%', 'undefined')
    """
    return "undefined" if value != value else f"{format_bare_percent(value)}\u00a0%"


def format_interval(value: float, low: float, high: float) -> str:
    r"""Format a share in per cent with its interval.

    Examples
    --------
    >>> format_interval(0.579, 0.519, 0.637)
    '57.9\xa0% (51.9 to 63.7)'
    """
    if value != value or low != low:
        return format_percent(value)
    return f"{format_percent(value)} ({format_bare_percent(low)} to {format_bare_percent(high)})"


def join_names(names: Sequence[str]) -> str:
    """Join names with commas and a final *and*.

    Examples
    --------
    >>> join_names(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
