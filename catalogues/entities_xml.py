"""Functions that read and write entity files (XML or plain-text records) without loss."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from os import PathLike
from pathlib import Path
from xml.sax.saxutils import escape

from .core.errors import InputError
from .core.files import atomic_text, decode_utf8
from .core.files import read_bytes as read_content
from .core.findings import check_new_id
from .core.xml import format_attributes, parse_xml_bytes
from .feature import LIST_PREFIX, Feature
from .records import Record, format_records, make_record, parse_records
from .taxonomy import Taxonomy, taxonomy
from .values import normalise_value, to_short_code

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ESCAPES = {"\r": "&#13;"}
# files of versions before 0.3 use this kind for everything except look-alikes
_UNKNOWN_KIND = "entity"
SHARED_ATTRIBUTES = ("kind", "type")
"""Attributes that the root element of an XML file can set for all its entities."""
ENTITY_LABEL = "an entity"
ID_FIELD = "ID"
"""Name of the record field with the entry's id."""


@dataclass(frozen=True)
class EntityEntry:
    """Entity as stored in a file.

    Attributes
    ----------
    id : str
        Unique identifier.
    data : str
        Surface form.
    given : mapping of str to str
        Values of the features that are not computed, such as source, kind and membership in lists; written
        as full names, not as short codes.
    stored : mapping of str to str
        Values of computed features; if they were read from a file, they are used only for checks.
    file, line : str, int
        Path of the file, and line number of the entry.
    """

    id: str
    data: str
    given: Mapping[str, str] = field(default_factory=dict)
    stored: Mapping[str, str] = field(default_factory=dict)
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class EntityFile:
    """Content of an entity file, which consists of entries, a licence and a note."""

    entries: tuple[EntityEntry, ...]
    licence: str = ""
    note: str = ""


def is_given(feature: Feature) -> bool:
    """Return True if a feature is read from files, not computed."""
    return (
        feature.is_catalogue_only or feature.name == "name_vs_symbol" or feature.name.startswith(LIST_PREFIX)
    )


FaultList = list[InputError]


def read_entity_file(path: str | PathLike[str], faults: FaultList | None = None) -> EntityFile:
    """Read an entity file: records if its name ends in .txt, otherwise XML.

    Parameters
    ----------
    path : path
        Path of an entity file.
    faults : list, optional
        List to which errors in single entries are appended; such entries are skipped. If None, the first
        error is raised.

    Raises
    ------
    InputError
        If the file is not valid or has an unknown feature, an unknown value or a duplicate id. The message
        shows the file and line.
    """
    return parse_entity_file(read_content(path), str(path), faults)


def parse_entity_file(content: bytes, file: str, faults: FaultList | None = None) -> EntityFile:
    """Parse the content of an entity file (see `read_entity_file`); error messages name `file`."""
    suffix = Path(file).suffix.lower()
    if suffix == ".txt":
        records = parse_records(decode_utf8(content, file), file)
        if not records:
            raise InputError("the file contains no entities; a record must begin with ID:", file=file)
        return EntityFile(tuple(_make_valid_entries((partial(_from_record, r) for r in records), faults)))
    if suffix != ".xml" and content.strip() and content.lstrip()[:1] != b"<":
        raise InputError(
            "not a catalogue of entities; import tables and lists with `tagsuite catalogue import`",
            file=file,
            allowed="XML, records (.txt), Parquet",
        )
    return _from_xml(
        parse_xml_bytes(content, file, package=__package__, schema_name="entities.rng"), file, faults
    )


def _make_valid_entries(
    makers: Iterable[Callable[[], EntityEntry]], faults: FaultList | None
) -> list[EntityEntry]:
    """Return the valid entries; append the errors in other entries to `faults`, or raise the first error."""
    seen: dict[str, EntityEntry] = {}
    for make in makers:
        try:
            entry = make()
            check_new_id(entry, seen, ENTITY_LABEL)
        except InputError as error:
            if faults is None:
                raise
            faults.append(error)
    return list(seen.values())


def _from_xml(root: object, file: str, faults: FaultList | None) -> EntityFile:
    get = root.get  # type: ignore[attr-defined]
    common = {name: get(name) for name in SHARED_ATTRIBUTES if get(name)}
    makers = [partial(_from_element, element, common, file) for element in root]  # type: ignore[attr-defined]
    if not makers:
        raise InputError("the file contains no entities: it has no <entity> element", file=file)
    return EntityFile(tuple(_make_valid_entries(makers, faults)), get("licence") or "", get("note") or "")


def _from_element(element: object, common: Mapping[str, str], file: str) -> EntityEntry:
    pairs = {**common, **dict(element.attrib)}  # type: ignore[attr-defined]
    entry_id = pairs.pop("id")
    text = element.text or ""  # type: ignore[attr-defined]
    return _entry(entry_id, text, pairs, file, int(element.sourceline))  # type: ignore[attr-defined]


def _from_record(record: Record) -> EntityEntry:
    pairs = {f.name: f.value for f in record}
    for needed in (ID_FIELD, "data"):
        if not pairs.get(needed):
            raise InputError(f"the record has no field {needed}", file=record.file, line=record.line)
    return _entry(pairs.pop(ID_FIELD), pairs.pop("data"), pairs, record.file, record.line)


def _entry(entry_id: str, data: str, pairs: Mapping[str, str], file: str, line: int) -> EntityEntry:
    if not data:
        raise InputError(f"the entity with id {entry_id} has no surface form", file=file, line=line)
    given: dict[str, str] = {}
    stored: dict[str, str] = {}
    for name, text in pairs.items():
        if name == "kind" and text == _UNKNOWN_KIND:
            continue
        try:
            feature = _feature(name)
        except InputError as error:
            raise InputError(
                error.problem, file=file, line=line, found=name, near=error.near, allowed=error.allowed
            ) from None
        value = normalise_value(feature, text, file=file, line=line)
        if not is_given(feature):
            stored[feature.name] = value
        elif value:
            given[feature.name] = value
    return EntityEntry(entry_id, data, given, stored, file, line)


def write_entity_file(content: EntityFile, path: str | PathLike[str]) -> None:
    """Write an entity file: as records if its name ends in .txt, otherwise as XML (one entity per line)."""
    with atomic_text(path) as stream:
        stream.write(
            format_entity_records(content.entries)
            if Path(path).suffix.lower() == ".txt"
            else format_entity_xml(content)
        )


def format_entity_xml(content: EntityFile) -> str:
    """Return the content of an entity file as XML text.

    Raises
    ------
    InputError
        If a text contains a character that XML cannot store.
    """
    values = {name: {e.given.get(name, "") for e in content.entries} for name in SHARED_ATTRIBUTES}
    common = {name: next(iter(found)) for name, found in values.items() if len(found) == 1}
    about = {"format": "1", **common, "licence": content.licence, "note": content.note}
    head = {name: value for name, value in about.items() if value}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>\n', f"<entities{format_attributes(head)}>\n"]
    for entry in content.entries:
        given = {k: v for k, v in entry.given.items() if not common.get(k)}
        pairs = {"id": entry.id, **_sort_features(given), **_sort_features(entry.stored, keep_empty=True)}
        for text in (entry.data, *pairs.values()):
            if _UNWRITABLE.search(text):
                raise InputError(
                    "the text has a character that XML cannot store; use .txt (records), .csv or .parquet",
                    file=entry.file or None,
                    line=entry.line or None,
                    found=text,
                )
        lines.append(f"  <entity{format_attributes(pairs)}>{escape(entry.data, _ESCAPES)}</entity>\n")
    return "".join([*lines, "</entities>\n"])


def _feature(name: str) -> Feature:
    return _find_feature(taxonomy(), name)


@lru_cache(maxsize=1024)
def _find_feature(known: Taxonomy, name: str) -> Feature:
    """Return the user's feature that is read from the attribute `name`, or the entity feature `name`."""
    own = (f for f in known.select_scopes("entity") if f.attribute == name)
    return next(own, None) or known.find(name, ("entity",))


@lru_cache
def _feature_ranks(known: Taxonomy) -> dict[str, int]:
    return {f.name: i for i, f in enumerate(known.select_scopes("entity"))}


def _sort_features(pairs: Mapping[str, str], *, keep_empty: bool = False) -> dict[str, str]:
    """Sort feature values in the order of the taxonomy; membership in lists comes last."""
    rank = _feature_ranks(taxonomy())
    names = sorted(pairs, key=lambda n: (rank.get(n, len(rank)), n))
    return {_feature(n).attribute or n: pairs[n] for n in names if pairs[n] or keep_empty}


def format_entity_records(entries: Iterable[EntityEntry]) -> str:
    """Format entries as plain-text records with short codes and with fields in the order of the taxonomy."""
    return format_records(make_entity_record(entry) for entry in entries)


def make_entity_record(entry: EntityEntry) -> Record:
    """Convert an entry to a record with short codes, and fields in the order of the taxonomy."""
    pairs = [(ID_FIELD, entry.id)]
    for name, value in _sort_features({**entry.given, **entry.stored}, keep_empty=True).items():
        pairs.append((name, to_short_code(_feature(name), value)))
    return make_record([*pairs, ("data", entry.data)], entry.file, entry.line)
