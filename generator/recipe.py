"""suite.toml: what a suite is made from and what was made; the file that rebuilds it."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from ..catalogues.core.errors import InputError
from ..catalogues.core.settings import Settings, load

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
    lines = [f"format = {recipe.format}", ""]
    lines += _table(
        "suite",
        recipe.suite.model_dump(exclude_none=True, exclude_defaults=True),
        keep=("name", "seed"),
        full=recipe.suite,
    )
    for part in recipe.part:
        values = part.model_dump(exclude_none=True, exclude_defaults=True)
        lines += _table("[part]", values, keep=("entities", "contexts", "combine"), full=part)
    if recipe.counts:
        lines += _table("counts", dict(recipe.counts))
    if recipe.digests:
        lines += _table("digests", dict(recipe.digests))
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(
    name: str, values: dict[str, object], keep: tuple[str, ...] = (), full: Settings | None = None
) -> list[str]:
    shown = dict(values)
    if full is not None:
        order = list(type(full).model_fields)
        shown |= {k: getattr(full, k) for k in keep}
        shown = {k: shown[k] for k in order if k in shown}
    return [f"[{name}]", *(f"{_key(k)} = {_value(v)}" for k, v in shown.items()), ""]


def _key(key: str) -> str:
    plain = key.replace("_", "").replace("-", "")
    return key if plain.isascii() and plain.isalnum() else _value(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        # TOML's basic strings are JSON's, but for the delete character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    raise InputError("a value that TOML cannot hold", found=repr(value))
