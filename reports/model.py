"""The content of a report, whatever its format: text, tables, charts, findings, cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

    from .sections.cases import CaseSource

Kind = Literal["text", "query", "count", "number", "share", "range", "heat", "difference", "verdict"]
"""The ways of showing a column.

``share`` is a part of one, shown in per cent; ``range`` a share with its interval, drawn and in figures;
``heat`` a share on a coloured ground; ``difference`` a signed difference of shares with its interval;
``verdict`` one of a few words; ``query`` text as it is typed.
"""

INTERVAL_KINDS = ("range", "heat", "difference")
"""Kinds that show an interval."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        Of the frame's column.
    label : str
        Its head.
    kind : str
        The way of showing it.
    low, high : str
        The frame's columns of the interval's ends; ``NAME_low`` and ``NAME_high`` for kinds that show one.
    link : str
        The frame's column of the place in the report that a cell links to (``cases?class=…``).
    under : str
        The frame's column of a remark under the cell's text, in small print.
    help : str
        What the head means, in a sentence.
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
        """Whether the column holds numbers."""
        return self.kind not in ("text", "query", "verdict")


@dataclass(frozen=True)
class Table:
    """A table of a report.

    Attributes
    ----------
    id : str
        Unique in the report; the name of its CSV file.
    caption : str
    frame : DataFrame
        What is written as CSV: all of it.
    columns : tuple of Column
        What is shown of it.
    note : str
        A remark for the reader.
    half : bool
        Whether half the page's width is enough where the page is wide.
    """

    id: str
    caption: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    note: str = ""
    half: bool = False


@dataclass(frozen=True)
class Chart:
    """A chart of shares.

    Attributes
    ----------
    id, caption : str
    kind : {"bars", "points", "lines"}
        Bars in groups, or points or lines of two shares. One colour per series.
    frame : DataFrame
        Bars: `group`, `series`, `value`, and `low`, `high` where there is an interval. Points:
        `label`, `series`, `x`, `y`, `size`, and `low`, `high` of y where there is an interval.
        Lines: `label`, `series`, `x`, `y` in the order of drawing, and
        `marked` for the points with a ring.
    x, y : str
        What the axes show.
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
    """Sentences, as paragraphs or as a list.

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
    """A section.

    Attributes
    ----------
    id : str
        Unique in the report; part of addresses.
    title : str
    lead : str
        An introduction of a sentence or two.
    blocks : tuple of Block
    short : str
        The title among the page's links, where it is too long for them.
    """

    id: str
    title: str
    lead: str = ""
    blocks: tuple[Block, ...] = ()
    short: str = ""


@dataclass(frozen=True)
class Report:
    """A report, ready to be written as HTML, Markdown, LaTeX, CSV or JSON.

    Attributes
    ----------
    title : str
    about : str
        The purpose.
    tested : tuple of str
        What was tested, in sentences.
    verdict : tuple of str
        What was found, in sentences.
    worst : tuple of Table
        The classes that fail most, for the first screen.
    sections : tuple of Section
    sources : tuple of CaseSource
        The cases to read.
    scores : DataFrame or None
        The score table, for CSV and JSON.
    version : str
        Of tagsuite.
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

    def tables(self) -> list[Table]:
        """All tables, in order."""
        return [*self.worst, *(b for s in self.sections for b in s.blocks if isinstance(b, Table))]


def is_missing(value: Any) -> bool:
    """Whether a cell is empty."""
    return value is None or bool(value != value) or type(value).__name__ == "NAType"


def make_identifier(*parts: str) -> str:
    """Return parts as an identifier: letters, digits and hyphens.

    Examples
    --------
    >>> identifier("worst", "BioCreative (2)")
    'worst-BioCreative-2'
    """
    joined = "-".join(parts)
    clean = "".join(c if c.isascii() and c.isalnum() else "-" for c in joined)
    return "-".join(p for p in clean.split("-") if p)


def make_name_column(frame: pd.DataFrame, name: str, label: str) -> tuple[Column, ...]:
    """Return a column of names, or none if there is only one name."""
    return (Column(name, label),) if frame[name].nunique() > 1 else ()
