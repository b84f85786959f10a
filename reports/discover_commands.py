"""Command ``discover``: what a tagger fails at, and whether fresh cases confirm it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ..catalogues.core.command_line import FormatOption
from ..catalogues.core.messages import say
from ..catalogues.core.options import with_options
from ..catalogues.core.tables import OutputFormat, print_frame
from ..harness.scoring.options import (
    COMPARE_OPTION_NAMES,
    ClassOptions,
    ConfirmOptions,
    DiscoverOptions,
    ScoringOptions,
)


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("discover")(discover_command)


@with_options(asked=("gold",), options=COMPARE_OPTION_NAMES)
def discover_command(
    *,
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")],
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--out", "-o", help="Predictions file to write (TOML).", show_default=False),
    ] = None,
    show: Annotated[
        str, typer.Option(help="faults, or costs: what each feature costs in minimal pairs.")
    ] = "faults",
    search: DiscoverOptions,
    confirming: ConfirmOptions,
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Find which combinations of features a tagger fails at.

    One half of the entities and contexts (or documents) is searched, the other gives the figures. With
    --confirm, new cases of each class and of its near misses give the figures.

    Example: tagsuite discover runs/kex --out predictions.toml
    """
    if confirming.confirm:
        if show != "faults" or asked.gold:
            raise typer.BadParameter("confirms faults of the run's own suite: no --show costs, no --gold")
        from .confirmation import confirm_run

        found = confirm_run(run, options, search, confirming, out=out, say=say)
    else:
        from ..harness.scoring.discovery.discover import discover_run

        found = discover_run(run, options, search, show=show, out=out, gold=asked.chosen_gold)
    for note in found.notes:
        say(note)
    print_frame(found.select_printed_columns() if form.is_for_people else found.table, form, key=show)
    for line in found.describe_findings():
        say(line)
