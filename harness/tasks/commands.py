"""The commands ``evaluate bioid``, ``evaluate bacteria-biotope`` and ``evaluate indexing``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ...catalogues.core.command_line import FormatOption, add_group
from ...catalogues.core.messages import say
from ...catalogues.core.options import with_options
from ...catalogues.core.tables import OutputFormat, print_frame
from .options import REPLACE_HELP, BacteriaBiotopeOptions, BioIDOptions, IndexingOptions

if TYPE_CHECKING:
    import pandas as pd

Progress = Annotated[bool, typer.Option("--progress/--no-progress", help="Show progress on standard error.")]
Force = Annotated[bool, typer.Option("--force", help=REPLACE_HELP)]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    description = "Published evaluations, whole: BioID, Bacteria Biotope, index terms."
    add_group(app, "evaluate", description, [bioid, bacteria_biotope, indexing])


@with_options()
def bioid(
    *,
    reference: Annotated[
        Path, typer.Argument(help="Folder of the reference's BioC files.", show_default=False)
    ],
    runs: Annotated[list[str], typer.Argument(help="Folders of runs: DIR or NAME:DIR.", metavar="RUN...")],
    out: Annotated[Path, typer.Option(help="Folder for the five CSV files.", show_default=False)],
    options: BioIDOptions,
    force: Force = False,
    progress: Progress = True,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Score runs on figure captions as the BioID track of BioCreative VI: mentions and identifiers.

    Example: tagsuite evaluate bioid reference mine:captions --out results
    """
    from .bioid.evaluation import evaluate_bioid, parse_run, write_files
    from .tables import BIOID_COLUMNS

    named = [parse_run(run) for run in runs]
    result = evaluate_bioid(reference, named, options, progress=progress)
    for note in result.notes:
        say(note)
    inputs = [reference, *(folder for _, folder in named), *options.paths]
    write_files(result, out, force=force, inputs=inputs, as_published=options.as_published)
    _print_scores(result.table, form, BIOID_COLUMNS)


@with_options()
def bacteria_biotope(
    *,
    task: Annotated[
        str, typer.Option(help="norm, norm+ner, rel, rel+ner, kb or kb+ner.", show_default=False)
    ],
    reference: Annotated[Path, typer.Option(help="Folder or zip of .txt, .a1 and .a2.", show_default=False)],
    predicted: Annotated[Path, typer.Option(help="Folder or zip of .a2.", show_default=False)],
    ontology: Annotated[Path, typer.Option(help="OntoBiotope, as OBO.", show_default=False)],
    options: BacteriaBiotopeOptions,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Folder for scores.csv (documents too) and pairs.csv.", show_default=False),
    ] = None,
    detailed: Annotated[
        bool, typer.Option("--detailed", help="Print the pairs instead of the scores.")
    ] = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Score predictions on bacteria and their habitats as the Bacteria Biotope task of 2019.

    Example: tagsuite evaluate bacteria-biotope --task norm --reference gold
    --predicted found --ontology habitats.obo
    """
    from .bacteria_biotope.evaluation import evaluate_bacteria_biotope, write_files
    from .tables import bacteria_biotope_columns

    result = evaluate_bacteria_biotope(task, reference, predicted, ontology, options)
    for note in result.notes:
        say(note)
    if out is not None:
        inputs = [reference, predicted, ontology, *options.paths]
        write_files(result, out, force=options.force, inputs=inputs)
    if detailed:
        print_frame(result.pairs, form, key="pairs")
        return
    _print_scores(result.table, form, bacteria_biotope_columns(task))


@with_options()
def indexing(
    *,
    gold: Annotated[Path, typer.Option(help="Documents with their index terms.", show_default=False)],
    predicted: Annotated[
        Path, typer.Option(help="Proposed terms, in any of the formats.", show_default=False)
    ],
    tree: Annotated[Path, typer.Option(help="MeSH trees (heading;number) or OBO.", show_default=False)],
    options: IndexingOptions,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Folder for documents.csv, pairs.csv and what is retrieved.", show_default=False),
    ] = None,
    detailed: Annotated[
        bool, typer.Option("--detailed", help="Print each term's best partner instead of the scores.")
    ] = False,
    differ: Annotated[
        int,
        typer.Option(min=0, help="Print this many documents whose two similarities differ most instead."),
    ] = 0,
    force: Force = False,
    progress: Progress = True,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Compare index terms: Dice, semantic similarity, and what they retrieve.

    Example: tagsuite evaluate indexing --gold gold.csv --predicted found.csv
    --tree tree.txt
    """
    from .indexing.evaluation import evaluate_indexing, find_largest_differences, write_files
    from .tables import INDEXING_COLUMNS

    result = evaluate_indexing(gold, predicted, tree, options, progress=progress)
    for note in result.notes:
        say(note)
    if out is not None:
        write_files(result, out, force=force, inputs=[gold, predicted, tree, *options.paths])
    if detailed:
        print_frame(result.pairs, form, key="pairs")
    elif differ:
        print_frame(find_largest_differences(result.documents, differ), form, key="documents")
    else:
        _print_scores(result.table, form, INDEXING_COLUMNS)


def _print_scores(table: pd.DataFrame, form: OutputFormat, columns: tuple[str, ...]) -> None:
    """Print the score table: for the eye the columns that matter here, for programs all of them."""
    if form.is_for_people:
        from ..scoring.table import COUNT_HEADS

        table = table[list(columns)]
        table.attrs["heads"] = COUNT_HEADS
    print_frame(table, form, key="scores")
