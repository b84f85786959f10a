"""Options that control the number of cases in a part of a suite: weights, limits and shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from ..catalogues.core.errors import InputError
from ..catalogues.core.options import Option, Options

if TYPE_CHECKING:
    from ..catalogues.feature import Feature

SCOPES = ("entity", "context", "slot")
"""Scopes of the features that can be used in limits, in strata and in queries for cases."""


@dataclass(frozen=True)
class Weight(Options):
    """Number of times to write each case that a query selects."""

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
    """Share of a stratum (combination of feature values) in a sample."""

    values: Annotated[tuple[str, ...], Option("Value of each feature in `stratify`.")]
    weight: Annotated[float, Option("Share of this stratum, relative to other strata.", minimum=0)]


Count = TypeVar("Count", Weight, CaseLimit)


def parse_count(given: Any, kind: type[Count], option: str) -> Count:
    """Make a `Weight` or `CaseLimit` from a string ``NUMBER=QUERY`` or a mapping of field names to values.

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
