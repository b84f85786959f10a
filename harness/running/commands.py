"""`tagsuite run`, `tagsuite cases` and `tagsuite taggers`."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...catalogues.core.command_line import FormatOption
from ...catalogues.core.messages import say
from ...catalogues.core.options import parse_pairs, with_options
from ...catalogues.core.tables import ColumnTable, OutputFormat, print_frame, print_text
from .repeats import RepeatOptions

if TYPE_CHECKING:
    from .folder.runs import Run
    from .tagger import Tagger


class ReplyPolicyName(enum.StrEnum):
    """The cases whose replies are kept."""

    none = "none"
    failed = "failed"
    all = "all"


class EngineName(enum.StrEnum):
    """Where taggers run."""

    local = "local"
    dask = "dask"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("run")(run_command)
    app.command("cases")(cases_command)
    group = typer.Typer(help="Taggers and their specifications.", no_args_is_help=True, rich_markup_mode=None)
    group.command("list")(list_command)
    group.command("show")(show_command)
    group.command("check")(check_command)
    group.command("new")(new_command)
    group.command("train")(train_command)
    app.add_typer(group, name="taggers")


TaggerArgument = Annotated[
    str, typer.Argument(help="A tagger's name, a specification file (.toml), or python:MODULE:FUNCTION.")
]
OptionOption = Annotated[
    list[str] | None, typer.Option("--option", help="NAME=VALUE for an option of the tagger; repeatable.")
]
JobsOption = Annotated[int, typer.Option(min=1, help="Taggers that run at once.")]


@with_options()
def run_command(
    *,
    source: Annotated[str, typer.Argument(metavar="SUITE|FORMAT:PATH", help="What the tagger is run over.")],
    out: Annotated[Path, typer.Option(help="The run folder; an unfinished run there is resumed.")],
    tagger: Annotated[
        str, typer.Option(help="A tagger's name, a specification file, or python:MODULE:FUNCTION.")
    ] = "",
    option: OptionOption = None,
    jobs: JobsOption = 1,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Cases in a batch.")] = None,
    engine: Annotated[
        EngineName, typer.Option(help="Where taggers run; dask needs the extra tagsuite[cluster].")
    ] = EngineName.local,
    scheduler: Annotated[str, typer.Option(help="Address of a running dask scheduler.")] = "",
    recorded: Annotated[
        str, typer.Option(metavar="FORMAT:PATH", help="Output recorded elsewhere; nothing is started.")
    ] = "",
    tagger_name: Annotated[
        str, typer.Option(help="Name of the tagger that produced the --recorded output.")
    ] = "",
    tagger_version: Annotated[str, typer.Option(help="Version of --tagger-name.")] = "recorded",
    repeating: RepeatOptions,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it holds a run.")] = False,
    keep_replies: Annotated[
        ReplyPolicyName, typer.Option(help="Cases whose replies are kept in the run folder.")
    ] = ReplyPolicyName.failed,
    cache: Annotated[bool, typer.Option(help="Use and keep cached results.")] = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Run a tagger over a suite or corpus. Every case gets an outcome; exit status 3 when some are not ok.

    Example: tagsuite run suite --tagger kex --out runs/kex
    """
    if bool(tagger) == bool(recorded):
        raise typer.BadParameter(
            "one of them is needed, not both" if tagger else "one of them is needed",
            param_hint="--tagger, --recorded",
        )
    if recorded:
        started = {
            "--option": option,
            "--jobs": jobs > 1,
            "--batch-size": batch_size,
            "--engine": engine is not EngineName.local,
            "--scheduler": scheduler,
            "--times": repeating.times > 1,
            "--vary": repeating.vary,
            "--keep-replies": keep_replies is not ReplyPolicyName.failed,
        }
        for name, value in started.items():
            if value:
                raise typer.BadParameter("nothing is started for --recorded", param_hint=name)
        if not tagger_name:
            raise typer.BadParameter("recorded output needs it", param_hint="--tagger-name")
        from .folder.recording import record_predictions

        done = record_predictions(source, recorded, tagger_name, out, version=tagger_version, force=force)
        _print_summary({done.name: done}, form)
        return
    if tagger_name or tagger_version != "recorded":
        raise typer.BadParameter("these are for --recorded", param_hint="--tagger-name, --tagger-version")
    if scheduler and engine is not EngineName.dask:
        raise typer.BadParameter("a scheduler needs --engine dask", param_hint="--scheduler")
    from .engines import Engine, run_locally
    from .preparation import prepare_tagger
    from .repeats import read_repetitions
    from .run import run
    from .variants import run_variants

    chosen: Engine = run_locally
    if engine is EngineName.dask:
        from .cluster import make_dask_engine

        chosen = make_dask_engine(scheduler)

    def once(one: Tagger, number: int, folder: Path) -> Run:
        with _show_progress(quiet=quiet) as progress:
            return run(
                source,
                one,
                folder,
                jobs=jobs,
                batch_size=batch_size,
                force=force,
                cache=cache,
                engine=chosen,
                progress=progress,
                repeat=number,
                keep_replies=keep_replies.value,
            )

    try:
        variants = run_variants(
            partial(prepare_tagger, tagger), out, repeating, parse_tagger_options(option), once
        )
    except KeyboardInterrupt:
        say("tagsuite: interrupted; the same command resumes the run")
        raise typer.Exit(130) from None
    found: dict[str, Run] = {}
    for each in (v.run for v in variants):
        numbered = enumerate(read_repetitions(each), 1)
        found |= {f"{each.name}, {n}" if each.times > 1 else each.name: one for n, one in numbered}
    _print_summary(found, form)
    if any(one.failed for one in found.values()):
        raise typer.Exit(3)


@contextlib.contextmanager
def _show_progress(*, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show the progress of a run on standard error: cases done, rate, time left."""
    if quiet:
        yield None
        return
    from tqdm import tqdm

    with tqdm(unit=" cases", disable=None, mininterval=0.5, delay=0.5) as bar:

        def show(done: int, count: int) -> None:
            bar.total = count
            bar.update(done - bar.n)

        yield show


def parse_tagger_options(given: list[str] | None) -> dict[str, str]:
    """Values for options of a tagger, from NAME=VALUE; a value may be empty."""
    return parse_pairs(given, "--option", "NAME=VALUE", keep_white_space=True)


def _print_summary(runs: Mapping[str, Run], form: OutputFormat) -> None:
    """Print a row for each run by name, and remarks on each."""
    print_frame(_count_outcomes(runs), form, key="runs")
    for name, done in runs.items():
        for line in _list_remarks(done):
            say(line if len(runs) == 1 else f"{name}: {line}")


def _count_outcomes(runs: Mapping[str, Run]) -> ColumnTable:
    """A row a run: its cases by outcome, its mentions."""
    columns: dict[str, list[Any]] = {"run": list(runs)}
    tables = [done.meta["run"] for done in runs.values()]
    columns["tagger"] = [done.tagger for done in runs.values()]
    for key in ("corpus", "cases", "mentions"):
        columns[key] = [table[key] for table in tables]
    outcomes = [done.outcome_counts for done in runs.values()]
    for name in dict.fromkeys(name for counts in outcomes for name in counts):
        columns[name] = [counts.get(name, 0) for counts in outcomes]
    for key in ("unplaced", "strays"):
        columns[key] = [table[key] for table in tables]
    # runs of an earlier version do not say
    merged = [table.get("merged", 0) for table in tables]
    unmapped = [sum(done.meta.get("unmapped_types", {}).values()) for done in runs.values()]
    columns |= {k: n for k, n in {"merged": merged, "unmapped_types": unmapped}.items() if any(n)}
    return ColumnTable(columns)


def _list_remarks(done: Run) -> Sequence[str]:
    """What is to be said of a run: types, mentions that repeat others, strays, failures."""
    from .folder.run_file import list_output_notes, list_training_notes, list_type_notes

    run = done.meta["run"]
    lines = [f"warning: {line}" for line in list_output_notes(done.meta)]
    lines += [f"note: {line}" for line in (*list_type_notes(done.meta), *list_training_notes(done.meta))]
    if run.get("merged"):
        lines.append(f"note: {run['merged']} mentions repeat another's text, span and type; each counts once")
    if run.get("strays"):
        lines.append(f"note: {run['strays']} records of output belong to no case")
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
    run: Annotated[Path, typer.Argument(help="The run folder.", metavar="RUN")],
    outcome: Annotated[str, typer.Option(help="Show only cases of this outcome, such as garbage.")] = "",
    query: Annotated[
        str, typer.Option(help="Show only cases with a gold or predicted mention that this query selects.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, help="Show at most N cases.", metavar="N")] = 20,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Show single cases of a run: text, gold, predicted, outcome, its reason, and what the tagger replied.

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
        say(f"{len(cases)} of {cases.attrs['found']} cases are shown; --limit sets how many")
    elif cases.empty:
        say("no case is selected")


def list_command(form: FormatOption = OutputFormat.table) -> None:
    """List the taggers that are found by name: the bundled ones, and those that other packages bring.

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
    print_frame(pd.DataFrame(rows), form, key="taggers")


def show_command(tagger: TaggerArgument) -> None:
    """Print a tagger's specification file.

    Example: tagsuite taggers show kex
    """
    from ...catalogues.core.files import read_text
    from ...catalogues.core.toml import write_toml
    from .lookup import find_specification

    path, spec = find_specification(tagger)
    if path.is_file():
        say(str(path))
        print_text(read_text(path))
        return
    own = {"command", "working_folder", "input", "output"}
    print_text(write_toml(spec.model_dump(exclude_defaults=True, exclude=own)))


def check_command(
    tagger: TaggerArgument, option: OptionOption = None, form: FormatOption = OutputFormat.table
) -> None:
    """Send telling sentences through a tagger; show what came back, how it was placed, what looks wrong.

    Example: tagsuite taggers check kex
    """
    from .check import check_tagger

    report = check_tagger(tagger, parse_tagger_options(option))
    print_frame(report.table, form, key="cases")
    for line in report.findings:
        say(line)
    if report.has_failures:
        raise typer.Exit(3)


def new_command(
    name: Annotated[str, typer.Argument(help="The new tagger's name.")],
    like: Annotated[
        str,
        typer.Option(
            help="Like what: conll, huggingface, jsonl, lines, names, offsets, persistent, python, spacy."
        ),
    ] = "lines",
    out: Annotated[Path, typer.Option(help="The folder that it is written into.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Replace a tagger of the same name.")] = False,
) -> None:
    """Write a specification and a program to fill, which run at once.

    Example: tagsuite taggers new mine --like python --out stub
    """
    from .stubs import write_stub

    files = write_stub(name, like, out, force=force)
    for file in files:
        print_text(f"{file}\n")
    say(f"next: tagsuite taggers check {files[0]}")


def train_command(
    tagger: TaggerArgument,
    corpus: Annotated[str, typer.Option(metavar="FORMAT:PATH", help="The annotated corpus to learn from.")],
    out: Annotated[Path, typer.Option(help="Where the model is written.")],
    option: OptionOption = None,
) -> None:
    """Train a tagger whose specification says how.

    Example: tagsuite taggers train my.toml --corpus sgml:c.sgml --out model
    """
    from .training import train_tagger

    train_tagger(tagger, corpus, out, parse_tagger_options(option))
