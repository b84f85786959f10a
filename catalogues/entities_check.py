"""Functions that check the content of entity files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from .core.errors import InputError
from .core.findings import Finding, check_new_id, finding_from_error, findings_to_columns, make_finding
from .core.tables import Columns
from .entities import build_entity_frame, read_bundled_entity_files
from .entities_xml import ENTITY_LABEL, EntityEntry, parse_entity_file, read_entity_file
from .feature import LIST_PREFIX
from .taxonomy import taxonomy
from .value_codes import iterate_closed_values
from .values import format_cell_value

_IDENTITY_FIELDS = (
    "name_vs_symbol",
    "source_authority",
    "source_id",
    "source_field",
    "kind",
    "look_alike_category",
)


def check_entities(*paths: str | PathLike[str], min_count: int = 0) -> Columns:
    """Check entity files and return the problems found.

    Parameters
    ----------
    *paths : path
        Files in XML or records. Without paths, the bundled entities and look-alikes are checked.
    min_count : int
        Minimum number of entities for each value of a feature with a fixed set of values; 0 skips this check.

    Returns
    -------
    mapping of str to list
        One row per finding, with `file`, `line`, `entity_id`, `problem`, `found` and `expected`.
    """
    findings: list[Finding] = []
    entries = list(_read(paths, findings))
    findings += _check_forms(entries)
    findings += _check_repeated(entries)
    findings += check_stored(entries)
    if min_count:
        findings += check_value_counts(entries, min_count)
    return findings_to_columns(findings, "entity_id")


def _read(paths: Sequence[str | PathLike[str]], findings: list[Finding]) -> Iterator[EntityEntry]:
    sources: list[tuple[str, bytes | None]] = [(str(p), None) for p in paths]
    seen: dict[str, EntityEntry] = {}
    for name, content in sources or [*read_bundled_entity_files(), *read_bundled_entity_files("look_alikes")]:
        faults: list[InputError] = []
        try:
            read = (
                read_entity_file(name, faults)
                if content is None
                else parse_entity_file(content, name, faults)
            )
        except InputError as error:
            faults.append(error)
            findings += [finding_from_error(f, name) for f in faults]
            continue
        for entry in read.entries:
            try:
                check_new_id(entry, seen, ENTITY_LABEL)
            except InputError as error:
                faults.append(error)
        findings += [finding_from_error(f, name) for f in faults]
    yield from seen.values()


def _check_forms(entries: Sequence[EntityEntry]) -> Iterator[Finding]:
    """Yield findings about unusable surface forms and inconsistent fields."""
    for entry in entries:
        if entry.data != entry.data.strip():
            yield make_finding(
                entry,
                "the surface form begins or ends with white space",
                repr(entry.data),
                entry.data.strip(),
            )
        elif len(entry.data.splitlines()) > 1 or "\t" in entry.data:
            yield make_finding(
                entry, "the surface form contains a line break or tab", repr(entry.data), "spaces"
            )
        if "<gp>" in entry.data or "</gp>" in entry.data:
            yield make_finding(entry, "the surface form contains a tag of the gold format", entry.data)
        if entry.given.get("kind") == "look_alike" and not entry.given.get("look_alike_category"):
            yield make_finding(entry, "the look-alike has no category", "", "look_alike_category")
        if entry.given.get("kind") != "look_alike" and entry.given.get("look_alike_category"):
            yield make_finding(
                entry,
                "an entity that is not a look-alike has a look-alike category",
                entry.given["look_alike_category"],
                "kind = look_alike",
            )
        if not entry.given.get("pmid", "0").isdecimal():
            yield make_finding(entry, "the PubMed identifier is not a number", entry.given["pmid"], "digits")
        if entry.given.get("source_id") and not entry.given.get("source_authority"):
            yield make_finding(
                entry, "a source_id needs a source_authority", entry.given["source_id"], "source_authority"
            )


def _check_repeated(entries: Sequence[EntityEntry]) -> Iterator[Finding]:
    """Yield findings about entries with the same surface form, source and kind as an earlier entry."""
    seen: dict[tuple[str, ...], EntityEntry] = {}
    for entry in entries:
        key = (entry.data, *(entry.given.get(name, "") for name in _IDENTITY_FIELDS))
        first = seen.setdefault(key, entry)
        if first is not entry:
            place = f"{Path(first.file).name}:{first.line}"
            yield make_finding(
                entry,
                f"duplicate entity (the first one is in {place})",
                entry.data,
                f"one of {first.id}, {entry.id}",
            )


def check_stored(entries: Sequence[EntityEntry]) -> Iterator[Finding]:
    """Yield a finding for each stored value of a computed feature that differs from the computed value."""
    entries_with_stored = [e for e in entries if e.stored]
    if not entries_with_stored:
        return
    frame = build_entity_frame(entries_with_stored)
    names = sorted({name for e in entries_with_stored for name in e.stored})
    computed = {name: [format_cell_value(v) for v in frame[name].tolist()] for name in names}
    for index, entry in enumerate(entries_with_stored):
        for name, value in entry.stored.items():
            if value != computed[name][index]:
                yield make_finding(
                    entry, f"stored {name} differs from the computed value", value, computed[name][index]
                )


def check_value_counts(entries: Sequence[EntityEntry], min_count: int) -> Iterator[Finding]:
    """Yield a finding for each feature value that fewer than `min_count` entities have."""
    frame = build_entity_frame(entries)
    for feature in taxonomy().select_scopes("entity"):
        if not feature.is_closed or feature.name.startswith(LIST_PREFIX):
            continue
        for value, flags in iterate_closed_values(frame, feature):
            number = int(flags.sum())
            if number < min_count:
                yield Finding(
                    "features.xml",
                    feature.line,
                    "",
                    f"{feature.name} = {value} is rare",
                    str(number),
                    str(min_count),
                )
