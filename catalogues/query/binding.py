"""Conditions checked against the taxonomy: is the feature known, may it be asked this, is the value legal."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from lark import Token

from ..taxonomy import Feature
from .errors import QueryError
from .names import Names
from .nodes import Bare, Compare, Condition, Contains, Match, Member, Named, Presence

_TRUE = frozenset({"true", "yes", "y", "1"})
_FALSE = frozenset({"false", "no", "n", "0"})
_NUMBERS = ("integer", "number")
_ORDERINGS = ("<", "<=", ">", ">=")


def condition(rule: str, name: Token, rest: list[Token], text: str, names: Names) -> Condition:
    """Build the node of one condition from its grammar rule and tokens."""
    named = _name(name, text, names)
    feature = named.feature
    if rule == "bare":
        if feature.kind != "boolean" and feature.kind not in _NUMBERS:
            raise _error(
                f"{named} is neither true nor false, it is {_a(feature)}", name, text, _advice(feature)
            )
        return Bare(named)
    if rule in ("absent", "present"):
        return Presence(named, rule == "present")
    if rule == "match":
        return Match(named, _pattern(rest[0], feature, text))
    if rule == "contains":
        return Contains(named, _contained(rest[0], name, feature, text))
    if rule == "comparison":
        operator, value = rest
        if operator in _ORDERINGS and feature.kind not in _NUMBERS:
            raise _error(f"{named} has no order, it is {_a(feature)}", operator, text, _advice(feature))
        return Compare(named, str(operator), _value(value, feature, text))
    return Member(named, tuple(_value(v, feature, text) for v in rest), rule == "not_member")


def unquote(token: Token) -> str:
    """The text of a value; in quotes a backslash makes a quotation mark or backslash plain, nothing else."""
    if token.type == "STRING":
        return re.sub(r"\\([\"'\\])", r"\1", str(token)[1:-1])
    return str(token)


def _name(token: Token, text: str, names: Names) -> Named:
    found = names.lookup(str(token))
    if len(found) == 1:
        return names.named(found[0])
    if found:
        choices = ", ".join(f.path for f in found)
        raise _error(f"{str(token)!r} is the name of several features", token, text, choices)
    other = names.taxonomy.meant(str(token))
    if other:
        raise _error(
            f"{other[0].path} cannot be asked here",
            token,
            text,
            "features of " + ", ".join(names.scopes),
        )
    near = names.taxonomy.nearest(str(token), names.scopes)
    raise _error(f"unknown feature {str(token)!r}", token, text, near=near)


def _value(token: Token, feature: Feature, text: str) -> str | int | float | bool:
    content = unquote(token)
    if token.type == "WORD" and content.casefold() in ("and", "or", "not", "in", "is", "contains"):
        raise _error("a value is missing here", token, text, f'a value, or "{content}" in quotes')
    if feature.kind == "boolean":
        if content.casefold() in _TRUE:
            return True
        if content.casefold() in _FALSE:
            return False
        raise _error(f"{feature.name} is true or false", token, text, "true, false")
    if feature.kind in _NUMBERS:
        return _number(content, token, feature, text)
    return _known(content, token, feature, text)


def _number(content: str, token: Token, feature: Feature, text: str) -> int | float:
    try:
        number = float(content)
    except ValueError:
        raise _error(f"{feature.name} is a number", token, text, "a number such as 3") from None
    if not math.isfinite(number):
        raise _error(f"{feature.name} is compared with finite numbers", token, text, "a number such as 3")
    return int(number) if number == int(number) else number


def _known(content: str, token: Token, feature: Feature, text: str) -> str:
    if not feature.values:
        return content
    value = feature.value_of(content)
    if value is None:
        allowed = ", ".join(v.shown for v in feature.nearest_values(content))
        raise _error(f"{feature.name} has no value {content!r}", token, text, allowed)
    return value


def _contained(token: Token, name: Token, feature: Feature, text: str) -> str:
    if feature.kind == "set":
        return str(_value(token, feature, text))
    if feature.kind == "text":
        return unquote(token)
    raise _error(f"contains asks a set or a text, {name} is {_a(feature)}", name, text, _advice(feature))


def _pattern(token: Token, feature: Feature, text: str) -> str:
    if feature.kind not in ("text", "category", "set"):
        raise _error(f"a pattern asks a text, {feature.name} is {_a(feature)}", token, text, _advice(feature))
    raw = str(token)[1:-1] if token.type == "REGEX" else unquote(token)
    # an escaped slash is a slash: one spelling only
    pattern = re.sub(r"\\(.)", lambda m: "/" if m.group(1) == "/" else m.group(), raw, flags=re.DOTALL)
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        place = getattr(error, "pos", None)
        start = (token.start_pos or 0) + 1 + (place or 0)
        message = getattr(error, "msg", str(error))
        problem = f"the pattern is not a regular expression: {message}"
        raise QueryError(problem, text, start, start + 1, allowed="Python's re syntax") from None
    return pattern


def _a(feature: Feature) -> str:
    return f"an {feature.kind}" if feature.kind == "integer" else f"a {feature.kind}"


def _advice(feature: Feature) -> str:
    name = feature.name
    first = feature.values[0].name if feature.values else "VALUE"
    if feature.kind == "boolean":
        return f"{name}, not {name}, {name} = true, {name} is absent"
    if feature.kind in _NUMBERS:
        return f"{name}, {name} >= 3, {name} in (3, 4), {name} is absent"
    if feature.kind == "set":
        return f"{name} = {first}, {name} contains {first}, {name} is absent"
    if feature.kind == "category":
        return f"{name} = {first}, {name} in ({first}, ...), {name} is absent"
    return f"{name} = VALUE, {name} ~ /pattern/, {name} contains VALUE, {name} is absent"


def _error(
    problem: str, token: Token, text: str, allowed: str | None = None, near: Sequence[str] = ()
) -> QueryError:
    start = token.start_pos or 0
    return QueryError(problem, text, start, token.end_pos or start + len(token), allowed=allowed, near=near)
