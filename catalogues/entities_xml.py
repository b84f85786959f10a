"""Files of entities as they stand: entries with their lines, in XML or as records, without loss."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from os import PathLike
from pathlib import Path
from xml.sax.saxutils import escape

from .core.errors import InputError
from .core.files import atomic_text
from .core.files import read_bytes as read_content
from .core.findings import check_new_id
from .core.xml import format_attributes, parse_xml_bytes
from .records import Record, format_records, make_record, read_records
from .taxonomy import LIST_PREFIX, Feature, taxonomy
from .values import normalise_value, to_short_code

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ESCAPES = {"\r": "&#13;"}
# what files of versions before 0.3 say of all that is no look-alike
_UNKNOWN_KIND = "entity"
ENTITY_LABEL = "an entity"
ID_FIELD = "ID"
"""The field of a record that holds the entry's id."""


@dataclass(frozen=True)
class EntityEntry:
    """One entity as its file has it.

    Attributes
    ----------
    id : str
        Unique among the entities that are used together.
    data : str
        The surface form.
    given : mapping of str to str
        What only the file has: source, kind, name or symbol, membership in lists. Long values.
    stored : mapping of str to str
        Computed features that the file states as well; they are checked, and not used otherwise.
    file, line : str, int
        Where it stands.
    """

    id: str
    data: str
    given: Mapping[str, str] = field(default_factory=dict)
    stored: Mapping[str, str] = field(default_factory=dict)
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class EntityFile:
    """A file of entities: its entries, its licence and a note."""

    entries: tuple[EntityEntry, ...]
    licence: str = ""
    note: str = ""


def is_given(feature: Feature) -> bool:
    """Whether a file's word for a feature is taken, and not only checked."""
    return (
        feature.is_catalogue_only or feature.name == "name_vs_symbol" or feature.name.startswith(LIST_PREFIX)
    )


FaultList = list[InputError]


def read_entity_file(path: str | PathLike[str], faults: FaultList | None = None) -> EntityFile:
    """Read a file of entities: records when its name ends in .txt, else XML.

    Parameters
    ----------
    faults : list, optional
        Takes the faults of single entries, which are then left out; without it the first one is raised.

    Raises
    ------
    InputError
        With file and line: not valid, a feature or value that the taxonomy does not know, an id that stands
        twice.
    """
    if Path(path).suffix.lower() == ".txt":
        records = read_records(path)
        if not records:
            raise InputError("the file holds no entity", file=path, allowed="records that begin with ID:")
        return EntityFile(tuple(_make_valid_entries((partial(_from_record, r) for r in records), faults)))
    content = read_content(path)
    refuse_table_file(Path(path), content)
    return parse_entity_file(content, str(path), faults)


def refuse_table_file(path: Path, content: bytes) -> None:
    """Tell where files of other kinds are read.

    Raises
    ------
    InputError
        When a file that neither is called .xml or .txt nor begins as XML is given as a catalogue.
    """
    if path.suffix.lower() not in (".xml", ".txt") and content.strip() and content.lstrip()[:1] != b"<":
        raise InputError(
            "no catalogue of entities",
            file=path,
            allowed="XML, records (.txt) or Parquet; `tagsuite catalogue import` reads tables and lists",
        )


def parse_entity_file(content: bytes, file: str, faults: FaultList | None = None) -> EntityFile:
    """Read XML from memory; `file` is named in errors. See `read_file`."""
    return _from_xml(
        parse_xml_bytes(content, file, package=__package__, schema_name="entities.rng"), file, faults
    )


def _make_valid_entries(
    makers: Iterable[Callable[[], EntityEntry]], faults: FaultList | None
) -> list[EntityEntry]:
    """The entries that can be made, each id once."""
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
    common = {"kind": get("kind")} if get("kind") else {}
    makers = [partial(_from_element, element, common, file) for element in root]  # type: ignore[attr-defined]
    if not makers:
        raise InputError("the file holds no entity", file=file, allowed="<entity> elements")
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
            raise InputError(f"a record without {needed}", file=record.file, line=record.line)
    return _entry(pairs.pop(ID_FIELD), pairs.pop("data"), pairs, record.file, record.line)


def _entry(entry_id: str, data: str, pairs: Mapping[str, str], file: str, line: int) -> EntityEntry:
    if not data:
        raise InputError("an entity without a surface form", file=file, line=line, found=f"id {entry_id}")
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
            stored[name] = value
        elif value:
            given[name] = value
    return EntityEntry(entry_id, data, given, stored, file, line)


def write_entity_file(content: EntityFile, path: str | PathLike[str]) -> None:
    """Write a file of entities: records when its name ends in .txt, else XML, an entity a line."""
    with atomic_text(path) as stream:
        stream.write(
            format_entity_records(content.entries)
            if Path(path).suffix.lower() == ".txt"
            else format_entity_xml(content)
        )


def format_entity_xml(content: EntityFile) -> str:
    """The file as XML.

    Raises
    ------
    InputError
        A character that XML cannot hold.
    """
    kinds = {entry.given.get("kind", "") for entry in content.entries}
    kind = kinds.pop() if len(kinds) == 1 else ""
    about = {"format": "1", "kind": kind, "licence": content.licence, "note": content.note}
    head = {name: value for name, value in about.items() if value}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>\n', f"<entities{format_attributes(head)}>\n"]
    for entry in content.entries:
        given = {k: v for k, v in entry.given.items() if not (k == "kind" and kind)}
        pairs = {"id": entry.id, **_sort_features(given), **_sort_features(entry.stored, keep_empty=True)}
        for text in (entry.data, *pairs.values()):
            if _UNWRITABLE.search(text):
                raise InputError(
                    "a character that XML cannot hold",
                    file=entry.file or None,
                    line=entry.line or None,
                    found=text,
                    allowed="any other; records (.txt), .csv and .parquet hold it",
                )
        lines.append(f"  <entity{format_attributes(pairs)}>{escape(entry.data, _ESCAPES)}</entity>\n")
    return "".join([*lines, "</entities>\n"])


@lru_cache(maxsize=1024)
def _feature(name: str) -> Feature:
    return taxonomy().find(name, ("entity",))


@lru_cache
def _feature_ranks() -> dict[str, int]:
    return {f.name: i for i, f in enumerate(taxonomy().select_scopes("entity"))}


def _sort_features(pairs: Mapping[str, str], *, keep_empty: bool = False) -> dict[str, str]:
    """In the taxonomy's order, lists last."""
    rank = _feature_ranks()
    names = sorted(pairs, key=lambda n: (rank.get(n, len(rank)), n))
    return {n: pairs[n] for n in names if pairs[n] or keep_empty}


def format_entity_records(entries: Iterable[EntityEntry]) -> str:
    """Entries as plain-text records with short codes, in the taxonomy's order; data comes last."""
    return format_records(make_entity_record(entry) for entry in entries)


def make_entity_record(entry: EntityEntry) -> Record:
    """One entry as a record."""
    pairs = [(ID_FIELD, entry.id)]
    for name, value in _sort_features({**entry.given, **entry.stored}, keep_empty=True).items():
        pairs.append((name, to_short_code(_feature(name), value)))
    return make_record([*pairs, ("data", entry.data)], entry.file, entry.line)
