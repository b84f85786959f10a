"""Shapes: what names look like beyond what features describe, as patterns of a data file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ....catalogues.core.files import bundled_toml

SHAPED = "data"
"""The feature whose shape is reported: the form itself."""


@dataclass(frozen=True)
class Shape:
    """A shape of names.

    Attributes
    ----------
    pattern : str
        A regular expression, searched in the form.
    words : str
        What names of the shape do or are.
    """

    pattern: str
    words: str

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled."""
        return re.compile(self.pattern)

    @property
    def query(self) -> str:
        """The shape as a query."""
        return f"{SHAPED} ~ /{self.pattern}/"


@cache
def shapes() -> tuple[Shape, ...]:
    """All shapes, in the order of the file."""
    tables = bundled_toml(__package__, "shapes.toml")["shape"]
    return tuple(Shape(**table) for table in tables)


@cache
def words_of(query: str) -> str | None:
    """The words of a shape's query; None for any other."""
    return next((shape.words for shape in shapes() if shape.query == query), None)
