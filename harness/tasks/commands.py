"""Commands ``evaluate bioid``, ``evaluate bacteria-biotope`` and ``evaluate indexing``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...catalogues.core.command_line import FormatOption, add_group
from ...catalogues.core.messages import say
from ...catalogues.core.options import COMMON, OUTPUT, with_options
from ...catalogues.core.tables import OutputFormat, print_frame
from .options import REPLACE_HELP, BacteriaBiotopeOptions, BioIDOptions, IndexingOptions, TaskName

if TYPE_CHECKING:
    import pandas as pd

Progress = Annotated[
    bool,
    typer.Option("--progress/--no-progress", help="Show progress on standard error.", rich_help_panel=OUTPUT),
]
Force = Annotated[bool, typer.Option("--force", help=REPLACE_HELP, rich_help_panel=OUTPUT)]


def _input(text: str, metavar: str | None = None) -> Any:
    return typer.Option(help=text, metavar=metavar, rich_help_panel=COMMON)


def register(app: typer.Typer) -> None:
    """Add the group `evaluate` to the program."""
    description = "Repeat published evaluations: BioID, Bacteria Biotope, index terms."
    add_group(app, "evaluate", description, [bioid, bacteria_biotope, indexing])


@with_options()
def bioid(
    *,
    reference: Annotated[
        Path, typer.Argument(help="Folder with the BioC files of the reference.", metavar="FOLDER")
    ],
    runs: Annotated[
        list[str], typer.Argument(help="Run folders, each with an optional name.", metavar="[NAME:]FOLDER")
    ],
    out: Annotated[Path, _input("Folder to write five CSV files to.", "FOLDER")],
    options: BioIDOptions,
    force: Force = False,
    progress: Progress = True,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Score mentions and identifiers in figure captions (BioID track of BioCreative VI).

    Example: tagsuite evaluate bioid reference mine:captions --out results
    """
    from .bioid.evaluation import evaluate_bioid, parse_run
    from .tables import BIOID_COLUMNS, write_tables

    named = [parse_run(run) for run in runs]
    result = evaluate_bioid(reference, named, options, progress=progress)
    for note in result.notes:
        say(note)
    inputs = [reference, *(folder for _, folder in named), *options.paths]
    line_end = "\r\n" if options.as_published else "\n"
    write_tables(result.files, out, "BioID evaluation", force=force, inputs=inputs, line_end=line_end)
    _print_scores(result.table, form, BIOID_COLUMNS)


@with_options()
def bacteria_biotope(
    *,
    task: Annotated[TaskName, _input("Task to score.")],
    reference: Annotated[Path, _input("Reference: .txt, .a1 and .a2 files.", "FOLDER|ZIP")],
    predicted: Annotated[Path, _input("Predictions: .a2 files.", "FOLDER|ZIP")],
    ontology: Annotated[Path, _input("OntoBiotope ontology (OBO).")],
    options: BacteriaBiotopeOptions,
    out: Annotated[Path | None, _input("Folder to write scores.csv and pairs.csv to.", "FOLDER")] = None,
    detailed: Annotated[
        bool,
        typer.Option("--detailed", help="Print the pairs instead of the scores.", rich_help_panel=OUTPUT),
    ] = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Score bacteria and their habitats (Bacteria Biotope task of BioNLP 2019).

    Example: tagsuite evaluate bacteria-biotope --task norm --reference gold
    --predicted found --ontology habitats.obo
    """
    from .bacteria_biotope.evaluation import evaluate_bacteria_biotope
    from .tables import bacteria_biotope_columns, write_tables

    result = evaluate_bacteria_biotope(task, reference, predicted, ontology, options)
    for note in result.notes:
        say(note)
    if out is not None:
        inputs = [reference, predicted, ontology, *options.paths]
        write_tables(result.files, out, "Bacteria Biotope evaluation", force=options.force, inputs=inputs)
    if detailed:
        print_frame(result.pairs, form, key="pairs")
        return
    _print_scores(result.table, form, bacteria_biotope_columns(task))


@with_options()
def indexing(
    *,
    gold: Annotated[Path, _input("File of documents with their correct index terms.")],
    predicted: Annotated[Path, _input("File of documents with proposed index terms.")],
    tree: Annotated[Path, _input("Hierarchy of terms: MeSH trees (heading;number) or OBO.")],
    options: IndexingOptions,
    out: Annotated[
        Path | None,
        _input("Folder to write documents.csv, pairs.csv and the retrieval results to.", "FOLDER"),
    ] = None,
    detailed: Annotated[
        bool,
        typer.Option(
            "--detailed",
            help="Print the most similar partner of each term instead of the scores.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    differ: Annotated[
        int,
        typer.Option(
            min=0,
            help="Print the N documents whose similarity and Dice differ most instead of the scores.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0,
    force: Force = False,
    progress: Progress = True,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Compare index terms by Dice coefficient, semantic similarity, and the documents they retrieve.

    Example: tagsuite evaluate indexing --gold gold.csv --predicted found.csv
    --tree tree.txt
    """
    from .indexing.evaluation import evaluate_indexing, find_largest_differences
    from .tables import INDEXING_COLUMNS, write_tables

    result = evaluate_indexing(gold, predicted, tree, options, progress=progress)
    for note in result.notes:
        say(note)
    if out is not None:
        inputs = [gold, predicted, tree, *options.paths]
        write_tables(result.files, out, "indexing evaluation", force=force, inputs=inputs)
    if detailed:
        print_frame(result.pairs, form, key="pairs")
    elif differ:
        print_frame(find_largest_differences(result.documents, differ), form, key="documents")
    else:
        _print_scores(result.table, form, INDEXING_COLUMNS)


def _print_scores(table: pd.DataFrame, form: OutputFormat, columns: tuple[str, ...]) -> None:
    """Print the score table; the formats ``table`` and ``markdown`` show only the given columns."""
    if form.is_for_people:
        from ..scoring.table import IMPORTANCE, set_layout

        table = set_layout(table[list(columns)], *IMPORTANCE)
    print_frame(table, form, key="scores")
