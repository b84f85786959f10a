"""The commands ``evaluate bioid``, ``evaluate bacteria-biotope`` and ``evaluate indexing``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ...catalogues.core.tables import Format, emit, say
from . import shown

if TYPE_CHECKING:
    import pandas as pd

Progress = Annotated[bool, typer.Option("--progress/--no-progress", help="Show progress on standard error.")]
AsPublished = Annotated[
    bool,
    typer.Option("--as-published", help="Compute what the published program computes, its faults included."),
]
Form = Annotated[Format, typer.Option("--format", help="How the score table is printed.")]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(
        name="evaluate",
        help="Published evaluations, whole: BioID, Bacteria Biotope, index terms.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("bioid")(bioid_command)
    group.command("bacteria-biotope")(bacteria_biotope_command)
    group.command("indexing")(indexing_command)
    app.add_typer(group)


def bioid_command(
    reference: Annotated[
        Path, typer.Argument(help="Folder of the reference's BioC files.", show_default=False)
    ],
    runs: Annotated[list[str], typer.Argument(help="Folders of runs: DIR or NAME:DIR.", metavar="RUN...")],
    out: Annotated[Path, typer.Option(help="Folder for the five CSV files.", show_default=False)],
    equivalence_classes: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="JSON list of lists of identifiers that mean the same.", show_default=False),
    ] = None,
    labels: Annotated[str, typer.Option(help="Only these labels, separated by commas; all by default.")] = "",
    offsets: Annotated[str, typer.Option(help="What offsets count: bytes, characters or utf16.")] = "bytes",
    reference_offsets: Annotated[
        str, typer.Option(help="The same for the reference, where it differs from the runs.")
    ] = "",
    as_published: AsPublished = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an output folder that is not empty.")
    ] = False,
    progress: Progress = True,
    form: Form = Format.table,
) -> None:
    """Score runs on figure captions as the BioID track of BioCreative VI: mentions and identifiers.

    Example: tagsuite evaluate bioid reference mine:captions --out results
    """
    from ...catalogues.core.offsets import unit_of
    from .bioid.evaluation import Options, evaluate_bioid, named_run, write_files

    options = Options(
        equivalence_classes=equivalence_classes,
        labels=tuple(name.strip() for name in labels.split(",") if name.strip()),
        offsets=unit_of(offsets),
        reference_offsets=unit_of(reference_offsets) if reference_offsets else None,
        as_published=as_published,
        progress=progress,
    )
    result = evaluate_bioid(reference, [named_run(run) for run in runs], options)
    for note in result.notes:
        say(note)
    write_files(result, out, force=force, as_published=as_published)
    _emit(result.table, form, shown.BIOID)


def bacteria_biotope_command(
    task: Annotated[
        str, typer.Option(help="norm, norm+ner, rel, rel+ner, kb or kb+ner.", show_default=False)
    ],
    reference: Annotated[Path, typer.Option(help="Folder or zip of .txt, .a1 and .a2.", show_default=False)],
    predicted: Annotated[Path, typer.Option(help="Folder or zip of .a2.", show_default=False)],
    ontology: Annotated[Path, typer.Option(help="OntoBiotope, as OBO.", show_default=False)],
    seen: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option(help="Corpora whose surface forms are not new (repeatable).", show_default=False),
    ] = None,
    new_concepts: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Concepts that count as new, one a line, as published.", show_default=False),
    ] = None,
    sentences: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Sentences: document, start and end, separated by tabs.", show_default=False),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Folder for scores.csv (documents too) and pairs.csv.", show_default=False),
    ] = None,
    as_published: AsPublished = False,
    detailed: Annotated[
        bool, typer.Option("--detailed", help="Print the pairs instead of the scores.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Evaluate what is left of faulty predictions; replace the output folder."
        ),
    ] = False,
    form: Form = Format.table,
) -> None:
    """Score predictions on bacteria and their habitats as the Bacteria Biotope task of 2019.

    Example: tagsuite evaluate bacteria-biotope --task norm --reference gold
    --predicted found --ontology habitats.obo
    """
    from .bacteria_biotope.evaluation import Options, evaluate_bacteria_biotope, write_files

    options = Options(as_published, force, list(seen or ()), new_concepts, sentences)
    result = evaluate_bacteria_biotope(task, reference, predicted, ontology, options)
    for note in result.notes:
        say(note)
    if out is not None:
        write_files(result, out, force=force)
    if detailed:
        emit(result.pairs, form, key="pairs")
        return
    _emit(result.table, form, shown.bacteria_biotope(task))


def indexing_command(
    gold: Annotated[Path, typer.Option(help="Documents with their index terms.", show_default=False)],
    predicted: Annotated[
        Path, typer.Option(help="Proposed terms, in any of the formats.", show_default=False)
    ],
    tree: Annotated[Path, typer.Option(help="MeSH trees (heading;number) or OBO.", show_default=False)],
    frequencies: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Documents a term: term and number, tab between.", show_default=False),
    ] = None,
    corpus: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Indexed documents to count terms in; the gold by default.", show_default=False),
    ] = None,
    documents: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Collection to retrieve from; needs tagsuite[indexing].", show_default=False),
    ] = None,
    similarity: Annotated[str, typer.Option(help="lin, wang or jiang-conrath.")] = "lin",
    smoothing: Annotated[float, typer.Option(help="Added to every frequency.", min=0)] = 0.0,
    related: Annotated[int, typer.Option(help="Related documents that are looked at.", min=1)] = 100,
    skip_bad_lines: Annotated[
        bool,
        typer.Option(
            "--skip-bad-lines", help="Leave out, count and name lines of the predictions that cannot be read."
        ),
    ] = False,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Folder for documents.csv, pairs.csv and what is retrieved.", show_default=False),
    ] = None,
    detailed: Annotated[
        bool, typer.Option("--detailed", help="Print each term's best partner instead of the scores.")
    ] = False,
    differ: Annotated[
        int, typer.Option(help="Print this many documents whose two similarities differ most instead.", min=0)
    ] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an output folder that is not empty.")
    ] = False,
    progress: Progress = True,
    form: Form = Format.table,
) -> None:
    """Compare index terms: Dice, semantic similarity, and what they retrieve.

    Example: tagsuite evaluate indexing --gold gold.csv --predicted found.csv
    --tree tree.txt
    """
    from .indexing.evaluation import Options, differ_most, evaluate_indexing, measure_of, write_files

    options = Options(
        frequencies,
        corpus,
        documents,
        measure_of(similarity),
        smoothing,
        related,
        progress,
        skip_bad_lines,
    )
    result = evaluate_indexing(gold, predicted, tree, options)
    for note in result.notes:
        say(note)
    if out is not None:
        write_files(result, out, force=force)
    if detailed:
        emit(result.pairs, form, key="pairs")
    elif differ:
        emit(differ_most(result.documents, differ), form, key="documents")
    else:
        _emit(result.table, form, shown.INDEXING)


def _emit(table: pd.DataFrame, form: Format, columns: tuple[str, ...]) -> None:
    """Print the score table: for the eye the columns that matter here, for programs all of them."""
    emit(table[list(columns)] if form in (Format.table, Format.markdown) else table, form, key="scores")
