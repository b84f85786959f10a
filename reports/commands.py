"""Commands ``report``, ``study``, ``demo``, ``init``, ``invariance`` and ``probe``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from ..catalogues.core.command_line import (
    FormatOption,
    QuietOption,
    add_group,
    force_option,
    out_option,
)
from ..catalogues.core.messages import MessageFunction, choose_message_function, say
from ..catalogues.core.options import COMMON, OUTPUT, with_options
from ..catalogues.core.tables import OutputFormat, print_frame, print_text
from ..generator.perturbing.options import PerturbOptions
from ..harness.probing import LengthOptions
from ..harness.running.commands import (
    CacheOption,
    JobsOption,
    OptionOption,
    TaggerOption,
    parse_tagger_options,
)
from ..harness.scoring.options import COMPARE_OPTION_NAMES, NO_GOLD_OPTION_NAMES, ClassOptions, ScoringOptions
from ..harness.scoring.transfer.options import TransferOptions
from .options import ReportOptions

if TYPE_CHECKING:
    from .study.run import StudyResult

LONG_SECTIONS = ("figures", "classes", "again")
"""Sections of a report that are too long for the terminal."""
StudyOutOption = Annotated[Path, out_option("Folder to write the results to.")]


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
        typer.Argument(help="Folders of runs on suites or corpora.", metavar="RUN", show_default=False),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Report file (.html, .md, .tex, .json or .csv), or folder for files in all formats.",
            metavar="FILE|FOLDER",
            rich_help_panel=COMMON,
        ),
    ] = Path("report.html"),
    asked: ClassOptions,
    options: ReportOptions,
    scoring: ScoringOptions,
    transfer: TransferOptions,
    force: Annotated[bool, force_option("a report")] = False,
    quiet: QuietOption = False,
) -> None:
    """Write a report of runs as one HTML page with figures, charts and examples.

    Example: tagsuite report runs/kex runs/dictionary --by case --out report.html
    """
    if not (runs or options.scores or options.invariance):
        raise typer.BadParameter("no input; give run folders, --scores or --invariance", param_hint="RUN")
    from .build import make_report
    from .files import check_report_path, save_report

    check_report_path(out)
    tell = choose_message_function(quiet)
    report = make_report(runs or (), options, scoring, asked, transfer, say=tell, warn=tell)
    for path in save_report(report, out, force=force, inputs=[*(runs or ()), *options.paths]):
        tell(f"wrote {path}")


def study_command(
    file: Annotated[Path, typer.Argument(help="Study file (TOML).", metavar="FILE")],
    out: StudyOutOption,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            help="Folder that replaces {data} in the study (default: environment variable TAGSUITE_DATA).",
            metavar="FOLDER",
            rich_help_panel=COMMON,
        ),
    ] = None,
    jobs: JobsOption = 1,
    force: Annotated[bool, force_option("a study")] = False,
    quiet: QuietOption = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Run the experiment described in a study file, from generating suites to writing the report.

    Example: tagsuite study study.toml --out results

    The command prints the main tables of the report, or the whole report as Markdown or JSON. The exit status
    is 1 if an acceptance criterion failed, and 3 if a tagger failed on some input.
    """
    from .study.run import run_study

    tell = choose_message_function(quiet)
    _print_study(run_study(file, out, data=data, jobs=jobs, force=force, say=tell), out, form, tell)


def demo_command(
    out: StudyOutOption = Path("demo"),
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
    force: Annotated[bool, force_option("a demo")] = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Run an example study, in which two taggers are compared on a suite and a short corpus.

    Example: tagsuite demo --out demo
    """
    from .study.starter import run_demo

    tell = choose_message_function(quiet)
    _print_study(run_demo(out, jobs=jobs, force=force, say=tell), out, form, tell)


def _print_study(done: StudyResult, out: Path, form: OutputFormat, tell: MessageFunction) -> None:
    """Print the results of a study in an output format.

    Depending on the format, this prints the main tables, the whole report, or the score table. The path of
    the report is printed after the main tables or, in other formats, on standard error.
    """
    from .cells import text_frame
    from .files import render_report
    from .model import Table

    for line in done.remarks:
        tell(line)
    report, path = done.report, out / "report.html"
    if form in (OutputFormat.markdown, OutputFormat.json):
        print_text(render_report(report, form.value), form)
    elif form is not OutputFormat.table:
        print_frame(report.scores if report.scores is not None else {}, form)
    else:
        print_text("".join(f"* {line}\n" for line in report.verdict))
        shown = (s for s in report.sections if s.id not in LONG_SECTIONS)
        for table in (block for section in shown for block in section.blocks if isinstance(block, Table)):
            print_text(f"\n{table.caption}\n\n")
            print_frame(text_frame(table), form)
        print_text(f"\nreport: {path}\n")
    if form is not OutputFormat.table:
        say(f"report: {path}")
    raise typer.Exit(done.status)


def init_command(
    folder: Annotated[Path, typer.Argument(help="Folder to write.", metavar="FOLDER")],
    tagger: Annotated[
        str,
        typer.Option(
            "--tagger",
            help="Tagger of the study: a name or a specification file (default: an example).",
            metavar="TAGGER",
        ),
    ] = "",
    corpus: Annotated[
        str,
        typer.Option(
            "--corpus",
            help="Annotated corpus of the study (default: an example of ten sentences).",
            metavar="FORMAT:PATH",
        ),
    ] = "",
    types: Annotated[
        str,
        typer.Option(
            "--types",
            help="Types of entities, separated by commas, for a study of your own names and sentences.",
            metavar="TYPE,TYPE",
        ),
    ] = "",
    force: Annotated[bool, force_option("a starter study")] = False,
    quiet: QuietOption = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Create a folder with a study file and examples of all other input files, for you to edit.

    Example: tagsuite init mine
    """
    from .study.starter import write_starter, write_type_starter

    if types and (tagger or corpus):
        raise typer.BadParameter("cannot be combined with --tagger or --corpus", param_hint="--types")
    if types:
        names = [name.strip() for name in types.split(",") if name.strip()]
        written = write_type_starter(folder, names, force=force)
    else:
        written = write_starter(folder, tagger=tagger, corpus=corpus, force=force)
    print_frame({"file": list(written), "holds": list(written.values())}, form, key="files")
    tell = choose_message_function(quiet)
    tell(f"next: cd {folder}")
    if not (tagger or types):
        tell("then: tagsuite taggers check tagger.toml           (checks the answers of the tagger)")
    tell("then: tagsuite study study.toml --out results    (suite, runs, scores, report)")


@with_options(asked=("classes", "by"), scoring=NO_GOLD_OPTION_NAMES)
def invariance_command(
    *,
    source: Annotated[
        str, typer.Argument(metavar="SUITE|FORMAT:PATH", help="Suite or corpus (gold mentions optional).")
    ],
    tagger: TaggerOption,
    out: Annotated[
        Path, out_option("Folder to write runs and results to; an unfinished test in it is resumed.")
    ],
    perturbing: PerturbOptions,
    asked: ClassOptions,
    scoring: ScoringOptions,
    show: Annotated[
        Literal["rates", "changes"],
        typer.Option(
            help="Table to print: rates of changed answers, or all changed mentions.", rich_help_panel=OUTPUT
        ),
    ] = "rates",
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            help="Maximum number of rows to print.", min=1, show_default=False, rich_help_panel=OUTPUT
        ),
    ] = None,
    option: OptionOption = None,
    jobs: JobsOption = 1,
    force: Annotated[bool, force_option("an invariance test")] = False,
    cache: CacheOption = True,
    quiet: QuietOption = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Measure how often a tagger's answers change when texts are perturbed.

    Example: tagsuite invariance suite --tagger kex --out kex-invariance --perturb case,hyphen --by case

    Perturbations change names, letter case, hyphens, Greek letters or typography, or add a neutral sentence.
    No gold standard is needed. The exit status is 3 if the tagger failed on some texts.
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
        say("tagsuite: interrupted; repeat the command to resume")
        raise typer.Exit(130) from None
    rates = found.select_columns() if form.is_for_people else found.table
    table = found.changes if show == "changes" else rates
    print_frame(table if limit is None else table.head(limit), form, key=show)
    raise typer.Exit(3 if found.failed else 0)


@with_options()
def length(
    *,
    tagger: TaggerOption,
    out: Annotated[Path, out_option("Folder to write the results to; an unfinished probe in it is resumed.")],
    suite: Annotated[
        str,
        typer.Option(
            help="Suite or corpus with the cases to use (default: bundled cases).",
            metavar="SUITE|FORMAT:PATH",
            show_default=False,
        ),
    ] = "",
    option: OptionOption = None,
    options: LengthOptions,
    force: Annotated[bool, force_option("a probe")] = False,
    quiet: QuietOption = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Find the text length above which a tagger truncates or splits texts.

    Example: tagsuite probe length --tagger kex --most 512 --out probes/kex

    The output folder contains report.html, length.json, probes.csv and the tagger's answers. The exit status
    is 3 if the tagger failed on some texts.
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
        say(f"the tagger did not answer {found.failed_count} texts")
        raise typer.Exit(3)
