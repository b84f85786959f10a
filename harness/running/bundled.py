"""The specifications that come with tagsuite, and which one a tagger's name leads to."""

from __future__ import annotations

import difflib
from os import PathLike
from pathlib import Path

from ...catalogues.core.errors import InputError

BUNDLED = Path(__file__).resolve().parent.parent / "taggers"


def find(tagger: str | PathLike[str]) -> Path:
    """The specification file of a bundled tagger's name or of a path.

    Raises
    ------
    InputError
        When neither a bundled tagger nor a file has that name.
    """
    path = Path(tagger)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise InputError("no such tagger specification", file=path)
        return path
    bundled = BUNDLED / f"{tagger}.toml"
    if bundled.is_file():
        return bundled
    names = [p.stem for p in bundled_specifications()]
    near = difflib.get_close_matches(str(tagger), names, n=3)
    raise InputError(
        "no such tagger",
        found=str(tagger),
        allowed=f"{', '.join(names)}, or a specification file (.toml)",
        near=near,
    )


def bundled_specifications() -> list[Path]:
    """The specification files that come with tagsuite, by name."""
    return sorted(BUNDLED.glob("*.toml"))
