"""Commands ``repeats`` and ``effects``: what varies from repetition to repetition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...catalogues.core.command_line import FormatOption
from ...catalogues.core.options import with_options
from ...catalogues.core.tables import Format, emit
from .options import COMPARING, ClassOptions, ScoringOptions

if TYPE_CHECKING:
    import pandas as pd


def register(app: typer.Typer) -> None:
    """Add the commands of this chamber."""
    app.command("repeats")(repeats_command)
    app.command("effects")(effects_command)


@with_options(options=COMPARING)
def repeats_command(
    *,
    run: Annotated[Path, typer.Argument(help="A run folder of `tagsuite run --times K`.", metavar="RUN")],
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = Format.table,
) -> None:
    """Tell how often answers change from one repetition to the next, and recall over all of them, per class.

    Example: tagsuite repeats runs/kex-times --by case
    """
    from ..repeating import SHOWN, repeats_of

    _emit(repeats_of(run, options, asked), SHOWN, form, "repeats")


@with_options(options=COMPARING)
def effects_command(
    *,
    folder: Annotated[Path, typer.Argument(help="A folder of `tagsuite run --vary`.", metavar="OUT")],
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = Format.table,
) -> None:
    """Tell what each value of a varied option does to recall, per class, beside the mean of all its values.

    Example: tagsuite effects runs/kex-vary --by case
    """
    from ..effects import SHOWN, effects_of

    _emit(effects_of(folder, options, asked), SHOWN, form, "effects")


def _emit(table: pd.DataFrame, shown: tuple[str, ...], form: Format, key: str) -> None:
    """Print a table; for people to read, its most telling columns only."""
    emit(table[list(shown)] if form.for_people else table, form, key=key)
