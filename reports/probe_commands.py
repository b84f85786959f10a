"""Command group ``probe``: properties of a tagger, measured with purpose-made texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..catalogues.core.command_line import FormatOption, QuietOption, add_group
from ..catalogues.core.options import with_options
from ..catalogues.core.tables import Format, emit, say, say_unless
from ..harness.probing.options import LengthOptions
from ..harness.running.commands import OptionOption


def register(app: typer.Typer) -> None:
    """Add the group to the program."""
    add_group(app, "probe", "Measure one property of a tagger with purpose-made texts.", [length])


@with_options()
def length(
    *,
    tagger: Annotated[str, typer.Option(help="A bundled tagger's name, or a specification file.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="A folder; a probe that stopped goes on in its own.")
    ],
    suite: Annotated[
        str,
        typer.Option(
            help="SUITE or FORMAT:PATH with the cases to use, in place of those of tagsuite.",
            show_default=False,
        ),
    ] = "",
    option: OptionOption = None,
    options: LengthOptions,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it holds a probe.")] = False,
    quiet: QuietOption = False,
    form: FormatOption = Format.table,
) -> None:
    """Find out how far a tagger reads: a limit, or windows with seams.

    The folder gets report.html, length.json and probes.csv, and keeps the answers. Exit status 3 when some
    text got no answer.

    Example: tagsuite probe length --tagger kex --most 512 --out probes/kex
    """
    from ..harness.running.commands import tagger_options
    from .probing import length_of

    found = length_of(
        tagger,
        out,
        suite=suite,
        tagger_options=tagger_options(option),
        options=options,
        force=force,
        say=say_unless(quiet),
    )
    emit(found.table(), form, key="length")
    for note in () if quiet else found.notes:
        say(note)
    if found.failed:
        say(f"{found.failed} texts got no answer")
        raise typer.Exit(3)
