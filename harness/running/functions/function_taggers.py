"""Functions as taggers: by name, described by a process of their own, and objects in memory."""

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
"""Attributes in which models and pipelines keep which one they are."""


@dataclass(frozen=True)
class FunctionDescription:
    """A function that can be imported and called.

    Attributes
    ----------
    spec : Specification
        With the function's parameters among its options.
    version : str
        ``__version__`` of its module or package.
    source : str
        Digest of its module's source.
    has_list_input : bool
        Whether it takes a list of texts.
    kinds : mapping
        The kind of each option that is one of its parameters.
    """

    spec: Specification
    version: str
    source: str
    has_list_input: bool
    kinds: Mapping[str, str]

    def check_options(self, options: Mapping[str, Scalar]) -> None:
        """Refuse an option whose value is not of its parameter's kind."""
        for name, value in options.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            try:
                convert_value(self.kinds.get(name, "text"), text)
            except ValueError as error:
                raise InputError(
                    f"option {name} of {self.spec.name}",
                    found=str(value),
                    allowed=str(error).removeprefix("allowed: "),
                ) from None


def describe_function(spec: Specification, path: Path, given: Mapping[str, str]) -> FunctionDescription:
    """Import a function in a process of its own, and look at its signature.

    Raises
    ------
    InputError
        When it cannot be imported, is not there or cannot be called.
    """
    name = spec.python.function if spec.python else ""
    command = [*FUNCTION_COMMAND, "--describe", name]
    printed, error = capture_output(Tagger(spec, path, {}), command, f"the import of {name}")
    try:
        known: dict[str, Any] = json.loads(printed)
    except ValueError:
        known = {"error": get_last_line(error) or "its process ended"}
    if "error" in known:
        raise InputError(
            f"the function {name} cannot be used: {known['error']}",
            allowed="package.module:function, importable from the working folder or PYTHONPATH",
        )
    options = dict(spec.options)
    for option, about in known["options"].items():
        own = options.get(option, TaggerOption(required=about["required"]))
        options[option] = own.model_copy(update={"argument": option})
    for option in given if known["anything"] else ():
        options.setdefault(option, TaggerOption(argument=option))
    unknown = [option for option in spec.options if not options[option].argument]
    if unknown and not known["anything"]:
        raise InputError(
            f"the function {name} has no parameter {unknown[0]}",
            file=path,
            found=f"options.{unknown[0]}",
            allowed=", ".join(known["options"]) or "it takes none",
        )
    options = {k: o if o.argument else o.model_copy(update={"argument": k}) for k, o in options.items()}
    return FunctionDescription(
        spec.model_copy(update={"options": options}),
        known["version"],
        known["source"],
        bool(known["several"]),
        {option: about["kind"] for option, about in known["options"].items()},
    )


def make_tagger(function: Callable[..., Any], options: Mapping[str, Any] | None = None) -> Tagger:
    """Make a tagger of an object in memory; its type, source and version tell it from others.

    Parameters
    ----------
    function : callable
        Takes a text, or a list of texts.
    options : mapping, optional
        Keyword arguments that it is given each time.

    Raises
    ------
    InputError
        When it has no such parameter.
    """
    known, anything = read_parameters(function) if options else ({}, True)
    for option in options or ():
        if option not in known and not anything:
            raise InputError(
                f"the function {get_function_name(function)} has no parameter {option}",
                allowed=", ".join(known) or "it takes none",
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
    """Return what an object is called in tables."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, MethodType):
        name = f"{type(function.__self__).__name__}.{function.__name__}"
    else:
        name = getattr(function, "__name__", "") or type(function).__name__
    return re.sub(r"[^\w.+-]+", "", name) or "function"


def _list_identity(thing: Any) -> Iterator[str]:
    """Yield what tells an object from another: type, source and version, and arguments that are fixed."""
    if isinstance(thing, functools.partial):
        yield _format_object((thing.args, thing.keywords))
        yield from _list_identity(thing.func)
        return
    if isinstance(thing, MethodType):
        yield thing.__name__
        thing = thing.__self__
    kind: Any = thing if isinstance(thing, (FunctionType, type)) else type(thing)
    yield f"{kind.__module__}.{kind.__qualname__}"
    with contextlib.suppress(OSError, TypeError):
        yield inspect.getsource(kind)
    yield from (_format_object(getattr(thing, name)) for name in VERSION_ATTRIBUTES if hasattr(thing, name))


def _format_object(thing: Any) -> str:
    """Return an object's repr without its place in memory."""
    try:
        return ADDRESS_PATTERN.sub("", repr(thing))
    except Exception:  # an object whose repr fails is known by its type alone
        return type(thing).__qualname__
