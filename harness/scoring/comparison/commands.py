"""The command ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ....catalogues.core.command_line import FormatOption
from ....catalogues.core.messages import say
from ....catalogues.core.options import with_options
from ....catalogues.core.tables import OutputFormat, print_frame
from ..commands import RunsArgument
from ..options import COMPARE_OPTION_NAMES, ClassOptions, ScoringOptions
from ..transfer.options import TransferOptions


def register(app: typer.Typer) -> None:
    """Add the commands of this chamber."""
    app.command("compare")(compare_command)


@with_options(asked=("gold", "classes", "by", "notion"), options=COMPARE_OPTION_NAMES)
def compare_command(
    *,
    runs: RunsArgument = None,
    predictions: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Predictions file (TOML).", show_default=False),
    ] = None,
    suite: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="A run over a suite, whose results are the predictions.", show_default=False),
    ] = None,
    against: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="Another run of the same texts: the paired differences from it, per class.",
            show_default=False,
        ),
    ] = None,
    asked: ClassOptions,
    predicted: Annotated[
        str, typer.Option(help="A tagger's output recorded elsewhere: FORMAT:PATH; needs --gold.")
    ] = "",
    options: ScoringOptions,
    scatter: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="With --suite: write each class's figures on suite and corpus here (CSV)."),
    ] = None,
    transfer: TransferOptions,
    reference: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            help="A reference tagger: its runs over the same suite and corpora (repeatable), or a bundled "
            "tagger's name such as kex, which is run at once. Tells what holds for any tagger from what is "
            "peculiar to this one.",
            metavar="RUN|TAGGER",
            show_default=False,
        ),
    ] = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Compare what was predicted of classes with what a corpus shows: held, refuted or undecided.

    Example: tagsuite compare --predictions predictions.toml runs/kex--bc2gm

    With --against, compare taggers: tagsuite compare runs/kex --against runs/dictionary --by case

    Without a corpus: tagsuite compare --suite runs/kex --by case --standardise bc2gm-train
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
                # of three classes or fewer there is no interval
                known = row["rho_low"] == row["rho_low"]
                interval = f" ({row['rho_low']:.2f} to {row['rho_high']:.2f})" if known else ""
                say(
                    f"rank correlation of {row['measure']} between suite and {row['corpus']} ({row['run']}) "
                    f"over {row['classes']} classes: {row['rho']:.2f}{interval}"
                )
