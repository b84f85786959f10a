"""Command ``invariance``: whether a tagger's answers stay the same when texts are perturbed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ..catalogues.core.command_line import FormatOption, QuietOption
from ..catalogues.core.options import with_options
from ..catalogues.core.tables import Format, emit, say, say_unless
from ..generator.perturbing.options import PerturbOptions
from ..harness.running.commands import JobsOption, OptionOption, tagger_options
from ..harness.scoring.options import WITHOUT_GOLD, ClassOptions, ScoringOptions

SHOWN = ("rates", "changes")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("invariance")(invariance_command)


@with_options(asked=("classes", "by"), scoring=WITHOUT_GOLD)
def invariance_command(
    *,
    source: Annotated[
        str, typer.Argument(metavar="SUITE|FORMAT:PATH", help="The texts; gold mentions are not needed.")
    ],
    tagger: Annotated[str, typer.Option(help="A bundled tagger's name, or a specification file.")],
    out: Annotated[Path, typer.Option(help="Gets all runs and results; what is unfinished is resumed.")],
    perturbing: PerturbOptions,
    asked: ClassOptions,
    scoring: ScoringOptions,
    show: Annotated[str, typer.Option(help="rates, or changes: every mention that changed.")] = "rates",
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Show so many rows.", min=1, show_default=False),
    ] = None,
    option: OptionOption = None,
    jobs: JobsOption = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the folder if it holds an invariance test.")
    ] = False,
    cache: Annotated[bool, typer.Option(help="Use and keep cached results.")] = True,
    quiet: QuietOption = False,
    form: FormatOption = Format.table,
) -> None:
    """Count where a tagger's answer changes with texts that are perturbed; no gold is needed.

    Texts get other names, letter case, hyphens, Greek letters, typographical marks, or a neutral sentence
    more; spans are carried along. Exit status 3 when the tagger failed on some texts.

    Example: tagsuite invariance suite --tagger kex --out kex-invariance --perturb case,hyphen --by case
    """
    if show not in SHOWN:
        raise typer.BadParameter(f"{show!r}; allowed: {', '.join(SHOWN)}", param_hint="--show")
    from .invariance import invariance_of

    tell = say_unless(quiet)
    try:
        found = invariance_of(
            source,
            tagger,
            out,
            perturbing,
            scoring,
            asked,
            options=tagger_options(option),
            jobs=jobs,
            force=force,
            cache=cache,
            say=tell,
        )
    except KeyboardInterrupt:
        say("tagsuite: interrupted; the same command resumes the runs")
        raise typer.Exit(130) from None
    table = found.changes if show == "changes" else found.printed() if form.for_people else found.table
    emit(table if limit is None else table.head(limit), form, key=show)
    if found.failed:
        raise typer.Exit(3)
