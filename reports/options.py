"""Options of reports, shared by the command ``report``, the function `report` and study files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ..catalogues.core.options import Option, Options

CONTENT = "Content"
"""Title of a group of options in the help of `report`."""


@dataclass(frozen=True)
class ReportOptions(Options):
    """Options that add content to a report of runs; see ``docs/reference/reports.md``.

    Attributes
    ----------
    predictions : path, optional
        Predictions file to compare with the runs.
    discovered : tuple of path
        Predictions files written by `discover`.
    discover : bool
        Whether to search each run for faults.
    scores : tuple of path
        Score tables (CSV or JSON).
    invariance : tuple of path
        Folders written by ``tagsuite invariance``.
    title, about : str
        Title and purpose of the report.
    least : int
        Minimum number of gold mentions that a class needs to appear on the first screen or in comparisons of
        two taggers.
    """

    predictions: Annotated[
        Path | None,
        Option("Predictions file (TOML) to compare with the runs.", CONTENT, flag="--compare"),
    ] = None
    discovered: Annotated[
        tuple[Path, ...], Option("Predictions file written by `discover` (repeatable).", CONTENT)
    ] = ()
    discover: Annotated[
        bool, Option("Search each run for faults, as `discover` does.", CONTENT, flag="--discover")
    ] = False
    scores: Annotated[
        tuple[Path, ...],
        Option("Score table (CSV or JSON), for example from `evaluate` (repeatable).", CONTENT),
    ] = ()
    invariance: Annotated[
        tuple[Path, ...],
        Option("Folder written by `invariance` (repeatable).", CONTENT, metavar="FOLDER"),
    ] = ()
    title: Annotated[str, Option("Title of the report.", CONTENT)] = ""
    about: Annotated[str, Option("Purpose of the report, in one or two sentences.", CONTENT)] = ""
    least: Annotated[
        int,
        Option(
            "Minimum number of mentions for a class to appear on the first screen.",
            CONTENT,
            label="number of mentions that a class needs",
            minimum=1,
            shows_range=True,
        ),
    ] = 10
