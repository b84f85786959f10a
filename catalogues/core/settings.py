"""Functions that read TOML files and validate them against models; errors show the path of the key."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from os import PathLike
from pathlib import Path
from types import GenericAlias
from typing import Any, TypeGuard, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from .errors import InputError, sort_by_similarity
from .files import read_text
from .options import Options, get_declared_options, is_path_type
from .toml import parse_toml

SettingsType = TypeVar("SettingsType", bound="Settings")
OptionsType = TypeVar("OptionsType", bound=Options)


class Settings(BaseModel):
    """Base class of models for TOML files; unknown keys and values of the wrong type are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def make_settings_model(
    kind: type[Options],
    *,
    excluded: Sequence[str] = (),
    base: type[Settings] = Settings,
    **defaults: Any,
) -> type[Settings]:
    """Make a model of a TOML table; its keys are the options that a class declares.

    Parameters
    ----------
    kind : class
        The class that declares the options.
    excluded : sequence of str
        Names of options that are not keys of the table.
    base : class
        The base model; its keys come before the options.
    **defaults
        Default values that replace those of the options.
    """
    keys: dict[str, Any] = {}
    for name, option in get_declared_options(kind).items():
        if name in excluded:
            continue
        form, default = option.type, defaults.get(name, option.default)
        if is_path_type(form):
            # a path is a string, "" if it is not set
            several = isinstance(default, tuple)
            form, default = (list[str], []) if several else (str, "")
        elif get_origin(form) is tuple:
            item = get_args(form)[0]
            form = GenericAlias(list, (make_settings_model(item) if _has_options(item) else item,))
            default = default if default is ... else list(default)
        elif isinstance(default, Mapping):
            form = dict[str, str]
        keys[option.key] = (
            form,
            Field(
                # a required key has the default `...`, as in pydantic
                default,
                ge=None if math.isinf(option.minimum) else option.minimum,
                le=None if math.isinf(option.maximum) else option.maximum,
                lt=None if math.isinf(option.upper_bound) else option.upper_bound,
                pattern=f"^(?:{option.pattern})$" if option.pattern else None,
            ),
        )
    return create_model(f"{kind.__name__}Table", __base__=base, **keys)


def make_options(kind: type[OptionsType], table: Settings, folder: Path | None = None) -> OptionsType:
    """Convert a TOML table, validated by a model from `make_settings_model`, to an options object.

    Relative paths in the table are relative to `folder`.
    """
    values: dict[str, Any] = {}
    for name, option in get_declared_options(kind).items():
        form, value = option.type, getattr(table, option.key, MISSING)
        if value is MISSING:
            continue
        item = get_args(form)[0] if get_origin(form) is tuple else None
        if is_path_type(form):
            base = folder or Path()
            values[name] = [base / each for each in value] if item else base / value if value else None
        else:
            values[name] = tuple(make_options(item, each) for each in value) if _has_options(item) else value
    return kind(**values)


def _has_options(kind: Any) -> TypeGuard[type[Options]]:
    return isinstance(kind, type) and issubclass(kind, Options)


def load_settings(path: str | PathLike[str], model: type[SettingsType]) -> SettingsType:
    """Read a TOML file and validate it against `model`.

    Raises
    ------
    InputError
        If the file cannot be read or is not valid; the message shows the path of the key
        (``class[2].recall``), the value found and the allowed values or keys.
    """
    source = Path(path)
    return validate_settings(parse_toml(read_text(source), source), model, source)


def validate_settings(
    data: dict[str, object], model: type[SettingsType], file: str | PathLike[str]
) -> SettingsType:
    """Validate parsed TOML against `model`, as `load_settings` does; error messages name `file`."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = _place_in_file(first["loc"], data, missing=first["type"] == "missing")
        key = "".join(
            f"[{part + 1}]" if isinstance(part, int) else ("." if i else "") + str(part)
            for i, part in enumerate(place)
        )
        # pydantic puts "Value error, " before the message of our own validators
        problem = str(first["msg"]).removeprefix("Value error, ")
        message = f"{key}: {problem[0].lower()}{problem[1:]}" if key else problem
        allowed = None
        if first["type"] == "extra_forbidden":
            message = f"{key}: unknown key"
            allowed = _allowed_keys(model, first["loc"])
        # a rule about several keys: its message is complete
        found = None if first["type"] == "value_error" else first.get("input")
        raise InputError(
            message,
            file=file,
            found=found if not isinstance(found, dict) else ", ".join(found),
            allowed=allowed,
        ) from None


def _place_in_file(place: tuple[int | str, ...], data: Any, *, missing: bool) -> tuple[int | str, ...]:
    """Return the location of an error in the file, without the parts that pydantic adds to it."""
    kept: list[int | str] = []
    for i, part in enumerate(place):
        in_list = isinstance(part, int) and isinstance(data, list) and part < len(data)
        if in_list or (isinstance(data, dict) and part in data):
            data = data[part]
        elif not (missing and i == len(place) - 1):
            continue
        kept.append(part)
    return tuple(kept)


def _allowed_keys(model: type[BaseModel], place: tuple[int | str, ...]) -> str | None:
    """Return the keys that are allowed in place of an unknown key, most similar first."""
    current: type[BaseModel] | None = model
    for part in place[:-1]:
        if isinstance(part, int) or current is None:
            continue
        field = next((f for n, f in current.model_fields.items() if part in (n, f.alias)), None)
        current = _model_in(field.annotation) if field is not None else None
    if current is None:
        return None
    names = [f.alias or n for n, f in current.model_fields.items()]
    return ", ".join(sort_by_similarity(str(place[-1]), names))


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_in(argument)
        if found is not None:
            return found
    return None
