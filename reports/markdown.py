"""Markdown output of a report: text and tables without cases, short enough for a pull request."""

from __future__ import annotations

import re
from itertools import islice

from .cells import Cell, make_rows
from .model import Chart, Column, Report, Section, Table, TextBlock

SPECIAL_CHARACTERS = re.compile(r"([\\`*_\[\]<>|~#&])")
MAX_ROWS = 60
"""Maximum number of rows per table; the CSV file contains all rows."""


def render_markdown(report: Report, *, max_rows: int = MAX_ROWS) -> str:
    """Return a report as Markdown; longer tables are cut after `max_rows` rows, and a remark is added."""
    lines = [f"# {escape(report.title)}", ""]
    if report.about:
        lines += [escape(report.about), ""]
    for title, sentences in (("What was tested", report.tested), ("What was found", report.verdict)):
        if sentences:
            lines += [f"## {title}", "", *(f"- {escape(line)}" for line in sentences), ""]
    if report.worst:
        lines += ["## Where errors are most frequent", ""]
        for table in report.worst:
            lines += _table(table, max_rows)
    for section in report.sections:
        lines += _section(section, max_rows)
    return "\n".join(lines).rstrip("\n") + "\n"


def escape(text: str) -> str:
    r"""Escape all special characters of Markdown and HTML in a text.

    Examples
    --------
    >>> escape("a|b <i> *c*")
    'a\\|b \\<i\\> \\*c\\*'
    """
    return SPECIAL_CHARACTERS.sub(r"\\\1", " ".join(text.split()))


def _section(section: Section, most: int) -> list[str]:
    lines = [f"## {escape(section.title)}", ""]
    if section.lead:
        lines += [escape(section.lead), ""]
    for block in section.blocks:
        if isinstance(block, Table):
            lines += _table(block, most)
        elif isinstance(block, TextBlock):
            lines += _render_text(block)
        else:
            lines += _chart(block)
    return lines


def _render_text(block: TextBlock) -> list[str]:
    if block.kind == "commands":
        return ["```sh", *block.lines, "```", ""]
    if block.kind == "list":
        return [*(f"- {escape(line)}" for line in block.lines), ""]
    return [part for line in block.lines for part in (escape(line), "")]


def _chart(block: Chart) -> list[str]:
    """Return the values of a bar chart as lines of a table; return no lines for other charts."""
    if block.kind != "bars":
        return []
    series = list(dict.fromkeys(block.frame["series"]))
    wide = block.frame.pivot_table(index="group", columns="series", values="value", sort=False)
    wide = wide.reindex(columns=series).reset_index()
    wide.columns = [str(c) for c in wide.columns]
    columns = (Column("group", block.y or ""), *(Column(name, name, "share") for name in map(str, series)))
    return _table(Table(block.id, block.caption, wide, columns), MAX_ROWS)


def _table(table: Table, most: int) -> list[str]:
    lines = [f"**{escape(table.caption)}**", ""]
    lines.append("| " + " | ".join(escape(c.label) for c in table.columns) + " |")
    lines.append("| " + " | ".join("---:" if c.numeric else "---" for c in table.columns) + " |")
    for line in islice(make_rows(table), most):
        cells = (cell_text(c, column) for c, column in zip(line, table.columns, strict=True))
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    if len(table.frame) > most:
        lines += [f"{len(table.frame) - most:,} more rows: see {table.id}.csv.", ""]
    if table.note:
        lines += [escape(table.note), ""]
    return lines


def cell_text(cell: Cell, column: Column) -> str:
    """Return the text of a cell, with its interval and symbol."""
    text = f"{cell.mark} {cell.full}" if cell.mark else cell.full
    if column.kind == "query":
        fence = "``" if "`" in text else "`"
        return f"{fence}{text.replace('|', chr(92) + '|')}{fence}"
    return escape(text)
