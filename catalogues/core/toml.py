"""TOML: parsed within bounds (what is too deep or too long is refused), and written."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
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


def write_toml(table: Mapping[str, Any]) -> str:
    r"""Write nested mappings as TOML: values first, then tables, each in the order given.

    Every file of ours in TOML is written here, and what is written reads back the same. Lists of tables stand
    as ``[[name]]``, however short they are: people read these files, and edit them.

    Examples
    --------
    >>> print(write_toml({"format": 1, "run": {"name": "a\tb"}}), end="")
    format = 1
    <BLANKLINE>
    [run]
    name = "a\tb"
    """
    # imported where it is needed: most commands write no TOML
    import tomli_w

    values = {k: v for k, v in table.items() if not isinstance(v, Mapping) and not _tables(v)}
    blocks = [tomli_w.dumps(values)] if values else []
    for key, value in table.items():
        if isinstance(value, Mapping):
            blocks.append(tomli_w.dumps({key: value}))
        elif key not in values:
            head = tomli_w.dumps({key: {}})
            rows = (tomli_w.dumps({key: row}).removeprefix(head) for row in value)
            blocks += [f"[{head.rstrip()}]\n{row}" for row in rows]
    return "\n".join(blocks)


def _tables(value: object) -> bool:
    """Whether a value is a list of tables, of which TOML can write each below a head of its own."""
    return isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)


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
