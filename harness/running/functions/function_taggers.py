"""Functions as taggers: named functions, which run in separate processes, and Python objects in memory."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import digest_bytes
from ..processes.process import get_last_line
from ..specification import FUNCTION_COMMAND, FunctionSettings, Scalar, Specification, TaggerOption
from ..tagger import Tagger, capture_output
from .caller import convert_value, has_list_input, read_parameters

ADDRESS_PATTERN = re.compile(r" at 0x[0-9a-fA-F]+")
VERSION_ATTRIBUTES = ("__version__", "meta", "config")
"""Attributes that identify the version of a model or pipeline."""


@dataclass(frozen=True)
class FunctionDescription:
    """Description of a function that can be imported and called.

    Attributes
    ----------
    spec : Specification
        Specification with the parameters of the function as options.
    version : str
        ``__version__`` of the function's module or package.
    source : str
        Checksum of the source of the function's module.
    has_list_input : bool
        True if the function takes a list of texts.
    kinds : mapping
        Kind of value (``int``, ``text``, …) that each parameter takes.
    """

    spec: Specification
    version: str
    source: str
    has_list_input: bool
    kinds: Mapping[str, str]

    def check_options(self, options: Mapping[str, Scalar]) -> None:
        """Raise InputError if the value of an option has the wrong kind for its parameter."""
        for name, value in options.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            try:
                convert_value(self.kinds.get(name, "text"), text)
            except ValueError as error:
                raise InputError(
                    f"invalid value of option {name} of {self.spec.name}",
                    found=str(value),
                    allowed=str(error).partition("allowed: ")[2],
                ) from None


def describe_function(spec: Specification, path: Path, given: Mapping[str, str]) -> FunctionDescription:
    """Import a function in a separate process, and return its description.

    Raises
    ------
    InputError
        If the function does not exist, cannot be imported or cannot be called.
    """
    name = spec.python.function if spec.python else ""
    command = [*FUNCTION_COMMAND, "--describe", name]
    printed, error = capture_output(Tagger(spec, path, {}), command, f"the import of {name}")
    try:
        description: dict[str, Any] = json.loads(printed)
    except ValueError:
        description = {"error": get_last_line(error) or "its process ended"}
    if "error" in description:
        raise InputError(
            f"the function {name} cannot be used: {description['error']}; give package.module:function, "
            "which must be importable from the working folder or PYTHONPATH"
        )
    options = dict(spec.options)
    for option, parameter in description["options"].items():
        declared = options.get(option, TaggerOption(required=parameter["required"]))
        options[option] = declared.model_copy(update={"argument": option})
    for option in given if description["anything"] else ():
        options.setdefault(option, TaggerOption(argument=option))
    unknown = [option for option in spec.options if not options[option].argument]
    if unknown and not description["anything"]:
        raise InputError(
            f"the function {name} has no parameter {unknown[0]}",
            file=path,
            found=f"options.{unknown[0]}",
            allowed=", ".join(description["options"]) or "no parameters",
        )
    options = {k: o if o.argument else o.model_copy(update={"argument": k}) for k, o in options.items()}
    return FunctionDescription(
        spec.model_copy(update={"options": options}),
        description["version"],
        description["source"],
        bool(description["several"]),
        {option: parameter["kind"] for option, parameter in description["options"].items()},
    )


def make_tagger(function: Callable[..., Any], options: Mapping[str, Any] | None = None) -> Tagger:
    """Return a tagger that calls a Python object in this process.

    The tagger's checksum covers the type, source and version of the object.

    Parameters
    ----------
    function : callable
        Function that takes a text or a list of texts.
    options : mapping, optional
        Keyword arguments of each call.

    Raises
    ------
    InputError
        If the object has no parameter with the name of an option.
    """
    description, accepts_any_name = read_parameters(function) if options else ({}, True)
    for option in options or ():
        if option not in description and not accepts_any_name:
            raise InputError(
                f"the function {get_function_name(function)} has no parameter {option}",
                allowed=", ".join(description) or "no parameters",
            )
    called = functools.partial(function, **options) if options else function
    name = get_function_name(function)
    word = re.sub(r"^(?=\d)|[^\w]+", "_", name)
    spec = Specification(
        format=1, name=name, mode="python", python=FunctionSettings(function=f"memory:{word}"), cache=False
    )
    version = getattr(function, "__version__", "")
    parts = (spec.model_dump_json(exclude_defaults=True), *_list_identity(called))
    return Tagger(
        spec,
        Path.cwd() / f"memory:{name}",
        {},
        version if isinstance(version, str) else "",
        digest_bytes(*(part.encode("utf-8", "surrogatepass") for part in parts)),
        function=called,
        has_list_input=has_list_input(function),
    )


def get_function_name(function: Any) -> str:
    """Return the name that tables show for a Python object."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, MethodType):
        name = f"{type(function.__self__).__name__}.{function.__name__}"
    else:
        name = getattr(function, "__name__", "") or type(function).__name__
    return re.sub(r"[^\w.+-]+", "", name) or "function"


def _list_identity(item: Any) -> Iterator[str]:
    """Yield strings that identify an object: its type, source, version and fixed arguments."""
    if isinstance(item, functools.partial):
        yield _format_object((item.args, item.keywords))
        yield from _list_identity(item.func)
        return
    if isinstance(item, MethodType):
        yield item.__name__
        item = item.__self__
    kind: Any = item if isinstance(item, (FunctionType, type)) else type(item)
    yield f"{kind.__module__}.{kind.__qualname__}"
    with contextlib.suppress(OSError, TypeError):
        yield inspect.getsource(kind)
    yield from (_format_object(getattr(item, name)) for name in VERSION_ATTRIBUTES if hasattr(item, name))


def _format_object(item: Any) -> str:
    """Return the repr of an object without its memory address."""
    try:
        return ADDRESS_PATTERN.sub("", repr(item))
    except Exception:  # an object whose repr fails is identified by its type only
        return type(item).__qualname__
