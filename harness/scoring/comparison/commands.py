"""Command ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ....catalogues.core.command_line import FormatOption
from ....catalogues.core.messages import say
from ....catalogues.core.options import COMMON, OUTPUT, with_options
from ....catalogues.core.tables import OutputFormat, print_frame
from ..commands import RunsArgument
from ..options import COMPARE_OPTION_NAMES, SCORING, ClassOptions, ScoringOptions
from ..transfer.options import ESTIMATES, TransferOptions


def register(app: typer.Typer) -> None:
    """Add the command ``compare`` to the command line program."""
    app.command("compare")(compare_command)


@with_options(asked=("gold", "classes", "by", "notion"), options=COMPARE_OPTION_NAMES)
def compare_command(
    *,
    runs: RunsArgument = None,
    predictions: Annotated[
        Path | None, typer.Option(help="TOML file with predictions for classes.", rich_help_panel=COMMON)
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option(
            help="Run on a suite; its results serve as predictions.", metavar="RUN", rich_help_panel=COMMON
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="Another run on the same texts; each run is compared with it per class.",
            metavar="RUN",
            rich_help_panel=COMMON,
        ),
    ] = None,
    asked: ClassOptions,
    predicted: Annotated[
        str,
        typer.Option(
            help="Predictions to score against --gold, instead of runs.",
            metavar="FORMAT:PATH",
            rich_help_panel=SCORING,
        ),
    ] = "",
    options: ScoringOptions,
    scatter: Annotated[
        Path | None,
        typer.Option(
            help="CSV file to write, with the results per class on suite and corpus; requires --suite.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    transfer: TransferOptions,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            help="Runs of a reference tagger on the same suite and corpora (repeatable), or a bundled "
            "tagger to run; shows whether a difference is specific to the compared tagger.",
            metavar="RUN|TAGGER",
            rich_help_panel=ESTIMATES,
        ),
    ] = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Test predicted differences between classes on a corpus, or compare two taggers.

    Example: tagsuite compare --predictions predictions.toml runs/kex--bc2gm

    Two taggers: tagsuite compare runs/kex --against runs/dictionary --by case

    Scores expected on a corpus: tagsuite compare --suite runs/kex --by case --standardise bc2gm-train
    """
    from .compare_runs import (
        ComparisonOptions,
        compare_runs,
        select_difference_columns,
        select_printed_columns,
    )

    comparison = ComparisonOptions(predictions, suite, against, predicted, scatter, transfer, reference or ())
    found = compare_runs(runs or [], options, asked, comparison)
    for note in found.notes:
        say(note)
    for_reading = select_printed_columns if against is None else select_difference_columns
    print_frame(
        for_reading(found.table) if form.is_for_people else found.table,
        form,
        key="scores" if against is None else "differences",
    )
    if found.correlation is not None:
        for row in found.correlation.to_dict("records"):
            if row["rho"] == row["rho"]:
                # no interval for three classes or fewer
                has_interval = row["rho_low"] == row["rho_low"]
                interval = f" ({row['rho_low']:.2f} to {row['rho_high']:.2f})" if has_interval else ""
                say(
                    f"rank correlation of {row['measure']} between suite and {row['corpus']} ({row['run']}) "
                    f"over {row['classes']} classes: {row['rho']:.2f}{interval}"
                )
