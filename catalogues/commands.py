"""Commands of the group ``catalogue``, which show entities, their features and the taxonomy of features."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .core.command_line import FormatOption, add_group
from .core.errors import InputError, unknown_name_error
from .core.findings import findings_error
from .core.messages import say
from .core.tables import OutputFormat, print_frame, print_text
from .imports.commands import import_

CatalogueOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--catalogue",
        help="Catalogue file: .xml, .txt or .parquet (repeatable); by default the bundled one.",
    ),
]
EntitiesOption = Annotated[
    str, typer.Option("--entities", help="Query that selects the entities; by default all.", metavar="QUERY")
]
ListsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--list",
        help="Word list for the feature in_list.NAME: one entry per line, or the N most common words.",
        metavar="NAME=FILE|NAME=wordfreq:N",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command group `catalogue` to the program."""
    description = "List, count, show, check, import and export entities and their features."
    commands = (features, list_, count, show, check, export, import_)
    add_group(app, "catalogue", description, commands)


def features(
    name: Annotated[
        str | None, typer.Argument(help="Name of a feature to describe.", metavar="FEATURE")
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            help="Scope of the features to list (repeatable).",
            metavar="entity|context|slot|mention",
        ),
    ] = None,
    coverage: Annotated[
        bool,
        typer.Option(
            "--coverage",
            help="Count entities per value, for each feature that has a fixed set of values.",
        ),
    ] = False,
    files: CatalogueOption = None,
    entities: EntitiesOption = "",
    form: FormatOption = OutputFormat.table,
) -> None:
    """List the features of the taxonomy, describe one feature, or count entities by feature values.

    Example: tagsuite catalogue features case
    """
    from . import entity_queries
    from .feature import SCOPES

    unknown = [s for s in scope or [] if s not in SCOPES]
    if unknown:
        raise unknown_name_error("scope", unknown[0], SCOPES)
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
        list[str] | None,
        typer.Option("--feature", help="Feature to show in an extra column (repeatable).", metavar="FEATURE"),
    ] = None,
    lists: ListsOption = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of entities to print.")] = None,
    records: Annotated[
        bool, typer.Option("--records", help="Print plain-text records instead of a table.")
    ] = False,
    form: FormatOption = OutputFormat.table,
) -> None:
    """List the entities that a query selects.

    Example: tagsuite catalogue list --entities 'contains_comma' --limit 5
    """
    from . import entity_queries
    from .word_lists import read_lists

    wanted = [f.column for f in entity_queries.find_features(feature or [])]
    columns = None if records else ["data", *wanted]
    table = entity_queries.select_entities(files or [], entities, columns, read_lists(lists or []))
    if limit is not None and table.num_rows > limit:
        say(f"only the first {limit} of {table.num_rows} entities are printed")
        table = table.slice(0, limit)
    if records:
        from .cache import table_to_frame
        from .entities_export import make_entries
        from .entities_xml import format_entity_records

        print_text(format_entity_records(make_entries(table_to_frame(table), computed=True)))
        return
    shown = [c for c in dict.fromkeys(["entity_id", "data", *wanted]) if c in table.column_names]
    print_frame({c: table[c].to_pylist() for c in shown}, form, key="entities")


def count(
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", help="Count entities by the values of this feature (repeatable).", metavar="FEATURE"
        ),
    ] = None,
    files: CatalogueOption = None,
    entities: EntitiesOption = "",
    bins: Annotated[
        bool, typer.Option("--bins", help="Group numbers into the bins that the taxonomy defines.")
    ] = False,
    lists: ListsOption = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Count all entities, or the entities with each value of one or more features.

    Example: tagsuite catalogue count --by case --by name_vs_symbol

    An entity with several values of a feature is counted once for each value.
    """
    from . import entity_queries
    from .word_lists import read_lists

    found = entity_queries.count_entities(
        files or [], entities, by or [], bins=bins, lists=read_lists(lists or [])
    )
    print_frame(found, form, key="counts")


def show(
    entity_id: Annotated[
        str, typer.Argument(help="Identifier or surface form of the entity.", metavar="ENTITY")
    ],
    files: CatalogueOption = None,
    lists: ListsOption = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Show all stored and computed features of an entity.

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
        typer.Argument(help="Entity files (.xml, .txt); by default the bundled ones.", metavar="FILE"),
    ] = None,
    least: Annotated[
        int,
        typer.Option(
            min=0,
            help="Minimum number of entities per feature value; rarer values are reported.",
        ),
    ] = 0,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Check entity files for schema errors, wrong stored features, duplicates and missing values.

    Example: tagsuite catalogue check mine.xml
    """
    from . import entities_check

    findings = entities_check.check_entities(*(files or []), min_count=least)
    number = len(findings["problem"])
    if number or form is not OutputFormat.table:
        print_frame(findings, form, key="findings")
    if number:
        raise findings_error(number, len(files or []), "entities")
    say("no problems found")


def export(
    out: Annotated[
        Path, typer.Option("--out", help="File to write: .xml, .txt (records), .csv or .parquet.")
    ],
    files: CatalogueOption = None,
    entities: EntitiesOption = "",
    lists: ListsOption = None,
) -> None:
    """Write the entities that a query selects to a file.

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
        raise InputError("the query selects no entity", found=entities)
    write_entities(frame, out)
    say(f"{len(frame)} entities written to {out}")
