"""Options that repeat, limit or distribute the cases in a part of a suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from ..catalogues.core.errors import InputError
from ..catalogues.core.options import Option, Options

if TYPE_CHECKING:
    from ..catalogues.feature import Feature

SCOPES = ("entity", "context", "slot")
"""Scopes of features (entity, context, slot) that are allowed in queries for cases, limits and strata."""


@dataclass(frozen=True)
class Weight(Options):
    """Number of repetitions of the cases that a query selects."""

    query: Annotated[str, Option("Query that selects the cases to repeat.")]
    times: Annotated[int, Option("Number of times each case is written.", label="weight", minimum=0)]


@dataclass(frozen=True)
class CaseLimit(Options):
    """Maximum number of cases that a query selects, or that have the same value of a feature."""

    of: Annotated[str, Option("Query or feature.")]
    cases: Annotated[int, Option("Maximum number of cases.", label="number of cases", minimum=1)]

    @property
    def feature(self) -> Feature | None:
        """Feature to whose values the limit applies; None if it applies to a query."""
        from ..catalogues.taxonomy import taxonomy

        try:
            return taxonomy().find(self.of, SCOPES)
        except InputError:
            return None


@dataclass(frozen=True)
class Share(Options):
    """Share of the cases in a sample that have one combination of feature values."""

    values: Annotated[tuple[str, ...], Option("Value of each feature in `stratify`.")]
    weight: Annotated[float, Option("Share of this stratum, relative to other strata.", minimum=0)]


Count = TypeVar("Count", Weight, CaseLimit)


def parse_count(given: Any, kind: type[Count], option: str) -> Count:
    """Make a weight or limit from a string ``NUMBER=QUERY`` or from a mapping of its fields.

    Raises
    ------
    InputError
        If a string does not have the form ``NUMBER=QUERY``; the message names the option.
    """
    if isinstance(given, kind):
        return given
    if isinstance(given, Mapping):
        return kind(**given)
    count, equals, query = str(given).partition("=")
    if not equals or not count.strip().isdigit() or not query.strip():
        raise InputError(f"{option} must have the form NUMBER=QUERY", found=given)
    return kind(query.strip(), int(count))
