"""Entries of files under ids, and what a check of them finds: each finding with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from .errors import InputError


class FileEntry(Protocol):
    """What stands in a file under an id."""

    @property
    def file(self) -> str:
        """The file."""

    @property
    def line(self) -> int:
        """The line."""

    @property
    def id(self) -> str:
        """The id."""


EntryType = TypeVar("EntryType", bound=FileEntry)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or worth a look: where, what, what stands there, what should."""

    file: str
    line: int | None
    id: str
    problem: str
    found: str = ""
    expected: str = ""


def make_finding(entry: FileEntry, problem: str, found: str = "", expected: str = "") -> Finding:
    """A finding about an entry."""
    return Finding(entry.file, entry.line, entry.id, problem, found, expected)


def finding_from_error(error: InputError, file: str) -> Finding:
    """The finding that an error of reading is; `file` where the error names none."""
    found = "" if error.found is None else str(error.found)
    expected = error.allowed or ", ".join(error.near)
    return Finding(error.file or file, error.line, "", error.problem, found, expected)


def findings_to_columns(findings: Sequence[Finding], identifier: str) -> dict[str, list[Any]]:
    """Findings as columns of a table, their ids under the name `identifier`."""
    names = ("file", "line", "id", "problem", "found", "expected")
    return {identifier if n == "id" else n: [getattr(f, n) for f in findings] for n in names}


def findings_error(findings: int, files: int, entry_noun: str) -> InputError:
    """The error of a check that found something; `files` is 0 where the bundled ones were checked."""
    number = f"{findings} finding{'s' * (findings != 1)}"
    place = f"{files} file{'s' * (files != 1)}" if files else "the bundled files"
    return InputError(f"{number} in {place} of {entry_noun}")


def check_new_id(entry: EntryType, seen: dict[str, EntryType], entry_noun: str) -> None:
    """Note an entry among those seen.

    Raises
    ------
    InputError
        When its id is taken; the message calls it the id of `entry_noun`.
    """
    first = seen.setdefault(entry.id, entry)
    if first is not entry:
        raise InputError(
            f"{entry_noun}'s id stands twice (first in {first.file}:{first.line})",
            file=entry.file,
            line=entry.line,
            found=entry.id,
        )
