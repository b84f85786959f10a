"""Taggers that other packages bring: entry points of the group ``tagsuite.taggers``."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.tables import say
from .functions.unfiled import of_function
from .specification import Specification, read_specification

GROUP = "tagsuite.taggers"


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
            return of_function(self.value, self.name)
        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            found = None
        folders = list(found.submodule_search_locations or ()) if found is not None else []
        for folder in folders:
            path = Path(folder) / attribute
            if path.is_file():
                return path, read_specification(path)
        raise InputError(
            f"{self.package} brings the tagger {self.name}, but not its specification",
            found=self.value,
            allowed="a file in the folder of that package",
        )


def all_brought() -> list[Brought]:
    """The taggers of all packages in the order of names; where two have one name, the first alone."""
    found: dict[str, Brought] = {}
    points = metadata.entry_points(group=GROUP)
    for point in sorted(points, key=lambda p: (p.name, p.dist.name if p.dist else "", p.value)):
        package = f"{point.dist.name} {point.dist.version}" if point.dist else "?"
        one = Brought(point.name, package, point.value)
        first = found.setdefault(point.name, one)
        if first.package != one.package:
            say(f"tagsuite: {point.name} is the tagger of {first.package}, not that of {package}")
    return list(found.values())


def brought(name: str) -> Brought | None:
    """The tagger of a name that another package brings."""
    return next((one for one in all_brought() if one.name == name), None)
