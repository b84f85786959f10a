"""Findings in words, from the phrases of the taxonomy."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ....catalogues.taxonomy import LIST_PREFIX, taxonomy
from .conditions import load_shapes

COMPARISON_PATTERN = re.compile(r"^(\S+) (=|>=|<=) (.+)$")
PRESENCE_PATTERN = re.compile(r"^(\S+) is (present|absent)$")
RANGE_PATTERN = re.compile(r"^(\S+) >= (\d+) and \1 <= (\d+)$")


def describe_condition(condition: str) -> str:
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
    if condition in load_shapes():
        return load_shapes()[condition]
    name, low, high, value = _parse_condition(condition)
    phrases, nouns = _find_phrases(name)
    if value is not None and value in phrases:
        return phrases[value]
    if nouns is not None:
        return _describe_count(nouns, low, high)
    if "" in phrases:
        return phrases[""].format(
            value=_format_range(low, high) if value is None else value.replace("_", " ")
        )
    if name.startswith(LIST_PREFIX):
        return f"are {'' if value == 'true' else 'not '}in the list {name.removeprefix(LIST_PREFIX)}"
    plain = name.rpartition(".")[2].replace("_", " ")
    if value in ("true", "false"):
        return f"have {plain}" if value == "true" else f"do not have {plain}"
    if value is None:
        return f"have a {plain} of {_format_range(low, high)}"
    return f"have {value.replace('_', ' ')} as {plain}"


def _find_phrases(name: str) -> tuple[Mapping[str, str], tuple[str, str] | None]:
    """The phrases of a feature's values, and singular and plural of what it counts.

    A feature ``contains_NOUN`` without any of its own has those of a regular noun.
    """
    feature = next(iter(taxonomy().find_candidates(name)), None)
    if feature is not None and (feature.phrases or feature.counted_nouns):
        return feature.phrases, feature.counted_nouns
    if not name.startswith("contains_"):
        return {}, None
    noun = name.removeprefix("contains_").replace("_", " ")
    article = "an" if noun[0] in "AEIOaeio" else "a"
    return {"true": f"have {article} {noun}", "false": f"have no {noun}"}, (noun, f"{noun}s")


def describe_conditions(conditions: tuple[str, ...]) -> str:
    """Several conditions in words."""
    said = [describe_condition(c) for c in conditions]
    if len(said) < 2:
        return "".join(said)
    return ", ".join(said[:-1]) + " and " + said[-1]


def describe_finding(
    measure: str, conditions: tuple[str, ...], value: float, rest: str, cases: int, kind: str = ""
) -> str:
    """A finding as a sentence: what, the measure against others', how many cases (of some kind)."""
    verb = "misses" if measure == "recall" else "wrongly proposes"
    unit = "case" if cases == 1 else "cases"
    return (
        f"{verb} names that {describe_conditions(conditions)}: "
        f"{measure} {format_share(value)} against {rest}, "
        f"{cases} {kind}{unit}"
    )


def format_share(value: float) -> str:
    """A share as papers print it: ``.08``, ``1.00``."""
    return f"{value:.2f}".removeprefix("0") if value < 1 else f"{value:.2f}"


def _parse_condition(condition: str) -> tuple[str, int | None, int | None, str | None]:
    """Feature, number's range, and the value where it is no number."""
    if match := RANGE_PATTERN.match(condition):
        return match[1], int(match[2]), int(match[3]), None
    if match := PRESENCE_PATTERN.match(condition):
        return match[1], None, None, match[2]
    match = COMPARISON_PATTERN.match(condition)
    if match is None:
        return condition, None, None, "true"
    name, operator, value = match[1], match[2], match[3].strip('"')
    if value.isdigit():
        number = int(value)
        return name, None if operator == "<=" else number, None if operator == ">=" else number, None
    return name, None, None, value


def _describe_count(nouns: tuple[str, str], low: int | None, high: int | None) -> str:
    one, many = nouns
    if (low, high) == (0, 0):
        return f"have no {many}"
    if low == 1 and high is None:
        return f"have one {one} or more"
    return f"have {_format_range(low, high)} {one if low == high == 1 else many}"


def _format_range(low: int | None, high: int | None) -> str:
    if low == high:
        return "one" if low == 1 else f"{low}"
    if high is None:
        return f"{low} or more"
    return f"at most {high}" if low is None else f"{low} to {high}"
