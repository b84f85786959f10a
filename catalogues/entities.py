"""Functions that read entity catalogues into tables with all features, and cache these tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cache import cached_table, frame_to_table, source_digest, table_to_frame
from .core import files
from .core.errors import InputError
from .core.files import digest_bytes, open_input, read_bytes
from .core.findings import check_new_id
from .core.parquet import open_parquet
from .entities_xml import ENTITY_LABEL, EntityEntry, is_given, parse_entity_file
from .feature import LIST_PREFIX, Feature
from .own_features import add_needed_columns, add_query_columns, list_own_features
from .taxonomy import digest_own_features, taxonomy
from .values import TRUE_WORDS

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ENTITIES_STEM, LOOK_ALIKES_STEM = "entities", "look_alikes"
DEFAULT_KIND = "gene"
"""Kind of an entity if its source gives neither a kind nor a type."""
OTHER_KIND = "other"
"""Kind of entities that are neither genes nor gene products."""
DEFAULT_ENTITY_QUERY = "kind not in (compound, look_alike)"
"""Query for the entities that suites use by default."""
OPTIONAL_FEATURES = ("type", "noun_form")
"""Features read from catalogues; their columns exist only if at least one entity has a value."""
_PARQUET_MAGIC = b"PAR1"


def read_bundled_entity_files(stem: str = ENTITIES_STEM) -> list[tuple[str, bytes]]:
    """Return the name and content of each bundled XML file whose name begins with `stem`, sorted by name."""
    return files.read_bundled_files(__package__, stem)


def read_entities(*paths: str | PathLike[str]) -> pd.DataFrame:
    """Read catalogues of entities and compute the features of the entities.

    Parameters
    ----------
    *paths : path
        Files in XML, records (.txt) or Parquet (as written by ``catalogue import``). Without paths, the
        bundled entities are read.

    Returns
    -------
    DataFrame
        One row per entity, with `entity_id` and all entity features (stored and computed). Ids are strings,
        unless a single Parquet file with integer ids is read.

    Raises
    ------
    InputError
        If a file is not valid or two entities have the same id; the message shows the file and line.
    """
    return table_to_frame(read_entity_table(paths))


def read_look_alikes() -> pd.DataFrame:
    """Read the bundled look-alikes (terms that are not entities), with the columns of `read_entities`."""
    return table_to_frame(_table_from_files(read_bundled_entity_files(LOOK_ALIKES_STEM), None))


def read_entity_table(
    paths: Sequence[str | PathLike[str]] = (), columns: Collection[str] | None = None
) -> pa.Table:
    """Read catalogues of entities into an Arrow table; pandas is imported only if features must be computed.

    Parameters
    ----------
    paths : sequence of path
        Files of entities; see `read_entities`.
    columns : collection of str, optional
        Columns to read besides `entity_id`; all if None.

    Raises
    ------
    InputError
        If a file is not valid or two entities have the same id; the message shows the file and line.
    """
    if not paths:
        return _table_from_files(read_bundled_entity_files(), columns)
    contents = [(str(path), _read_content(Path(path))) for path in paths]
    tables = []
    texts = [(name, content) for name, content in contents if content[:4] != _PARQUET_MAGIC]
    if texts:
        tables.append(_table_from_files(texts, columns))
    tables += [
        _table_from_parquet(name, columns) for name, content in contents if content[:4] == _PARQUET_MAGIC
    ]
    return tables[0] if len(tables) == 1 else _concatenate_tables(tables, [name for name, _ in contents])


def _read_content(path: Path) -> bytes:
    """Return the content of a catalogue file; for a Parquet file, only its first bytes."""
    allowed = "a catalogue: .xml, .txt (records) or .parquet"
    with open_input(path, allowed) as stream:
        start = stream.read(4)
    if start == _PARQUET_MAGIC:
        return start
    return read_bytes(path, allowed)


def _table_from_files(files: Sequence[tuple[str, bytes]], columns: Collection[str] | None) -> pa.Table:
    def build() -> pa.Table:
        return frame_to_table(build_entity_frame(read_entries(files)))

    parts = [source_digest("tagsuite.catalogues"), digest_own_features()]
    parts += [digest_bytes(n.encode(), c) for n, c in files]
    wanted = None if columns is None else ["entity_id", *columns]
    return cached_table("entities", parts, build, wanted)


def read_entries(files: Sequence[tuple[str, bytes]]) -> list[EntityEntry]:
    """Parse the entries of several files, each given as a pair of name and content.

    Raises
    ------
    InputError
        If a file is not valid or an id occurs more than once; the message shows the file and line.
    """
    seen: dict[str, EntityEntry] = {}
    for name, content in files:
        for entry in parse_entity_file(content, name).entries:
            check_new_id(entry, seen, ENTITY_LABEL)
    return list(seen.values())


def build_entity_frame(entries: Sequence[EntityEntry]) -> pd.DataFrame:
    """Make a table with one row per entry and one column per feature."""
    import pandas as pd

    from .entity_features import entity_features

    columns: dict[str, Any] = {"entity_id": pd.Series([e.id for e in entries], dtype="str")}
    lists = sorted({n for e in entries for n in e.given if n.startswith(LIST_PREFIX)})
    for feature in (
        *taxonomy().select_scopes("entity"),
        *(taxonomy().find(name, ("entity",)) for name in lists),
    ):
        if feature.name == "data":
            columns["data"] = pd.Series([e.data for e in entries], dtype="str")
        elif feature.name in lists:
            columns[feature.name] = make_given_column(feature, [e.given.get(feature.name) for e in entries])
        elif is_given(feature) and not feature.name.startswith(LIST_PREFIX):
            values = [e.given.get(feature.name) for e in entries]
            if feature.name == "kind":
                values = [e.given.get("kind") or default_kind(e.given.get("type")) for e in entries]
            if feature.name not in OPTIONAL_FEATURES or any(values):
                columns[feature.name] = make_given_column(feature, values)
    frame = pd.DataFrame(columns)
    computed = entity_features(frame["data"], given=frame[["name_vs_symbol"]])
    frame = pd.concat([frame.drop(columns="name_vs_symbol"), computed], axis=1)
    frame = add_query_columns(frame, "entity")
    order = [f.name for f in taxonomy().select_scopes("entity") if f.name in frame]
    return frame[["entity_id", *order, *lists]]


def default_kind(entity_type: str | None) -> str:
    """Return the default kind of an entity, derived from its type if it has one.

    Examples
    --------
    >>> default_kind(None), default_kind("protein"), default_kind("disease")
    ('gene', 'protein', 'other')
    """
    kinds = {value.name for value in taxonomy().find("entity.kind").values}
    return entity_type if entity_type in kinds else OTHER_KIND if entity_type else DEFAULT_KIND


def make_given_column(feature: Feature, values: list[str | None]) -> Any:
    """Convert the values of a feature from text to a pandas column; None becomes a missing value."""
    import pandas as pd

    if feature.kind == "boolean":
        return pd.array([None if v is None else v in TRUE_WORDS for v in values], dtype="boolean")
    if feature.kind == "category" and feature.values:
        return pd.Categorical(values, categories=pd.Index([v.name for v in feature.values], dtype="str"))
    if feature.kind == "integer":
        return pd.array([None if v is None else int(v) for v in values], dtype="Int32")
    return pd.Series(values, dtype="str")


def _table_from_parquet(name: str, columns: Collection[str] | None) -> pa.Table:
    wanted = None if columns is None else {"entity_id", *add_needed_columns(columns)}
    own = list_own_features("entity", wanted)
    if own and wanted is not None:
        wanted.add("data")
    with open_parquet(name, checksums=True) as file:
        names = file.schema_arrow.names
        missing = [needed for needed in ("entity_id", "data") if needed not in names]
        if missing:
            raise InputError(
                f"not a catalogue of entities: the column {missing[0]!r} is missing; "
                "use a file written by `tagsuite catalogue import` or `export`",
                file=name,
                found=", ".join(names),
            )
        if not file.metadata.num_rows:
            raise InputError("the file contains no entities", file=name)
        _check_types(file.schema_arrow, name)
        table = file.read(columns=None if wanted is None else [c for c in names if c in wanted])
        _check_kinds(table, name)
        if columns is None:
            # the table will become a DataFrame: read the metadata written by pandas now, to detect damage
            table.schema.empty_table().to_pandas()
        lacking = [f.column for f in own if f.column not in names]
        return _add_own_columns(table, lacking) if lacking else table


def _add_own_columns(table: pa.Table, lacking: Sequence[str]) -> pa.Table:
    """Compute the columns of the user's features that a table of entities lacks, and add them."""
    from .entity_features import entity_features

    frame = table_to_frame(table)
    computed = entity_features(frame["data"], columns=lacking)
    return frame_to_table(add_query_columns(frame.assign(**computed), "entity", lacking))


def _check_types(schema: pa.Schema, name: str) -> None:
    """Raise InputError if the type of a column is not suitable for its feature."""
    import pyarrow as pa

    fitting = {
        "boolean": (pa.types.is_boolean,),
        "integer": (pa.types.is_integer, pa.types.is_floating),
        "number": (pa.types.is_integer, pa.types.is_floating),
        "id": (pa.types.is_integer, pa.types.is_string, pa.types.is_large_string),
    }
    words = (pa.types.is_string, pa.types.is_large_string)
    kinds = {f.column: f.kind for f in taxonomy().select_scopes("entity")} | {"entity_id": "id"}
    for field in schema:
        if field.name not in kinds or pa.types.is_null(field.type):
            continue
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        tests = fitting.get(kinds[field.name], words)
        if not any(test(kind) for test in tests):
            raise InputError(
                f"the column {field.name} has the wrong type for a feature of kind {kinds[field.name]}",
                file=name,
                found=str(field.type),
            )


def _check_kinds(table: pa.Table, name: str) -> None:
    """Raise InputError for an unknown kind of entity, such as ``entity`` in files from before version 0.3."""
    import pyarrow as pa

    if "kind" not in table.column_names:
        return
    legal = [v.name for v in taxonomy().find("entity.kind").values]
    unknown = set(table["kind"].cast(pa.large_string()).unique().to_pylist()) - {*legal, None}
    if unknown:
        raise InputError(
            "unknown kind of entity; if an older version wrote this file, import the catalogue again",
            file=name,
            found=min(unknown),
            allowed=", ".join(legal),
        )


def _concatenate_tables(tables: Sequence[pa.Table], names: Sequence[str]) -> pa.Table:
    """Concatenate tables of entities; ids become text, and missing columns are filled with nulls."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = []
    for table in tables:
        place = table.column_names.index("entity_id")
        ids = table.column(place).cast(pa.large_string())
        texts.append(table.set_column(place, "entity_id", ids).replace_schema_metadata(None))
    joined = pa.concat_tables(
        [_decode_dictionaries(t) for t in texts], promote_options="permissive"
    ).combine_chunks()
    counts = pc.value_counts(joined["entity_id"].combine_chunks())
    if len(counts) < joined.num_rows:
        duplicate = next(c["values"].as_py() for c in counts if c["counts"].as_py() > 1)
        raise InputError(
            "two catalogues contain an entity with the same id", file=", ".join(names), found=duplicate
        )
    return joined


def _decode_dictionaries(table: pa.Table) -> pa.Table:
    """Convert text and dictionary columns to common Arrow types, so that tables can be concatenated."""
    import pyarrow as pa

    text = pa.large_string()
    for place, column in enumerate(table.schema):
        kind = column.type
        if pa.types.is_dictionary(kind):
            flat = table.column(place).cast(kind.value_type).cast(text)
            table = table.set_column(place, column.name, flat.dictionary_encode())
        elif pa.types.is_string(kind) or pa.types.is_null(kind):
            table = table.set_column(place, column.name, table.column(place).cast(text))
    return table
