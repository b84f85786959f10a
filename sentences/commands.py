"""Commands of the group ``sentences``, which list and check contexts, and convert and annotate corpora."""

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
    typer.Option("--sentences", help="Context file (repeatable); by default the bundled files."),
]
ContextsOption = Annotated[
    str, typer.Option("--contexts", help="Query that selects the contexts; by default all.", metavar="QUERY")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no messages.")]


def register(app: typer.Typer) -> None:
    """Add the group `sentences` to the program."""
    description = "List, check and harvest contexts; convert and annotate corpora."
    commands = (list_, count, show, check, harvest, annotate, convert)
    add_group(app, "sentences", description, commands)


def list_(
    files: SentencesOption = None,
    contexts: ContextsOption = "",
    feature: Annotated[
        list[str] | None,
        typer.Option("--feature", help="Feature to add as a column (repeatable).", metavar="FEATURE"),
    ] = None,
    records: Annotated[
        bool, typer.Option("--records", help="Print plain-text records instead of a table.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Output file for the contexts with all features: .xml, .txt (records), .csv or .parquet.",
        ),
    ] = None,
    quiet: Quiet = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """List the contexts that a query selects.

    Example: tagsuite sentences list --contexts 'list_type = coordination'
    """
    from ..catalogues.taxonomy import taxonomy
    from . import context_queries
    from .contexts import read_contexts

    read = read_contexts(*(files or ()))
    chosen = context_queries.choose_contexts(read, contexts)
    if out is not None:
        choose_message_function(quiet)(context_queries.export_contexts(read, chosen, out))
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
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            help="Feature by which contexts and slots are grouped (repeatable).",
            metavar="FEATURE",
        ),
    ] = None,
    files: SentencesOption = None,
    contexts: ContextsOption = "",
    form: FormatOption = OutputFormat.table,
) -> None:
    """Count contexts and slots, in total or for each combination of feature values.

    Example: tagsuite sentences count --by list_type --by position
    """
    from . import context_queries
    from .contexts import read_contexts

    print_frame(
        context_queries.count_contexts(read_contexts(*(files or ())), contexts, by or []), form, key="counts"
    )


def show(
    context_id: Annotated[str, typer.Argument(help="Identifier of the context.", metavar="CONTEXT")],
    files: SentencesOption = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Show one context with its features, its slots, and tokens that look like names.

    Example: tagsuite sentences show single-001
    """
    from . import context_queries
    from .contexts import read_contexts

    print_frame(context_queries.show_context(read_contexts(*(files or ())), context_id), form, key="features")


def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Context files; by default the bundled files.", metavar="FILE"),
    ] = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Check files of contexts: schema, slots, duplicates, and stored features.

    Example: tagsuite sentences check contexts.xml
    """
    from .contexts_check import check_contexts

    findings = check_contexts(*(files or []))
    if len(findings):
        print_frame(findings, form, key="findings")
        raise findings_error(len(findings), len(files or []), "contexts")
    if form is not OutputFormat.table:
        print_frame(findings, form, key="findings")
    say("no problems found")


def harvest(
    corpus: Annotated[str, typer.Argument(help="Corpus or suite folder.", metavar="FORMAT:PATH|SUITE")],
    out: Annotated[Path, typer.Option("--out", help="File to write: .xml or .txt (records).")],
    prefix: Annotated[
        str, typer.Option(help="Prefix of the context identifiers; by default the name of the corpus.")
    ] = "",
    licence: Annotated[
        str,
        typer.Option(help="Licence to record; by default the text of the corpus's licence files."),
    ] = "",
    mention_type: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            help="Type of mentions to harvest (repeatable); by default all.",
            metavar="TYPE",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Make contexts from the sentences of an annotated corpus.

    Example: tagsuite sentences harvest sgml:corpus.sgml --out harvested.xml
    """
    from .harvest import write_harvest

    note = write_harvest(corpus, out, prefix=prefix, licence=licence, types=tuple(mention_type or ()))
    choose_message_function(quiet)(note)


def annotate(
    corpus: Annotated[str, typer.Argument(help="Corpus or suite folder.", metavar="FORMAT:PATH|SUITE")],
    out: Annotated[Path, typer.Option("--out", help="File to write: .parquet or .csv.")],
    predicted: Annotated[
        str,
        typer.Option(help="Predictions to annotate instead of the gold mentions.", metavar="FORMAT:PATH"),
    ] = "",
    feature: Annotated[
        list[str] | None,
        typer.Option("--feature", help="Feature to add (repeatable); by default all.", metavar="FEATURE"),
    ] = None,
    word_list: Annotated[
        list[str] | None,
        typer.Option(
            "--list",
            help="Word list, one entry per line, for the feature in_list.NAME (repeatable).",
            metavar="NAME=FILE",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a table of the mentions in a corpus, with all their features.

    Example: tagsuite sentences annotate sgml:corpus.sgml --out mentions.csv
    """
    from .annotate import write_annotations

    note = write_annotations(corpus, out, predicted=predicted, features=feature, word_lists=word_list or [])
    choose_message_function(quiet)(note)


def convert(
    source: Annotated[str, typer.Argument(metavar="FROM", help="Suite folder, or FORMAT[OPTIONS]:PATH.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="FORMAT[OPTIONS]:PATH.")],
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Write nothing if the target format cannot store all annotations."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print no messages, including those about lost annotations.")
    ] = False,
) -> None:
    """Convert a corpus or suite to another format.

    Example: tagsuite sentences convert sgml:corpus.sgml brat:brat-files

    Annotations that the target format cannot store are listed on standard error. Options of a format are
    written in square brackets after its name, as in conll[scheme=iobes,comments=yes]:PATH.
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
