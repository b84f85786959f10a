"""Functions that read and write plain-text records, which consist of lines ``name: value``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike

from .core.errors import InputError
from .core.files import read_text

_FIELD = re.compile(r"([A-Za-z_][\w.-]*):(?:[ \t]+(.*)|)")
_REMARK = re.compile(r"<[^<>]+ omitted>")


@dataclass(frozen=True)
class RecordField:
    """Field of a record.

    Attributes
    ----------
    name : str
        Name of the field; "" for a remark such as ``<several features omitted>``.
    value : str
        Value, with continuation lines joined by single spaces.
    lines : tuple of str
        Original lines in the file; empty if the field was not read from a file.
    line : int
        Line number of the first line.
    """

    name: str
    value: str
    lines: tuple[str, ...] = field(default=(), compare=False)
    line: int = field(default=0, compare=False)

    def to_text(self) -> str:
        """Return the original lines of the field, or ``name: value`` if it was not read from a file."""
        if self.lines:
            return "\n".join(self.lines)
        if not self.name:
            return self.value
        return f"{self.name}: {self.value}" if self.value else f"{self.name}:"


@dataclass(frozen=True)
class Record:
    """Record of an entity or context, with its fields in order."""

    fields: tuple[RecordField, ...]
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    def get(self, name: str) -> str | None:
        """Return the value of a field, or None if the record has no such field."""
        return next((f.value for f in self.fields if f.name == name), None)

    def __iter__(self) -> Iterator[RecordField]:
        return (f for f in self.fields if f.name)

    def to_text(self) -> str:
        """Return the text of the record, without the empty line that follows it."""
        return "".join(f.to_text() + "\n" for f in self.fields)


def read_records(path: str | PathLike[str]) -> list[Record]:
    """Read the plain-text records in a file; see `parse_records`."""
    return parse_records(read_text(path), str(path))


def parse_records(text: str, file: str = "") -> list[Record]:
    """Parse a text into records; error messages name `file`.

    A line without ``name:`` continues the value of the previous line.

    Raises
    ------
    InputError
        If a record does not begin with a field, or has the same field twice.
    """
    records: list[Record] = []
    fields: list[RecordField] = []
    start = 1
    for number, line in enumerate([*text.replace("\r\n", "\n").split("\n"), ""], 1):
        if not line.strip():
            if fields:
                records.append(Record(tuple(fields), file, start))
                fields = []
            continue
        if not fields:
            start = number
        match = _FIELD.fullmatch(line)
        if match is not None:
            first = next((f for f in fields if f.name == match[1]), None)
            if first is not None:
                raise InputError(
                    f"duplicate field in a record (first on line {first.line})",
                    file=file or None,
                    line=number,
                    found=match[1],
                )
            fields.append(RecordField(match[1], (match[2] or "").strip(), (line,), number))
        elif _REMARK.fullmatch(line.strip()):
            fields.append(RecordField("", line.strip(), (line,), number))
        elif not fields or not fields[-1].name:
            raise InputError(
                "a record must begin with a field",
                file=file or None,
                line=number,
                found=line.strip(),
                allowed="a line such as name: value",
            )
        else:
            last = fields[-1]
            value = f"{last.value} {line.strip()}".strip()
            fields[-1] = RecordField(last.name, value, (*last.lines, line), last.line)
    return records


def format_records(records: Iterable[Record]) -> str:
    """Format records as text, with empty lines between them."""
    return "\n".join(record.to_text() for record in records)


def make_record(pairs: Sequence[tuple[str, str]], file: str = "", line: int = 0) -> Record:
    """Make a record from pairs of field name and value.

    Raises
    ------
    InputError
        If a value has a line break, or white space at its beginning or end.
    """
    for name, value in pairs:
        if value != value.strip() or "\n" in value or "\r" in value:
            raise InputError(
                f"records cannot store a value of {name} with line breaks or white space at its ends",
                file=file or None,
                line=line or None,
                found=value,
            )
    return Record(tuple(RecordField(name, value) for name, value in pairs), file, line)
