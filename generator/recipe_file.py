"""Reading and writing of suite.toml, which contains the recipe and the record of a suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from ..catalogues.core.errors import InputError
from ..catalogues.core.settings import Settings, load_settings, make_options, make_settings_model
from ..catalogues.core.toml import write_toml
from ..catalogues.own_features import use_recorded_taxonomy
from ..catalogues.query import Query
from ..catalogues.taxonomy import taxonomy
from .case_limits import SCOPES
from .part_options import PartOptions
from .recipe import SuiteOptions, SuiteRecipe, SuiteRecord


class PartTable(make_settings_model(PartOptions, combine="product")):  # type: ignore[misc]  # made from options
    """Model of the table ``[[part]]``, with the fields of `PartOptions`.

    If `combine` is missing, the combine method is `product`.
    """

    @model_validator(mode="after")
    def _nothing_is_ignored(self) -> PartTable:
        try:
            self.options.refuse_unused()
        except InputError as error:
            raise ValueError(str(error)) from None
        return self

    @property
    def options(self) -> PartOptions:
        """Values of the table as `PartOptions`."""
        return make_options(PartOptions, self)


class SuiteTable(make_settings_model(SuiteOptions)):  # type: ignore[misc]  # made from options
    """Model of the table ``[suite]``, which contains `SuiteOptions` and some fields of `SuiteRecord`."""

    cases: int = 0
    mentions: int = 0
    combine: str = ""
    taxonomy: list[str] = Field(default_factory=list)
    tagsuite: str = ""
    signature: str = ""


class RecipeFile(Settings):
    """Model of the file suite.toml."""

    format: Literal[1] = 1
    suite: SuiteTable = SuiteTable()
    part: list[PartTable] = Field(default=[PartTable()], min_length=1)
    digests: dict[str, str] = Field(default_factory=dict)
    counts: dict[str, int | float] = Field(default_factory=dict)
    sources: dict[str, list[str]] = Field(default_factory=dict)

    @property
    def recipe(self) -> SuiteRecipe:
        """Content of the file as a `SuiteRecipe`."""
        recorded = {name: getattr(self.suite, name) for name in _RECORD_KEYS}
        return SuiteRecipe(
            tuple(part.options for part in self.part),
            make_options(SuiteOptions, self.suite),
            SuiteRecord(
                **recorded,
                taxonomy=tuple(self.suite.taxonomy),
                counts=self.counts,
                digests=self.digests,
                sources=self.sources,
            ),
        )


_RECORD_KEYS = ("cases", "mentions", "combine", "tagsuite", "signature")
"""Fields of `SuiteRecord` that are stored in the table ``[suite]``."""


def read_recipe(path: str | PathLike[str]) -> SuiteRecipe:
    """Read a recipe file, or the suite.toml in a suite folder.

    Raises
    ------
    InputError
        If the file is missing or not TOML, or if it has an invalid key or value, no key `format` or no table
        ``[[part]]``.
    """
    source = Path(path)
    source = source / "suite.toml" if source.is_dir() else source
    content = load_settings(source, RecipeFile)
    # both have defaults in memory, but a file without them is probably not a recipe
    for key, example in (("format", "format = 1"), ("part", "a table [[part]]")):
        if key not in content.model_fields_set:
            raise InputError(f"the key {key} is missing; add {example}", file=source)
    use_recorded_taxonomy(content.suite.taxonomy, source.parent)
    recipe = content.recipe
    for number, part in enumerate(recipe.parts, start=1):
        check_names(part, source, f"part[{number}]")
    return recipe


def check_names(part: PartOptions, file: str | PathLike[str], key: str) -> None:
    """Raise InputError if a part of a recipe contains an invalid query or an unknown feature.

    Raises
    ------
    InputError
        If a query is invalid or a feature is unknown; the message names the file and the key.
    """
    queries: list[tuple[str, str, Sequence[str]]] = [
        ("entities", part.entities, ("entity",)),
        ("contexts", part.contexts, ("context", "slot")),
        *([("look_alikes", part.look_alikes, ("entity",))] if part.look_alikes else []),
        *((f"slots.{place}", query, ("entity",)) for place, query in part.slots.items()),
        *((f"weights[{i}].query", each.query, SCOPES) for i, each in enumerate(part.weights, start=1)),
        *(
            (f"max_per[{i}].of", each.of, SCOPES)
            for i, each in enumerate(part.max_per, start=1)
            if each.feature is None
        ),
    ]
    for name, query, scopes in queries:
        Query.parse(query, scopes, file=file, key=f"{key}.{name}")
    for name in ("features", "stratify"):
        for i, feature in enumerate(getattr(part, name), start=1):
            try:
                taxonomy().find(feature, SCOPES)
            except InputError as error:
                raise InputError(
                    f"{key}.{name}[{i}]: {error.problem}",
                    file=file,
                    found=error.found,
                    allowed=error.allowed,
                    near=error.near,
                ) from None


def format_recipe(recipe: SuiteRecipe) -> str:
    """Format a recipe as the text of suite.toml."""
    made = asdict(recipe.record)
    recorded = {name: made[name] for name in _RECORD_KEYS if recipe.record.signature}
    if recipe.record.taxonomy:
        recorded["taxonomy"] = list(recipe.record.taxonomy)
    content: dict[str, object] = {
        "format": 1,
        "suite": {**recipe.suite.to_table("name", "seed"), **recorded},
        "part": [part.to_table("entities", "contexts", "combine") for part in recipe.parts],
    }
    for name in ("counts", "sources", "digests"):
        if made[name]:
            content[name] = made[name]
    return write_toml(content)


def replace_catalogues(recipe: SuiteRecipe, suite: SuiteOptions) -> SuiteRecipe:
    """Return a copy of the recipe that uses the catalogue and sentence files named in `suite`, if any."""
    named = {n: getattr(suite, n) for n in ("catalogue", "sentences") if getattr(suite, n)}
    return replace(recipe, suite=replace(recipe.suite, **named))
