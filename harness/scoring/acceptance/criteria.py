"""Acceptance criteria, read from a TOML file: limits on the results for a class of mentions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal

from pydantic import Field, model_validator

from ....catalogues.core.errors import InputError
from ....catalogues.core.settings import Settings, load_settings, validate_settings
from ..classes import Class, ClassEntry, check_class_names
from ..notions import find_notion
from ..statistics.sums import Measure

SINGLE_RUN_LIMITS = (
    "min_recall",
    "min_precision",
    "min_f1",
    "max_false_alarms",
    "max_flips",
    "max_seconds_p95",
    "max_price",
)
"""Names of the limits on the results of a single run, in the order used in messages."""


class Limits(Settings):
    """Limits on the scores, running time and price of a class; see ``docs/how-to/accept-taggers.md``."""

    min_recall: float | None = Field(default=None, ge=0, le=1)
    min_precision: float | None = Field(default=None, ge=0, le=1)
    min_f1: float | None = Field(default=None, ge=0, le=1)
    max_false_alarms: float | None = Field(default=None, ge=0, le=1)
    max_seconds_p95: float | None = Field(default=None, gt=0)
    max_price: float | None = Field(default=None, ge=0)
    max_flips: float | None = Field(default=None, ge=0, le=1)
    no_worse_than: str = ""
    margin: float | None = Field(default=None, ge=0, le=1)
    measures: list[Measure] = Field(default_factory=list)
    confidence: float | None = Field(default=None, ge=0.5, lt=1)

    @model_validator(mode="after")
    def _require_limit(self) -> Limits:
        if not self.no_worse_than and all(getattr(self, name) is None for name in SINGLE_RUN_LIMITS):
            raise ValueError(f"a criterion requires {', '.join(SINGLE_RUN_LIMITS)} or no_worse_than")
        if not self.no_worse_than and (self.margin is not None or self.measures):
            raise ValueError("margin and measures require no_worse_than")
        if self.no_worse_than and self.margin is None:
            raise ValueError("no_worse_than requires margin, such as margin = 0.05")
        return self


class _Entry(ClassEntry, Limits):
    query: str = "all"
    notion: str = "strict"
    runs: list[str] = Field(default_factory=list)


class _File(Settings):
    format: Literal[1]
    class_: list[_Entry] = Field(alias="class", min_length=1)


@dataclass(frozen=True)
class Criterion:
    """Acceptance criterion for a class.

    Attributes
    ----------
    class_ : Class
        Class to which the limits apply.
    notion : str
    limits : Limits
    runs : tuple of str
        Names of the runs to which the criterion applies; all runs if empty.
    """

    class_: Class
    notion: str
    limits: Limits
    runs: tuple[str, ...] = ()

    def with_reference_name(self, run_names: Mapping[str, str]) -> Criterion:
        """Return a copy in which ``no_worse_than`` contains a run's name instead of its folder."""
        name = self.limits.no_worse_than
        if name not in run_names:
            return self
        return replace(self, limits=self.limits.model_copy(update={"no_worse_than": run_names[name]}))


def read_criteria(path: str | PathLike[str]) -> list[Criterion]:
    """Read a criteria file: a classes file whose classes have limits.

    Raises
    ------
    InputError
        If the file is not a criteria file, a query has an error, a name occurs twice, a notion is unknown, or
        a class has no limit.
    """
    return _make_criteria(load_settings(path, _File), path)


def parse_criteria(criteria: Iterable[Mapping[str, Any]]) -> list[Criterion]:
    """Return criteria from mappings with the keys of the ``[[class]]`` tables of a criteria file.

    Raises
    ------
    InputError
        If a criterion is invalid; see `read_criteria`.
    """
    place = "criteria"
    content = {"format": 1, "class": [dict(criterion) for criterion in criteria]}
    return _make_criteria(validate_settings(content, _File, place), place)


def _make_criteria(content: _File, path: str | PathLike[str]) -> list[Criterion]:
    criteria = []
    for number, entry in enumerate(content.class_, start=1):
        try:
            notion = find_notion(entry.notion).name
        except InputError as error:
            raise InputError(
                f"class {entry.name}: {error.problem}", file=path, found=error.found, allowed=error.allowed
            ) from None
        limits = Limits(**{k: getattr(entry, k) for k in Limits.model_fields})
        query = entry.parse_query(path, number)
        class_ = Class(entry.name, query, entry.note)
        criteria.append(Criterion(class_, notion, limits, tuple(entry.runs)))
    check_class_names([c.class_ for c in criteria], path)
    return criteria
