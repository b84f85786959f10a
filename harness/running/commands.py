"""Commands ``run``, ``cases`` and ``taggers``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from ...catalogues.core.command_line import FormatOption, add_group
from ...catalogues.core.messages import say
from ...catalogues.core.options import COMMON, OUTPUT, parse_pairs, with_options
from ...catalogues.core.tables import OutputFormat, print_frame, print_text
from ...catalogues.core.text_table import TableLayout
from .outcomes import ReplyPolicy
from .repeats import RepeatOptions

if TYPE_CHECKING:
    from .folder.runs import Run
    from .tagger import Tagger


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("run")(run_command)
    app.command("cases")(cases_command)
    add_group(
        app, "taggers", "List, show, check, create and train taggers.", [list_, show, check, new, train]
    )


EXECUTION, RECORDED = "Execution", "Recorded output"
"""Titles of option groups in the help of `run`."""
CommonOption, ExecutionOption, RecordedOption, OutputOption = (
    partial(typer.Option, rich_help_panel=group) for group in (COMMON, EXECUTION, RECORDED, OUTPUT)
)
TAGGER_HELP = "Name of a tagger, specification file (.toml), or python:MODULE:FUNCTION."
TaggerArgument = Annotated[str, typer.Argument(help=TAGGER_HELP, metavar="TAGGER")]
TaggerOption = Annotated[str, CommonOption(help=TAGGER_HELP, metavar="TAGGER")]
CacheOption = Annotated[bool, ExecutionOption("--cache/--no-cache", help="Use cached results.")]
OptionOption = Annotated[
    list[str] | None,
    CommonOption("--option", help="Value for an option of the tagger (repeatable).", metavar="NAME=VALUE"),
]
JobsOption = Annotated[int, ExecutionOption(min=1, help="Number of tagger processes that run in parallel.")]
TemplateName = Literal[
    "conll", "http", "huggingface", "jsonl", "lines", "names", "offsets", "persistent", "python", "spacy"
]
"""Name of a template for a new tagger."""


parse_tagger_options = partial(
    parse_pairs, option="--option", expected_form="NAME=VALUE", keep_white_space=True
)
"""Parse NAME=VALUE pairs into the values of a tagger's options; a value may be empty."""


@with_options()
def run_command(
    *,
    source: Annotated[str, typer.Argument(metavar="SUITE|FORMAT:PATH", help="Suite folder or corpus.")],
    tagger: TaggerOption = "",
    option: OptionOption = None,
    out: Annotated[
        Path, CommonOption(help="Run folder to write; an unfinished run in it is resumed.", metavar="FOLDER")
    ],
    force: Annotated[bool, CommonOption("--force", help="Replace the folder if it contains a run.")] = False,
    jobs: JobsOption = 1,
    batch_size: Annotated[int | None, ExecutionOption(min=1, help="Number of cases per batch.")] = None,
    cache: CacheOption = True,
    engine: Annotated[
        Literal["local", "dask"],
        ExecutionOption(help="Engine that runs the taggers; dask needs tagsuite[cluster]."),
    ] = "local",
    scheduler: Annotated[
        str, ExecutionOption(help="Address of a running dask scheduler.", metavar="ADDRESS")
    ] = "",
    repeating: RepeatOptions,
    recorded: Annotated[
        str,
        RecordedOption(metavar="FORMAT:PATH", help="Recorded output to use instead of running a tagger."),
    ] = "",
    tagger_name: Annotated[
        str, RecordedOption(help="Name of the tagger that produced the --recorded output.", metavar="NAME")
    ] = "",
    tagger_version: Annotated[
        str,
        RecordedOption(help="Version of the tagger that produced the --recorded output.", metavar="VERSION"),
    ] = "recorded",
    keep_replies: Annotated[
        ReplyPolicy, OutputOption(help="Cases whose replies are kept in the run folder.")
    ] = "failed",
    quiet: Annotated[bool, OutputOption("--quiet", help="Show no progress.")] = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Run a tagger on a suite or corpus.

    Example: tagsuite run suite --tagger kex --out runs/kex

    The exit status is 3 if the tagger failed on some cases; `tagsuite cases` shows them.
    """
    if bool(tagger) == bool(recorded):
        raise typer.BadParameter(
            "give one of them, not both" if tagger else "give one of them", param_hint="--tagger, --recorded"
        )
    if recorded:
        unused_options = {
            "--option": option,
            "--jobs": jobs > 1,
            "--batch-size": batch_size,
            "--engine": engine != "local",
            "--scheduler": scheduler,
            "--times": repeating.times > 1,
            "--vary": repeating.vary,
            "--keep-replies": keep_replies != "failed",
        }
        for name, value in unused_options.items():
            if value:
                raise typer.BadParameter("this option has no effect with --recorded", param_hint=name)
        if not tagger_name:
            raise typer.BadParameter("required with --recorded", param_hint="--tagger-name")
        from .folder.recording import record_predictions

        done = record_predictions(source, recorded, tagger_name, out, version=tagger_version, force=force)
        _print_summary({done.name: done}, form)
        return
    if tagger_name or tagger_version != "recorded":
        raise typer.BadParameter("require --recorded", param_hint="--tagger-name, --tagger-version")
    if scheduler and engine != "dask":
        raise typer.BadParameter("requires --engine dask", param_hint="--scheduler")
    from .cluster import make_dask_engine
    from .preparation import prepare_tagger
    from .repeats import read_repetitions
    from .run import run
    from .variants import run_variants

    def run_once(prepared: Tagger, number: int, folder: Path) -> Run:
        with contextlib.nullcontext() if quiet else _show_progress() as progress:
            return run(
                source,
                prepared,
                folder,
                jobs=jobs,
                batch_size=batch_size,
                force=force,
                cache=cache,
                engine=make_dask_engine(scheduler) if engine == "dask" else None,
                progress=progress,
                repeat=number,
                keep_replies=keep_replies,
            )

    try:
        variants = run_variants(
            partial(prepare_tagger, tagger), out, repeating, parse_tagger_options(option), run_once
        )
    except KeyboardInterrupt:
        say("tagsuite: interrupted; run the same command again to resume")
        raise typer.Exit(130) from None
    runs: dict[str, Run] = {}
    for first in (variant.run for variant in variants):
        numbered = enumerate(read_repetitions(first), 1)
        runs |= {f"{first.name}, {n}" if first.times > 1 else first.name: each for n, each in numbered}
    _print_summary(runs, form)
    if any(each.failed for each in runs.values()):
        raise typer.Exit(3)


@contextlib.contextmanager
def _show_progress() -> Iterator[Callable[[int, int], None]]:
    """Show the number of finished cases, their rate and the remaining time on standard error."""
    from tqdm import tqdm

    with tqdm(unit=" cases", disable=None, mininterval=0.5, delay=0.5) as bar:

        def show(done: int, count: int) -> None:
            bar.total = count
            bar.update(done - bar.n)

        yield show


def _print_summary(runs: Mapping[str, Run], form: OutputFormat) -> None:
    """Print a table with the counts of each run; print remarks about the runs on standard error."""
    tables = [done.meta["run"] for done in runs.values()]
    columns: dict[str, list[Any]] = {"run": list(runs), "tagger": [done.tagger for done in runs.values()]}
    for key in ("corpus", "cases", "mentions"):
        columns[key] = [table[key] for table in tables]
    outcomes = [done.outcome_counts for done in runs.values()]
    for name in dict.fromkeys(name for counts in outcomes for name in counts):
        columns[name] = [counts.get(name, 0) for counts in outcomes]
    for key in ("unplaced", "strays"):
        columns[key] = [table[key] for table in tables]
    # absent in runs of an earlier version
    merged = [table.get("merged", 0) for table in tables]
    unmapped = [sum(done.meta.get("unmapped_types", {}).values()) for done in runs.values()]
    columns |= {k: n for k, n in {"merged": merged, "unmapped_types": unmapped}.items() if any(n)}
    print_frame(columns, form, key="runs")
    for name, done in runs.items():
        for line in _list_remarks(done):
            say(line if len(runs) == 1 else f"{name}: {line}")


def _list_remarks(done: Run) -> Sequence[str]:
    """Return remarks about a run, for example about unmatched types, merged mentions and failures."""
    from .folder.run_file import list_count_notes, list_output_notes, list_training_notes, list_type_notes

    lines = [f"warning: {line}" for line in list_output_notes(done.meta)]
    for list_notes in (list_type_notes, list_training_notes, list_count_notes):
        lines += [f"note: {line}" for line in list_notes(done.meta)]
    for failure in done.meta.get("failure", []):
        shown = ", ".join(str(c) for c in failure["cases"][:5])
        more = ", …" if failure["count"] > 5 else ""
        details = [t for t in (failure.get("found"), failure["stderr"]) if t]
        remark = f" ({'; '.join(details)})" if details else ""
        lines.append(
            f"{failure['outcome']}: {failure['count']} cases: {shown}{more}: {failure['said']}{remark}"
        )
    if done.failed:
        lines.append(f"`tagsuite cases {done.folder}` shows the reason and the reply of each case")
    return lines


def cases_command(
    run: Annotated[Path, typer.Argument(help="Run folder.", metavar="RUN")],
    outcome: Annotated[
        str, typer.Option(help="Outcome of the cases to show, for example garbage.", metavar="OUTCOME")
    ] = "",
    query: Annotated[
        str,
        typer.Option(
            help="Show only cases with a gold or predicted mention that matches this query.",
            metavar="QUERY",
        ),
    ] = "",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of cases.")] = 20,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Show single cases of a run with gold and predicted mentions, outcome and reply.

    Example: tagsuite cases runs/kex --outcome garbage --limit 5
    """
    from ..scoring.cases import format_blocks, list_cases
    from .folder.runs import read_run

    cases = list_cases(read_run(run), outcome=outcome, query=query, limit=limit)
    if form is OutputFormat.table:
        print_text(format_blocks(cases))
    else:
        print_frame(cases, form, key="cases")
    if len(cases) < cases.attrs["found"]:
        say(f"{len(cases)} of {cases.attrs['found']} cases shown; --limit sets the maximum number")
    elif cases.empty:
        say("no case matches")


def list_(form: FormatOption = OutputFormat.table) -> None:
    """List the bundled taggers and the taggers that other packages register.

    Example: tagsuite taggers list
    """
    import pandas as pd

    from .lookup import list_taggers

    rows = [
        {
            "name": name,
            "from": source,
            "mode": spec.mode,
            "input": spec.input.form,
            "output": spec.output.form,
            "options": ", ".join(spec.options),
            "was_run": not spec.not_run,
            "description": spec.description,
        }
        for name, source, spec in list_taggers()
    ]
    table = pd.DataFrame(rows)
    table.attrs["layout"] = TableLayout(["name"], ["description", "options", "mode"])
    print_frame(table, form, key="taggers")


def show(tagger: TaggerArgument) -> None:
    """Print the specification of a tagger.

    Example: tagsuite taggers show kex

    You can copy the printed specification of a bundled tagger to any folder and adapt it.
    """
    from ...catalogues.core.files import read_text
    from ...catalogues.core.toml import write_toml
    from .lookup import find_specification, make_movable
    from .specification import BUNDLED_FOLDER

    path, spec = find_specification(tagger)
    if path.is_file():
        say(str(path))
        text = read_text(path)
        print_text(make_movable(text) if path.parent == BUNDLED_FOLDER else text)
        return
    excluded = {"command", "working_folder", "input", "output"}
    print_text(write_toml(spec.model_dump(exclude_defaults=True, exclude=excluded)))


def check(
    tagger: TaggerArgument,
    option: OptionOption = None,
    gold: Annotated[
        str,
        typer.Option(
            "--gold",
            help="Corpus or suite with further texts to send; its entity types are the expected types.",
            metavar="FORMAT:PATH|SUITE",
        ),
    ] = "",
    form: FormatOption = OutputFormat.table,
) -> None:
    """Send test sentences to a tagger and report problems in its answers.

    Example: tagsuite taggers check kex
    """
    from .check import check_tagger

    report = check_tagger(tagger, parse_tagger_options(option), gold)
    print_frame(report.table, form, key="cases")
    for line in report.findings:
        say(line)
    if report.has_failures:
        raise typer.Exit(3)


def new(
    name: Annotated[str, typer.Argument(help="Name of the new tagger.")],
    like: Annotated[
        TemplateName, typer.Option(help=f"Template: {', '.join(get_args(TemplateName))}.", metavar="TEMPLATE")
    ] = "lines",
    out: Annotated[Path, typer.Option(help="Folder to write the files to.", metavar="FOLDER")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Replace a tagger with the same name.")] = False,
) -> None:
    """Write a specification and a working program for a new tagger.

    Example: tagsuite taggers new mine --like python --out stub
    """
    from .stubs import write_stub

    files = write_stub(name, like, out, force=force)
    for file in files:
        print_text(f"{file}\n")
    say(f"next: tagsuite taggers check {files[0]}")


def train(
    tagger: TaggerArgument,
    corpus: Annotated[str, typer.Option(metavar="FORMAT:PATH", help="Annotated corpus for training.")],
    out: Annotated[Path, typer.Option(help="File or folder to write the model to.", metavar="PATH")],
    option: OptionOption = None,
) -> None:
    """Train a tagger that has a training command in its specification.

    Example: tagsuite taggers train my.toml --corpus sgml:c.sgml --out model
    """
    from .training import train_tagger

    train_tagger(tagger, corpus, out, parse_tagger_options(option))
