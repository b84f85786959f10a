"""Command ``discover``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from ..catalogues.core.command_line import FormatOption
from ..catalogues.core.messages import say
from ..catalogues.core.options import COMMON, with_options
from ..catalogues.core.tables import OutputFormat, print_frame
from ..harness.scoring.options import COMPARE_OPTION_NAMES, ClassOptions, ScoringOptions
from ..harness.scoring.search_options import ConfirmOptions, DiscoverOptions


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("discover")(discover_command)


@with_options(asked=("gold",), options=COMPARE_OPTION_NAMES)
def discover_command(
    *,
    run: Annotated[Path, typer.Argument(help="Run folder.", metavar="RUN")],
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--out",
            "-o",
            help="Output file (TOML) for the findings, which can be tested as predictions on a corpus.",
            show_default=False,
            rich_help_panel=COMMON,
        ),
    ] = None,
    show: Annotated[
        Literal["faults", "costs"],
        typer.Option(
            help="Table to print: faults, or costs (recall lost by changing one feature).",
            rich_help_panel=COMMON,
        ),
    ] = "faults",
    search: DiscoverOptions,
    confirming: ConfirmOptions,
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Find the combinations of features on which a tagger fails.

    Example: tagsuite discover runs/kex --out predictions.toml

    Faults are searched in one half of the entities and contexts (or documents), and recall and precision are
    computed on the other half. With --confirm, both measures are computed on new cases of each class and
    of its near misses (classes that share all conditions but one).
    """
    if confirming.confirm:
        if show != "faults" or asked.gold:
            raise typer.BadParameter("not allowed with --show costs or --gold", param_hint="--confirm")
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
