"""suite.toml: what a suite is made from and what was made; the file that rebuilds it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from ..catalogues.core.errors import InputError
from ..catalogues.core.settings import Settings, load
from ..catalogues.core.toml import write_toml

Combine = Literal["product", "sample", "tway", "zip", "each", "contrast"]
Fill = Literal["draw", "product"]
Appositives = Literal["prefer", "own", "any"]

DEFAULT_MAX_CASES = 1_000_000


class Weight(Settings):
    """How often cases that a query selects are repeated."""

    query: str
    times: int = Field(ge=0)


class MaxPer(Settings):
    """No more than so many cases for a query, or for each value of a feature."""

    of: str
    cases: int = Field(ge=1)


class Share(Settings):
    """The share of a combination of feature values in a sample."""

    values: list[str]
    weight: float = Field(ge=0)


_FOR: dict[str, tuple[Combine, ...]] = {
    "size": ("sample", "contrast"),
    "stratify": ("sample",),
    "target": ("sample",),
    "shares": ("sample",),
    "times": ("tway",),
    "limit": ("tway",),
    "contrast": ("contrast",),
}
"""What only some ways to combine look at."""


class PartRecipe(Settings):
    """One part of a suite: what is chosen and how it is combined."""

    name: str = ""
    entities: str = "all"
    contexts: str = "all"
    look_alikes: str = ""
    combine: Combine = "product"
    fill: Fill = "draw"
    size: int | None = Field(default=None, ge=0)
    stratify: list[str] = Field(default_factory=list)
    target: str = ""
    shares: list[Share] = Field(default_factory=list)
    t: int | None = Field(default=None, ge=1, le=6)
    times: int = Field(default=1, ge=1)
    limit: int | None = Field(default=None, ge=1)
    features: list[str] = Field(default_factory=list)
    contrast: list[str] = Field(default_factory=list)
    slots: dict[str, str] = Field(default_factory=dict)
    appositives: Appositives = "prefer"
    repeat_forms: bool = False
    list_lengths: list[int] = Field(default_factory=list)
    weights: list[Weight] = Field(default_factory=list)
    max_per: list[MaxPer] = Field(default_factory=list)
    controls: float | None = Field(default=None, ge=0, lt=1)
    negatives: float | None = Field(default=None, ge=0, lt=1)

    @model_validator(mode="after")
    def _nothing_is_ignored(self) -> PartRecipe:
        for name, ways in _FOR.items():
            usual = type(self).model_fields[name].get_default(call_default_factory=True)
            if self.combine not in ways and getattr(self, name) != usual:
                raise ValueError(f"{name} is for combine = {' or '.join(ways)}, not {self.combine}")
        return self


class SuiteSettings(Settings):
    """What holds for the whole suite, and what was made."""

    name: str = ""
    seed: int = Field(default=0, ge=0)
    tag: str = Field(default="gp", pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")
    capitalise_initial: bool = False
    catalogue: list[str] = Field(default_factory=list)
    sentences: list[str] = Field(default_factory=list)
    look_alikes: list[str] = Field(default_factory=list)
    lists: dict[str, str] = Field(default_factory=dict)
    cases: int | None = None
    mentions: int | None = None
    combine: str | None = None
    tagsuite: str | None = None
    signature: str | None = None


class Recipe(Settings):
    """The content of suite.toml."""

    format: Literal[1] = 1
    suite: SuiteSettings = SuiteSettings()
    part: list[PartRecipe] = Field(default=[PartRecipe()], min_length=1)
    digests: dict[str, str] = Field(default_factory=dict)
    counts: dict[str, int] = Field(default_factory=dict)


def read_recipe(path: str | PathLike[str]) -> Recipe:
    """Read a recipe, or a suite.toml as `generate` wrote it.

    Raises
    ------
    InputError
        When the file is missing, not TOML, holds a wrong key or value, or lacks format or parts.
    """
    source = Path(path)
    source = source / "suite.toml" if source.is_dir() else source
    recipe = load(source, Recipe)
    # in memory these have defaults; a file that says neither is hardly a recipe, and everything is a lot
    for key, allowed in (("format", "format = 1"), ("part", "[[part]] tables")):
        if key not in recipe.model_fields_set:
            raise InputError(f"{key} is missing", file=source, allowed=allowed)
    return recipe


def write_recipe(recipe: Recipe) -> str:
    """The text of suite.toml; the same recipe gives the same text."""
    content: dict[str, object] = {
        "format": recipe.format,
        "suite": _said(recipe.suite, keep=("name", "seed")),
        "part": [_said(part, keep=("entities", "contexts", "combine")) for part in recipe.part],
    }
    for name in ("counts", "digests"):
        if values := getattr(recipe, name):
            content[name] = dict(values)
    return write_toml(content)


def _said(settings: Settings, keep: tuple[str, ...]) -> dict[str, object]:
    """What differs from the defaults, and some keys in any case, in the order of the model."""
    values = settings.model_dump(exclude_none=True, exclude_defaults=True)
    values |= {key: getattr(settings, key) for key in keep}
    return {key: values[key] for key in type(settings).model_fields if key in values}
