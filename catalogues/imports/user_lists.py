"""Import of the user's tables (with a column map) and lists (one entity per line)."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from ..core.errors import InputError, sort_by_similarity
from ..taxonomy import taxonomy
from ..values import normalise_value
from .collector import EntityCollector, list_given_columns
from .lines import locate_columns, read_lines, read_rows

WEIGHT_COLUMN = "weight"
"""Name of a column with frequencies; it is read as the feature `corpus_frequency`."""
_FREQUENCY = "corpus_frequency"
_TABS = (".tsv", ".tab", ".txt")


def read_csv(
    path: str | PathLike[str],
    authority: str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    split: str | None = None,
) -> EntityCollector:
    """Read a table of entities whose columns are mapped to entity features.

    Parameters
    ----------
    path : path
        Path of the table, which must have a header.
    authority : str, optional
        Default `source_authority` of entities.
    columns : mapping of str to str, optional
        Column of each feature; the features are `data`, `name_vs_symbol`, `source_id`, `source_authority`,
        `source_type`, `source_field`, `original_form_in_source`, `canonical_form`, `pmid`, `kind`,
        `type`, `look_alike_category`, `noun_form`, `species`, `corpus_frequency`. Columns with the name of a
        feature need no mapping; the column ``weight`` is read as `corpus_frequency`.
    delimiter : str, optional
        Character between the fields; by default a tab in .tsv, .tab and .txt files, and a comma in others.
    split : str, optional
        Separator between the forms in the column `data`, if a field may contain several.

    Raises
    ------
    InputError
        If a column is missing or a value is not legal.
    """
    suffixes = [s.lower() for s in Path(path).suffixes if s.lower() != ".gz"]
    separator = delimiter or ("\t" if suffixes[-1:] and suffixes[-1] in _TABS else ",")
    rows = read_rows(path, separator, quoted=True)
    _, header = next(rows, (1, []))
    if not any(header):
        raise InputError(
            "the table is empty; it needs a header with the column `data`, and one row per entity", file=path
        )
    mapped = {name: name for name in list_given_columns() if name in header}
    if WEIGHT_COLUMN in header:
        mapped.setdefault(_FREQUENCY, WEIGHT_COLUMN)
    mapped |= dict(columns or {})
    for name in mapped:
        if name not in list_given_columns():
            raise InputError(
                "unknown feature in the column map",
                found=name,
                allowed=", ".join(sort_by_similarity(name, list_given_columns())),
            )
    if "data" not in mapped:
        raise InputError(
            "the table has no column `data`; name the column of entities with --map data=COLUMN",
            file=path,
            line=1,
            found=", ".join(header),
        )
    places = locate_columns(header, list(mapped.values()), path)
    collector = EntityCollector(authority)
    rest = [(name, places[column]) for name, column in mapped.items() if name != "data"]
    data = places[mapped["data"]]
    for line, row in rows:
        collector.begin_record()
        given = {name: _check_value(name, row[place], path, line) for name, place in rest if row[place]}
        forms = row[data].split(split) if split else [row[data]]
        if not any(f.strip() for f in forms):
            collector.account.count_dropped("record", "empty entity", line)
        source_field = given.pop("source_field", None)
        for form in forms:
            collector.add_entity(form, source_field, line, **given)
    return collector


def read_list(path: str | PathLike[str], authority: str | None = None) -> EntityCollector:
    """Read a plain list with one entity per line; blank and duplicate lines are dropped.

    If the first line ends in a tab and the word ``weight``, each further line must contain an entity, a tab
    and a whole number, which becomes the feature `corpus_frequency`.

    Raises
    ------
    InputError
        If a weight is missing or not a whole number.
    """
    collector = EntityCollector(authority)
    seen: set[str] = set()
    weighted = False
    for line, text in read_lines(path):
        if line == 1 and text.endswith("\t" + WEIGHT_COLUMN):
            weighted = True
            continue
        form, weight = text, None
        if weighted and text.strip():
            form, tab, weight = text.rpartition("\t")
            if not (tab and weight.strip()):
                raise InputError(
                    "the line has no weight", file=path, line=line, found=text, allowed="form<tab>weight"
                )
            weight = _check_value(_FREQUENCY, weight, path, line)
        collector.begin_record(corpus_frequency=weight) if weight else collector.begin_record()
        if not form.strip():
            collector.account.count_dropped("record", "blank line", line)
        elif form in seen:
            collector.account.count_dropped("entity", "duplicate of an earlier line", line)
        else:
            seen.add(form)
            collector.add_entity(form, None, line)
    return collector


def _check_value(name: str, value: str, path: str | PathLike[str], line: int) -> str:
    feature = taxonomy().find(f"entity.{name}")
    if not feature.values:
        return normalise_value(feature, value, file=path, line=line)
    parts = value.split("|") if feature.kind == "set" else [value]
    values = [found for part in parts if (found := feature.find_value(part)) is not None]
    if len(values) < len(parts):
        raise InputError(
            f"{feature.name}: unknown value",
            file=path,
            line=line,
            found=value,
            allowed=feature.legal_values_text,
        )
    return feature.join_values(values) if feature.kind == "set" else values[0]
