"""TOML, parsed and written."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from os import PathLike
from typing import Any

from .errors import InputError

# the library takes memory by the square of the parts of a dotted name
_LONG_NAME = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50}""")


def parse_toml(text: str, file: str | PathLike[str]) -> dict[str, Any]:
    """Parse TOML; every reader of TOML that a user may write goes through here.

    Raises
    ------
    InputError
        Not TOML, nested too deeply, or with a number that is too long to be read.
    """
    if _LONG_NAME.search(text):
        raise InputError("not valid TOML: a dotted name has more than 50 parts", file=file)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("not valid TOML: nested too deeply", file=file) from None
    except ValueError as error:
        # of the library's own kind, or Python's where a number has thousands of digits
        raise InputError(f"not valid TOML: {error}", file=file) from None


def write_toml(table: Mapping[str, Any]) -> str:
    r"""Write nested mappings as TOML: values first, then tables, each in the order given.

    A key whose value is None is left out, also in a table of the first level.
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

    values: dict[str, Any] = {}
    blocks: list[str] = []
    for key, value in table.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            blocks.append(tomli_w.dumps({key: {k: v for k, v in value.items() if v is not None}}))
        elif isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
            head = tomli_w.dumps({key: {}})
            rows = (tomli_w.dumps({key: row}).removeprefix(head) for row in value)
            blocks += [f"[{head.rstrip()}]\n{row}" for row in rows]
        else:
            values[key] = value
    return "\n".join([tomli_w.dumps(values), *blocks] if values else blocks)
