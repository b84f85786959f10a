"""The commands ``tagsuite catalogue …``: the taxonomy, and what entities there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .core.command_line import FormatOption, add_group
from .core.errors import InputError
from .core.findings import findings_error
from .core.messages import say
from .core.tables import OutputFormat, print_frame, print_text
from .imports.commands import import_

CatalogueOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--catalogue", help="Catalogue: .xml, .txt or .parquet (repeatable); the bundled one without it."
    ),
]
EntitiesOption = Annotated[str, typer.Option("--entities", help="Query that chooses entities.")]
ListsOption = Annotated[
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
    files: CatalogueOption = None,
    entities: EntitiesOption = "",
    form: FormatOption = OutputFormat.table,
) -> None:
    """List the features of the taxonomy, their values and definitions; or how the catalogue covers them.

    Example: tagsuite catalogue features case
    """
    from . import entity_queries
    from .taxonomy import SCOPES

    wrong = [s for s in scope or [] if s not in SCOPES]
    if wrong:
        raise InputError("no such scope", found=wrong[0], allowed=", ".join(SCOPES))
    if name is not None:
        print_frame(entity_queries.make_feature_sheet(name), form, key="aspects")
    elif coverage:
        print_frame(entity_queries.count_coverage(files or [], entities), form, key="coverage")
    else:
        print_frame(entity_queries.make_features_table(scope or []), form, key="features")


def list_(
    files: CatalogueOption = None,
    entities: EntitiesOption = "",
    feature: Annotated[
        list[str] | None, typer.Option("--feature", help="Column to add (repeatable).")
    ] = None,
    lists: ListsOption = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Print so many at most.")] = None,
    records: Annotated[
        bool, typer.Option("--records", help="Print plain-text records instead of a table.")
    ] = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """List the entities that a query chooses (all without one).

    Example: tagsuite catalogue list --entities 'contains_comma' --limit 5
    """
    from . import entity_queries
    from .core.tables import ColumnTable
    from .word_lists import read_lists

    wanted = [f.column for f in entity_queries.find_features(feature or [])]
    columns = None if records else ["data", *wanted]
    table = entity_queries.select_entities(files or [], entities, columns, read_lists(lists or []))
    if limit is not None and table.num_rows > limit:
        say(f"{limit} of {table.num_rows} entities")
        table = table.slice(0, limit)
    if records:
        from .cache import table_to_frame
        from .entities_export import make_entries
        from .entities_xml import format_entity_records

        print_text(format_entity_records(make_entries(table_to_frame(table), computed=True)))
        return
    shown = [c for c in dict.fromkeys(["entity_id", "data", *wanted]) if c in table.column_names]
    print_frame(ColumnTable({c: table[c].to_pylist() for c in shown}), form, key="entities")


def count(
    by: Annotated[list[str] | None, typer.Option("--by", help="Feature to count by (repeatable).")] = None,
    files: CatalogueOption = None,
    entities: EntitiesOption = "",
    bins: Annotated[bool, typer.Option("--bins", help="Count numbers in the taxonomy's bins.")] = False,
    lists: ListsOption = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Count entities, by the values of features where --by names them (a set under each of its values).

    Example: tagsuite catalogue count --by case --by name_vs_symbol
    """
    from . import entity_queries
    from .word_lists import read_lists

    found = entity_queries.count_entities(
        files or [], entities, by or [], bins=bins, lists=read_lists(lists or [])
    )
    print_frame(found, form, key="counts")


def show(
    entity_id: Annotated[str, typer.Argument(help="The entity's id, or its surface form.")],
    files: CatalogueOption = None,
    lists: ListsOption = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Show everything about an entity: what is given, and what is computed.

    Example: tagsuite catalogue show BRCA1
    """
    from . import entity_queries
    from .word_lists import read_lists

    print_frame(
        entity_queries.make_entity_sheet(files or [], entity_id, read_lists(lists or [])),
        form,
        key="features",
    )


def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of entities (.xml, .txt); the bundled ones without any."),
    ] = None,
    least: Annotated[
        int,
        typer.Option(min=0, help="Entities that each value of a closed feature should have; 0 checks none."),
    ] = 0,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Check files of entities: schema, stored against computed features, duplicates, values that lack.

    Example: tagsuite catalogue check mine.xml
    """
    from . import entities_check

    findings = entities_check.check_entities(*(files or []), min_count=least)
    if len(findings) or form is not OutputFormat.table:
        print_frame(findings, form, key="findings")
    if len(findings):
        raise findings_error(len(findings), len(files or []), "entities")
    say("nothing wrong")


def export(
    out: Annotated[
        Path, typer.Option("--out", help="File to write: .xml, .txt (records), .csv or .parquet.")
    ],
    files: CatalogueOption = None,
    entities: EntitiesOption = "",
    lists: ListsOption = None,
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
    from . import entity_queries
    from .cache import table_to_frame
    from .entities_export import write_entities
    from .word_lists import read_lists

    frame = table_to_frame(
        entity_queries.select_entities(files or [], entities, None, read_lists(lists or []))
    )
    if frame.empty:
        raise InputError("no entity satisfies the query", found=entities, allowed="one that selects some")
    write_entities(frame, out, computed=computed)
    say(f"{len(frame)} entities in {out}")
