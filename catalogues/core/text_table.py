"""Functions that format tables for a terminal or in Markdown.

An estimate and the ends of its interval (columns ``recall``, ``recall_low`` and ``recall_high``) are shown in
one column: ``.47 [.42–.53]``.
"""

from __future__ import annotations

import itertools
import math
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from .messages import make_printable

MIN_TEXT_WIDTHS = 12, 30
"""Lower and upper bound of the minimum width of a text column, which depends on the length of its cells."""
MIN_COLUMNS = 3
"""Minimum number of columns next to those that identify a row; if fewer fit, rows are split in two lines."""
INTERVAL = re.compile(r"\[[^\[\]]*\](?= *$)")
BOLD, DIM, GREEN, RED, RESET = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[0m"
VERDICT_COLOURS = {
    **dict.fromkeys(("held", "passed", "confirmed"), GREEN),
    **dict.fromkeys(("refuted", "failed"), RED),
}
"""Colours of verdicts on a terminal."""


@dataclass(frozen=True)
class TableLayout:
    """Layout of a table for human readers, stored in ``attrs["layout"]`` of a frame.

    Attributes
    ----------
    names : sequence of str
        Columns that identify a row; by default, the first column. They are never wrapped or left out,
        unless all rows have the same value.
    order : sequence of str
        Other columns, from the most to the least important; columns that are not listed come last. The least
        important columns are left out if the terminal is too narrow.
    heads : mapping of str to str
        Column heads that differ from the column names, keyed by column name.
    intervals : mapping of str to str
        Prefix of the two columns with the ends of an interval, keyed by the column of the estimate, such as
        ``{"flip_share": "flip_"}``. By default, the prefix is the column's name and an underscore.
    numbers : sequence of str
        Text columns that contain numbers; they are aligned to the right and never wrapped.
    section : str
        Column whose values are shown as headings above groups of rows; if empty, there are no headings.
    decimals : int
        Number of decimals in a table without intervals.
    """

    names: Sequence[str] = ()
    order: Sequence[str] = ()
    heads: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, str] = field(default_factory=dict)
    numbers: Sequence[str] = ()
    section: str = ""
    decimals: int = 3


@dataclass(frozen=True)
class TextColumn:
    """Column of a table, converted to text.

    Attributes
    ----------
    name, head : str
        Name of the column in the frame, and head of the column in the table.
    cells : sequence of str
        Texts of the column's cells.
    is_number : bool
        True if the column is aligned to the right and never wrapped.
    wrap_width : int
        Maximum width of a line in a cell, which is wrapped if it is longer; 0 if cells are not wrapped.
    """

    name: str
    head: str
    cells: Sequence[str]
    is_number: bool
    wrap_width: int = 0

    @cached_property
    def width(self) -> int:
        """Width of the column in characters."""
        return self.wrap_width or max(map(len, (self.head, *self.cells)))


@dataclass(frozen=True)
class TextTable:
    """Table as text, before it is fitted to a width.

    Attributes
    ----------
    columns : sequence of TextColumn
        All columns; the columns that identify a row come first.
    names : frozenset of str
        Names of the columns that identify a row.
    sections : sequence of str
        Heading of each row's group; empty if rows are not grouped.
    """

    columns: Sequence[TextColumn]
    names: frozenset[str]
    sections: Sequence[str] = ()


def make_text_table(columns: Mapping[str, list[Any]], layout: TableLayout, dash: str = "–") -> TextTable:
    """Convert the values of a frame to text; each interval is shown in the column of its estimate.

    Parameters
    ----------
    columns : mapping of str to list
        Values of each column.
    layout : TableLayout
    dash : str
        Sign between the ends of an interval.
    """
    prefixes = {name: layout.intervals.get(name, f"{name}_") for name in columns}
    ends = {
        name: (f"{prefix}low", f"{prefix}high")
        for name, prefix in prefixes.items()
        if f"{prefix}low" in columns and f"{prefix}high" in columns
    }
    hidden = {end for pair in ends.values() for end in pair} | {layout.section}
    if any(value < 0 for pair in ends.values() for end in pair for value in columns[end] if is_number(value)):
        # the sign of a negative end could be read as a dash
        dash = ", "
    texts = []
    for name, values in columns.items():
        if name in hidden:
            continue
        cells = [_format_cell(value, name, layout.decimals, bool(ends)) for value in values]
        if name in ends:
            low, high = (
                [_format_cell(v, name, layout.decimals, True) for v in columns[end]] for end in ends[name]
            )
            cells = _join_intervals(cells, low, high, dash)
        is_numeric = name in layout.numbers or _is_numeric(values)
        texts.append(TextColumn(name, layout.heads.get(name, name), cells, is_numeric))
    names = [c.name for c in texts if c.name in layout.names and len(set(c.cells)) > 1]
    names = names or [c.name for c in texts if c.name in layout.names or not layout.names][:1]
    sections = [_format_cell(v, layout.section, 3, False) for v in columns.get(layout.section, ())]
    return TextTable(texts, frozenset(names), sections if len(set(sections)) > 1 else ())


def is_number(value: Any) -> bool:
    """Return True if a value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_missing(value: Any) -> bool:
    """Return True if a value is None, NaN or pandas.NA."""
    return value is None or value is getattr(sys.modules.get("pandas"), "NA", None) or bool(value != value)


def _format_cell(value: Any, name: str, decimals: int, is_share: bool) -> str:
    """Return a value as text; in tables with intervals, numbers have two decimals and no leading zero."""
    if is_missing(value):
        return ""
    if isinstance(value, float):
        if not is_share:
            return f"{value:.{decimals}f}"
        if name in ("p", "adjusted_p") or name.startswith("p_") or "_p_" in name:
            return "<.001" if value < 0.0005 else _drop_zero(f"{value:.3f}")
        return _drop_zero(f"{value:.2f}")
    if isinstance(value, list):
        return make_printable(", ".join(map(str, value)))
    return make_printable(str(value)).replace("\n", " ")


def _drop_zero(number: str) -> str:
    """Remove the zero before the decimal point of a number, and the minus sign of a zero."""
    number = number.replace("0.", ".", 1) if number.startswith(("0.", "-0.")) else number
    return number.removeprefix("-") if not number.strip("-.0") else number


def _join_intervals(values: Sequence[str], low: Sequence[str], high: Sequence[str], dash: str) -> list[str]:
    intervals = [f" [{a}{dash}{b}]" if a and b else "" for a, b in zip(low, high, strict=True)]
    width = max(map(len, intervals), default=0)
    return [value + interval.ljust(width) for value, interval in zip(values, intervals, strict=True)]


def _is_numeric(values: list[Any]) -> bool:
    present = [v for v in values if not is_missing(v)]
    return bool(present) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in present)


def format_markdown(table: TextTable) -> str:
    """Return a Markdown table; the headings of groups are rows in bold."""
    lines = [
        [column.head for column in table.columns],
        ["---:" if column.is_number else "---" for column in table.columns],
    ]
    for number, row in enumerate(_rows(table.columns)):
        if table.sections and (number == 0 or table.sections[number] != table.sections[number - 1]):
            lines.append([f"**{table.sections[number]}**", *[""] * (len(table.columns) - 1)])
        lines.append([cell.strip() for cell in row])
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _rows(columns: Sequence[TextColumn]) -> list[tuple[str, ...]]:
    return list(zip(*(column.cells for column in columns), strict=True))


def format_text(
    table: TextTable, layout: TableLayout, *, width: int | None = None, colour: bool = False
) -> tuple[str, list[str]]:
    """Return an aligned table that fits a width, and the heads of the columns that were left out.

    Long cells of text columns are wrapped, and the least important columns are left out. If fewer than
    `MIN_COLUMNS` columns fit next to those that identify a row, the latter are printed on a separate line.

    Parameters
    ----------
    table : TextTable
    layout : TableLayout
    width : int, optional
        Width in characters; unlimited by default.
    colour : bool
        Add colours for a terminal.
    """
    if width is None or _total_width(table.columns) <= width:
        return _draw([table.columns], table.sections, colour), []
    names = [column for column in table.columns if column.name in table.names]
    others = [column for column in table.columns if column.name not in table.names]
    kept = _choose_columns(names, others, layout, width)
    if len(kept) >= min(MIN_COLUMNS, len(others)):
        columns = [column for column in table.columns if column in names or column in kept]
        lines = [_shorten(columns, table.names, width)]
    else:
        kept = _choose_columns([], others, layout, width - 2)
        lines = [names, _shorten(kept, table.names, width - 2)]
    omitted = [column.head for column in others if column not in kept]
    return _draw(lines, table.sections, colour), omitted


def _total_width(columns: Sequence[TextColumn]) -> int:
    return sum(column.width for column in columns) + 2 * (len(columns) - 1)


def _min_width(column: TextColumn) -> int:
    """Return the smallest width to which a column may be narrowed; it is larger if the cells are long."""
    if column.is_number:
        return column.width
    return min(
        column.width, max(MIN_TEXT_WIDTHS[0], len(column.head), min(column.width // 5, MIN_TEXT_WIDTHS[1]))
    )


def _choose_columns(
    names: Sequence[TextColumn], others: Sequence[TextColumn], layout: TableLayout, width: int
) -> list[TextColumn]:
    """Return the most important columns in `others` that fit on one line together with `names`."""
    rank = {name: place for place, name in enumerate(layout.order)}
    free = width - sum(column.width + 2 for column in names) + (0 if names else 2)
    kept = []
    for column in sorted(others, key=lambda c: rank.get(c.name, len(rank))):
        if _min_width(column) + 2 > free:
            break
        free -= _min_width(column) + 2
        kept.append(column)
    return [column for column in others if column in kept]


def _shorten(columns: Sequence[TextColumn], names: frozenset[str], width: int) -> list[TextColumn]:
    """Narrow the widest text columns, except those in `names`, until all columns fit into `width`."""
    sizes = [column.width for column in columns]
    smallest = [c.width if c.name in names else _min_width(c) for c in columns]
    while sum(sizes) + 2 * (len(sizes) - 1) > width:
        places = [i for i, size in enumerate(sizes) if size > smallest[i]]
        if not places:
            break
        sizes[max(places, key=lambda i: sizes[i])] -= 1
    return [
        replace(column, wrap_width=size) if size < column.width else column
        for column, size in zip(columns, sizes, strict=True)
    ]


def _draw(lines: Sequence[Sequence[TextColumn]], sections: Sequence[str], colour: bool) -> str:
    """Return the text of a table with one or two lines per row."""
    indents = ["", "  "][: len(lines)]
    text = [
        indent + _join_cells([c.head for c in columns], columns, BOLD if colour else "")
        for indent, columns in zip(indents, lines, strict=True)
    ]
    if len(lines) == 1:
        text.append("  ".join("-" * column.width for column in lines[0]))
    else:
        text.append("-" * max(_total_width(lines[0]), 2 + _total_width(lines[1])))
    for number, parts in enumerate(zip(*map(_rows, lines), strict=True)):
        if sections and (number == 0 or sections[number] != sections[number - 1]):
            heading = f"{sections[number]}:"
            text += [*([""] if number else []), f"{BOLD}{heading}{RESET}" if colour else heading]
        for indent, columns, row in zip(indents, lines, parts, strict=True):
            text += [
                indent + _join_cells(line, columns, DIM if colour else "") for line in _wrap_row(row, columns)
            ]
    return "".join(line.rstrip() + "\n" for line in text)


def _wrap_row(row: Sequence[str], columns: Sequence[TextColumn]) -> list[Sequence[str]]:
    """Wrap the cells that are wider than their columns, and return the lines of the row."""
    parts = [
        textwrap.wrap(cell, column.wrap_width, break_on_hyphens=False)
        if column.wrap_width and len(cell) > column.wrap_width
        else [cell]
        for cell, column in zip(row, columns, strict=True)
    ]
    return list(itertools.zip_longest(*parts, fillvalue=""))


def _join_cells(cells: Iterable[str], columns: Sequence[TextColumn], style: str) -> str:
    """Join the cells of one line; `style` is BOLD for column heads, DIM for a row, or "" for no colours."""
    parts = []
    for cell, column in zip(cells, columns, strict=True):
        part = cell.rjust(column.width) if column.is_number else cell.ljust(column.width)
        if style == BOLD:
            part = f"{BOLD}{part}{RESET}"
        elif style and column.name == "verdict" and (signal := VERDICT_COLOURS.get(cell.split(",")[0])):
            part = f"{signal}{part}{RESET}"
        elif style and column.is_number:
            part = INTERVAL.sub(lambda match: f"{DIM}{match[0]}{RESET}", part)
        parts.append(part)
    return "  ".join(parts)
