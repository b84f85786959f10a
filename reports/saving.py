"""A report written to a file in the format of its suffix, or to a folder in all formats."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text
from ..catalogues.core.output_folder import atomic_folder
from ..catalogues.core.tables import Format, records, render
from .model import Report, Table

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".tex": "latex",
    ".json": "json",
    ".csv": "csv",
}


def save(
    report: Report,
    out: str | os.PathLike[str],
    *,
    force: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> list[Path]:
    """Write a report to `out`, in the format of its suffix; without one it is a folder of all formats.

    With `force` an earlier report folder is replaced, unless it is or contains one of the `inputs`.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    InputError
        When the suffix is unknown, or the folder may not be written; see `atomic_folder`.
    """
    out = Path(out)
    suffix = out.suffix.lower()
    if suffix:
        if suffix not in SUFFIXES:
            raise InputError(
                "unknown report format",
                file=out,
                found=suffix,
                allowed=f"{', '.join(SUFFIXES)}, or a folder",
            )
        with atomic_text(out) as stream:
            stream.write(content(report, SUFFIXES[suffix]))
        return [out]
    with atomic_folder(out, "report", force=force, inputs=inputs) as folder:
        names = ["report.html", "report.md", "report.tex", "report.json"]
        if report.scores is not None:
            names.append("scores.csv")
        for name in names:
            (folder / name).write_text(
                content(report, SUFFIXES[Path(name).suffix]), encoding="utf-8", newline="\n"
            )
        tables = folder / "tables"
        tables.mkdir()
        for table in report.tables():
            name = f"{table.id}.csv"
            (tables / name).write_text(csv(table), encoding="utf-8", newline="\n")
            names.append(f"tables/{name}")
    return [out / name for name in names]


def content(report: Report, form: str) -> str:
    """A report as text in one format: html, markdown, latex, csv or json.

    Each renderer is imported only when it is needed.
    """
    if form == "html":
        from .html.page import render_html

        return render_html(report)
    if form == "markdown":
        from .markdown import render_markdown

        return render_markdown(report)
    if form == "latex":
        from .latex import render_latex

        return render_latex(report)
    if form == "csv":
        if report.scores is None:
            raise InputError("the report has no scores to write as CSV")
        return render(report.scores, Format.csv, spreadsheet=True)
    return json_text(report)


def csv(table: Table) -> str:
    """All columns of a table at full precision, except addresses; safe to open in spreadsheet programs."""
    return render(_data(table), Format.csv, spreadsheet=True)


def _data(table: Table) -> pd.DataFrame:
    """A table's frame without the columns of addresses."""
    frame = table.frame
    return frame[[c for c in frame.columns if str(c) != "link" and not str(c).endswith("_link")]]


def json_text(report: Report) -> str:
    """The report's words and tables as JSON; ``scores`` as everywhere else."""
    import orjson

    document = {
        "title": report.title,
        "about": report.about,
        "tested": list(report.tested),
        "verdict": list(report.verdict),
        "tables": {t.id: {"caption": t.caption, "rows": records(_data(t))} for t in report.tables()},
        "scores": [] if report.scores is None else records(report.scores),
        "tagsuite": report.version,
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n"
