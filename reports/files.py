"""Functions that write reports in all formats, and read score tables and discovered faults."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text, read_text
from ..catalogues.core.output_folder import atomic_folder
from ..catalogues.core.tables import (
    OutputFormat,
    format_frame,
    frame_to_records,
    read_csv_frame,
    unescape_formula,
)
from ..catalogues.core.toml import parse_toml
from ..harness.scoring.comparison.predictions import read_predictions_file
from ..harness.scoring.table import SCORE_COLUMNS
from .html.page import render_html
from .latex import render_latex
from .markdown import render_markdown
from .model import Report, Table

FORMAT_BY_SUFFIX = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".tex": "latex",
    ".json": "json",
    ".csv": "csv",
}
NUMBER_COLUMNS = tuple(
    c for c in SCORE_COLUMNS[SCORE_COLUMNS.index("gold") :] if c not in ("interval", "signature")
)
"""Numeric columns of a score table."""


def check_report_path(out: str | os.PathLike[str]) -> None:
    """Raise InputError if a report path has an unknown suffix; paths without a suffix are folders."""
    suffix = Path(out).suffix.lower()
    if suffix and suffix not in FORMAT_BY_SUFFIX:
        raise InputError(
            "unknown report format",
            file=out,
            found=suffix,
            allowed=f"{', '.join(FORMAT_BY_SUFFIX)}, or a folder",
        )


def save_report(
    report: Report,
    out: str | os.PathLike[str],
    *,
    force: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> list[Path]:
    """Write a report to a file, in the format given by the suffix, or to a folder, in all formats.

    With `force`, an existing report folder is replaced, unless it is or contains one of the `inputs`.

    Returns
    -------
    list of Path
        Files that were written.

    Raises
    ------
    InputError
        If the suffix is unknown, or the folder must not be replaced; see `atomic_folder`.
    """
    out = Path(out)
    suffix = out.suffix.lower()
    check_report_path(out)
    if suffix:
        with atomic_text(out) as stream:
            stream.write(render_report(report, FORMAT_BY_SUFFIX[suffix]))
        return [out]
    with atomic_folder(out, "report", force=force, inputs=inputs) as folder:
        names = ["report.html", "report.md", "report.tex", "report.json"]
        if report.scores is not None:
            names.append("scores.csv")
        texts = {name: render_report(report, FORMAT_BY_SUFFIX[Path(name).suffix]) for name in names}
        texts |= {f"tables/{table.id}.csv": render_csv(table) for table in report.tables()}
        (folder / "tables").mkdir()
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [out / name for name in texts]


def render_report(report: Report, form: str) -> str:
    """Return a report as text; `form` is html, markdown, latex, csv or json."""
    if form == "csv":
        if report.scores is None:
            raise InputError("this report has no scores to write as CSV")
        return format_frame(report.scores, OutputFormat.csv, spreadsheet=True)
    renderers = {"html": render_html, "markdown": render_markdown, "latex": render_latex, "json": render_json}
    return renderers[form](report)


def render_csv(table: Table) -> str:
    """Return a table without its links as CSV; numbers are not rounded, and formulas are escaped."""
    return format_frame(_drop_links(table), OutputFormat.csv, spreadsheet=True)


def _drop_links(table: Table) -> pd.DataFrame:
    """Return the contents of a table without the columns that contain links."""
    frame = table.frame
    return frame[[c for c in frame.columns if str(c) != "link" and not str(c).endswith("_link")]]


def render_json(report: Report) -> str:
    """Return the sentences and tables of a report as JSON, with the score table under ``scores``."""
    import orjson

    document = {
        "title": report.title,
        "about": report.about,
        "tested": list(report.tested),
        "verdict": list(report.verdict),
        "tables": {
            t.id: {"caption": t.caption, "rows": frame_to_records(_drop_links(t))} for t in report.tables()
        },
        "scores": [] if report.scores is None else frame_to_records(report.scores),
        "tagsuite": report.version,
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n"


def read_scores(path: Path) -> pd.DataFrame:
    """Read a score table: CSV, or JSON as ``{"scores": [row, …]}``."""
    if path.suffix.lower() == ".json":
        rows = _read_json(path).get("scores")
        if not isinstance(rows, list):
            raise InputError("not a score table", file=path, allowed='{"scores": [row, ...]}')
        table = pd.DataFrame(rows)
    else:
        table = _read_csv(path, f"a header line with {', '.join(SCORE_COLUMNS[:8])}, ...")
    lacking = [c for c in ("run", "class") if c not in table]
    if lacking:
        raise InputError(
            f"not a score table: the column {lacking[0]} is missing",
            file=path,
            found=", ".join(map(str, table.columns[:8])),
            allowed=f"the columns {', '.join(SCORE_COLUMNS[:8])}, ...",
        )
    for name in NUMBER_COLUMNS:
        if name in table and not pd.api.types.is_numeric_dtype(table[name]):
            try:
                numbers = pd.to_numeric(table[name], errors="coerce")
            except OverflowError as error:
                raise InputError(f"invalid number in column {name}: {error}", file=path) from None
            wrong = (table[name].notna() & numbers.isna()).to_numpy()
            if wrong.any():
                row = int(wrong.argmax())
                raise InputError(
                    f"invalid number in column {name}, row {row + 1}",
                    file=path,
                    found=str(table[name].iloc[row]),
                    allowed="a number, or an empty cell",
                )
            table[name] = numbers  # in JSON, a column that is all null has no type
    return table


def read_discovered(path: Path) -> pd.DataFrame:
    """Read the faults (possibly none) from a predictions file written by `discover`."""
    is_empty = parse_toml(read_text(path), path).get("class") == []
    found = [] if is_empty else read_predictions_file(path)
    return pd.DataFrame([{"query": str(p.query), "words": p.note} for p in found], columns=["query", "words"])


def _read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file, or an empty dict if the file contains something else."""
    import orjson

    try:
        document = orjson.loads(read_text(path))
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON: {error}", file=path) from None
    return document if isinstance(document, dict) else {}


def _read_csv(path: Path, allowed: str) -> pd.DataFrame:
    table = read_csv_frame(path, allowed=allowed, keep_default_na=False, na_values=[""])
    # CSV for spreadsheet programs has an apostrophe before values that look like formulas
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name].dtype):
            table[name] = table[name].map(unescape_formula, na_action="ignore")
    return table.rename(columns=unescape_formula)
