"""TOML that somebody may have written, parsed within bounds: what is too deep or too long is refused."""

from __future__ import annotations

import re
import tomllib
from os import PathLike
from typing import Any

from .errors import InputError

DEEPEST = 50
"""No file of ours nests deeper than five; thousands would end in recursion wherever they are walked."""

# what stands between two dots of a dotted name
_KEY = re.compile(r"""[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*""")


def parse_toml(text: str, file: str | PathLike[str]) -> dict[str, Any]:
    """Parse TOML; every reader of TOML that a user may write goes through here.

    Raises
    ------
    InputError
        Not TOML, a number that is too long to be read, or tables and lists nested more than `DEEPEST` deep.
    """
    if _dotted(text) > DEEPEST:
        raise _too_deep(file)
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise _too_deep(file) from None
    except ValueError as error:
        # of the library's own kind, or Python's where a number has thousands of digits
        raise InputError(f"not valid TOML: {error}", file=file) from None
    layer: list[Any] = [data]
    for _ in range(DEEPEST):
        inside = [list(x.values()) if isinstance(x, dict) else x for x in layer]
        layer = [v for values in inside for v in values if isinstance(v, (dict, list))]
        if not layer:
            return data
    raise _too_deep(file)


def _dotted(text: str) -> int:
    """Parts of the longest dotted name; the library takes memory by the square of it."""
    longest = run = 0
    for part in text.split("."):
        run = run + 1 if _KEY.fullmatch(part) else 0
        longest = max(longest, run)
    return longest


def _too_deep(file: str | PathLike[str]) -> InputError:
    return InputError(
        "not valid TOML: nested too deeply", file=file, allowed=f"{DEEPEST} tables and lists deep"
    )
