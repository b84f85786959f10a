"""What a report holds besides its runs: each option declared once.

The command ``report``, the function of that name and the keys that head a study file come from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ..catalogues.core.options import Option, Options


@dataclass(frozen=True)
class ReportOptions(Options):
    """What a report holds besides its runs; see ``docs/reference/reports.md``.

    Attributes
    ----------
    predictions : path, optional
        A predictions file, held against the runs.
    discovered : tuple of path
        What `discover` wrote.
    discover : bool
        Whether each run is searched for faults.
    scores : tuple of path
        Score tables (CSV or JSON).
    invariance : tuple of path
        Folders of ``tagsuite invariance``.
    title, about : str
        The heading, and why this was done.
    least : int
        Gold mentions that a class needs to stand on the first screen, or for two taggers to be called
        different on it.
    """

    predictions: Annotated[
        Path | None, Option("Predictions file (TOML) to compare with the runs.", flag="--compare")
    ] = None
    discovered: Annotated[tuple[Path, ...], Option("A file that `discover` wrote (repeatable).")] = ()
    discover: Annotated[bool, Option("Search each run for faults, as `discover` does.")] = False
    scores: Annotated[
        tuple[Path, ...],
        Option("A score table (CSV or JSON), for example of `evaluate` (repeatable)."),
    ] = ()
    invariance: Annotated[tuple[Path, ...], Option("A folder of `invariance` (repeatable).")] = ()
    title: Annotated[str, Option("The heading.")] = ""
    about: Annotated[str, Option("The purpose, in a sentence or two.")] = ""
    least: Annotated[
        int,
        Option(
            "Mentions that a class needs on the first screen.",
            label="number of mentions that a class needs",
            minimum=1,
            shows_range=True,
        ),
    ] = 10
