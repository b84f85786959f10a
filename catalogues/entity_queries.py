"""Functions that select and count entities in catalogues, and functions that describe features.

The library pandas is imported only if necessary, because the import takes longer than a query.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from .core.errors import InputError
from .core.tables import Columns
from .entities import read_entity_table
from .feature import LIST_PREFIX, Feature
from .query import Query
from .query.columns import QueryColumns, mask_to_arrow
from .taxonomy import taxonomy
from .value_codes import combine_codes, encode_values, iterate_closed_values, split_value
from .values import format_cell_value
from .word_lists import COMMON_ENGLISH_LIST, require_lists

ENTITY_SCOPES = ("entity",)
ENGLISH_FEATURES = ("contains_common_English_word", "is_common_English_word")


def find_features(names: Sequence[str]) -> list[Feature]:
    """Return the entity features with the given names; raise InputError for an unknown name."""
    return [taxonomy().find(name, ENTITY_SCOPES) for name in names]


def select_entities(
    paths: Sequence[str | PathLike[str]],
    query: str,
    columns: Collection[str] | None = None,
    lists: Mapping[str, frozenset[str]] | None = None,
) -> Any:
    """Return the entities that a query selects, as an Arrow table.

    Parameters
    ----------
    paths : sequence of path
        Catalogue files; if empty, the bundled entities are used.
    query : str
        A query over entity features; "" selects all entities.
    columns : collection of str, optional
        Columns to return in addition to those of the query; if None, all columns are returned.
    lists : mapping of str to frozenset of str, optional
        The user's lists by name, for features ``in_list.NAME``.
    """
    parsed = Query.parse(query or "all", scopes=ENTITY_SCOPES)
    needed = None if columns is None else {*columns, *parsed.columns, *(["data"] if lists else [])}
    table = read_entity_table(paths, needed)
    if lists:
        table = _with_lists(table, lists)
    require_lists(parsed.features, table.column_names)
    if parsed.selects_everything:
        return table
    return table.filter(mask_to_arrow(parsed.evaluate(table)))


def _with_lists(table: Any, lists: Mapping[str, frozenset[str]]) -> Any:
    """Add a membership column for each of the user's lists.

    If a list is named common_English, also compute the features about common English words from it.
    """
    import pyarrow as pa

    replaced = {}
    if COMMON_ENGLISH_LIST in lists:
        import pandas as pd

        from .entity_features import entity_features

        names = [n for n in ENGLISH_FEATURES if n in table.column_names]
        forms = pd.Series(table["data"].to_pylist(), dtype="str")
        computed = entity_features(forms, lists=lists, columns=names)
        replaced = {n: pa.array(computed[n].to_numpy(), pa.bool_()) for n in names}
    for name, values in replaced.items():
        table = table.set_column(table.column_names.index(name), name, values)
    forms = table["data"].to_pylist()
    for name, members in lists.items():
        values = pa.array([form in members for form in forms], pa.bool_())
        if LIST_PREFIX + name in table.column_names:
            raise InputError(f"the catalogue already has a list named {name!r}; choose another name")
        table = table.append_column(LIST_PREFIX + name, values)
    return table


def count_entities(
    paths: Sequence[str | PathLike[str]],
    query: str,
    by: Sequence[str],
    *,
    bins: bool = False,
    lists: Mapping[str, frozenset[str]] | None = None,
) -> Columns:
    """Return the number of entities per combination of feature values.

    An entity with several values of a set-valued feature is counted once for each value.

    Parameters
    ----------
    paths, query, lists
        Catalogues, query and word lists that select the entities; see `select_entities`.
    by : sequence of str
        Names of entity features.
    bins : bool
        Group numeric values into the bins of the taxonomy.
    """
    features = find_features(by)
    table = select_entities(paths, query, [f.column for f in features] or ["data"], lists)
    if not features:
        return {"entities": [table.num_rows]}
    columns = QueryColumns(table)
    counts: Counter[tuple[Any, ...]] = Counter()
    codes, combinations = combine_codes([encode_values(columns, f) for f in features])
    for values, number in zip(combinations, np.bincount(codes).tolist(), strict=True):
        shown = [_counted_values(v, f, bins) for v, f in zip(values, features, strict=True)]
        for combination in itertools.product(*shown):
            counts[combination] += number
    order = sorted(counts.items(), key=lambda item: (-item[1], [_sort_key(v) for v in item[0]]))
    content = {f.name: [key[i] for key, _ in order] for i, f in enumerate(features)}
    return {**content, "entities": [n for _, n in order]}


def _counted_values(value: Any, feature: Feature, bins: bool) -> list[Any]:
    if value is None:
        return [None]
    if feature.kind == "set":
        return list(split_value(feature, str(value)))
    if bins and feature.bins:
        part = feature.find_bin(int(value))
        return [None if part is None else part.name]
    return [value]


def _sort_key(value: Any) -> tuple[int, float, str]:
    number = isinstance(value, (int, float))
    return (value is None, float(value) if number else 0.0, "" if number or value is None else str(value))


def make_features_table(scopes: Sequence[str]) -> Columns:
    """Make a table of the features in the given scopes, with their values and definitions."""
    features = taxonomy().select_scopes(*scopes)
    return {
        "feature": [f.qualified_name for f in features],
        "category": [f.category for f in features],
        "kind": [f.kind for f in features],
        "values": [format_legal_values(f) for f in features],
        "needs": [format_needs(f) for f in features],
        "definition": [f.definition for f in features],
    }


def format_legal_values(feature: Feature, separator: str = " ") -> str:
    """Return the legal values of a feature with their codes, or the names of its bins, as text."""
    return feature.legal_values_text or separator.join(b.name for b in feature.bins)


def format_needs(feature: Feature) -> str:
    """Return the input from which a feature is computed: "catalogue", "mentions" or "text"."""
    return "catalogue" if feature.is_catalogue_only else "mentions" if feature.needs_mentions else "text"


def make_feature_sheet(name: str) -> Columns:
    """Make a table that describes a feature, with one row per aspect (definition, values, examples …)."""
    feature = taxonomy().find(name)
    rows = [
        ("feature", feature.qualified_name),
        ("category", feature.category),
        ("kind", feature.kind),
        ("definition", feature.definition),
        ("source", feature.source),
        ("fault model", feature.fault_model),
        ("bins", " ".join(b.name for b in feature.bins)),
        *(
            (f"value {v.name}", f"({v.code}) {v.definition}" if v.code else v.definition or v.name)
            for v in feature.values
        ),
        *(("example", f"{e.text} -> {e.value or 'absent'}") for e in feature.examples),
    ]
    filled = [row for row in rows if row[1]]
    return {"aspect": [r[0] for r in filled], "text": [r[1] for r in filled]}


def make_entity_sheet(
    paths: Sequence[str | PathLike[str]], entity_id: str, lists: Mapping[str, frozenset[str]] | None = None
) -> Columns:
    """Return the features of an entity as a table with one row per feature.

    The columns are `entity_id`, `feature`, `value` and `of` ("given" or "computed").

    Parameters
    ----------
    paths, lists
        Catalogue files and the user's lists; see `select_entities`.
    entity_id : str
        Id or surface form of the entity. All entities with a given surface form are shown.

    Raises
    ------
    InputError
        If no entity has this id or surface form.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    table = select_entities(paths, "", None, lists)
    by_id = pc.equal(table["entity_id"].cast(pa.large_string()), entity_id)
    selected = table.filter(by_id)
    if not selected.num_rows:
        selected = table.filter(pc.equal(table["data"].cast(pa.large_string()), entity_id))
    if not selected.num_rows:
        raise InputError("unknown id or surface form; see `tagsuite catalogue list`", found=entity_id)
    rows: list[tuple[str, str, str, str]] = []
    known = {f.column: f for f in taxonomy().select_scopes("entity")}
    for entity in selected.to_pylist():
        for name, value in entity.items():
            text = format_cell_value(value)
            if name == "entity_id" or not text:
                continue
            feature = known.get(name)
            computed = feature is not None and feature.is_computed
            rows.append((str(entity["entity_id"]), name, text, "computed" if computed else "given"))
    columns = ("entity_id", "feature", "value", "of")
    return {c: [row[i] for row in rows] for i, c in enumerate(columns)}


def count_coverage(paths: Sequence[str | PathLike[str]], query: str = "") -> Columns:
    """Count the entities with each value (or bin) of each feature that has a fixed set of values."""
    closed = [
        f for f in taxonomy().select_scopes("entity") if f.is_closed and not f.name.startswith(LIST_PREFIX)
    ]
    columns = QueryColumns(select_entities(paths, query, [f.column for f in closed]))
    rows = [
        (feature.name, value, int(flags.sum()))
        for feature in closed
        for value, flags in iterate_closed_values(columns, feature)
    ]
    return {c: [row[i] for row in rows] for i, c in enumerate(("feature", "value", "entities"))}
