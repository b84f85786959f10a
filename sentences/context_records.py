"""Lossless reader and writer of contexts as plain-text records, as in figure 2 of Cohen et al. 2004.

The fields from the figure come first, in the same order and with the same short codes (``position: I,M``).
They are followed by the features of fp contexts (sentences without names), by one line per slot that has
attributes (``slot_2: list_type=coordination``), and by one line per marked token (``token_1: 31-34
mixed_case``). The template is the last field. If the first record has no ID, it contains the `licence` of the
file and a `note`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from os import PathLike

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text
from ..catalogues.records import Record, format_records, make_record, read_records
from ..catalogues.taxonomy import taxonomy
from ..catalogues.values import to_short_code
from .contexts_xml import (
    SLOT_MARK,
    SOURCE_COLUMNS,
    ContextEntry,
    ContextFile,
    MarkedToken,
    check_template,
    collect_entries,
)

FIGURE_2_FIELDS = (
    "total_number_of_names",
    "list_context",
    "position",
    "typographic_context",
    "appositive",
    *SOURCE_COLUMNS,
)
"""Names of the fields that are shown in figure 2 of Cohen et al. 2004, in the order of the figure."""

SLOT_EXPECTATIONS = ("name", "symbol")
"""Allowed values of the slot attribute `expects`."""

OTHER_STORED_FIELDS = ("sentence_words", "keyword", "typographic_features", "morphological_features")


def write_contexts(path: str | PathLike[str], content: ContextFile) -> None:
    """Write contexts to a text file of records."""
    with atomic_text(path) as stream:
        stream.write(format_context_records(content.entries, content.licence, content.note))


def format_context_records(entries: Sequence[ContextEntry], licence: str = "", note: str = "") -> str:
    """Return contexts as the content of a text file of records."""
    about = [(n, v) for n, v in (("licence", licence), ("note", note)) if v]
    records = [make_record(about)] if about else []
    records += [_record(entry) for entry in entries]
    return format_records(records)


def _record(entry: ContextEntry) -> Record:
    stored = {
        name: to_short_code(taxonomy().find(f"context.{name}"), value) for name, value in entry.stored.items()
    }
    pairs = [("ID", entry.id), ("type", entry.type)]
    pairs += [(name, stored.get(name, "")) for name in FIGURE_2_FIELDS]
    pairs += [(name, stored[name]) for name in OTHER_STORED_FIELDS if name in stored]
    for number, attributes in enumerate(entry.slots, start=1):
        if attributes:
            line = " ".join(f"{name}={shlex.quote(value)}" for name, value in attributes.items())
            pairs.append((f"slot_{number}", line))
    for number, token in enumerate(entry.tokens, start=1):
        pairs.append((f"token_{number}", f"{token.start}-{token.end} {','.join(token.features)}"))
    return make_record([*pairs, ("slots", entry.template)], entry.file, entry.line)


def read_context_records(path: str | PathLike[str], faults: list[InputError] | None = None) -> ContextFile:
    """Read contexts from a text file of records.

    Parameters
    ----------
    path : path
        File of records.
    faults : list of InputError, optional
        List that receives the errors found in records; records with errors are then skipped. By default, the
        first error is raised.

    Raises
    ------
    InputError
        If a field is unknown, the field `ID`, `type` or `slots` is missing, or a template cannot be filled.
    """
    about: Mapping[str, str] = {}
    records = read_records(path)
    if records and records[0].get("ID") is None and {f.name for f in records[0]} <= {"licence", "note"}:
        about = {f.name: f.value for f in records.pop(0)}
    entries = collect_entries(records, _entry, faults)
    if not entries and not faults:
        raise InputError("the file contains no context", file=path, allowed="records that begin with ID:")
    return ContextFile(entries, about.get("licence", ""), about.get("note", ""))


def _entry(record: Record) -> ContextEntry:
    stored: dict[str, str] = {}
    slots: dict[int, dict[str, str]] = {}
    tokens: list[MarkedToken] = []

    def wrong(
        problem: str, found: str | None = None, allowed: str | None = None, line: int = record.line
    ) -> InputError:
        return InputError(problem, file=record.file, line=line, found=found, allowed=allowed)

    for part in record:
        match = re.fullmatch(r"(slot|token)_(\d+)", part.name)
        if match is not None and match[1] == "slot":
            slots[int(match[2]) - 1] = _attributes(part.value, record, part.line)
        elif match is not None:
            tokens.append(_token(part.value, record, part.line))
        elif part.name in (*FIGURE_2_FIELDS, *OTHER_STORED_FIELDS):
            if part.value:
                stored[part.name] = _long_value(part.name, part.value)
        elif part.name not in ("ID", "type", "slots"):
            names = ("ID", "type", *FIGURE_2_FIELDS, *OTHER_STORED_FIELDS, "slot_1", "token_1", "slots")
            raise wrong("unknown field", part.name, ", ".join(names), part.line)
    for name in ("ID", "type", "slots"):
        if not record.get(name):
            raise wrong(f"the field {name} is missing")
    context_id, kind, template = (record.get(name) or "" for name in ("ID", "type", "slots"))
    if kind not in ("tp", "fp"):
        raise wrong("unknown context type", kind, "tp or fp")
    count = template.count(SLOT_MARK)
    if any(not 0 <= number < count for number in slots):
        problem = f"the record describes a slot that is not in the template (number of slots: {count})"
        raise wrong(problem, template)
    attributes = tuple(slots.get(number, {}) for number in range(count))
    return check_template(
        ContextEntry(context_id, kind, template, stored, attributes, tuple(tokens), record.file, record.line)
    )


def _long_value(name: str, value: str) -> str:
    feature = taxonomy().find(f"context.{name}")
    if feature.kind not in ("set", "category"):
        return value
    return "|".join(feature.codes.get(part.strip(), part.strip()) for part in value.split(","))


def _attributes(value: str, record: Record, line: int) -> dict[str, str]:
    names = {f.name for f in taxonomy().select_scopes("slot")} | {"expects"}
    try:
        pairs = [item.partition("=") for item in shlex.split(value)]
    except ValueError as error:
        raise InputError(
            f"unreadable slot features: {error}", file=record.file, line=line, found=value
        ) from None
    for name, sign, content in pairs:
        if not sign or name not in names:
            allowed = ", ".join(f"{n}=…" for n in sorted(names))
            raise InputError("unknown slot feature", file=record.file, line=line, found=name, allowed=allowed)
        check_judged_value(name, content, record.file, line)
    return {name: content for name, _, content in pairs}


def check_judged_value(attribute: str, content: str, file: str, line: int) -> None:
    """Raise InputError if `content` is not an allowed value of a slot attribute."""
    values = SLOT_EXPECTATIONS if attribute == "expects" else _judged_values(attribute)
    parts = content.split() if attribute == "accepts" else [content]
    if not parts or (values and not set(parts) <= set(values)):
        raise InputError(
            f"unknown value of the slot attribute {attribute}",
            file=file,
            line=line,
            found=content,
            allowed=", ".join(values),
        )


def _judged_values(name: str) -> tuple[str, ...]:
    """Return the allowed values of a hand-assigned slot feature, or an empty tuple if all are allowed."""
    feature = taxonomy().find(f"slot.{name}")
    is_restricted = feature.is_catalogue_only and not feature.is_open
    return tuple(v.name for v in feature.values) if is_restricted else ()


def _token(value: str, record: Record, line: int) -> MarkedToken:
    match = re.fullmatch(r"(\d+)-(\d+) (\S+)", value)
    if match is None:
        raise InputError(
            "unreadable token", file=record.file, line=line, found=value, allowed="START-END features"
        )
    return MarkedToken(int(match[1]), int(match[2]), tuple(match[3].split(",")))
