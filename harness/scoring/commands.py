"""Commands ``score``, ``repeats`` and ``effects``: figures of runs, of repetitions, of variants."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ...catalogues.core.command_line import FormatOption
from ...catalogues.core.options import with_options
from ...catalogues.core.tables import Format, emit
from .options import COMPARING, ClassOptions, ScoringOptions

if TYPE_CHECKING:
    import pandas as pd

M_MMAP_THRESHOLD = -3
"""Parameter of glibc's `mallopt`: blocks of this size and more are returned when they are freed."""
RunsArgument = Annotated[
    Optional[list[Path]],  # noqa: UP045
    typer.Argument(help="Run folders.", metavar="RUN...", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this chamber."""
    app.command("score")(score_command)
    app.command("repeats")(repeats_command)
    app.command("effects")(effects_command)


@with_options(asked=("gold", "classes", "by"))
def score_command(
    *,
    runs: RunsArgument = None,
    asked: ClassOptions,
    predicted: Annotated[
        str, typer.Option(help="Predictions recorded elsewhere: FORMAT:PATH; needs --gold.")
    ] = "",
    options: ScoringOptions,
    show: Annotated[
        str,
        typer.Option(
            help="scores, verdicts (of every mention), errors (missed and spurious mentions in their texts), "
            "boundaries (which edges are right), words (lost or added at the edges), false-alarms (texts "
            "without gold mentions), alarm-tokens (what drew them), thresholds (over the predictions' own "
            "confidence) or costs (seconds, tokens and price)."
        ),
    ] = "scores",
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            help="Show so many errors, words, tokens or thresholds a class.", min=1, show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw of errors.")] = 0,
    form: FormatOption = Format.table,
) -> None:
    """Score runs, or predictions recorded elsewhere, per class and notion of correctness.

    Example: tagsuite score runs/kex --notion strict --by case
    """
    if predicted and runs:
        raise typer.BadParameter("a run and --predicted exclude each other", param_hint="--predicted")
    if predicted and not asked.gold:
        raise typer.BadParameter("--predicted needs --gold", param_hint="--predicted")
    if not (predicted or runs):
        raise typer.BadParameter("name a run folder, or --gold and --predicted", param_hint="RUN...")
    _return_freed_memory()
    from .runs import costs_of, say_differences, score_files, score_runs
    from .views.registry import check_view, view

    check_view(show, options, limit=limit, seed=seed)
    if runs:
        found = score_runs(runs, options, classes=asked.named, by=asked.by, gold=asked.chosen_gold)
        say_differences(found)
    else:
        found = [score_files(asked.chosen_gold, predicted, options, classes=asked.named, by=asked.by)]
    costs = costs_of(runs or ()) if show == "costs" else ()
    key = "scores" if show == "false-alarms" else show.replace("-", "_")
    emit_table(view(show, found, limit=limit, seed=seed, by=asked.by, costs=costs), form, key)


def _return_freed_memory() -> None:
    """Let large arrays go back to the system when they are freed; glibc and Arrow would keep their memory."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # other C libraries have no such function
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 1 << 20)


def emit_table(table: pd.DataFrame, form: Format, key: str = "scores") -> None:
    """Print a table; for people to read, the most telling columns of scores and costs only."""
    from .table import SHOWN, printed
    from .views.false_alarms import ALARM_COLUMNS
    from .views.spending import printed_spending

    if form.for_people and key == "costs":
        table = printed_spending(table)
    if form.for_people and "signature" in table:
        table = printed(table, ["class", *ALARM_COLUMNS] if ALARM_COLUMNS[0] in table else SHOWN)
    emit(table, form, key=key)


@with_options(options=COMPARING)
def repeats_command(
    *,
    run: Annotated[Path, typer.Argument(help="A run folder of `tagsuite run --times K`.", metavar="RUN")],
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = Format.table,
) -> None:
    """Report how often answers change between repetitions, and recall, precision and F1 over all, per class.

    Example: tagsuite repeats runs/kex-times --by case
    """
    from .repeat_tables import REPEATS_SHOWN, repeats_of

    _emit(repeats_of(run, options, asked), REPEATS_SHOWN, form, "repeats")


@with_options(options=COMPARING)
def effects_command(
    *,
    folder: Annotated[Path, typer.Argument(help="A folder of `tagsuite run --vary`.", metavar="OUT")],
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = Format.table,
) -> None:
    """Estimate the effect of each option value on recall, precision and F1, per class.

    Example: tagsuite effects runs/kex-vary --by case
    """
    from .effects import EFFECT_HEADS, EFFECTS_SHOWN, effects_of

    _emit(effects_of(folder, options, asked), EFFECTS_SHOWN, form, "effects", EFFECT_HEADS)


def _emit(
    table: pd.DataFrame,
    shown: tuple[str, ...],
    form: Format,
    key: str,
    heads: Mapping[str, str] | None = None,
) -> None:
    """Print a table; for people to read, its most telling columns only, with their own heads."""
    if form.for_people:
        table = table[list(shown)]
        table.attrs["heads"] = heads or {}
    emit(table, form, key=key)
