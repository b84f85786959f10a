"""The command ``items``: difficulty of cases, ability of taggers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ....catalogues.core.command_line import FormatOption
from ....catalogues.core.options import with_options
from ....catalogues.core.tables import Format, emit
from ..options import COMPARING, ClassOptions, ScoringOptions

SHOWN = ("taggers", "mentions", "classes")


def register(app: typer.Typer) -> None:
    """Add the commands of this chamber."""
    app.command("items")(items_command)


@with_options(asked=("classes", "by", "notion"), options=COMPARING)
def items_command(
    *,
    runs: Annotated[
        list[Path], typer.Argument(help="Five run folders or more, of one suite.", metavar="RUN...")
    ],
    show: Annotated[
        str,
        typer.Option(
            help="taggers (their abilities), mentions (the hardest first, with their discrimination) or "
            "classes (their mean difficulty)."
        ),
    ] = "taggers",
    asked: ClassOptions,
    options: ScoringOptions,
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Show so many rows.", min=1, show_default=False),
    ] = None,
    form: FormatOption = Format.table,
) -> None:
    """Tell how hard cases are and how able taggers, by an item-response model over runs of one suite.

    Example: tagsuite items runs/kex runs/kex2 runs/yapex runs/yapex2 runs/dictionary --show classes --by case
    """
    if show not in SHOWN:
        raise typer.BadParameter(f"{show!r}; allowed: {', '.join(SHOWN)}", param_hint="--show")
    from ....catalogues.core.errors import InputError
    from ...evaluation import score_asked
    from .items import check_number, items

    check_number(len(runs))
    places = [run.resolve() for run in runs]
    twice = next((run for run, place in zip(runs, places, strict=True) if places.count(place) > 1), None)
    if twice is not None:
        raise InputError("the same run twice", file=twice)
    found = items(score_asked(runs, options, asked), notion=asked.notion, confidence=options.confidence)
    table = getattr(found, show)
    emit(table if limit is None else table.head(limit), form, key=show)
