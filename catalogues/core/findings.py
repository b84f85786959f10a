"""Problems found by checks of catalogue files, each with its file and line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from .errors import InputError


class FileEntry(Protocol):
    """Protocol for an entry of a catalogue file, which has a file, a line and an id."""

    @property
    def file(self) -> str:
        """Path of the file that contains the entry."""

    @property
    def line(self) -> int:
        """Line number of the entry."""

    @property
    def id(self) -> str:
        """Identifier of the entry."""


EntryType = TypeVar("EntryType", bound=FileEntry)


@dataclass(frozen=True)
class Finding:
    """Problem found by a check, with its file and line, a description, and the found and expected values."""

    file: str
    line: int | None
    id: str
    problem: str
    found: str = ""
    expected: str = ""


def make_finding(entry: FileEntry, problem: str, found: str = "", expected: str = "") -> Finding:
    """Make a finding about an entry, with the entry's file, line and id."""
    return Finding(entry.file, entry.line, entry.id, problem, found, expected)


def finding_from_error(error: InputError, file: str) -> Finding:
    """Convert an error into a finding; `file` is used if the error names no file."""
    found = "" if error.found is None else str(error.found)
    expected = error.allowed or ", ".join(error.near)
    return Finding(error.file or file, error.line, "", error.problem, found, expected)


def findings_to_columns(findings: Sequence[Finding], identifier: str) -> dict[str, list[Any]]:
    """Convert findings to columns of a table; `identifier` is the name of the id column."""
    names = ("file", "line", "id", "problem", "found", "expected")
    return {identifier if n == "id" else n: [getattr(f, n) for f in findings] for n in names}


def findings_error(findings: int, files: int, entry_noun: str) -> InputError:
    """Return an error that shows the number of findings and of checked files (0 means the bundled files)."""
    number = f"{findings} finding{'s' * (findings != 1)}"
    place = f"{files} file{'s' * (files != 1)}" if files else "the bundled files"
    return InputError(f"{number} in {place} of {entry_noun}")


def check_new_id(entry: EntryType, seen: dict[str, EntryType], entry_noun: str) -> None:
    """Add an entry to `seen`, a mapping of ids to entries, if its id is new.

    Raises
    ------
    InputError
        If another entry has the same id; the message names the kind of entry (`entry_noun`).
    """
    first = seen.setdefault(entry.id, entry)
    if first is not entry:
        raise InputError(
            f"duplicate id of {entry_noun} (first in {first.file}:{first.line})",
            file=entry.file,
            line=entry.line,
            found=entry.id,
        )
