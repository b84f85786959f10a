"""The command ``accept``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ....catalogues.core.command_line import FormatOption
from ....catalogues.core.messages import say
from ....catalogues.core.options import with_options
from ....catalogues.core.tables import OutputFormat, print_frame
from ..options import ACCEPT_OPTION_NAMES, ClassOptions, ScoringOptions


def register(app: typer.Typer) -> None:
    """Add the commands of this chamber."""
    app.command("accept")(accept_command)


@with_options(asked=("gold",), options=ACCEPT_OPTION_NAMES)
def accept_command(
    *,
    criteria: Annotated[Path, typer.Argument(help="Criteria file (TOML).", metavar="CRITERIA")],
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", metavar="RUN...")],
    junit: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Write a JUnit XML file for build servers.", show_default=False),
    ] = None,
    asked: ClassOptions,
    options: ScoringOptions,
    cases: Annotated[int, typer.Option(help="Failing cases to name, per criterion.", min=0)] = 5,
    seed: Annotated[int, typer.Option(help="Of the draw of failing cases.")] = 0,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Accept or reject taggers by criteria; exit status 1 when one fails, with the failing cases named.

    Example: tagsuite accept criteria.toml runs/kex --junit results.xml
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
