"""Findings in words, from the phrases of a data file."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ....catalogues.core.bundled import bundled_toml
from ....catalogues.taxonomy import LIST_PREFIX
from .shapes import words_of

COMPARED = re.compile(r"^(\S+) (=|>=|<=) (.+)$")
PRESENCE = re.compile(r"^(\S+) is (present|absent)$")
RANGE = re.compile(r"^(\S+) >= (\d+) and \1 <= (\d+)$")


@cache
def phrases() -> dict[str, Any]:
    """The phrases: feature -> what mentions with a value of it do or are."""
    return bundled_toml(__package__, "phrases.toml")


def phrase(condition: str) -> str:
    """A condition in words, fit to stand after *names that*.

    Examples
    --------
    >>> phrase("case = lower")
    'are in lower case'
    >>> phrase("words >= 2 and words <= 3")
    'have 2 to 3 words'
    >>> phrase("in_list.training = false")
    'are not in the list training'
    """
    shaped = words_of(condition)
    if shaped is not None:
        return shaped
    name, low, high, value = _read(condition)
    known = phrases().get(name) or _regular(name)
    exact = known.get("is", {}).get(value)
    if exact is not None:
        return str(exact)
    if "count" in known:
        return _counted(known, low, high)
    if "value" in known:
        shown = _span(low, high) if value is None else value.replace("_", " ")
        return str(known["value"]).format(value=shown)
    if name.startswith(LIST_PREFIX):
        return f"are {'' if value == 'true' else 'not '}in the list {name.removeprefix(LIST_PREFIX)}"
    plain = name.rpartition(".")[2].replace("_", " ")
    if value in ("true", "false"):
        return f"have {plain}" if value == "true" else f"do not have {plain}"
    if value is None:
        return f"have a {plain} of {_span(low, high)}"
    return f"have {value.replace('_', ' ')} as {plain}"


def _regular(name: str) -> dict[str, Any]:
    """The phrases of a feature ``contains_NOUN`` that has none of its own; none of another feature."""
    if not name.startswith("contains_"):
        return {}
    noun = name.removeprefix("contains_").replace("_", " ")
    article = "an" if noun[0] in "AEIOaeio" else "a"
    return {"count": [noun, f"{noun}s"], "is": {"true": f"have {article} {noun}", "false": f"have no {noun}"}}


def together(conditions: tuple[str, ...]) -> str:
    """Several conditions in words."""
    said = [phrase(c) for c in conditions]
    if len(said) < 2:
        return "".join(said)
    return ", ".join(said[:-1]) + " and " + said[-1]


def sentence(
    measure: str, conditions: tuple[str, ...], value: float, other: str, cases: int, kind: str = ""
) -> str:
    """A finding as a sentence: what, the measure against others', how many cases (of some kind)."""
    verb = "misses" if measure == "recall" else "wrongly proposes"
    unit = "case" if cases == 1 else "cases"
    return (
        f"{verb} names that {together(conditions)}: {measure} {figure(value)} against {other}, "
        f"{cases} {kind}{unit}"
    )


def figure(value: float) -> str:
    """A share as papers print it: ``.08``, ``1.00``."""
    return f"{value:.2f}".removeprefix("0") if value < 1 else f"{value:.2f}"


def _read(condition: str) -> tuple[str, int | None, int | None, str | None]:
    """Feature, number's range, and the value where it is no number."""
    if match := RANGE.match(condition):
        return match[1], int(match[2]), int(match[3]), None
    if match := PRESENCE.match(condition):
        return match[1], None, None, match[2]
    match = COMPARED.match(condition)
    if match is None:
        return condition, None, None, "true"
    name, operator, value = match[1], match[2], match[3].strip('"')
    if value.isdigit():
        number = int(value)
        return name, None if operator == "<=" else number, None if operator == ">=" else number, None
    return name, None, None, value


def _counted(known: dict[str, Any], low: int | None, high: int | None) -> str:
    one, many = known["count"]
    if (low, high) == (0, 0):
        return f"have no {many}"
    if low == 1 and high is None:
        return f"have one {one} or more"
    return f"have {_span(low, high)} {one if low == high == 1 else many}"


def _span(low: int | None, high: int | None) -> str:
    if low == high:
        return "one" if low == 1 else f"{low}"
    if high is None:
        return f"{low} or more"
    return f"at most {high}" if low is None else f"{low} to {high}"
