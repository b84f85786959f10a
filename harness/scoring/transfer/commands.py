"""Commands ``composition`` and ``calibrate``: what a corpus is made of, and what to expect of its classes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ....catalogues.core.command_line import FormatOption
from ....catalogues.core.options import with_options
from ....catalogues.core.tables import OutputFormat
from ..options import COMPARE_OPTION_NAMES, ClassOptions, ScoringOptions
from .options import CalibrationOptions, TransferOptions


def register(app: typer.Typer) -> None:
    """Add the commands of this chamber."""
    app.command("composition")(composition_command)
    app.command("calibrate")(calibrate_command)


def composition_command(
    corpus: Annotated[str, typer.Argument(help="The annotated corpus.", metavar="FORMAT:PATH")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write (Parquet).")],
) -> None:
    """Write what a corpus is made of: the joint features of its gold mentions, with counts, and no text.

    Example: tagsuite composition sgml:c.sgml --out c.parquet
    """
    from ....catalogues.core.messages import say
    from ....sentences.formats.registry import read_corpus
    from .composition import make_composition, write_composition

    read = read_corpus(corpus)
    for note in read.notes:
        say(note)
    found = make_composition(read)
    write_composition(found, out)
    documents, forms, _ = found.ways
    say(
        f"{out}: {found.mention_count} mentions of {forms.max() + 1} surface forms in {documents.max() + 1} "
        f"documents or texts, {len(found.features)} features"
    )


@with_options(asked=("classes", "by", "notion"), options=COMPARE_OPTION_NAMES, transfer=["least_support"])
def calibrate_command(
    *,
    suite: Annotated[Path, typer.Argument(help="A run over a suite.", metavar="SUITE_RUN")],
    annotated: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            help="A run of the same tagger over annotated sentences (repeatable); or these, FORMAT:PATH, "
            "with --predicted. With --plan: what earlier rounds chose.",
            metavar="RUN_OR_GOLD",
            show_default=False,
        ),
    ] = None,
    predicted: Annotated[
        str,
        typer.Option(
            help="The tagger's output over the annotated sentences, recorded elsewhere: FORMAT:PATH."
        ),
    ] = "",
    weights: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="The file of weights that --plan wrote, where it no longer stands beside the sentences.",
            show_default=False,
        ),
    ] = None,
    asked: ClassOptions,
    options: ScoringOptions,
    calibration: CalibrationOptions,
    transfer: TransferOptions,
    pool: Annotated[
        str,
        typer.Option(
            help="With --plan: the raw sentences, FORMAT:PATH, or a run over them; no gold is needed. With "
            "--measure precision: such a run, whose mentions the estimates are averaged over."
        ),
    ] = "",
    plan_out: Annotated[
        str, typer.Option(help="With --plan: where the chosen sentences go, FORMAT:PATH (jsonl, brat, …).")
    ] = "",
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--out", "-o", help="Write the table here too: .csv, .json, .jsonl or .md.", show_default=False
        ),
    ] = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Estimate the recall or precision of each class in a corpus from a suite and some annotated sentences.

    Example: tagsuite calibrate runs/kex --annotated runs/kex--bc2gm --by case --composition bc2gm-train

    Precision: tagsuite calibrate runs/kex --annotated runs/kex--some --measure precision --pool runs/kex--raw

    What to annotate: tagsuite calibrate runs/kex --plan 25 --pool jsonl:raw.jsonl --plan-out brat:todo

    And next: the same with --annotated runs/kex--todo --plan-out brat:more
    """
    from ....catalogues.core.messages import say
    from ....catalogues.core.tables import print_frame
    from .calibrate_runs import calibrate_runs

    found = calibrate_runs(
        suite,
        annotated or [],
        options,
        calibration,
        asked,
        pool=pool,
        predicted=predicted,
        weights=weights,
        least_support=transfer.least_support,
        plan_out=plan_out,
        out=out,
    )
    for note in found.notes:
        say(note)
    if calibration.plan is None:
        print_frame(found.table, form, key="classes")
