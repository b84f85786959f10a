"""Commands `report`, `study`, `demo`, `init`, `invariance` and `probe`."""

from __future__ import annotations

import enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ..catalogues.core.command_line import FormatOption, QuietOption, add_group
from ..catalogues.core.messages import choose_message_function, say
from ..catalogues.core.options import with_options
from ..catalogues.core.tables import ColumnTable, OutputFormat, print_frame, print_text
from ..generator.perturbing.options import PerturbOptions
from ..harness.probing import LengthOptions
from ..harness.running.commands import JobsOption, OptionOption, parse_tagger_options
from ..harness.scoring.options import COMPARE_OPTION_NAMES, NO_GOLD_OPTION_NAMES, ClassOptions, ScoringOptions
from ..harness.scoring.transfer.options import TransferOptions
from .options import ReportOptions

if TYPE_CHECKING:
    from .model import Report

LONG_SECTIONS = ("figures", "classes", "again")
"""Sections of a study's report that are too long for a screen."""
TaggerOption = Annotated[str, typer.Option(help="A bundled tagger's name, or a specification file.")]
StudyOutOption = Annotated[Path, typer.Option("--out", "-o", help="The folder of results.")]
StudyQuietOption = Annotated[bool, typer.Option("--quiet", help="Print the result only.")]


class InvarianceTable(enum.StrEnum):
    """Tables of an invariance test."""

    rates = "rates"
    changes = "changes"


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("report")(report_command)
    app.command("study")(study_command)
    app.command("demo")(demo_command)
    app.command("init")(init_command)
    app.command("invariance")(invariance_command)
    add_group(app, "probe", "Measure one property of a tagger with purpose-made texts.", [length])


@with_options(asked=("classes", "by"), scoring=COMPARE_OPTION_NAMES)
def report_command(
    *,
    runs: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Argument(help="Run folders, over suites or corpora.", metavar="RUN...", show_default=False),
    ] = None,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="FILE.html, .md, .tex, .json or .csv; or a folder for all of them."),
    ] = Path("report.html"),
    asked: ClassOptions,
    options: ReportOptions,
    scoring: ScoringOptions,
    transfer: TransferOptions,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it holds a report.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Write a report of runs as one page that works offline: figures, classes, charts, cases to read.

    Example: tagsuite report runs/kex runs/dictionary --by case --out report.html
    """
    if not (runs or options.scores or options.invariance):
        raise typer.BadParameter(
            "give run folders, score tables with --scores, or --invariance", param_hint="RUN..."
        )
    from .build import make_report
    from .files import check_report_path, save_report

    check_report_path(out)
    tell = choose_message_function(quiet)
    report = make_report(runs or (), options, scoring, asked, transfer, say=tell, warn=tell)
    for path in save_report(report, out, force=force, inputs=[*(runs or ()), *options.paths]):
        tell(f"wrote {path}")


def study_command(
    file: Annotated[Path, typer.Argument(help="The study file (TOML).", metavar="FILE")],
    out: StudyOutOption,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="The folder that {data} in the study stands for; else TAGSUITE_DATA."),
    ] = None,
    jobs: JobsOption = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Delete the results first if the folder holds a study.")
    ] = False,
    quiet: StudyQuietOption = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Run a study: generate, run, score, compare and report, all from one file.

    Prints the main tables of the report, or all of it as Markdown or JSON. Exit status 1 when an acceptance
    criterion failed, 3 when a tagger failed on some input.

    Example: tagsuite study study.toml --out results
    """
    from .study.run import run_study

    show = partial(print_report, form=form, path=out / "report.html")
    _exit_with(
        run_study(file, out, data=data, jobs=jobs, force=force, say=choose_message_function(quiet), show=show)
    )


def demo_command(
    out: StudyOutOption = Path("demo"),
    jobs: JobsOption = 1,
    quiet: StudyQuietOption = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if the demo wrote it.")] = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Run the main job on bundled material: a suite, two taggers, a short corpus, a report.

    Example: tagsuite demo --out demo
    """
    from .study.starter import run_demo

    show = partial(print_report, form=form, path=out / "report.html")
    _exit_with(run_demo(out, jobs=jobs, force=force, say=choose_message_function(quiet), show=show))


def print_report(report: Report, form: OutputFormat, path: Path) -> None:
    """Print the main tables of a study's report, or all of it as Markdown or JSON, or its score table.

    The last line is the path of the report: with the tables, else on standard error.
    """
    from .cells import text_frame
    from .files import render_report
    from .model import Table

    if form in (OutputFormat.markdown, OutputFormat.json):
        print_text(render_report(report, form.value), form)
    elif form is not OutputFormat.table:
        print_frame(report.scores if report.scores is not None else ColumnTable({}), form)
    else:
        print_text("".join(f"* {line}\n" for line in report.verdict))
        shown = (s for s in report.sections if s.id not in LONG_SECTIONS)
        for table in (block for section in shown for block in section.blocks if isinstance(block, Table)):
            print_text(f"\n{table.caption}\n\n")
            print_frame(text_frame(table), form)
        print_text(f"\nreport: {path}\n")
    if form is not OutputFormat.table:
        say(f"report: {path}")


def _exit_with(status: int) -> None:
    """End with an exit status, unless all is well."""
    if status:
        raise typer.Exit(status)


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
    quiet: StudyQuietOption = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Write a study folder with commented files for a tagger, classes, predictions and criteria.

    Example: tagsuite init mine
    """
    from .study.starter import write_starter

    written = write_starter(folder, tagger=tagger, corpus=corpus, force=force)
    print_frame(ColumnTable({"file": list(written), "holds": list(written.values())}), form, key="files")
    tell = choose_message_function(quiet)
    tell(f"next: cd {folder}")
    if not tagger:
        tell("then: tagsuite taggers check tagger.toml           does the tagger answer?")
    tell("then: tagsuite study study.toml --out results    suite, runs, scores, report")


@with_options(asked=("classes", "by"), scoring=NO_GOLD_OPTION_NAMES)
def invariance_command(
    *,
    source: Annotated[
        str, typer.Argument(metavar="SUITE|FORMAT:PATH", help="The texts; gold mentions are not needed.")
    ],
    tagger: TaggerOption,
    out: Annotated[Path, typer.Option(help="Gets all runs and results; what is unfinished is resumed.")],
    perturbing: PerturbOptions,
    asked: ClassOptions,
    scoring: ScoringOptions,
    show: Annotated[
        InvarianceTable, typer.Option(help="Table to print: rates, or every mention that changed.")
    ] = InvarianceTable.rates,
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Show at most N rows.", min=1, show_default=False, metavar="N"),
    ] = None,
    option: OptionOption = None,
    jobs: JobsOption = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the folder if it holds an invariance test.")
    ] = False,
    cache: Annotated[bool, typer.Option(help="Use and keep cached results.")] = True,
    quiet: QuietOption = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Count where a tagger's answer changes with texts that are perturbed; no gold is needed.

    Texts get other names, letter case, hyphens, Greek letters, typographical marks, or a neutral sentence
    more; spans are carried along. Exit status 3 when the tagger failed on some texts.

    Example: tagsuite invariance suite --tagger kex --out kex-invariance --perturb case,hyphen --by case
    """
    from .invariance.run import run_invariance

    try:
        found = run_invariance(
            source,
            tagger,
            out,
            perturbing,
            scoring,
            asked,
            options=parse_tagger_options(option),
            jobs=jobs,
            force=force,
            cache=cache,
            say=choose_message_function(quiet),
        )
    except KeyboardInterrupt:
        say("tagsuite: interrupted; the same command resumes the runs")
        raise typer.Exit(130) from None
    rates = found.select_columns() if form.is_for_people else found.table
    table = found.changes if show is InvarianceTable.changes else rates
    print_frame(table if limit is None else table.head(limit), form, key=show.value)
    _exit_with(3 if found.failed else 0)


@with_options()
def length(
    *,
    tagger: TaggerOption,
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
    form: FormatOption = OutputFormat.table,
) -> None:
    """Find out how far a tagger reads: a limit, or windows with seams.

    The folder gets report.html, length.json and probes.csv, and keeps the answers. Exit status 3 when some
    text got no answer.

    Example: tagsuite probe length --tagger kex --most 512 --out probes/kex
    """
    from .probe import run_length_probe

    tell = choose_message_function(quiet)
    found = run_length_probe(
        tagger,
        out,
        suite=suite,
        tagger_options=parse_tagger_options(option),
        options=options,
        force=force,
        say=tell,
    )
    print_frame(found.make_table(), form, key="length")
    for note in found.notes:
        tell(note)
    if found.failed_count:
        say(f"{found.failed_count} texts got no answer")
        _exit_with(3)
