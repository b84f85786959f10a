"""The commands ``tagsuite catalogue …``: the taxonomy, and what entities there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .core.command_line import FormatOption, add_group
from .core.errors import InputError
from .core.findings import findings_error
from .core.messages import say
from .core.tables import Format, emit, put
from .imports.commands import import_

Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--catalogue", help="Catalogue: .xml, .txt or .parquet (repeatable); the bundled one without it."
    ),
]
Where = Annotated[str, typer.Option("--entities", help="Query that chooses entities.")]
Lists = Annotated[
    list[str] | None,
    typer.Option(
        "--list", help="NAME=FILE (an entry a line) or NAME=wordfreq:N: the feature in_list.NAME. Repeatable."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group `catalogue`."""
    description = "Features and entities: features, list, count, show, check, import, export."
    commands = (features, list_, count, show, check, export, import_)
    add_group(app, "catalogue", description, commands)


def features(
    name: Annotated[str | None, typer.Argument(help="One feature, to see everything about it.")] = None,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", help="entity, context, slot or mention (repeatable).")
    ] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="How many entities have each value of each closed feature.")
    ] = False,
    files: Files = None,
    entities: Where = "",
    form: FormatOption = Format.table,
) -> None:
    """List the features of the taxonomy, their values and definitions; or how the catalogue covers them.

    Example: tagsuite catalogue features case
    """
    from . import listing
    from .taxonomy import SCOPES

    wrong = [s for s in scope or [] if s not in SCOPES]
    if wrong:
        raise InputError("no such scope", found=wrong[0], allowed=", ".join(SCOPES))
    if name is not None:
        emit(listing.feature_sheet(name), form, key="aspects")
    elif coverage:
        emit(listing.coverage(files or [], entities), form, key="coverage")
    else:
        emit(listing.features_table(scope or []), form, key="features")


def list_(
    files: Files = None,
    entities: Where = "",
    feature: Annotated[
        list[str] | None, typer.Option("--feature", help="Column to add (repeatable).")
    ] = None,
    lists: Lists = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Print so many at most.")] = None,
    records: Annotated[
        bool, typer.Option("--records", help="Print plain-text records instead of a table.")
    ] = False,
    form: FormatOption = Format.table,
) -> None:
    """List the entities that a query chooses (all without one).

    Example: tagsuite catalogue list --entities 'contains_comma' --limit 5
    """
    from . import listing
    from .core.tables import Rows
    from .word_lists import read_lists

    wanted = [f.column for f in listing.find(feature or [])]
    columns = None if records else ["data", *wanted]
    table = listing.select(files or [], entities, columns, read_lists(lists or []))
    if limit is not None and table.num_rows > limit:
        say(f"{limit} of {table.num_rows} entities")
        table = table.slice(0, limit)
    if records:
        from .cache import to_frame
        from .entities_export import entries_of
        from .entities_xml import to_records

        put(to_records(entries_of(to_frame(table), computed=True)))
        return
    shown = [c for c in dict.fromkeys(["entity_id", "data", *wanted]) if c in table.column_names]
    emit(Rows({c: table[c].to_pylist() for c in shown}), form, key="entities")


def count(
    by: Annotated[list[str] | None, typer.Option("--by", help="Feature to count by (repeatable).")] = None,
    files: Files = None,
    entities: Where = "",
    bins: Annotated[bool, typer.Option("--bins", help="Count numbers in the taxonomy's bins.")] = False,
    lists: Lists = None,
    form: FormatOption = Format.table,
) -> None:
    """Count entities, by the values of features where --by names them (a set under each of its values).

    Example: tagsuite catalogue count --by case --by name_vs_symbol
    """
    from . import listing
    from .word_lists import read_lists

    found = listing.count(files or [], entities, by or [], bins=bins, lists=read_lists(lists or []))
    emit(found, form, key="counts")


def show(
    entity_id: Annotated[str, typer.Argument(help="The entity's id, or its surface form.")],
    files: Files = None,
    lists: Lists = None,
    form: FormatOption = Format.table,
) -> None:
    """Show everything about an entity: what is given, and what is computed.

    Example: tagsuite catalogue show BRCA1
    """
    from . import listing
    from .word_lists import read_lists

    emit(listing.sheet(files or [], entity_id, read_lists(lists or [])), form, key="features")


def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of entities (.xml, .txt); the bundled ones without any."),
    ] = None,
    least: Annotated[
        int,
        typer.Option(min=0, help="Entities that each value of a closed feature should have; 0 checks none."),
    ] = 0,
    form: FormatOption = Format.table,
) -> None:
    """Check files of entities: schema, stored against computed features, duplicates, values that lack.

    Example: tagsuite catalogue check mine.xml
    """
    from . import entities_check

    findings = entities_check.check(*(files or []), least=least)
    if len(findings) or form is not Format.table:
        emit(findings, form, key="findings")
    if len(findings):
        raise findings_error(len(findings), len(files or []), "entities")
    say("nothing wrong")


def export(
    out: Annotated[
        Path, typer.Option("--out", help="File to write: .xml, .txt (records), .csv or .parquet.")
    ],
    files: Files = None,
    entities: Where = "",
    lists: Lists = None,
    computed: Annotated[
        bool | None,
        typer.Option(
            "--computed/--given",
            help="Write computed features too; by default all formats but XML have them.",
        ),
    ] = None,
) -> None:
    """Write the entities that a query chooses to a file.

    Example: tagsuite catalogue export --entities 'case = lower' --out low.xml
    """
    from . import listing
    from .cache import to_frame
    from .entities_export import write_entities
    from .word_lists import read_lists

    frame = to_frame(listing.select(files or [], entities, None, read_lists(lists or [])))
    if frame.empty:
        raise InputError("no entity satisfies the query", found=entities, allowed="one that selects some")
    write_entities(frame, out, computed=computed)
    say(f"{len(frame)} entities in {out}")
