"""Lookup of tagger specifications by the name, file or function of a tagger.

Other packages register taggers as entry points of the group ``tagsuite.taggers``.
"""

from __future__ import annotations

import difflib
import importlib.util
import re
from importlib import metadata
from importlib.metadata import EntryPoint
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.errors import InputError
from ...catalogues.core.messages import say
from ...catalogues.core.settings import load_settings
from ...catalogues.core.version import __version__
from .folder.run_file import RUN_FILE, make_absolute
from .specification import BUNDLED_FOLDER, FUNCTION_PATTERN, FunctionSettings, Limits, Specification

if TYPE_CHECKING:
    from .folder.runs import Run

ENTRY_POINT_GROUP = "tagsuite.taggers"
FUNCTION_PREFIX = "python:"
"""Prefix of a tagger name that refers to a Python function."""
FUNCTION_VARIABLES = ["PYTHONPATH", "PYTHONUTF8", "HF_*", "TRANSFORMERS_*", "TORCH_*", "XDG_CACHE_HOME"]
"""Environment variables that a function receives, in addition to those that every tagger receives."""


def list_bundled_files() -> list[Path]:
    """Return the specification files of the bundled taggers, sorted by name."""
    return sorted(BUNDLED_FOLDER.glob("*.toml"))


def make_movable(text: str) -> str:
    """Return the text of a bundled specification with paths that do not depend on its folder.

    Examples
    --------
    >>> make_movable('files = ["kex"]')
    'files = ["{bundled}/kex"]'
    """
    text = text.replace("{here}", "{bundled}")
    return re.sub(
        r"^files = \[.*\]$", lambda line: re.sub(r'"([^"]+)"', r'"{bundled}/\1"', line[0]), text, flags=re.M
    )


def find_specification(tagger: str | PathLike[str]) -> tuple[Path, Specification]:
    """Find the specification of a tagger, given its name, file or function.

    Returns the path to show in messages, and the specification.

    Raises
    ------
    InputError
        If there is no such tagger, or its specification is invalid.
    """
    name = str(tagger)
    if name.startswith(FUNCTION_PREFIX):
        return _make_function_specification(name.removeprefix(FUNCTION_PREFIX))
    path = Path(tagger)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise InputError("no such tagger specification", file=path)
        return path, load_settings(path, Specification)
    bundled = BUNDLED_FOLDER / f"{name}.toml"
    if bundled.is_file():
        return bundled, load_settings(bundled, Specification)
    plugins = _find_plugins()
    if name in plugins:
        return _load_plugin(plugins[name])
    names = [*(p.stem for p in list_bundled_files()), *plugins]
    raise InputError(
        "no such tagger",
        found=name,
        allowed=f"{', '.join(names)}, a specification file (.toml), or python:package.module:function",
        near=difflib.get_close_matches(name, names, n=3),
    )


def find_run_tagger(run: Run, named: str = "") -> tuple[str, dict[str, str]]:
    """Return the name, file or function of a run's tagger, and its options; all file paths are absolute.

    Parameters
    ----------
    run : Run
    named : str
        Name or specification file to use instead of the recorded one.

    Raises
    ------
    InputError
        If run.toml does not name a tagger, or the specification is missing.
    """
    record = run.meta.get("tagger", {})
    if not record.get("specification"):
        raise InputError("run.toml does not name the tagger of this run", file=run.folder / RUN_FILE)
    recorded = make_absolute(str(record["place"]), run.folder) if record.get("place") else ""
    place = named or recorded or str(record["specification"]).removesuffix(".toml")
    declared = find_specification(place)[1].options
    options = {}
    for name, value in record.get("options", {}).items():
        is_file = name in declared and declared[name].kind == "file"
        text = str(value).lower() if isinstance(value, bool) else str(value)
        options[name] = make_absolute(text, run.folder) if is_file else text
    return place, options


def _make_function_specification(function: str, name: str = "") -> tuple[Path, Specification]:
    """Make a specification for a function; return the path to show in messages, and the specification."""
    if not re.fullmatch(FUNCTION_PATTERN, function):
        raise InputError(
            "the text after python: is not the name of a function",
            found=f"{FUNCTION_PREFIX}{function}",
            allowed="python:package.module:function",
        )
    spec = Specification(
        format=1,
        name=name or function.replace(":", "."),
        mode="python",
        python=FunctionSettings(function=function),
        limits=Limits(start=300.0, case=30.0),
        pass_environment=FUNCTION_VARIABLES,
        # the files that a function loads are unknown
        cache=False,
    )
    return Path.cwd() / (name or f"{FUNCTION_PREFIX}{function}"), spec


def list_taggers() -> list[tuple[str, str, Specification]]:
    """Return name, source (tagsuite or a package) and specification of all bundled and registered taggers."""
    bundled = {path.stem: load_settings(path, Specification) for path in list_bundled_files()}
    taggers = [(name, f"tagsuite {__version__}", spec) for name, spec in bundled.items()]
    for plugin in _find_plugins().values():
        package = _get_package(plugin)
        if plugin.name in bundled:
            say(f"tagsuite: {plugin.name} is a bundled tagger; the one registered by {package} is ignored")
        else:
            taggers.append((plugin.name, package, _load_plugin(plugin)[1]))
    return taggers


def _find_plugins() -> dict[str, EntryPoint]:
    """Return the taggers of other packages by name; if a name occurs several times, keep the first tagger."""
    plugins: dict[str, EntryPoint] = {}
    points = metadata.entry_points(group=ENTRY_POINT_GROUP)
    for point in sorted(points, key=lambda p: (p.name, _get_package(p), p.value)):
        first, package = _get_package(plugins.setdefault(point.name, point)), _get_package(point)
        if first != package:
            say(f"tagsuite: {first} and {package} register a tagger {point.name}; the second is ignored")
    return plugins


def _get_package(plugin: EntryPoint) -> str:
    """Return the name and version of the distribution that registers a tagger."""
    return f"{plugin.dist.name} {plugin.dist.version}" if plugin.dist else "?"


def _load_plugin(plugin: EntryPoint) -> tuple[Path, Specification]:
    """Load a tagger from another package; return the path to show in messages, and the specification.

    The value of the entry point is ``package:file.toml`` or ``package.module:function``.
    """
    module, _, attribute = plugin.value.partition(":")
    if not attribute.endswith(".toml"):
        return _make_function_specification(plugin.value, plugin.name)
    try:
        package = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        package = None
    for folder in (package.submodule_search_locations or ()) if package is not None else ():
        path = Path(folder) / attribute
        if path.is_file():
            return path, load_settings(path, Specification)
    raise InputError(
        f"{_get_package(plugin)} registers the tagger {plugin.name} but does not contain its specification",
        found=plugin.value,
    )
