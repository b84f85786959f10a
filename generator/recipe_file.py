"""suite.toml: what a suite is made from and what was made; the file that rebuilds it."""

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
from ..catalogues.query import Query
from ..catalogues.taxonomy import taxonomy
from .recipe import SCOPES, PartOptions, SuiteOptions, SuiteRecipe, SuiteRecord


class PartTable(make_settings_model(PartOptions, combine="product")):  # type: ignore[misc]  # made from options
    """A table ``[[part]]``: `PartOptions`. Without `combine` it means the product, as in all versions."""

    @model_validator(mode="after")
    def _nothing_is_ignored(self) -> PartTable:
        try:
            self.options.refuse_unused()
        except InputError as error:
            raise ValueError(str(error)) from None
        return self

    @property
    def options(self) -> PartOptions:
        """What it says."""
        return make_options(PartOptions, self)


class SuiteTable(make_settings_model(SuiteOptions)):  # type: ignore[misc]  # made from options
    """The table ``[suite]``: `SuiteOptions`, and some of what was made."""

    cases: int = 0
    mentions: int = 0
    combine: str = ""
    tagsuite: str = ""
    signature: str = ""


class RecipeFile(Settings):
    """The content of suite.toml."""

    format: Literal[1] = 1
    suite: SuiteTable = SuiteTable()
    part: list[PartTable] = Field(default=[PartTable()], min_length=1)
    digests: dict[str, str] = Field(default_factory=dict)
    counts: dict[str, int | float] = Field(default_factory=dict)
    sources: dict[str, list[str]] = Field(default_factory=dict)

    @property
    def recipe(self) -> SuiteRecipe:
        """What it says."""
        recorded = {name: getattr(self.suite, name) for name in _RECORD_KEYS}
        return SuiteRecipe(
            tuple(part.options for part in self.part),
            make_options(SuiteOptions, self.suite),
            SuiteRecord(**recorded, counts=self.counts, digests=self.digests, sources=self.sources),
        )


_RECORD_KEYS = ("cases", "mentions", "combine", "tagsuite", "signature")
"""What the table ``[suite]`` has of what was made."""


def read_recipe(path: str | PathLike[str]) -> SuiteRecipe:
    """Read a recipe, or a suite.toml as `generate` wrote it.

    Raises
    ------
    InputError
        When the file is missing, not TOML, holds a wrong key or value, or lacks format or parts.
    """
    source = Path(path)
    source = source / "suite.toml" if source.is_dir() else source
    content = load_settings(source, RecipeFile)
    # in memory these have defaults; a file that says neither is hardly a recipe, and everything is a lot
    for key, allowed in (("format", "format = 1"), ("part", "[[part]] tables")):
        if key not in content.model_fields_set:
            raise InputError(f"{key} is missing", file=source, allowed=allowed)
    recipe = content.recipe
    for number, part in enumerate(recipe.parts, start=1):
        check_names(part, source, f"part[{number}]")
    return recipe


def check_names(part: PartOptions, file: str | PathLike[str], key: str) -> None:
    """Refuse a query that cannot be read, and a feature that is not known, where they were written.

    Raises
    ------
    InputError
        With the file and the key, which nobody knows any more when the part is made.
    """
    asked: list[tuple[str, str, Sequence[str]]] = [
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
    for name, query, scopes in asked:
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
    """The text of suite.toml; the same recipe gives the same text."""
    made = asdict(recipe.record)
    recorded = {name: made[name] for name in _RECORD_KEYS if recipe.record.signature}
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
    """A recipe whose catalogues are those of some other options, where they name any."""
    named = {n: getattr(suite, n) for n in ("catalogue", "sentences") if getattr(suite, n)}
    return replace(recipe, suite=replace(recipe.suite, **named))
