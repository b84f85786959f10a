"""Command ``accept``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ....catalogues.core.command_line import FormatOption
from ....catalogues.core.messages import say
from ....catalogues.core.options import OUTPUT, with_options
from ....catalogues.core.tables import OutputFormat, print_frame
from ..options import ACCEPT_OPTION_NAMES, ClassOptions, ScoringOptions


def register(app: typer.Typer) -> None:
    """Add the command ``accept`` to the command line program."""
    app.command("accept")(accept_command)


@with_options(asked=("gold",), options=ACCEPT_OPTION_NAMES)
def accept_command(
    *,
    criteria: Annotated[Path, typer.Argument(help="File of acceptance criteria (TOML).", metavar="CRITERIA")],
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", metavar="RUN")],
    junit: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="JUnit XML file to write, for build servers.", show_default=False, rich_help_panel=OUTPUT
        ),
    ] = None,
    asked: ClassOptions,
    options: ScoringOptions,
    cases: Annotated[
        int,
        typer.Option(
            help="Maximum number of failing cases to list per criterion.", min=0, rich_help_panel=OUTPUT
        ),
    ] = 5,
    seed: Annotated[
        int, typer.Option(help="Random seed of the sample of failing cases.", rich_help_panel=OUTPUT)
    ] = 0,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Check whether runs meet acceptance criteria.

    Example: tagsuite accept criteria.toml runs/kex --junit results.xml

    The exit status is 1 if a criterion fails; the failing cases are listed.
    """
    from .accept import format_junit_xml, select_printed_columns
    from .accept_runs import accept_runs

    found = accept_runs(criteria, runs, options, gold=asked.chosen_gold, max_cases=cases, seed=seed)
    for note in found.notes:
        say(note)
    print_frame(
        select_printed_columns(found.table) if form.is_for_people else found.table, form, key="criteria"
    )
    for line in found.describe_failures():
        say(line)
    if junit is not None:
        from ....catalogues.core.files import atomic_text

        with atomic_text(junit) as stream:
            stream.write(format_junit_xml(found))
    if not found.passed:
        raise typer.Exit(1)
