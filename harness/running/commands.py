"""`tagsuite run` and `tagsuite taggers`."""

from __future__ import annotations

import enum
import importlib
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...catalogues.core.command_line import FormatOption
from ...catalogues.core.options import pairs_of, with_options
from ...catalogues.core.tables import Format, Rows, emit, put, say
from .repeats import RepeatOptions

if TYPE_CHECKING:
    from tqdm import tqdm

    from .folder.runs import Run
    from .tagger import Tagger


class KeptReplies(enum.StrEnum):
    """The cases whose replies are kept."""

    none = "none"
    failed = "failed"
    all = "all"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("run")(run_command)
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
    engine: Annotated[str, typer.Option(help="local, or dask (extra tagsuite[cluster]).")] = "local",
    scheduler: Annotated[str, typer.Option(help="Address of a running dask scheduler.")] = "",
    recorded: Annotated[
        str, typer.Option(metavar="FORMAT:PATH", help="Output recorded elsewhere; nothing is started.")
    ] = "",
    tagger_name: Annotated[str, typer.Option(help="Whose output --recorded is.")] = "",
    tagger_version: Annotated[str, typer.Option(help="Of --tagger-name.")] = "recorded",
    repeating: RepeatOptions,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it holds a run.")] = False,
    keep_replies: Annotated[
        KeptReplies, typer.Option(help="Cases whose replies are kept in the run folder.")
    ] = KeptReplies.failed,
    cache: Annotated[bool, typer.Option(help="Use and keep cached results.")] = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    form: FormatOption = Format.table,
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
        _needs_no_tagger(
            {
                "--option": option,
                "--jobs": jobs > 1,
                "--batch-size": batch_size,
                "--engine": engine != "local",
                "--scheduler": scheduler,
                "--times": repeating.times > 1,
                "--vary": repeating.vary,
                "--keep-replies": keep_replies is not KeptReplies.failed,
            }
        )
        if not tagger_name:
            raise typer.BadParameter("recorded output needs it", param_hint="--tagger-name")
        from .folder.recorded import record

        done = record(source, recorded, tagger_name, out, version=tagger_version, force=force)
        _summary({done.name: done}, form)
        return
    if tagger_name or tagger_version != "recorded":
        raise typer.BadParameter("these are for --recorded", param_hint="--tagger-name, --tagger-version")
    from .engines import Engine, local
    from .preparation import prepare
    from .repeats import repetitions
    from .run import run
    from .variants import run_varied

    if engine not in ("local", "dask"):
        raise typer.BadParameter(f"{engine!r}; allowed: local, dask", param_hint="--engine")
    if scheduler and engine != "dask":
        raise typer.BadParameter("a scheduler needs --engine dask", param_hint="--scheduler")
    chosen: Engine = local
    if engine == "dask":
        from .cluster import dask_engine

        chosen = dask_engine(scheduler)
    bar = _Bar(quiet=quiet, runs=repeating.runs)

    def once(one: Tagger, number: int, folder: Path) -> Run:
        return run(
            source,
            one,
            folder,
            jobs=jobs,
            batch_size=batch_size,
            force=force,
            cache=cache,
            engine=chosen,
            progress=bar.next_run(),
            repeat=number,
            keep_replies=keep_replies.value,
        )

    found: dict[str, Run] = {}
    try:
        variants = run_varied(partial(prepare, tagger), out, repeating, tagger_options(option), once)
        for each in (v.run for v in variants):
            numbered = enumerate(repetitions(each), 1)
            found |= {f"{each.name}, {n}" if each.times > 1 else each.name: one for n, one in numbered}
    except KeyboardInterrupt:
        bar.close()
        say("tagsuite: interrupted; the same command resumes the run")
        raise typer.Exit(130) from None
    finally:
        bar.close()
    _summary(found, form)
    if any(one.failed for one in found.values()):
        raise typer.Exit(3)


def _needs_no_tagger(given: Mapping[str, object]) -> None:
    """Refuse options that say how a tagger is started, where none is."""
    for name, value in given.items():
        if value:
            raise typer.BadParameter("nothing is started for --recorded", param_hint=name)


def tagger_options(given: list[str] | None) -> dict[str, str]:
    """Values for options of a tagger, from NAME=VALUE; a value may be empty."""
    return pairs_of(given, "--option", "NAME=VALUE", empty=True)


class _Bar:
    """Progress on standard error: done, rate, time left; over `runs` runs of one input."""

    def __init__(self, *, quiet: bool, runs: int = 1) -> None:
        self.quiet = quiet
        self.runs = runs
        self.begin = -1
        self.begun = False
        self.bar: tqdm[Any] | None = None

    def next_run(self) -> Callable[[int, int], None]:
        """What the next run is to call."""
        self.begin += 1
        return self

    def __call__(self, done: int, count: int) -> None:
        if not self.begun:
            # what the end needs takes a while to load: it does so while the tagger runs
            self.begun = True
            threading.Thread(target=_load, daemon=True).start()
        if self.quiet:
            return
        if self.bar is None:
            from tqdm import tqdm

            self.bar = tqdm(
                total=count * self.runs, initial=done, unit=" cases", disable=None, mininterval=0.5
            )
        self.bar.update(self.begin * count + done - self.bar.n)

    def close(self) -> None:
        """Leave the line as it is and end it."""
        if self.bar is not None:
            self.bar.close()
        self.bar = None


def _load() -> None:
    package = __package__ or ""
    for name in (f"{package}.outputs.parse", f"{package}.folder.writer"):
        importlib.import_module(name)


def _summary(runs: Mapping[str, Run], form: Format) -> None:
    """Print a row for each run by name, and remarks on each."""
    emit(_counts(runs), form, key="runs")
    for name, done in runs.items():
        for line in _remarks(done):
            say(line if len(runs) == 1 else f"{name}: {line}")


def _counts(runs: Mapping[str, Run]) -> Rows:
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
    return Rows(columns)


def _remarks(done: Run) -> Sequence[str]:
    """What is to be said of a run: types, mentions that repeat others, strays, failures."""
    from .folder.run_file import output_notes, seen_notes, type_notes

    run = done.meta["run"]
    lines = [f"warning: {line}" for line in output_notes(done.meta)]
    lines += [f"note: {line}" for line in (*type_notes(done.meta), *seen_notes(done.meta))]
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


def list_command(form: FormatOption = Format.table) -> None:
    """List the taggers that are found by name: the bundled ones, and those that other packages bring.

    Example: tagsuite taggers list
    """
    import pandas as pd

    from .lookup import found_by_name

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
        for name, source, spec in found_by_name()
    ]
    emit(pd.DataFrame(rows), form, key="taggers")


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
        put(read_text(path))
        return
    own = {"command", "working_folder", "input", "output"}
    put(write_toml(spec.model_dump(exclude_defaults=True, exclude=own)))


def check_command(
    tagger: TaggerArgument, option: OptionOption = None, form: FormatOption = Format.table
) -> None:
    """Send telling sentences through a tagger; show what came back, how it was placed, what looks wrong.

    Example: tagsuite taggers check kex
    """
    from .check import check

    report = check(tagger, tagger_options(option))
    emit(report.table, form, key="cases")
    for line in report.findings:
        say(line)
    if report.failed:
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
        put(f"{file}\n")
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
    from .training import train

    train(tagger, corpus, out, tagger_options(option))
