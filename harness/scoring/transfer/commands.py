"""The command ``composition``: what a corpus is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the commands of this chamber."""
    app.command("composition")(composition_command)


def composition_command(
    corpus: Annotated[str, typer.Argument(help="The annotated corpus.", metavar="FORMAT:PATH")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write (Parquet).")],
) -> None:
    """Write what a corpus is made of: the joint features of its gold mentions, with counts, and no text.

    Example: tagsuite composition sgml:c.sgml --out c.parquet
    """
    from ....catalogues.core.tables import say
    from ....sentences.formats.registry import read_corpus
    from .composition import composition, write_composition

    read = read_corpus(corpus)
    for note in read.notes:
        say(note)
    found = composition(read)
    write_composition(found, out)
    documents, forms, _ = found.ways
    say(
        f"{out}: {found.mentions} mentions of {forms.max() + 1} surface forms in {documents.max() + 1} "
        f"documents or texts, {len(found.features)} features"
    )
