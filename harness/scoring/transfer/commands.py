"""Commands ``composition`` and ``calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ....catalogues.core.command_line import FormatOption
from ....catalogues.core.errors import InputError
from ....catalogues.core.options import COMMON, with_options
from ....catalogues.core.tables import OutputFormat
from ..options import COMPARE_OPTION_NAMES, SCORING, ClassOptions, ScoringOptions
from .options import CalibrationOptions, TransferOptions

PROPOSALS = "Unannotated text"


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("composition")(composition_command)
    app.command("calibrate")(calibrate_command)


def composition_command(
    corpus: Annotated[
        str,
        typer.Argument(
            help="Corpus with gold mentions or, with --proposer, raw text.", metavar="FORMAT:PATH"
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Parquet file to write.")],
    proposer: Annotated[
        list[str] | None,
        typer.Option(
            help="Tagger that proposes mentions, or a run of it on each corpus (repeatable; at least two "
            "taggers).",
            metavar="TAGGER|RUN",
            rich_help_panel=PROPOSALS,
        ),
    ] = None,
    annotated: Annotated[
        str,
        typer.Option(
            help="Annotated corpus, which shows how reliable the proposers are.",
            metavar="FORMAT:PATH",
            rich_help_panel=PROPOSALS,
        ),
    ] = "",
    tested: Annotated[
        str,
        typer.Option(
            help="Tagger for which results will be estimated; it must not be a proposer.",
            metavar="TAGGER",
            rich_help_panel=PROPOSALS,
        ),
    ] = "",
) -> None:
    """Summarise a corpus as counts of feature combinations, without its text.

    Example: tagsuite composition sgml:c.sgml --out c.parquet

    Unannotated: tagsuite composition jsonl:raw.jsonl --proposer kex --proposer yapex
    --annotated bc2gm:test --tested pos --out c.parquet
    """
    from ....catalogues.core.messages import say
    from ....sentences.formats.registry import read_corpus
    from .composition import make_composition, write_composition

    if proposer or annotated or tested:
        from .proposers import compose_from_proposals

        if not (proposer and annotated):
            raise InputError("a composition of unannotated text requires --proposer and --annotated")
        found, notes = compose_from_proposals(corpus, annotated, proposer, tested)
    else:
        read = read_corpus(corpus)
        found, notes = make_composition(read), read.notes
    for note in notes:
        say(note)
    write_composition(found, out)
    documents, forms, _ = found.ways
    say(
        f"{out}: {found.mention_count} mentions of {forms.max() + 1} surface forms in {documents.max() + 1} "
        f"documents or texts, {len(found.features)} features"
    )


@with_options(
    asked=("classes", "by", "notion"), options=COMPARE_OPTION_NAMES, transfer=["least_support", "evidence"]
)
def calibrate_command(
    *,
    suite: Annotated[Path, typer.Argument(help="Run of a tagger on a suite.", metavar="SUITE_RUN")],
    annotated: Annotated[
        list[str] | None,
        typer.Option(
            help="Run of the same tagger on annotated sentences (repeatable); with --predicted, the "
            "annotated corpus instead.",
            metavar="RUN|FORMAT:PATH",
            rich_help_panel=COMMON,
        ),
    ] = None,
    predicted: Annotated[
        str,
        typer.Option(
            help="Recorded output of the tagger on the annotated sentences.",
            metavar="FORMAT:PATH",
            rich_help_panel=SCORING,
        ),
    ] = "",
    asked: ClassOptions,
    options: ScoringOptions,
    calibration: CalibrationOptions,
    transfer: TransferOptions,
    pool: Annotated[
        str,
        typer.Option(
            help="Run of the tagger on raw sentences, for --measure precision or f1; precision is averaged "
            "over the mentions predicted in this run.",
            metavar="RUN",
            rich_help_panel=COMMON,
        ),
    ] = "",
    form: FormatOption = OutputFormat.table,
) -> None:
    """Estimate recall or precision per class in a corpus from a suite and some annotated sentences.

    Example: tagsuite calibrate runs/kex --annotated runs/kex--bc2gm --by case --composition bc2gm-train

    Precision: tagsuite calibrate runs/kex --annotated runs/kex--some --measure precision --pool runs/kex--raw
    """
    from ....catalogues.core.messages import say
    from ....catalogues.core.tables import print_frame
    from ....catalogues.core.text_table import TableLayout
    from .calibrate_runs import calibrate_runs

    table, notes = calibrate_runs(
        suite,
        annotated or [],
        options,
        calibration,
        asked,
        pool=pool,
        predicted=predicted,
        transfer=transfer,
    )
    for note in notes:
        say(note)
    table.attrs["layout"] = TableLayout(["class"], ["calibrated", "annotated", "standardised"])
    print_frame(table, form, key="classes")
