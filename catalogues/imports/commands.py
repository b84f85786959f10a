"""``tagsuite catalogue import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..core.command_line import FormatOption
from ..core.errors import InputError
from ..core.messages import say
from ..core.options import parse_pairs
from ..core.tables import OutputFormat, print_frame


def import_(
    kind: Annotated[
        str,
        typer.Argument(
            help="hgnc, gene_info, flybase, uniprot, obo, csv or list (see docs/how-to/import-names.md)."
        ),
    ],
    file: Annotated[Path, typer.Argument(help="The source; gzip is recognised by its content.")],
    out: Annotated[
        Path, typer.Option(help="The catalogue to write: .parquet, .xml, .csv or .txt (records).")
    ],
    authority: Annotated[str | None, typer.Option(help="The source_authority to note.")] = None,
    taxon: Annotated[
        list[str] | None, typer.Option(help="gene_info: only this NCBI taxonomy identifier. Repeatable.")
    ] = None,
    map_: Annotated[
        list[str] | None,
        typer.Option("--map", help="csv: FEATURE=COLUMN, such as data=Symbol. Repeatable."),
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="csv: the character between fields.")] = None,
    split: Annotated[str | None, typer.Option(help="csv: what separates several forms in one field.")] = None,
    look_alike: Annotated[
        str | None, typer.Option(help="The forms are no genes but look-alikes of this category.")
    ] = None,
    kind_: Annotated[
        str | None,
        typer.Option(
            "--kind", help="The kind of entities for which the source gives none (gene, protein, RNA, …)."
        ),
    ] = None,
    species: Annotated[
        str | None, typer.Option(help="The species of entities for which the source gives none.")
    ] = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Read a nomenclature or a list as a catalogue of entities, with all features.

    The account says how many entities each field gave and what was dropped, and why.

    Example: tagsuite catalogue import list genes.txt --out genes.parquet
    """
    from ..entities_export import EXPORT_FORMATS, write_entities
    from .registry import import_entities

    if out.suffix.lower() not in EXPORT_FORMATS:
        # reported before the work is done
        allowed = ", ".join(EXPORT_FORMATS)
        raise InputError("the file's name has no known ending", file=out, found=out.suffix, allowed=allowed)
    frame, account = import_entities(
        kind,
        file,
        authority=authority,
        look_alike=look_alike,
        entity_kind=kind_,
        species=species,
        taxa=frozenset(taxon or ()),
        columns=parse_pairs(map_ or (), "--map", "FEATURE=COLUMN, such as data=Symbol"),
        delimiter=_character(delimiter),
        split=split,
    )
    write_entities(frame, out, note=f"Imported as {kind} from {file.name}.")
    if account.mended_count:
        say(f"white space was made plain in {account.mended_count} entities; their original form is kept")
    print_frame(account.to_frame(), form)


def _character(text: str | None) -> str | None:
    if text in ("tab", "\\t"):
        return "\t"
    if text is not None and len(text) != 1:
        raise InputError("--delimiter is one character", found=text, allowed="a character such as ; or tab")
    return text
