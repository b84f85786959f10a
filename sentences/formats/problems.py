"""Messages about missing keys or fields in records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

FOUND_KEYS = "; found keys: "
"""Text that precedes the list of found keys in a message about a missing key."""
FOUND_FIELDS = "; found fields: "
"""Text that precedes the list of found fields in a message about a missing field."""
NOT_FOUND = object()
"""Object that stands for a missing value; it is not shown in messages."""
MAX_SHOWN_CHARACTERS = 60
"""Maximum number of characters of a value in a message."""
MAX_KEYS_CHARACTERS = 200
"""Maximum number of characters for the list of found keys in a message."""


def split_problem(problem: str) -> tuple[str, str]:
    """Split a message into the part about a missing key or field, and the value that was found.

    The first part is empty if the message is not about a missing key or field.

    Examples
    --------
    >>> split_problem("a mention line has no end; found fields: start: '7' in line 3")
    ('a mention line has no end; found fields: start', "'7' in line 3")
    >>> split_problem("start is not an integer: 'x'")
    ('', "start is not an integer: 'x'")
    """
    if FOUND_KEYS in problem:
        return problem, ""
    head, mark, rest = problem.partition(FOUND_FIELDS)
    if not mark:
        return "", problem
    # no field name contains a colon
    fields, _, value = rest.partition(": ")
    return head + mark + fields, value


def describe_missing_key(subject: str, fields: Mapping[str, Any], key: str, setting: str = "") -> str:
    """Return a message about a missing key.

    The message lists the keys that were found, and the setting that determines the name of the missing key.

    Parameters
    ----------
    subject : str
        Beginning of the message, such as "the object has no key".
    fields : mapping
        Object in which the key is missing.
    key : str
        Missing key.
    setting : str
        Key of the tagger specification (in the table ``output``) that sets the name of `key`.
    """
    keys = ", ".join(map(str, fields)) or "none"
    hint = f"; specification: output.{setting}" if setting else ""
    return f"{subject} {key}{FOUND_KEYS}{keys[:MAX_KEYS_CHARACTERS]}{hint}"


def describe_missing_fields(
    subject: str, missing: Sequence[str], found: Sequence[str], setting: str = ""
) -> str:
    """Return a message about missing fields in a line.

    The message lists the fields that were found, and the setting that determines the fields.

    Examples
    --------
    >>> describe_missing_fields("a mention line", ["end"], ["start"], "columns")
    'a mention line has no end; specification: output.columns; found fields: start'
    """
    hint = f"; specification: output.{setting}" if setting else ""
    return f"{subject} has no {', '.join(missing)}{hint}{FOUND_FIELDS}{', '.join(found) or 'none'}"


def shorten_value(value: Any) -> str:
    """Return the `repr` of a value, shortened for a message."""
    if isinstance(value, str):
        return repr(value if len(value) <= MAX_SHOWN_CHARACTERS else value[:MAX_SHOWN_CHARACTERS] + "…")
    return repr(value)[:MAX_SHOWN_CHARACTERS]
