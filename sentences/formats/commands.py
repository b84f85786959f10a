"""The command `tagsuite sentences convert`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from ...catalogues.core.tables import say


def convert(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A suite folder, or FORMAT[options]:PATH.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="FORMAT[options]:PATH.")],
    strict: Annotated[
        bool, typer.Option(help="Write nothing when the target cannot carry all of it.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say nothing, not even what the target cannot carry.")
    ] = False,
) -> None:
    """Read a corpus or suite in one format and write it in another.

    What the target format cannot carry is listed on standard error. An option is written in square
    brackets after the format's name, as in conll[scheme=iobes,comments=yes]:PATH.

    Example: tagsuite sentences convert sgml:corpus.sgml brat:brat-files
    """
    from ...catalogues.core.errors import InputError
    from .registry import get_format, parse_spec, read_corpus, write_corpus

    name, path, options = parse_spec(target)
    form = get_format(name)
    form.check_options(options)
    corpus = read_corpus(source)
    report: Callable[[str], None] = (lambda _: None) if quiet else say
    for note in corpus.notes:
        report(f"{corpus.name}: {note}")
    if strict:
        lost = form.losses(corpus, options)
        if lost:
            raise InputError(
                f"format {name} cannot carry all of {corpus.name}: {'; '.join(lost)}",
                allowed="no --strict",
            )
    for line in write_corpus(corpus, target):
        report(f"lost in {name}: {line}")
    report(f"{len(corpus.texts)} texts, {len(corpus.mentions)} mentions -> {path}")
