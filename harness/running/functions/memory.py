"""Objects in memory as taggers: what tells one from another, and the tagger that is made of one."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import digest_bytes
from ..specification import Python, Specification
from ..tagger import Tagger
from .calling import parameters, takes_list

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
CONFIGURED = ("config", "meta")
"""Attributes in which models and pipelines keep what they are."""
DEEPEST = 6
LARGEST = 10_000
"""Elements of a list, dict or the like that are looked at."""


def tagger_of(function: Callable[..., Any], options: Mapping[str, Any] | None = None) -> Tagger:
    """A tagger of an object in memory.

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
    if options:
        known, anything = parameters(function)
        for name in options:
            if name not in known and not anything:
                raise InputError(
                    f"the function {name_of(function)} has no parameter {name}",
                    allowed=", ".join(known) or "it takes none",
                )
    called = functools.partial(function, **options) if options else function
    name = name_of(function)
    spec = Specification(
        format=1, name=name, mode="python", python=Python(function=f"memory:{_word(name)}"), cache=False
    )
    version = getattr(function, "__version__", "")
    declared = spec.model_dump_json(exclude_defaults=True)
    parts = (declared, str(version), *_parts(called, DEEPEST))
    digest = digest_bytes(*(part.encode("utf-8", "surrogatepass") for part in parts))
    return Tagger(
        spec,
        Path.cwd() / f"memory:{name}",
        {},
        version if isinstance(version, str) else "",
        digest,
        function=called,
        several=takes_list(function),
    )


def name_of(function: Any) -> str:
    """What an object is called in tables."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, MethodType):
        name = f"{type(function.__self__).__name__}.{function.__name__}"
    else:
        name = getattr(function, "__name__", "") or type(function).__name__
    return re.sub(r"[^\w.+-]+", "", name) or "function"


def _word(name: str) -> str:
    return re.sub(r"^(?=\d)|[^\w]+", "_", name)


def _parts(thing: Any, depth: int) -> Iterator[str]:
    """What tells an object from another: source code where it can be had, configuration, else its repr."""
    yield type(thing).__qualname__
    if depth == 0 or isinstance(thing, (str, int, float, complex, bool, bytes, type(None))):
        yield _shown(thing)
    elif isinstance(thing, functools.partial):
        for part in (thing.func, thing.args, thing.keywords):
            yield from _parts(part, depth - 1)
    elif isinstance(thing, MethodType):
        yield from _parts(thing.__func__, depth - 1)
        yield from _parts(thing.__self__, depth - 1)
    elif isinstance(thing, FunctionType):
        yield from _of_function(thing, depth)
    elif isinstance(thing, (BuiltinFunctionType, ModuleType, type)):
        yield _shown(thing)
    elif isinstance(thing, Mapping):
        for key, value in [*thing.items()][:LARGEST]:
            yield _shown(key)
            yield from _parts(value, depth - 1)
    elif isinstance(thing, (list, tuple)):
        for value in thing[:LARGEST]:
            yield from _parts(value, depth - 1)
    elif isinstance(thing, (set, frozenset)):
        yield from sorted(_shown(value) for value in thing)
    else:
        yield from _of_object(thing, depth)


def _of_function(function: FunctionType, depth: int) -> Iterator[str]:
    try:
        yield inspect.getsource(function)
    except (OSError, TypeError):
        yield from _of_code(function.__code__)
    yield from _parts(function.__defaults__, depth - 1)
    yield from _parts(function.__kwdefaults__, depth - 1)
    for cell in function.__closure__ or ():
        try:
            yield from _parts(cell.cell_contents, depth - 1)
        except ValueError:  # a cell that is empty yet
            continue


def _of_code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield " ".join(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _of_code(constant)
        else:
            yield _shown(constant)


def _of_object(thing: Any, depth: int) -> Iterator[str]:
    """The class's source, and what the object says of itself: configuration, else its repr and values."""
    kind: Any = type(thing)
    yield f"{kind.__module__}.{kind.__qualname__}"
    with contextlib.suppress(OSError, TypeError):
        yield _class_source(kind)
    configured = False
    for name in CONFIGURED:
        value = getattr(thing, name, None)
        if value is not None and not callable(value):
            configured = True
            as_dict = getattr(value, "to_dict", None)
            yield from _parts(as_dict() if callable(as_dict) else value, depth - 1)
    inner = getattr(thing, "model", None)
    if inner is not None and not isinstance(inner, str):
        configured = True
        yield from _parts(inner, depth - 1)
    if configured:
        return
    yield _shown(thing)
    own = getattr(thing, "__dict__", None)
    if isinstance(own, dict):
        yield from _parts({k: v for k, v in own.items() if not k.startswith("__")}, depth - 1)


@functools.lru_cache(maxsize=32)
def _class_source(kind: type) -> str:
    """A class's source code; to find it Python reads the whole module."""
    return inspect.getsource(kind)


def _shown(thing: Any) -> str:
    """An object's repr without its place in memory."""
    try:
        return ADDRESS.sub("", repr(thing))
    except Exception:  # an object whose repr fails is known by its type alone
        return type(thing).__qualname__
