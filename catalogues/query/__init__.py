"""Boolean queries over features; they are checked against the taxonomy and evaluated on columns."""

from __future__ import annotations

from .parser import QueryError
from .query import Query

__all__ = ["Query", "QueryError"]
