"""The JSON of an answer among what a language model puts around it: code fences, words before and after."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import orjson

from ....sentences.formats.problems import NOT_FOUND, describe_missing_key, shorten_value
from ....sentences.formats.records import value_at, value_or_none

JSON_START = re.compile(r"[\[{]")
FENCE_LINE = re.compile(r"\s*```[\w-]*\s*")
"""A line that opens or closes a block of code."""
MAX_READ_FACTOR, MAX_READ_EXTRA = 64, 1 << 20
"""Letters that are read in search of JSON: so many times those of the answer, and so many more."""
NESTING_COST = 1 << 16
"""What brackets that are nested too deeply count as, in such letters."""
_DECODER = json.JSONDecoder()


class Answer(NamedTuple):
    """What an answer holds.

    Attributes
    ----------
    items : list or None
        The strings and objects of its list; None where it has none.
    name : str, int or None
        The identifier of the object that holds the list, where it has one.
    stripped : bool
        Whether something stood around the JSON.
    problem : str
        Why there is no list, with what was found.
    """

    items: list[Any] | None = None
    name: Any = None
    stripped: bool = False
    problem: str = ""


def find_answer(content: bytes, mentions_key: str, id_key: str) -> Answer:
    r"""The list that an answer is, or that its object holds; of several among other words the last.

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
    wrong = ""
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
            wrong = _format_problem(f"not JSON ({error})", text[low:])
        else:
            found = _find_usable_list(value, mentions_key, id_key, text[low:at])
            spent += at - low
            if found.items is not None:
                best = found._replace(stripped=True)
            else:
                wrong = found.problem
        if spent > MAX_READ_FACTOR * len(text) + MAX_READ_EXTRA:
            return Answer(problem=_format_problem("too many brackets that begin no JSON", text))
    return best or Answer(problem=wrong or _format_problem(problem, text))


def _find_usable_list(value: Any, mentions_key: str, id_key: str, text: str) -> Answer:
    """The list that a value in JSON is or holds, if our columns can hold it."""
    try:
        orjson.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        problem = (
            "a lone surrogate, which is no character" if "surrogate" in str(error) else f"not JSON ({error})"
        )
        return Answer(problem=_format_problem(problem, text))
    return _find_list(value, mentions_key, id_key)


def _find_list(value: Any, mentions_key: str, id_key: str) -> Answer:
    """The list that a value in JSON is or holds."""
    if isinstance(value, list):
        return _check_items(value, "the list", None)
    if not isinstance(value, dict):
        return Answer(problem=_format_problem("neither a list nor an object", value))
    listed = value_at(value, mentions_key)
    if listed is NOT_FOUND:
        return Answer(problem=describe_missing_key("no key", value, mentions_key, "mentions_key"))
    return _check_items(listed, mentions_key, value_or_none(value, id_key))


def _check_items(value: Any, what: str, name: Any) -> Answer:
    if not isinstance(value, list):
        return Answer(problem=_format_problem(f"{what} is no list", value))
    for i, one in enumerate(value):
        if not isinstance(one, (str, dict)):
            return Answer(problem=_format_problem(f"mentions[{i}] is neither text nor an object", one))
    return Answer(value, name)


def _format_problem(problem: str, found: Any) -> str:
    return f"{problem}: {shorten_value(found)}"
