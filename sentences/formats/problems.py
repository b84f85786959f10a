"""How a problem of a record names what is missing and what was found instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

FOUND_KEYS = "; found keys: "
"""Part of every problem that names a key which is missing."""
FOUND_FIELDS = "; found fields: "
"""The same of a field, in forms whose fields have places and no keys."""
NOT_FOUND = object()
"""Stands for what was found where there is nothing to show."""
MAX_SHOWN_CHARACTERS = 60
"""Characters of what was found that a kept problem shows."""
MAX_KEYS_CHARACTERS = 200
"""Characters of the keys that were found in place of one that is missing."""


def split_problem(what: str) -> tuple[str, str]:
    """Of a problem that names what is missing this part, and what was found instead; else nothing, and all.

    Examples
    --------
    >>> explained("a mention line has no end; found fields: start: '7' in line 3")
    ('a mention line has no end; found fields: start', "'7' in line 3")
    >>> explained("start is no whole number: 'x'")
    ('', "start is no whole number: 'x'")
    """
    if FOUND_KEYS in what:
        return what, ""
    head, mark, rest = what.partition(FOUND_FIELDS)
    if not mark:
        return "", what
    # the fields are ours: none has a colon in its name
    there, _, found = rest.partition(": ")
    return head + mark + there, found


def describe_missing_key(subject: str, fields: Mapping[str, Any], key: str, setting: str = "") -> str:
    """A problem that names the key which is missing, those that were found, and what says its name."""
    there = ", ".join(map(str, fields)) or "none"
    hint = f"; specification: output.{setting}" if setting else ""
    return f"{subject} {key}{FOUND_KEYS}{there[:MAX_KEYS_CHARACTERS]}{hint}"


def describe_missing_fields(
    subject: str, missing: Sequence[str], found: Sequence[str], setting: str = ""
) -> str:
    """A problem that names the fields which a line lacks, those that it has, and what says where they stand.

    Examples
    --------
    >>> missing_fields("a mention line", ["end"], ["start"], "columns")
    'a mention line has no end; specification: output.columns; found fields: start'
    """
    hint = f"; specification: output.{setting}" if setting else ""
    return f"{subject} has no {', '.join(missing)}{hint}{FOUND_FIELDS}{', '.join(found) or 'none'}"


def shorten_value(value: Any) -> str:
    """What was found, short enough to be shown."""
    if isinstance(value, str):
        return repr(value if len(value) <= MAX_SHOWN_CHARACTERS else value[:MAX_SHOWN_CHARACTERS] + "…")
    return repr(value)[:MAX_SHOWN_CHARACTERS]
