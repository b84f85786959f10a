"""Functions that parse and write TOML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from os import PathLike
from typing import Any

from .errors import InputError

# the memory that tomllib needs grows with the square of the number of parts in a dotted name
_LONG_NAME = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50}""")


def parse_toml(text: str, file: str | PathLike[str]) -> dict[str, Any]:
    """Parse TOML text from a user; error messages name `file`.

    Raises
    ------
    InputError
        If the text is not TOML, is nested too deeply, or has a number with too many digits.
    """
    if _LONG_NAME.search(text):
        raise InputError("not valid TOML: a dotted name has more than 50 parts", file=file)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("not valid TOML: nested too deeply", file=file) from None
    except ValueError as error:
        # raised by tomllib, or by Python for a number with thousands of digits
        raise InputError(f"not valid TOML: {error}", file=file) from None


def write_toml(table: Mapping[str, Any]) -> str:
    """Convert nested mappings to TOML text; values come before tables, both in the given order.

    Keys whose value is None are omitted, at the top level and in tables. A list of tables is always written
    as ``[[name]]``, which is easy to edit.

    Examples
    --------
    >>> print(write_toml({"format": 1, "run": {"name": "kex"}}), end="")
    format = 1
    <BLANKLINE>
    [run]
    name = "kex"
    """
    # imported here because most commands write no TOML
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
