"""Command `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ..catalogues.core.command_line import QuietOption
from ..catalogues.core.options import with_options
from ..catalogues.core.tables import say_unless
from ..harness.scoring.options import COMPARING, ClassOptions, ScoringOptions
from ..harness.scoring.transfer.options import TransferOptions
from .options import ReportOptions


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("report")(report_command)


@with_options(asked=("classes", "by"), scoring=COMPARING)
def report_command(
    *,
    runs: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Argument(help="Run folders, over suites or corpora.", metavar="RUN...", show_default=False),
    ] = None,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="FILE.html, .md, .tex, .json or .csv; or a folder for all of them."),
    ] = Path("report.html"),
    asked: ClassOptions,
    options: ReportOptions,
    scoring: ScoringOptions,
    transfer: TransferOptions,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it holds a report.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Write a report of runs as one page that works offline: figures, classes, charts, cases to read.

    Example: tagsuite report runs/kex runs/dictionary --by case --out report.html
    """
    if not (runs or options.scores or options.invariance):
        raise typer.BadParameter(
            "give run folders, score tables with --scores, or --invariance", param_hint="RUN..."
        )
    from .reporting import report_of
    from .saving import save

    tell = say_unless(quiet)
    report = report_of(runs or (), options, scoring, asked, transfer, say=tell, warn=tell)
    for path in save(report, out, force=force, inputs=[*(runs or ()), *options.paths]):
        tell(f"wrote {path}")
