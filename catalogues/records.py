"""The plain-text record form: ``name: value`` lines, records parted by empty lines; nothing is lost."""

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
    """One feature of a record.

    Attributes
    ----------
    name, value : str
        The value with its continuation lines joined by single spaces. A remark such as ``<several features
        omitted>`` has no name.
    lines : tuple of str
        The lines as they stood in the file; empty for a field that was made in memory.
    line : int
        The first of them.
    """

    name: str
    value: str
    lines: tuple[str, ...] = field(default=(), compare=False)
    line: int = field(default=0, compare=False)

    def to_text(self) -> str:
        """The field as it is written: as it was read, or on one line."""
        if self.lines:
            return "\n".join(self.lines)
        if not self.name:
            return self.value
        return f"{self.name}: {self.value}" if self.value else f"{self.name}:"


@dataclass(frozen=True)
class Record:
    """The fields of one entity or context, in order."""

    fields: tuple[RecordField, ...]
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    def get(self, name: str) -> str | None:
        """The value of a field, or None where the record has no such field."""
        return next((f.value for f in self.fields if f.name == name), None)

    def __iter__(self) -> Iterator[RecordField]:
        return (f for f in self.fields if f.name)

    def to_text(self) -> str:
        """The record as it is written, without the empty line after it."""
        return "".join(f.to_text() + "\n" for f in self.fields)


def read_records(path: str | PathLike[str]) -> list[Record]:
    """Read a file of records; see `parse_records`."""
    return parse_records(read_text(path), str(path))


def parse_records(text: str, file: str = "") -> list[Record]:
    """Split text into records.

    A line that is no ``name:`` carries on the value before it. Only white space at the edges of lines is lost
    from the value, and even that is kept in `Field.lines`.

    Raises
    ------
    InputError
        A record that begins with no field; a field that a record has twice.
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
            twice = next((f for f in fields if f.name == match[1]), None)
            if twice is not None:
                raise InputError(
                    f"a record has the field twice (first in line {twice.line})",
                    file=file or None,
                    line=number,
                    found=match[1],
                )
            fields.append(RecordField(match[1], (match[2] or "").strip(), (line,), number))
        elif _REMARK.fullmatch(line.strip()):
            fields.append(RecordField("", line.strip(), (line,), number))
        elif not fields or not fields[-1].name:
            raise InputError(
                "no field", file=file or None, line=number, found=line.strip(), allowed="name: value"
            )
        else:
            last = fields[-1]
            value = f"{last.value} {line.strip()}".strip()
            fields[-1] = RecordField(last.name, value, (*last.lines, line), last.line)
    return records


def format_records(records: Iterable[Record]) -> str:
    """Write records, each followed by an empty line but the last."""
    return "\n".join(record.to_text() for record in records)


def make_record(pairs: Sequence[tuple[str, str]], file: str = "", line: int = 0) -> Record:
    """A record from names and values.

    Raises
    ------
    InputError
        A value that the form cannot carry: one with a line break, or with white space at its edges.
    """
    for name, value in pairs:
        if value != value.strip() or "\n" in value or "\r" in value:
            raise InputError(
                f"the record form cannot carry this value of {name}",
                file=file or None,
                line=line or None,
                found=value,
                allowed="no line breaks, and no white space at the edges",
            )
    return Record(tuple(RecordField(name, value) for name, value in pairs), file, line)
