"""Fields of records that a tagger prints: where they stand, and what is said where one is missing."""

from __future__ import annotations

from typing import Any

FOUND_KEYS = "; found keys: "
"""Part of every problem that names a key which is missing."""
FOUND_FIELDS = "; found fields: "
"""The same of a field, in forms whose fields have places and no keys."""
NOTHING = object()
"""Stands for what was found where there is nothing to show."""


def value_at(fields: Any, path: str) -> Any:
    """Return what stands under a key, or at a path of keys and list places joined by dots; else `NOTHING`.

    Examples
    --------
    >>> value_at({"span": {"begin": 7}}, "span.begin"), value_at({"span.begin": 8}, "span.begin")
    (7, 8)
    """
    if isinstance(fields, dict) and path in fields:
        return fields[path]
    for part in path.split("."):
        if isinstance(fields, dict) and part in fields:
            fields = fields[part]
        elif isinstance(fields, list) and part.isdecimal() and int(part) < len(fields):
            fields = fields[int(part)]
        else:
            return NOTHING
    return fields


def value_or_none(fields: Any, path: str) -> Any:
    """Return what stands at a path (see `value_at`), None where there is nothing."""
    value = value_at(fields, path)
    return None if value is NOTHING else value


def explained(what: str) -> tuple[str, str]:
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
