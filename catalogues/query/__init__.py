"""Boolean queries over features: parsed once, checked against the taxonomy, evaluated on columns."""

from __future__ import annotations

from .parser import QueryError
from .query import Query

__all__ = ["Query", "QueryError"]
