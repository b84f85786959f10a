"""Checks of files of entities: every finding with file and line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from .core.errors import InputError
from .core.findings import Finding, check_new, finding_columns, found_at, found_in
from .core.tables import Rows
from .entities import build_frame, bundled_files
from .entities_xml import ENTITY, Entry, read_bytes, read_file
from .taxonomy import LIST_PREFIX, taxonomy
from .value_codes import values_of
from .values import written

_SAME = ("name_vs_symbol", "source_authority", "source_id", "source_field", "kind", "look_alike_category")


def check(*paths: str | PathLike[str], least: int = 0) -> Rows:
    """Check files of entities; the bundled ones (look-alikes too) when none is named.

    Parameters
    ----------
    *paths : path
        XML or records.
    least : int
        How many entities each value of a closed feature should have at least; 0 checks none.

    Returns
    -------
    Rows
        `file`, `line`, `entity_id`, `problem`, `found`, `expected`; empty when nothing is wrong.
    """
    findings: list[Finding] = []
    entries = list(_read(paths, findings))
    findings += _forms(entries)
    findings += _repeated(entries)
    findings += stored(entries)
    if least:
        findings += unattested(entries, least)
    return Rows(finding_columns(findings, "entity_id"))


def _read(paths: Sequence[str | PathLike[str]], findings: list[Finding]) -> Iterator[Entry]:
    sources: list[tuple[str, bytes | None]] = [(str(p), None) for p in paths]
    seen: dict[str, Entry] = {}
    for name, content in sources or [*bundled_files(), *bundled_files("look_alikes")]:
        faults: list[InputError] = []
        try:
            read = read_file(name, faults) if content is None else read_bytes(content, name, faults)
        except InputError as error:
            faults.append(error)
            findings += [found_in(f, name) for f in faults]
            continue
        for entry in read.entries:
            try:
                check_new(entry, seen, ENTITY)
            except InputError as error:
                faults.append(error)
        findings += [found_in(f, name) for f in faults]
    yield from seen.values()


def _forms(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Surface forms that no sentence can hold."""
    for entry in entries:
        if entry.data != entry.data.strip():
            yield found_at(
                entry, "white space at the edge of the surface form", repr(entry.data), entry.data.strip()
            )
        elif len(entry.data.splitlines()) > 1 or "\t" in entry.data:
            yield found_at(entry, "a line break or tab in the surface form", repr(entry.data), "spaces")
        if "<gp>" in entry.data or "</gp>" in entry.data:
            yield found_at(entry, "the gold files' tag in the surface form", entry.data)
        if entry.given.get("kind") == "look_alike" and not entry.given.get("look_alike_category"):
            yield found_at(entry, "a look-alike without its category", "", "look_alike_category")
        if entry.given.get("kind") != "look_alike" and entry.given.get("look_alike_category"):
            yield found_at(
                entry,
                "a look-alike's category of an entity",
                entry.given["look_alike_category"],
                "kind = look_alike",
            )
        if not entry.given.get("pmid", "0").isdecimal():
            yield found_at(entry, "no PubMed identifier", entry.given["pmid"], "digits")
        if entry.given.get("source_id") and not entry.given.get("source_authority"):
            yield found_at(
                entry, "an identifier without its authority", entry.given["source_id"], "source_authority"
            )


def _repeated(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Entries that say the same of the same form."""
    seen: dict[tuple[str, ...], Entry] = {}
    for entry in entries:
        key = (entry.data, *(entry.given.get(name, "") for name in _SAME))
        first = seen.setdefault(key, entry)
        if first is not entry:
            place = f"{Path(first.file).name}:{first.line}"
            yield found_at(
                entry,
                f"the same entity stands twice (first in {place})",
                entry.data,
                f"one of {first.id}, {entry.id}",
            )


def stored(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Stored values of computed features that differ from what is computed."""
    holders = [e for e in entries if e.stored]
    if not holders:
        return
    frame = build_frame(holders)
    names = sorted({name for e in holders for name in e.stored})
    computed = {name: [written(v) for v in frame[name].tolist()] for name in names}
    for index, entry in enumerate(holders):
        for name, value in entry.stored.items():
            if value != computed[name][index]:
                yield found_at(
                    entry, f"stored {name} differs from the computed value", value, computed[name][index]
                )


def unattested(entries: Sequence[Entry], least: int) -> Iterator[Finding]:
    """Values of closed features that fewer entities have than they should."""
    frame = build_frame(entries)
    for feature in taxonomy().of("entity"):
        if not feature.closed or feature.name.startswith(LIST_PREFIX):
            continue
        for value, flags in values_of(frame, feature):
            number = int(flags.sum())
            if number < least:
                yield Finding(
                    "features.xml",
                    feature.line,
                    "",
                    f"{feature.name} = {value} is rare",
                    str(number),
                    str(least),
                )
