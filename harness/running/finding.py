"""Which specification a tagger's name leads to: bundled, of another package, a file, or a function's own."""

from __future__ import annotations

import difflib
from os import PathLike
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.tables import say
from .bundled import BUNDLED, bundled_specifications
from .entry_points import brought, brought_names
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
            say(f"tagsuite: {named} is the bundled tagger, not that of {other.package}")
        return bundled, read_specification(bundled)
    if other is not None:
        return other.specification()
    names = [*(p.stem for p in bundled_specifications()), *brought_names()]
    near = difflib.get_close_matches(named, names, n=3)
    raise InputError(
        "no such tagger",
        found=named,
        allowed=f"{', '.join(names)}, a specification file (.toml), or python:package.module:function",
        near=near,
    )
