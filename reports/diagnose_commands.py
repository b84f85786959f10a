"""Command ``diagnose``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ..catalogues.core.command_line import FormatOption, QuietOption, force_option, out_option
from ..catalogues.core.messages import MessageFunction, choose_message_function, say
from ..catalogues.core.options import with_options
from ..catalogues.core.tables import OutputFormat, print_frame, print_text
from ..harness.running.commands import JobsOption, OptionOption, TaggerArgument, parse_tagger_options
from .diagnosis.options import DiagnosisOptions

if TYPE_CHECKING:
    from .diagnosis.answer import Diagnosis


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("diagnose")(diagnose_command)


@with_options()
def diagnose_command(
    *,
    tagger: TaggerArgument,
    options: DiagnosisOptions,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        out_option("Folder to write the results to.  [default: diagnosis-TAGGER]"),
    ] = None,
    option: OptionOption = None,
    jobs: JobsOption = 1,
    force: Annotated[bool, force_option("another diagnosis")] = False,
    quiet: QuietOption = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Find out what a tagger gets wrong, with a suite made for the purpose.

    Example: tagsuite diagnose kex --quick

    The command prints at most fifteen lines. The output folder contains a report, and a study file that
    repeats the diagnosis. The exit status is 3 if the tagger failed on some input.
    """
    from .diagnosis.run import run_diagnosis

    try:
        with _show_progress(quiet=quiet) as (tell, progress):
            found = run_diagnosis(
                tagger,
                out,
                options,
                tagger_options=parse_tagger_options(option),
                jobs=jobs,
                overwrite=force,
                say=tell,
                progress=progress,
            )
    except KeyboardInterrupt:
        say("tagsuite: interrupted; repeat the command to continue the diagnosis")
        raise typer.Exit(130) from None
    _print_answer(found, form)
    if found.status:
        raise typer.Exit(found.status)


def _print_answer(found: Diagnosis, form: OutputFormat) -> None:
    """Print the answer as text or JSON; in other formats, print only the table of findings."""
    if form is OutputFormat.table:
        print_text("".join(f"{line}\n" for line in found.describe()))
        return
    if form is OutputFormat.json:
        import orjson

        text = orjson.dumps({"diagnosis": found.to_dict()}, option=orjson.OPT_INDENT_2).decode() + "\n"
        print_text(text, form)
    else:
        flat = found.findings.assign(examples=found.findings["examples"].map("\n".join))
        print_frame(flat, form, key="findings")
    say(f"report: {found.report}")


@contextlib.contextmanager
def _show_progress(*, quiet: bool) -> Iterator[tuple[MessageFunction, Callable[[int, int], None]]]:
    """Show each step on standard error and, on a terminal, a progress bar of its cases."""
    from tqdm import tqdm

    with tqdm(unit=" cases", disable=True if quiet else None, mininterval=0.2, leave=False) as bar:

        def tell(message: str) -> None:
            bar.reset()
            bar.clear()
            choose_message_function(quiet)(message)

        def show(done: int, count: int) -> None:
            bar.total = count
            bar.update(done - bar.n)

        yield tell, show
