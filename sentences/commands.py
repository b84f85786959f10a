"""The commands `tagsuite sentences …`: what contexts there are, and features for any corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..catalogues.core.command_line import FormatOption, add_group
from ..catalogues.core.findings import findings_error
from ..catalogues.core.messages import choose_message_function, say
from ..catalogues.core.tables import OutputFormat, print_frame, print_text

SentencesOption = Annotated[
    list[Path] | None,
    typer.Option("--sentences", help="File of contexts (repeatable); the bundled ones without it."),
]
ContextsOption = Annotated[str, typer.Option("--contexts", help="Query that chooses contexts.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing of what was written.")]


def register(app: typer.Typer) -> None:
    """Add the group `sentences`."""
    description = "Contexts: list, count, show, check, harvest; corpora: convert, annotate."
    commands = (list_, count, show, check, harvest, annotate, convert)
    add_group(app, "sentences", description, commands)


def list_(
    files: SentencesOption = None,
    contexts: ContextsOption = "",
    feature: Annotated[
        list[str] | None, typer.Option("--feature", help="Column to add (repeatable).")
    ] = None,
    records: Annotated[
        bool, typer.Option("--records", help="Print plain-text records instead of a table.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Write the contexts with all features: .xml, .txt (records), .csv or .parquet."
        ),
    ] = None,
    quiet: Quiet = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """List the contexts that a query chooses (all without one).

    Example: tagsuite sentences list --contexts 'list_type = coordination'
    """
    from ..catalogues.taxonomy import taxonomy
    from . import context_queries
    from .contexts import read_contexts

    read = read_contexts(*(files or ()))
    chosen = context_queries.choose_contexts(read, contexts)
    if out is not None:
        from .context_queries import export_contexts

        note = export_contexts(read, chosen, out)
        if not quiet:
            say(note)
        return
    if records:
        from .context_records import format_context_records

        print_text(format_context_records(context_queries.select_entries(read, chosen)))
        return
    wanted = [taxonomy().find(name, ("context", "slot")) for name in feature or []]
    frame = read.contexts.set_index("context_id").loc[chosen].reset_index()
    frame = frame.rename(columns={"context.type": "type"})
    columns = ["context_id", "type", "slots"]
    for item in wanted:
        if item.scope == "slot":
            frame[item.name] = context_queries.join_slot_values(read, item.column, chosen)
        else:
            frame[item.name] = frame["type"] if item.column == "context.type" else frame[item.column]
        columns.append(item.name)
    print_frame(frame[list(dict.fromkeys(columns))], form, key="contexts")


def count(
    by: Annotated[list[str] | None, typer.Option("--by", help="Feature to count by (repeatable).")] = None,
    files: SentencesOption = None,
    contexts: ContextsOption = "",
    form: FormatOption = OutputFormat.table,
) -> None:
    """Count contexts and slots, by the values of features where --by names them.

    Example: tagsuite sentences count --by list_type --by position
    """
    from . import context_queries
    from .contexts import read_contexts

    print_frame(
        context_queries.count_contexts(read_contexts(*(files or ())), contexts, by or []), form, key="counts"
    )


def show(
    context_id: Annotated[str, typer.Argument(help="The context's id.")],
    files: SentencesOption = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Show one context: its features, those of its slots, and the tokens in it that look like names.

    Example: tagsuite sentences show single-001
    """
    from . import context_queries
    from .contexts import read_contexts

    print_frame(context_queries.show_context(read_contexts(*(files or ())), context_id), form, key="features")


def check(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files of contexts; the bundled ones without any.")
    ] = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Check files of contexts: schema, slots, duplicates, stored against computed features.

    Example: tagsuite sentences check contexts.xml
    """
    from .contexts_check import check_contexts

    findings = check_contexts(*(files or []))
    if len(findings):
        print_frame(findings, form, key="findings")
        raise findings_error(len(findings), len(files or []), "contexts")
    if form is not OutputFormat.table:
        print_frame(findings, form, key="findings")
    say("nothing wrong")


def harvest(
    corpus: Annotated[str, typer.Argument(help="FORMAT:PATH or a suite folder.")],
    out: Annotated[Path, typer.Option("--out", help="File to write: .xml or .txt (records).")],
    prefix: Annotated[str, typer.Option(help="What the ids begin with; the corpus's name without it.")] = "",
    licence: Annotated[
        str, typer.Option(help="Licence note to keep; without it that of the corpus's own licence files.")
    ] = "",
    mention_type: Annotated[
        list[str] | None,
        typer.Option("--type", help="Type of mentions that become slots (repeatable); all without."),
    ] = None,
    fewest_words: Annotated[int, typer.Option(min=1, help="Sentences with fewer words are left out.")] = 4,
    negative: Annotated[bool, typer.Option(help="Make fp contexts of sentences without mentions.")] = True,
    quiet: Quiet = False,
) -> None:
    """Make contexts of the sentences of an annotated corpus, without duplicates, with all features.

    Example: tagsuite sentences harvest sgml:corpus.sgml --out harvested.xml
    """
    from .harvest import write_harvest

    note = write_harvest(
        corpus,
        out,
        prefix=prefix,
        licence=licence,
        types=tuple(mention_type or ()),
        fewest_words=fewest_words,
        negative=negative,
    )
    if not quiet:
        say(note)


def annotate(
    corpus: Annotated[str, typer.Argument(help="FORMAT:PATH or a suite folder.")],
    out: Annotated[Path, typer.Option("--out", help="File to write: .parquet or .csv.")],
    predicted: Annotated[
        str, typer.Option(help="Annotate these predictions (FORMAT:PATH) instead of the gold mentions.")
    ] = "",
    feature: Annotated[
        list[str] | None, typer.Option("--feature", help="Only this feature (repeatable).")
    ] = None,
    word_list: Annotated[
        list[str] | None,
        typer.Option("--list", help="NAME=FILE, one entry a line: the feature in_list.NAME."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Add every feature to the mentions of any corpus, as a table for use elsewhere.

    Example: tagsuite sentences annotate sgml:corpus.sgml --out mentions.csv
    """
    from .annotate import write_annotations

    note = write_annotations(corpus, out, predicted=predicted, features=feature, word_lists=word_list or [])
    if not quiet:
        say(note)


def convert(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A suite folder, or FORMAT[options]:PATH.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="FORMAT[options]:PATH.")],
    strict: Annotated[
        bool, typer.Option(help="Write nothing when the target cannot store all of it.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print nothing, not even what the target cannot store.")
    ] = False,
) -> None:
    """Read a corpus or suite in one format and write it in another.

    What the target format cannot store is listed on standard error. An option is written in square
    brackets after the format's name, as in conll[scheme=iobes,comments=yes]:PATH.

    Example: tagsuite sentences convert sgml:corpus.sgml brat:brat-files
    """
    from ..catalogues.core.output_folder import refuse_inputs
    from .formats.registry import get_format, parse_spec, read_corpus, write_corpus

    name, path, options = parse_spec(target)
    get_format(name).check_options(options)
    if path.is_dir():
        refuse_inputs(path, [parse_spec(source)[1]])
    corpus = read_corpus(source)
    report = choose_message_function(quiet)
    for note in corpus.notes:
        report(f"{corpus.name}: {note}")
    for line in write_corpus(corpus, target, strict=strict):
        report(line)
    report(f"{len(corpus.texts)} texts, {len(corpus.mentions)} mentions -> {path}")
