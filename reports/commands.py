"""Command `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ..catalogues.core.options import with_options
from ..catalogues.core.tables import say
from ..harness.scoring.options import COMPARING, ClassOptions, ScoringOptions
from ..harness.scoring.transfer.options import TransferOptions


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("report")(report_command)


@with_options(asked=("classes", "by"), options=COMPARING)
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
    compare: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--compare", help="Predictions file (TOML) to compare with the runs.", show_default=False
        ),
    ] = None,
    discovered: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option("--discovered", help="A file that `discover` wrote (repeatable).", show_default=False),
    ] = None,
    discover: Annotated[
        bool, typer.Option("--discover", help="Search each run for faults, as `discover` does.")
    ] = False,
    scores: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option(
            "--scores",
            help="A score table (CSV or JSON), for example of `evaluate` (repeatable).",
            show_default=False,
        ),
    ] = None,
    invariance: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option("--invariance", help="A folder of `invariance` (repeatable).", show_default=False),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="The heading.")] = "",
    about: Annotated[str, typer.Option("--about", help="The purpose, in a sentence or two.")] = "",
    options: ScoringOptions,
    transfer: TransferOptions,
    least: Annotated[
        int, typer.Option("--least", help="Mentions that a class needs on the first screen.", min=1)
    ] = 10,
    force: Annotated[bool, typer.Option("--force", help="Replace an output folder.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no messages.")] = False,
) -> None:
    """Write a report of runs as one page that works offline: figures, classes, charts, cases to read.

    Example: tagsuite report runs/kex runs/dictionary --by case --out report.html
    """
    if not runs and not scores and not invariance:
        raise typer.BadParameter(
            "give run folders, score tables with --scores, or --invariance", param_hint="RUN..."
        )
    from .request import FileRequest, report_of_files
    from .saving import save

    request = FileRequest(
        runs=tuple(runs or ()),
        classes=asked.file,
        by=asked.by,
        predictions=compare,
        discovered=tuple(discovered or ()),
        discover=discover,
        scores=tuple(scores or ()),
        invariance=tuple(invariance or ()),
        title=title,
        about=about,
        least=least,
        options=options,
        transfer=transfer,
    )
    tell = (lambda _: None) if quiet else say
    report = report_of_files(request, tell, tell)
    for path in save(report, out, force=force):
        tell(f"wrote {path}")
