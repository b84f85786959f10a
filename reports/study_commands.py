"""Commands `study` and `demo`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..catalogues.core.command_line import FormatOption
from ..catalogues.core.tables import Format, emit, put, say_unless
from ..harness.running.commands import JobsOption

if TYPE_CHECKING:
    import pandas as pd

QuietOption = Annotated[bool, typer.Option("--quiet", help="Print the result only.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("study")(study_command)
    app.command("demo")(demo_command)
    app.command("init")(init_command)


def study_command(
    file: Annotated[Path, typer.Argument(help="The study file (TOML).", metavar="FILE")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of results.")],
    data: Annotated[
        Path | None,
        typer.Option("--data", help="The folder that {data} in the study stands for; else TAGSUITE_DATA."),
    ] = None,
    jobs: JobsOption = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Delete the results first if the folder holds a study.")
    ] = False,
    quiet: QuietOption = False,
    form: FormatOption = Format.table,
) -> None:
    """Run a study: generate, run, score, compare and report, all from one file.

    Exit status 1 when an acceptance criterion failed, 3 when a tagger failed on some input.

    Example: tagsuite study study.toml --out results
    """
    from .workflow import run_study

    show = partial(_show, form)
    _end(run_study(file, out, data=data, jobs=jobs, force=force, say=say_unless(quiet), show=show))


def demo_command(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of results.")] = Path("demo"),
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if the demo wrote it.")] = False,
    form: FormatOption = Format.table,
) -> None:
    """Run the main job on bundled material: a suite, two taggers, a short corpus, a report.

    Example: tagsuite demo --out demo
    """
    from .bundled import demo

    _end(demo(out, jobs=jobs, force=force, say=say_unless(quiet), show=partial(_show, form)))


def init_command(
    folder: Annotated[Path, typer.Argument(help="The folder to write.", metavar="FOLDER")],
    tagger: Annotated[
        str,
        typer.Option(
            "--tagger", help="A bundled tagger's name or a specification file, in place of the example's."
        ),
    ] = "",
    corpus: Annotated[
        str,
        typer.Option(
            "--corpus", help="FORMAT:PATH of annotated text, in place of the example's ten sentences."
        ),
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Replace the folder if the same command wrote it.")
    ] = False,
    quiet: QuietOption = False,
    form: FormatOption = Format.table,
) -> None:
    """Write a study folder with commented files for a tagger, classes, predictions and criteria.

    Example: tagsuite init mine
    """
    from ..catalogues.core.tables import Rows
    from .bundled import start

    written = start(folder, tagger=tagger, corpus=corpus, force=force)
    emit(Rows({"file": list(written), "holds": list(written.values())}), form, key="files")
    tell = say_unless(quiet)
    tell(f"next: cd {folder}")
    if not tagger:
        tell("then: tagsuite taggers check tagger.toml           does the tagger answer?")
    tell("then: tagsuite study study.toml --out results    suite, runs, scores, report")


def _end(status: int) -> None:
    """End with an exit status, unless all is well."""
    if status:
        raise typer.Exit(status)


def _show(form: Format, title: str, frame: pd.DataFrame) -> None:
    if form.for_people:
        put(f"\n{title}\n\n")
    emit(frame, form)
