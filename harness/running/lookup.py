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
from ...catalogues.core.settings import load
from ...catalogues.core.version import __version__
from .specification import FUNCTION_NAME, Limits, Python, Specification

BUNDLED = Path(__file__).resolve().parent.parent / "taggers"
"""The folder of the specifications that come with tagsuite."""
GROUP = "tagsuite.taggers"
FUNCTION = "python:"
"""What begins the name of a function."""
PASSED = ["PYTHONPATH", "PYTHONUTF8", "HF_*", "TRANSFORMERS_*", "TORCH_*", "XDG_CACHE_HOME"]
"""Your variables that a function sees besides the few that all see."""


@dataclass(frozen=True)
class Brought:
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

    def specification(self) -> tuple[Path, Specification]:
        """Its specification, and the file for messages.

        Raises
        ------
        InputError
            When the package does not hold what it says, or its specification is wrong.
        """
        module, _, attribute = self.value.partition(":")
        if not attribute.endswith(".toml"):
            return _of_function(self.value, self.name)
        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            found = None
        folders = list(found.submodule_search_locations or ()) if found is not None else []
        for folder in folders:
            path = Path(folder) / attribute
            if path.is_file():
                return path, load(path, Specification)
        raise InputError(
            f"{self.package} brings the tagger {self.name}, but not its specification",
            found=self.value,
            allowed="a file in the folder of that package",
        )


def bundled_specifications() -> list[Path]:
    """Return the specification files that come with tagsuite, by name."""
    return sorted(BUNDLED.glob("*.toml"))


def find_specification(tagger: str | PathLike[str]) -> tuple[Path, Specification]:
    """The specification of a tagger's name, of a file or of a function, and the file for messages.

    Raises
    ------
    InputError
        When there is no such tagger, or its specification is wrong.
    """
    named = str(tagger)
    if named.startswith(FUNCTION):
        return _of_function(named.removeprefix(FUNCTION))
    path = Path(tagger)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise InputError("no such tagger specification", file=path)
        return path, load(path, Specification)
    bundled = BUNDLED / f"{named}.toml"
    if bundled.is_file():
        return bundled, load(bundled, Specification)
    others = _brought()
    if named in others:
        return others[named].specification()
    names = [*(p.stem for p in bundled_specifications()), *others]
    near = difflib.get_close_matches(named, names, n=3)
    raise InputError(
        "no such tagger",
        found=named,
        allowed=f"{', '.join(names)}, a specification file (.toml), or python:package.module:function",
        near=near,
    )


def _of_function(function: str, name: str = "") -> tuple[Path, Specification]:
    """The specification of a function that has no file.

    Its place is the working folder, which it is imported from.
    """
    if not re.fullmatch(FUNCTION_NAME, function):
        raise InputError(
            "not the name of a function",
            found=f"{FUNCTION}{function}",
            allowed="python:package.module:function",
        )
    spec = Specification(
        format=1,
        name=name or function.replace(":", "."),
        mode="python",
        python=Python(function=function),
        limits=Limits(start=300.0, case=30.0),
        pass_environment=PASSED,
        # what a function loads nobody declares
        cache=False,
    )
    return Path.cwd() / (name or f"{FUNCTION}{function}"), spec


def found_by_name() -> list[tuple[str, str, Specification]]:
    """The taggers that a name leads to: each with what brings it, and its specification."""
    bundled = {path.stem: load(path, Specification) for path in bundled_specifications()}
    found = [(name, f"tagsuite {__version__}", spec) for name, spec in bundled.items()]
    for one in _brought().values():
        if one.name in bundled:
            say(f"tagsuite: {one.name} is the bundled tagger, not that of {one.package}")
        else:
            found.append((one.name, one.package, one.specification()[1]))
    return found


def _brought() -> dict[str, Brought]:
    """The taggers of all packages in the order of names; where two have one name, the first alone."""
    found: dict[str, Brought] = {}
    points = metadata.entry_points(group=GROUP)
    for point in sorted(points, key=lambda p: (p.name, p.dist.name if p.dist else "", p.value)):
        package = f"{point.dist.name} {point.dist.version}" if point.dist else "?"
        first = found.setdefault(point.name, Brought(point.name, package, point.value))
        if first.package != package:
            say(f"tagsuite: {point.name} is the tagger of {first.package}, not that of {package}")
    return found
