"""Equivalence classes: named queries, read from a TOML file or made by hand."""

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
    r"""An equivalence class: the mentions that a query selects.

    A gold mention is in a class by its own form and surroundings, a predicted one by its own.

    Attributes
    ----------
    name : str
        What the score table shows; ``all`` is the class of everything.
    query : Query
        Which mentions belong to it.
    note : str
        Why it is looked at.

    Examples
    --------
    >>> Class.of("numeral first", r"data ~ /^\d+-/").query.columns
    ('data',)
    """

    name: str
    query: Query
    note: str = ""

    @classmethod
    def from_query(cls, name: str, query: str, note: str = "") -> Class:
        """Make a class from a query's text."""
        return cls(name, Query.parse(query), note)


class ClassEntry(Settings):
    """A class as files have it: those of classes, predictions and criteria."""

    name: str = Field(min_length=1)
    query: str
    note: str = ""

    def parse_query(self, file: str | PathLike[str], number: int) -> Query:
        """Its query; `number` is its place in the file, from 1 on."""
        return Query.parse(self.query, file=file, key=f"class[{number}].query")


class _ClassFile(Settings):
    format: Literal[1]
    class_: list[ClassEntry] = Field(alias="class", min_length=1)


def read_classes(path: str | PathLike[str]) -> list[Class]:
    """Read a classes file: ``format = 1`` and ``[[class]]`` tables with `name`, `query` and optional `note`.

    Raises
    ------
    InputError
        When the file is not of that form, a query cannot be read, or a name stands twice.
    """
    entries = load_settings(path, _ClassFile).class_
    classes = [Class(e.name, e.parse_query(path, i), e.note) for i, e in enumerate(entries, start=1)]
    check_class_names(classes, path)
    return classes


def resolve_classes(source: Mapping[str, str] | Sequence[Class] | str | PathLike[str]) -> list[Class]:
    """Classes from names and queries, from a file, or as they are."""
    if isinstance(source, Mapping):
        return [Class.from_query(name, query) for name, query in source.items()]
    if isinstance(source, (str, PathLike)):
        return read_classes(source)
    return list(source)


def check_class_names(classes: Sequence[Class], file: str | PathLike[str] | None = None) -> None:
    """Refuse two classes of one name, and a class of some mentions that is called ``all``."""
    seen: set[str] = set()
    for one in classes:
        if one.name in seen:
            raise InputError("two classes have the same name", file=file, found=one.name)
        seen.add(one.name)
        if one.name == ALL and not one.query.selects_everything:
            raise InputError(
                "the class of everything is called all; this one selects some mentions only",
                file=file,
                found=f"all: {one.query}",
                allowed="another name",
            )


def join_classes(sources: Iterable[tuple[str | PathLike[str] | None, Class]]) -> dict[str, Class]:
    """Classes of several sources by name, each name once.

    Parameters
    ----------
    sources : iterable of (path or None, Class)
        Each class with its file, where it has one.

    Raises
    ------
    InputError
        When one name stands for two queries.
    """
    classes: dict[str, Class] = {}
    for file, one in sources:
        known = classes.setdefault(one.name, one)
        if str(known.query) != str(one.query):
            raise InputError(
                "two classes of one name and different queries",
                file=file,
                found=f"{one.name}: {known.query}; {one.query}",
            )
    return classes
