"""TOML files with a declared shape: read, validated, and refused with the key's path."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from os import PathLike
from pathlib import Path
from types import GenericAlias
from typing import Any, TypeGuard, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from .errors import InputError, nearest_first
from .files import read_text
from .options import Options, declared, holds_path
from .toml import parse_toml

Model = TypeVar("Model", bound="Settings")
Chosen = TypeVar("Chosen", bound=Options)


class Settings(BaseModel):
    """Base of every model that is read from TOML: unknown keys are refused, values are not coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def settings_of(
    kind: type[Options],
    *,
    without: Sequence[str] = (),
    base: type[Settings] = Settings,
    **defaults: Any,
) -> type[Settings]:
    """The model of a TOML table whose keys are the options of an object.

    Parameters
    ----------
    kind : class
        Where the options are declared.
    without : sequence of str
        Options that are no keys.
    base : class
        The model whose keys stand before.
    **defaults
        Defaults of the table's own.
    """
    keys: dict[str, Any] = {}
    for name, option in declared(kind).items():
        if name in without:
            continue
        form, default = option.type, defaults.get(name, option.default)
        if holds_path(form):
            # a path is a text; "" where none is named
            several = isinstance(default, tuple)
            form, default = (list[str], []) if several else (str, "")
        elif get_origin(form) is tuple:
            own = get_args(form)[0]
            form = GenericAlias(list, (settings_of(own) if _has_options(own) else own,))
            default = default if default is ... else list(default)
        elif isinstance(default, Mapping):
            form = dict[str, str]
        keys[option.key] = (
            form,
            Field(
                # of a key that must be there: ..., as pydantic has it
                default,
                ge=None if math.isinf(option.least) else option.least,
                le=None if math.isinf(option.most) else option.most,
                lt=None if math.isinf(option.below) else option.below,
                pattern=f"^(?:{option.pattern})$" if option.pattern else None,
            ),
        )
    return create_model(f"{kind.__name__}Table", __base__=base, **keys)


def options_of(kind: type[Chosen], table: Settings, folder: Path | None = None) -> Chosen:
    """The options that a table made by `settings_of` has; the usual ones where it has no such key.

    Its paths are relative to `folder`.
    """
    given: dict[str, Any] = {}
    for name, option in declared(kind).items():
        form, value = option.type, getattr(table, option.key, MISSING)
        if value is MISSING:
            continue
        own = get_args(form)[0] if get_origin(form) is tuple else None
        if holds_path(form):
            place = folder or Path()
            given[name] = [place / each for each in value] if own else place / value if value else None
        else:
            given[name] = tuple(options_of(own, each) for each in value) if _has_options(own) else value
    return kind(**given)


def _has_options(kind: Any) -> TypeGuard[type[Options]]:
    return isinstance(kind, type) and issubclass(kind, Options)


def load(path: str | PathLike[str], model: type[Model]) -> Model:
    """Read a TOML file into `model`.

    Raises
    ------
    InputError
        With the file and, for a wrong value, the key's path (``class[2].recall``), what was found and
        what is allowed; an unknown key comes with the nearest known one.
    """
    source = Path(path)
    return validate(parse_toml(read_text(source), source), model, source)


def validate(data: dict[str, object], model: type[Model], file: str | PathLike[str]) -> Model:
    """Check parsed TOML against `model`; see `load`."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = _in_file(first["loc"], data, missing=first["type"] == "missing")
        key = "".join(
            f"[{part + 1}]" if isinstance(part, int) else ("." if i else "") + str(part)
            for i, part in enumerate(place)
        )
        # the message of a validator of ours stands after pydantic's "Value error, "
        problem = str(first["msg"]).removeprefix("Value error, ")
        message = f"{key}: {problem[0].lower()}{problem[1:]}" if key else problem
        allowed = None
        if first["type"] == "extra_forbidden":
            message = f"{key}: unknown key"
            allowed = _allowed(model, first["loc"])
        found = first.get("input")
        if first["type"] == "value_error":
            # a rule over several keys: the message is complete
            message, found = message.replace("value error, ", "", 1).replace("Value error, ", "", 1), None
        raise InputError(
            message,
            file=file,
            found=found if not isinstance(found, dict) else ", ".join(found),
            allowed=allowed,
        ) from None


def _in_file(place: tuple[int | str, ...], data: Any, *, missing: bool) -> tuple[int | str, ...]:
    """The part of an error's place that stands in the file: names of alternatives do not."""
    kept: list[int | str] = []
    for i, part in enumerate(place):
        in_list = isinstance(part, int) and isinstance(data, list) and part < len(data)
        if in_list or (isinstance(data, dict) and part in data):
            data = data[part]
        elif not (missing and i == len(place) - 1):
            continue
        kept.append(part)
    return tuple(kept)


def _allowed(model: type[BaseModel], place: tuple[int | str, ...]) -> str | None:
    """The keys that may stand where an unknown one was found, the nearest first."""
    current: type[BaseModel] | None = model
    for part in place[:-1]:
        if isinstance(part, int) or current is None:
            continue
        field = next((f for n, f in current.model_fields.items() if part in (n, f.alias)), None)
        current = _model_in(field.annotation) if field is not None else None
    if current is None:
        return None
    names = [f.alias or n for n, f in current.model_fields.items()]
    return ", ".join(nearest_first(str(place[-1]), names))


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_in(argument)
        if found is not None:
            return found
    return None
