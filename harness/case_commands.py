"""The command ``cases``: what a tagger made of single cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..catalogues.core.command_line import FormatOption
from ..catalogues.core.tables import Format, emit, put, say


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("cases")(cases_command)


def cases_command(
    run: Annotated[Path, typer.Argument(help="The run folder.", metavar="RUN")],
    outcome: Annotated[str, typer.Option(help="Show only cases of this outcome, such as garbage.")] = "",
    query: Annotated[
        str, typer.Option(help="Show only cases with a gold or predicted mention that this query selects.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, help="Show at most N cases.", metavar="N")] = 20,
    form: FormatOption = Format.table,
) -> None:
    """Show single cases of a run: text, gold, predicted, outcome, its reason, and what the tagger replied.

    Example: tagsuite cases runs/kex --outcome garbage --limit 5
    """
    from .cases import in_blocks, list_cases
    from .running.folder.runs import read_run

    cases = list_cases(read_run(run), outcome=outcome, query=query, limit=limit)
    if form is Format.table:
        put(in_blocks(cases))
    else:
        emit(cases, form, key="cases")
    if len(cases) < cases.attrs["found"]:
        say(f"{len(cases)} of {cases.attrs['found']} cases are shown; --limit sets how many")
    elif cases.empty:
        say("no case is selected")
