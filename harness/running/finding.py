"""Which specification a tagger's name leads to: bundled, of another package, a file, or a function's own."""

from __future__ import annotations

import difflib
from os import PathLike
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.tables import say
from ...catalogues.core.version import __version__
from .bundled import BUNDLED, bundled_specifications
from .entry_points import Brought, all_brought, brought
from .functions.unfiled import FUNCTION, of_function
from .specification import Specification, read_specification


def find_specification(tagger: str | PathLike[str]) -> tuple[Path, Specification]:
    """The specification of a tagger's name, of a file or of a function, and the file for messages.

    Raises
    ------
    InputError
        When there is no such tagger, or its specification is wrong.
    """
    named = str(tagger)
    if named.startswith(FUNCTION):
        return of_function(named.removeprefix(FUNCTION))
    path = Path(tagger)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise InputError("no such tagger specification", file=path)
        return path, read_specification(path)
    bundled = BUNDLED / f"{named}.toml"
    other = brought(named)
    if bundled.is_file():
        if other is not None:
            _say_hidden(other)
        return bundled, read_specification(bundled)
    if other is not None:
        return other.specification()
    names = [*(p.stem for p in bundled_specifications()), *(one.name for one in all_brought())]
    near = difflib.get_close_matches(named, names, n=3)
    raise InputError(
        "no such tagger",
        found=named,
        allowed=f"{', '.join(names)}, a specification file (.toml), or python:package.module:function",
        near=near,
    )


def found_by_name() -> list[tuple[str, str, Specification]]:
    """The taggers that a name leads to: each with what brings it, and its specification."""
    bundled = {path.stem: read_specification(path) for path in bundled_specifications()}
    found = [(name, f"tagsuite {__version__}", spec) for name, spec in bundled.items()]
    for one in all_brought():
        if one.name in bundled:
            _say_hidden(one)
        else:
            found.append((one.name, one.package, one.specification()[1]))
    return found


def _say_hidden(one: Brought) -> None:
    say(f"tagsuite: {one.name} is the bundled tagger, not that of {one.package}")
