"""Extraction of a JSON list from a language model's answer; the answer may also contain other text."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import orjson

from ....sentences.formats.problems import NOT_FOUND, describe_missing_key, shorten_value
from ....sentences.formats.records import value_at, value_or_none

JSON_START = re.compile(r"[\[{]")
FENCE_LINE = re.compile(r"\s*```[\w-]*\s*")
"""Regular expression for a line that opens or closes a code block."""
MAX_READ_FACTOR, MAX_READ_EXTRA = 64, 1 << 20
"""Maximum number of characters read to find JSON: a multiple of the answer's length plus a constant."""
NESTING_COST = 1 << 16
"""Number of characters that count as read for a value whose brackets are nested too deeply."""
_DECODER = json.JSONDecoder()


class Answer(NamedTuple):
    """List of mentions in an answer.

    Attributes
    ----------
    items : list or None
        Strings and objects in the list; None if there is no list.
    name : str, int or None
        Identifier in the object that contains the list, if any.
    stripped : bool
        True if there was other text around the JSON.
    problem : str
        Reason why there is no list, and what was found instead.
    """

    items: list[Any] | None = None
    name: Any = None
    stripped: bool = False
    problem: str = ""


def find_answer(content: bytes, mentions_key: str, id_key: str) -> Answer:
    r"""Return the last JSON list in an answer; the list may be inside a JSON object.

    Examples
    --------
    >>> find_answer(b'Here they are:\n```json\n["p53"]\n```', "mentions", "id")
    Answer(items=['p53'], name=None, stripped=True, problem='')
    """
    try:
        return _find_list(orjson.loads(content), mentions_key, id_key)
    except orjson.JSONDecodeError as error:
        problem = f"not JSON ({error.msg})"
    text = content.decode("utf-8", "replace").strip()
    best: Answer | None = None
    last_problem = ""
    at, spent = 0, 0
    while (match := JSON_START.search(text, at)) is not None:
        low = match.start()
        try:
            value, at = _DECODER.raw_decode(text, low)
        except json.JSONDecodeError as error:
            if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
                return Answer(problem=_format_problem("the JSON is cut off", text[low:]))
            at, spent = low + 1, spent + error.pos - low + MAX_READ_FACTOR + error.pos // MAX_READ_FACTOR
        except (RecursionError, ValueError, TypeError) as error:
            at, spent = low + 1, spent + NESTING_COST
            last_problem = _format_problem(f"not JSON ({error})", text[low:])
        else:
            answer = _find_usable_list(value, mentions_key, id_key, text[low:at])
            spent += at - low
            if answer.items is not None:
                best = answer._replace(stripped=True)
            else:
                last_problem = answer.problem
        if spent > MAX_READ_FACTOR * len(text) + MAX_READ_EXTRA:
            return Answer(problem=_format_problem("too many brackets that do not begin JSON", text))
    return best or Answer(problem=last_problem or _format_problem(problem, text))


def _find_usable_list(value: Any, mentions_key: str, id_key: str, text: str) -> Answer:
    """Return the list in a JSON value, or describe why the value cannot be stored in a run's tables."""
    try:
        orjson.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        has_surrogate = "surrogate" in str(error)
        problem = "a lone surrogate, which is not a character" if has_surrogate else f"not JSON ({error})"
        return Answer(problem=_format_problem(problem, text))
    return _find_list(value, mentions_key, id_key)


def _find_list(value: Any, mentions_key: str, id_key: str) -> Answer:
    """Return the list that a JSON value is or contains; if there is no list, describe the problem."""
    if isinstance(value, list):
        return _check_items(value, "the list", None)
    if not isinstance(value, dict):
        return Answer(problem=_format_problem("neither a list nor an object", value))
    items = value_at(value, mentions_key)
    if items is NOT_FOUND:
        return Answer(problem=describe_missing_key("no key", value, mentions_key, "mentions_key"))
    return _check_items(items, mentions_key, value_or_none(value, id_key))


def _check_items(value: Any, description: str, name: Any) -> Answer:
    if not isinstance(value, list):
        return Answer(problem=_format_problem(f"{description} is not a list", value))
    for i, item in enumerate(value):
        if not isinstance(item, (str, dict)):
            return Answer(problem=_format_problem(f"mentions[{i}] is neither a string nor an object", item))
    return Answer(value, name)


def _format_problem(problem: str, value: Any) -> str:
    return f"{problem}: {shorten_value(value)}"
