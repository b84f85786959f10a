"""Which specification a tagger's name leads to: bundled, of another package, a file, or a function's own.

Other packages bring taggers by entry points of the group ``tagsuite.taggers``.
"""

from __future__ import annotations

import difflib
import importlib.util
import re
from dataclasses import dataclass
from importlib import metadata
from os import PathLike
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.messages import say
from ...catalogues.core.settings import load_settings
from ...catalogues.core.version import __version__
from .specification import FUNCTION_PATTERN, FunctionSettings, Limits, Specification

BUNDLED_FOLDER = Path(__file__).resolve().parent.parent / "taggers"
"""The folder of the specifications that come with tagsuite."""
ENTRY_POINT_GROUP = "tagsuite.taggers"
FUNCTION_PREFIX = "python:"
"""What begins the name of a function."""
FUNCTION_VARIABLES = ["PYTHONPATH", "PYTHONUTF8", "HF_*", "TRANSFORMERS_*", "TORCH_*", "XDG_CACHE_HOME"]
"""Your variables that a function sees besides the few that all see."""


@dataclass(frozen=True)
class PluginTagger:
    """A tagger of another package.

    Attributes
    ----------
    name : str
    package : str
        The distribution that brings it, and its version.
    value : str
        ``package:file.toml`` or ``package.module:function``.
    """

    name: str
    package: str
    value: str

    def load_specification(self) -> tuple[Path, Specification]:
        """Its specification, and the file for messages.

        Raises
        ------
        InputError
            When the package does not hold what it says, or its specification is wrong.
        """
        module, _, attribute = self.value.partition(":")
        if not attribute.endswith(".toml"):
            return _make_function_specification(self.value, self.name)
        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            found = None
        folders = list(found.submodule_search_locations or ()) if found is not None else []
        for folder in folders:
            path = Path(folder) / attribute
            if path.is_file():
                return path, load_settings(path, Specification)
        raise InputError(
            f"{self.package} brings the tagger {self.name}, but not its specification",
            found=self.value,
            allowed="a file in the folder of that package",
        )


def list_bundled_files() -> list[Path]:
    """Return the specification files that come with tagsuite, by name."""
    return sorted(BUNDLED_FOLDER.glob("*.toml"))


def find_specification(tagger: str | PathLike[str]) -> tuple[Path, Specification]:
    """The specification of a tagger's name, of a file or of a function, and the file for messages.

    Raises
    ------
    InputError
        When there is no such tagger, or its specification is wrong.
    """
    named = str(tagger)
    if named.startswith(FUNCTION_PREFIX):
        return _make_function_specification(named.removeprefix(FUNCTION_PREFIX))
    path = Path(tagger)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise InputError("no such tagger specification", file=path)
        return path, load_settings(path, Specification)
    bundled = BUNDLED_FOLDER / f"{named}.toml"
    if bundled.is_file():
        return bundled, load_settings(bundled, Specification)
    others = _find_plugins()
    if named in others:
        return others[named].load_specification()
    names = [*(p.stem for p in list_bundled_files()), *others]
    near = difflib.get_close_matches(named, names, n=3)
    raise InputError(
        "no such tagger",
        found=named,
        allowed=f"{', '.join(names)}, a specification file (.toml), or python:package.module:function",
        near=near,
    )


def _make_function_specification(function: str, name: str = "") -> tuple[Path, Specification]:
    """The specification of a function that has no file.

    Its place is the working folder, which it is imported from.
    """
    if not re.fullmatch(FUNCTION_PATTERN, function):
        raise InputError(
            "not the name of a function",
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
        # what a function loads nobody declares
        cache=False,
    )
    return Path.cwd() / (name or f"{FUNCTION_PREFIX}{function}"), spec


def list_taggers() -> list[tuple[str, str, Specification]]:
    """The taggers that a name leads to: each with what brings it, and its specification."""
    bundled = {path.stem: load_settings(path, Specification) for path in list_bundled_files()}
    found = [(name, f"tagsuite {__version__}", spec) for name, spec in bundled.items()]
    for one in _find_plugins().values():
        if one.name in bundled:
            say(f"tagsuite: {one.name} is the bundled tagger, not that of {one.package}")
        else:
            found.append((one.name, one.package, one.load_specification()[1]))
    return found


def _find_plugins() -> dict[str, PluginTagger]:
    """The taggers of all packages in the order of names; where two have one name, the first alone."""
    found: dict[str, PluginTagger] = {}
    points = metadata.entry_points(group=ENTRY_POINT_GROUP)
    for point in sorted(points, key=lambda p: (p.name, p.dist.name if p.dist else "", p.value)):
        package = f"{point.dist.name} {point.dist.version}" if point.dist else "?"
        first = found.setdefault(point.name, PluginTagger(point.name, package, point.value))
        if first.package != package:
            say(f"tagsuite: {point.name} is the tagger of {first.package}, not that of {package}")
    return found
