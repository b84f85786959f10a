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
from ...catalogues.core.tables import OutputFormat, print_frame
from .options import COMPARE_OPTION_NAMES, ClassOptions, ScoringOptions

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
    form: FormatOption = OutputFormat.table,
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
    from .score_runs import read_costs, report_differences, score_predictions, score_runs
    from .views.registry import build_view, check_view

    check_view(show, options, limit=limit, seed=seed)
    if runs:
        found = score_runs(runs, options, classes=asked.class_list, by=asked.by, gold=asked.chosen_gold)
        report_differences(found)
    else:
        found = [
            score_predictions(asked.chosen_gold, predicted, options, classes=asked.class_list, by=asked.by)
        ]
    costs = read_costs(runs or ()) if show == "costs" else ()
    key = "scores" if show == "false-alarms" else show.replace("-", "_")
    emit_table(build_view(show, found, limit=limit, seed=seed, by=asked.by, costs=costs), form, key)


def _return_freed_memory() -> None:
    """Let large arrays go back to the system when they are freed; glibc and Arrow would keep their memory."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # other C libraries have no such function
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 1 << 20)


def emit_table(table: pd.DataFrame, form: OutputFormat, key: str = "scores") -> None:
    """Print a table; for people to read, the most telling columns of scores and costs only."""
    from .table import PRINTED_COLUMNS, select_printed_columns
    from .views.case_costs import select_cost_columns
    from .views.false_alarms import ALARM_COLUMNS

    if form.is_for_people and key == "costs":
        table = select_cost_columns(table)
    if form.is_for_people and "signature" in table:
        table = select_printed_columns(
            table, ["class", *ALARM_COLUMNS] if ALARM_COLUMNS[0] in table else PRINTED_COLUMNS
        )
    print_frame(table, form, key=key)


@with_options(options=COMPARE_OPTION_NAMES)
def repeats_command(
    *,
    run: Annotated[Path, typer.Argument(help="A run folder of `tagsuite run --times K`.", metavar="RUN")],
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Report how often answers change between repetitions, and recall, precision and F1 over all, per class.

    Example: tagsuite repeats runs/kex-times --by case
    """
    from .repeat_tables import PRINTED_REPEAT_COLUMNS, summarise_repeats

    _emit_columns(summarise_repeats(run, options, asked), PRINTED_REPEAT_COLUMNS, form, "repeats")


@with_options(options=COMPARE_OPTION_NAMES)
def effects_command(
    *,
    folder: Annotated[Path, typer.Argument(help="A folder of `tagsuite run --vary`.", metavar="OUT")],
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Estimate the effect of each option value on recall, precision and F1, per class.

    Example: tagsuite effects runs/kex-vary --by case
    """
    from .effects import EFFECT_HEADS, PRINTED_EFFECT_COLUMNS, estimate_effects

    _emit_columns(
        estimate_effects(folder, options, asked), PRINTED_EFFECT_COLUMNS, form, "effects", EFFECT_HEADS
    )


def _emit_columns(
    table: pd.DataFrame,
    shown: tuple[str, ...],
    form: OutputFormat,
    key: str,
    heads: Mapping[str, str] | None = None,
) -> None:
    """Print a table; for people to read, its most telling columns only, with their own heads."""
    if form.is_for_people:
        table = table[list(shown)]
        table.attrs["heads"] = heads or {}
    print_frame(table, form, key=key)
