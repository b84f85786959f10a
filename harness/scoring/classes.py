"""Equivalence classes: named queries, read from a TOML file or made in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Literal

from pydantic import Field

from ...catalogues.core.errors import InputError
from ...catalogues.core.settings import Settings, load_settings
from ...catalogues.query import Query

ALL = "all"


@dataclass(frozen=True)
class Class:
    r"""Equivalence class: the mentions that a query selects.

    Gold and predicted mentions are assigned to classes independently, each by its own form and context.

    Attributes
    ----------
    name : str
        Name in the score table; ``all`` is the class of all mentions.
    query : Query
        Query that selects the mentions of the class.
    note : str
        Remark, for example why the class is of interest.

    Examples
    --------
    >>> Class.from_query("numeral first", r"data ~ /^\d+-/").query.columns
    ('data',)
    """

    name: str
    query: Query
    note: str = ""

    @classmethod
    def from_query(cls, name: str, query: str, note: str = "") -> Class:
        """Return a class, given its name and its query as text."""
        return cls(name, Query.parse(query), note)


class ClassEntry(Settings):
    """One ``[[class]]`` table in a file of classes, predictions or criteria."""

    name: str = Field(min_length=1)
    query: str
    note: str = ""

    def parse_query(self, file: str | PathLike[str], number: int) -> Query:
        """Parse the query; error messages contain the file and the number of the ``[[class]]`` table."""
        return Query.parse(self.query, file=file, key=f"class[{number}].query")


class _ClassFile(Settings):
    format: Literal[1]
    class_: list[ClassEntry] = Field(alias="class", min_length=1)


def read_classes(path: str | PathLike[str]) -> list[Class]:
    """Read classes from a TOML file.

    The file contains ``format = 1`` and one ``[[class]]`` table per class, with the keys `name`, `query` and
    (optionally) `note`.

    Raises
    ------
    InputError
        If the file does not have this form, a query is invalid, or a name occurs twice.
    """
    entries = load_settings(path, _ClassFile).class_
    classes = [Class(e.name, e.parse_query(path, i), e.note) for i, e in enumerate(entries, start=1)]
    check_class_names(classes, path)
    return classes


def resolve_classes(source: Mapping[str, str] | Sequence[Class] | str | PathLike[str]) -> list[Class]:
    """Return a list of classes from a file, a mapping of names to queries, or a sequence of classes."""
    if isinstance(source, Mapping):
        return [Class.from_query(name, query) for name, query in source.items()]
    if isinstance(source, (str, PathLike)):
        return read_classes(source)
    return list(source)


def check_class_names(classes: Sequence[Class], file: str | PathLike[str] | None = None) -> None:
    """Raise InputError if two classes have the same name, or a class ``all`` does not select all mentions."""
    seen: set[str] = set()
    for class_ in classes:
        if class_.name in seen:
            raise InputError("two classes have the same name", file=file, found=class_.name)
        seen.add(class_.name)
        if class_.name == ALL and not class_.query.selects_everything:
            raise InputError(
                "the name 'all' is reserved for the class of all mentions; choose another name",
                file=file,
                found=f"all: {class_.query}",
            )


def join_classes(sources: Iterable[tuple[str | PathLike[str] | None, Class]]) -> dict[str, Class]:
    """Return the classes from several files as a dictionary with class names as keys.

    Parameters
    ----------
    sources : iterable of (path or None, Class)
        Each class with the file that defines it, or None if it was not read from a file.

    Raises
    ------
    InputError
        If two classes have the same name but different queries.
    """
    classes: dict[str, Class] = {}
    for file, class_ in sources:
        first = classes.setdefault(class_.name, class_)
        if str(first.query) != str(class_.query):
            raise InputError(
                "two classes have the same name but different queries",
                file=file,
                found=f"{class_.name}: {first.query}; {class_.query}",
            )
    return classes
