"""Classes for the content of a report, independent of its format: text, tables, charts and sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

    from .sections.cases import CaseSource

Kind = Literal["text", "query", "count", "number", "share", "range", "heat", "difference", "verdict"]
"""Ways to display a column.

A ``share`` is a fraction, displayed in per cent. A ``range`` is a share with its interval, displayed as text
and as a bar. A ``heat`` is a share with a coloured background. A ``difference`` is a difference of shares
with its sign and interval. A ``verdict`` is a word such as *refuted*. A ``query`` is the text of a query.
"""

INTERVAL_KINDS = ("range", "heat", "difference")
"""Kinds of columns with an interval."""


@dataclass(frozen=True)
class Column:
    """Column of a table.

    Attributes
    ----------
    name : str
        Name of the column in `frame`, the DataFrame of the `Table`.
    label : str
        Heading.
    kind : str
        How the column is displayed, one of `Kind`.
    low, high : str
        Columns of `frame` with the limits of the interval; by default ``NAME_low`` and ``NAME_high``.
    link : str
        Column of `frame` with the addresses in the report to which the cells link (``cases?class=…``).
    under : str
        Column of `frame` with remarks, which are shown below the text of the cells.
    help : str
        Explanation of the heading, shown to the reader.
    """

    name: str
    label: str
    kind: Kind = "text"
    low: str = ""
    high: str = ""
    link: str = ""
    help: str = ""
    under: str = ""

    def __post_init__(self) -> None:
        if self.kind in INTERVAL_KINDS and not self.low:
            object.__setattr__(self, "low", f"{self.name}_low")
            object.__setattr__(self, "high", f"{self.name}_high")

    @property
    def numeric(self) -> bool:
        """True if the column contains numbers."""
        return self.kind not in ("text", "query", "verdict")


@dataclass(frozen=True)
class Table:
    """Table in a report.

    Attributes
    ----------
    id : str
        Unique identifier, also the name of the CSV file.
    caption : str
    frame : DataFrame
        Contents; all columns are written as CSV.
    columns : tuple of Column
        Columns to display.
    note : str
        Remark for the reader.
    half : bool
        Whether the table takes only half the width of a wide page.
    """

    id: str
    caption: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    note: str = ""
    half: bool = False


@dataclass(frozen=True)
class Chart:
    """Chart of shares.

    Attributes
    ----------
    id, caption : str
    kind : {"bars", "points", "lines"}
        A bar shows one share, and bars are grouped; a point shows two shares. Each series has its own colour.
    frame : DataFrame
        Bars: `group`, `series`, `value`, optionally `low` and `high`. Points: `label`, `series`, `x`, `y`,
        `size`, optionally `low` and `high` of y. Lines: `label`, `series`, `x`, `y` in drawing order, and
        `marked` for points with a ring.
    x, y : str
        Labels of the axes.
    note : str
    """

    id: str
    caption: str
    kind: Literal["bars", "points", "lines"]
    frame: pd.DataFrame
    x: str = ""
    y: str = ""
    note: str = ""


@dataclass(frozen=True)
class TextBlock:
    """Text of a report: sentences in paragraphs, sentences in a list, or commands.

    Attributes
    ----------
    lines : tuple of str
    kind : {"prose", "list", "commands"}
    """

    lines: tuple[str, ...]
    kind: Literal["prose", "list", "commands"] = "prose"


Block = Table | Chart | TextBlock


@dataclass(frozen=True)
class Section:
    """Section of a report.

    Attributes
    ----------
    id : str
        Unique identifier, used in links.
    title : str
    lead : str
        Introduction of one or two sentences.
    blocks : tuple of Block
    short : str
        Shorter title for the navigation bar.
    """

    id: str
    title: str
    lead: str = ""
    blocks: tuple[Block, ...] = ()
    short: str = ""


@dataclass(frozen=True)
class Report:
    """Content of a report, which can be written as HTML, Markdown, LaTeX, CSV or JSON.

    Attributes
    ----------
    title : str
    about : str
        Purpose of the report.
    tested : tuple of str
        Sentences about the taggers, and the suites and corpora on which they were run.
    verdict : tuple of str
        Sentences about the results.
    worst : tuple of Table
        Tables of the classes with the lowest recall and of wrong types, for the first screen.
    sections : tuple of Section
    sources : tuple of CaseSource
        Cases that the reader can display.
    scores : DataFrame or None
        Score table, for CSV and JSON.
    version : str
        Version of tagsuite.
    """

    title: str
    about: str = ""
    tested: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    worst: tuple[Table, ...] = ()
    sections: tuple[Section, ...] = ()
    sources: Sequence[CaseSource] = ()
    scores: pd.DataFrame | None = field(default=None, repr=False)
    version: str = ""

    def __repr__(self) -> str:
        return (
            f"Report {self.title!r}: {len(self.sections)} sections, {len(self.tables())} tables\n"
            f"tested: {' '.join(self.tested) or 'nothing'}\n"
            f"found: {' '.join(self.verdict) or 'nothing'}"
        )

    def _repr_html_(self) -> str:
        from html import escape

        lines = "".join(f"<li>{escape(line)}</li>" for line in (*self.tested, *self.verdict))
        return f"<h3>{escape(self.title)}</h3><ul>{lines}</ul>"

    def tables(self) -> list[Table]:
        """Return all tables of the report in the order in which they appear."""
        return [*self.worst, *(b for s in self.sections for b in s.blocks if isinstance(b, Table))]


def is_missing(value: Any) -> bool:
    """Return True if a value is missing (None, NaN or NA)."""
    return value is None or bool(value != value) or type(value).__name__ == "NAType"


def make_identifier(*parts: str) -> str:
    """Join strings into an identifier of letters, digits and hyphens.

    Examples
    --------
    >>> make_identifier("worst", "BioCreative (2)")
    'worst-BioCreative-2'
    """
    joined = "-".join(parts)
    clean = "".join(c if c.isascii() and c.isalnum() else "-" for c in joined)
    return "-".join(p for p in clean.split("-") if p)


def make_name_column(frame: pd.DataFrame, name: str, label: str) -> tuple[Column, ...]:
    """Return a column for the names in ``frame[name]``, or no column if all names are the same."""
    return (Column(name, label),) if frame[name].nunique() > 1 else ()
