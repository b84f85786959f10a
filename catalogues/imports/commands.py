"""Command ``catalogue import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..core.command_line import FormatOption
from ..core.errors import InputError
from ..core.messages import say
from ..core.options import COMMON, parse_pairs
from ..core.tables import OutputFormat, print_frame

SOURCE = "Options for gene_info and CSV files"
"""Title of a group of options in the command's help."""


SourceKindName = Literal["hgnc", "gene_info", "flybase", "uniprot", "obo", "csv", "list"]
"""Formats that can be imported."""


def import_(
    kind: Annotated[
        SourceKindName,
        typer.Argument(
            help="Format of the source: hgnc, gene_info, flybase, uniprot, obo, csv or list.",
            metavar="FORMAT",
        ),
    ],
    file: Annotated[Path, typer.Argument(help="Source file, optionally gzipped.", metavar="FILE")],
    out: Annotated[
        Path,
        typer.Option(
            help="Catalogue to write: .parquet, .xml, .csv or .txt (records).", rich_help_panel=COMMON
        ),
    ],
    type_: Annotated[
        str | None,
        typer.Option(
            "--type",
            help="Type of the entities if the source gives none, for example disease.",
            rich_help_panel=COMMON,
        ),
    ] = None,
    kind_: Annotated[
        str | None,
        typer.Option(
            "--kind",
            help="Kind of the entities if the source gives none, for example gene, protein or RNA.",
            rich_help_panel=COMMON,
        ),
    ] = None,
    species: Annotated[
        str | None,
        typer.Option(help="Species of the entities if the source gives none.", rich_help_panel=COMMON),
    ] = None,
    authority: Annotated[
        str | None,
        typer.Option(
            help="Authority to record as the source of all entities.", metavar="NAME", rich_help_panel=COMMON
        ),
    ] = None,
    look_alike: Annotated[
        str | None,
        typer.Option(
            help="Category of look-alikes; the forms are then imported as look-alikes, not as entities.",
            metavar="CATEGORY",
            rich_help_panel=COMMON,
        ),
    ] = None,
    taxon: Annotated[
        list[str] | None,
        typer.Option(
            help="NCBI taxonomy identifier of the genes to import from gene_info (repeatable).",
            metavar="ID",
            rich_help_panel=SOURCE,
        ),
    ] = None,
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="Column of a CSV file that contains a feature, for example data=Symbol (repeatable).",
            metavar="FEATURE=COLUMN",
            rich_help_panel=SOURCE,
        ),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            help="Character between the fields of a CSV file.", metavar="CHARACTER", rich_help_panel=SOURCE
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            help="Separator between surface forms in one field of a CSV file.", rich_help_panel=SOURCE
        ),
    ] = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Import a nomenclature or a list of names as a catalogue with all features.

    Example: tagsuite catalogue import list genes.txt --kind gene --out genes.parquet

    The printed table shows how many entities were kept and dropped, by source field and reason.
    """
    from ..entities_export import EXPORT_FORMATS, write_entities
    from .registry import import_entities

    if out.suffix.lower() not in EXPORT_FORMATS:
        # checked before the work is done
        allowed = ", ".join(EXPORT_FORMATS)
        raise InputError("unknown file ending", file=out, found=out.suffix, allowed=allowed)
    frame, account = import_entities(
        kind,
        file,
        authority=authority,
        look_alike=look_alike,
        entity_type=type_,
        entity_kind=kind_,
        species=species,
        taxa=frozenset(taxon or ()),
        columns=parse_pairs(map_ or (), "--map", "FEATURE=COLUMN, such as data=Symbol"),
        delimiter=_character(delimiter),
        split=split,
    )
    write_entities(frame, out, note=f"Imported as {kind} from {file.name}.")
    if account.mended_count:
        say(f"white space was normalised in {account.mended_count} entities; the originals are also stored")
    print_frame(account.to_frame(), form)


def _character(text: str | None) -> str | None:
    if text in ("tab", "\\t"):
        return "\t"
    if text is not None and len(text) != 1:
        raise InputError(
            "--delimiter must be one character", found=text, allowed="a character such as ; or tab"
        )
    return text
