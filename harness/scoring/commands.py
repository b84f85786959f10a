"""Commands ``score``, ``repeats`` and ``effects``."""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ...catalogues.core.command_line import FormatOption
from ...catalogues.core.options import COMMON, OUTPUT, with_options
from ...catalogues.core.tables import OutputFormat, print_frame
from ...catalogues.core.text_table import TableLayout
from .options import COMPARE_OPTION_NAMES, SCORING, ClassOptions, ScoringOptions, View

if TYPE_CHECKING:
    import pandas as pd

M_MMAP_THRESHOLD = -3
"""Parameter of glibc's `mallopt`: the minimum size of memory blocks that `free` returns to the system."""
VIEW_LAYOUTS = {
    "errors": TableLayout(["run", "notion", "text_id"], ["error", "gold", "predicted", "data"]),
    "identifiers": TableLayout(["run", "corpus", "type"]),
    "confusions": TableLayout(["run", "class", "gold_type", "predicted_type"]),
    "verdicts": TableLayout(["run", "side", "text_id", "start"], ["data", "type"]),
    "boundaries": TableLayout(["run", "class", "edge"], ["share", "right", "pairs"], intervals={"share": ""}),
    "words": TableLayout(["run", "class", "edge", "change", "words"]),
    "alarm_tokens": TableLayout(["run", "class", "token"]),
    "thresholds": TableLayout(["run", "class", "notion", "threshold"], ["precision", "recall", "f1"]),
}
"""Layout of each table that the option `--show` can select."""
RunsArgument = Annotated[
    Optional[list[Path]],  # noqa: UP045
    typer.Argument(help="Run folders.", metavar="RUN", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands ``score``, ``repeats`` and ``effects`` to the command line program."""
    app.command("score")(score_command)
    app.command("repeats")(repeats_command)
    app.command("effects")(effects_command)


@with_options(asked=("gold", "classes", "by"))
def score_command(
    *,
    runs: RunsArgument = None,
    asked: ClassOptions,
    show: Annotated[
        View, typer.Option(help="Table to print (listed above).", metavar="TABLE", rich_help_panel=COMMON)
    ] = "scores",
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            help="Maximum number of rows (errors, words, tokens or thresholds) to print per class.",
            min=1,
            show_default=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Random seed of the sample of errors.", rich_help_panel=OUTPUT)
    ] = 0,
    predicted: Annotated[
        str,
        typer.Option(
            help="Predictions to score against --gold, instead of runs.",
            metavar="FORMAT:PATH",
            rich_help_panel=SCORING,
        ),
    ] = "",
    options: ScoringOptions,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Score runs or recorded predictions, per class and notion of correctness.

    Example: tagsuite score runs/kex --notion strict --by case

    Tables for --show: scores; verdicts (for each mention); errors (missed and spurious mentions in their
    texts); confusions (mentions found with a wrong type); identifiers (sets of identifiers in documents);
    boundaries (how often starts and ends are right); words (words lost or added at starts and ends);
    false-alarms (predictions in texts without gold mentions); alarm-tokens (words in which false alarms
    occur); thresholds (measures at each confidence threshold); costs (seconds, tokens and price).
    """
    if predicted and runs:
        raise typer.BadParameter("give either runs or --predicted, not both", param_hint="--predicted")
    if predicted and not asked.gold:
        raise typer.BadParameter("requires --gold", param_hint="--predicted")
    if not (predicted or runs):
        raise typer.BadParameter("give a run folder, or --gold and --predicted", param_hint="RUN")
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
    """Make glibc and Arrow return the memory of large arrays to the system when they are freed."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # other C libraries have no such function
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 1 << 20)


def emit_table(table: pd.DataFrame, form: OutputFormat, key: str = "scores") -> None:
    """Print a table of scores, costs or errors in the chosen format.

    The formats ``table`` and ``markdown`` show only the most important columns of scores and costs.
    """
    from .table import PRINTED_COLUMNS, select_printed_columns, set_layout
    from .views.case_costs import select_cost_columns
    from .views.false_alarms import ALARM_COLUMNS

    if form.is_for_people and key == "costs":
        table = select_cost_columns(table)
    if form.is_for_people and "signature" in table:
        has_alarms = ALARM_COLUMNS[0] in table
        alarm_columns = ["class", *(["type"] if (table["type"] != "all").any() else []), *ALARM_COLUMNS]
        table = select_printed_columns(table, alarm_columns if has_alarms else PRINTED_COLUMNS)
        if has_alarms:
            set_layout(table, "false_alarm_rate", "cases", intervals={"false_alarm_rate": "false_alarm_"})
    elif form.is_for_people and key != "costs":
        table.attrs["layout"] = VIEW_LAYOUTS.get(key, TableLayout())
    print_frame(table, form, key=key)


@with_options(options=COMPARE_OPTION_NAMES)
def repeats_command(
    *,
    run: Annotated[Path, typer.Argument(help="Run folder written by `run --times N`.", metavar="RUN")],
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Report how often answers change between repetitions, with recall, precision and F1 per class.

    Example: tagsuite repeats runs/kex-times --by case
    """
    from .repeat_tables import PRINTED_REPEAT_COLUMNS, summarise_repeats

    layout = TableLayout(
        ["class"],
        ["flip_share", "recall", "precision", "f1", "cases"],
        intervals={"flip_share": "flip_"},
    )
    _emit_columns(summarise_repeats(run, options, asked), PRINTED_REPEAT_COLUMNS, layout, form, "repeats")


@with_options(options=COMPARE_OPTION_NAMES)
def effects_command(
    *,
    folder: Annotated[Path, typer.Argument(help="Folder written by `run --vary`.", metavar="FOLDER")],
    asked: ClassOptions,
    options: ScoringOptions,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Estimate the effect of each option value on recall, precision and F1, per class.

    Example: tagsuite effects runs/kex-vary --by case
    """
    from .effects import PRINTED_EFFECT_COLUMNS, estimate_effects

    layout = TableLayout(
        ["class", "factor", "level"],
        ["recall", "effect", "p_bh", "precision", "precision_effect", "f1", "f1_effect"],
    )
    _emit_columns(estimate_effects(folder, options, asked), PRINTED_EFFECT_COLUMNS, layout, form, "effects")


def _emit_columns(
    table: pd.DataFrame, shown: tuple[str, ...], layout: TableLayout, form: OutputFormat, key: str
) -> None:
    """Print a table; the formats ``table`` and ``markdown`` contain only the columns `shown`."""
    if form.is_for_people:
        table = table[list(shown)]
        table.attrs["layout"] = layout
    print_frame(table, form, key=key)
