"""Nodes of a parsed query, which is a tree of conditions on features."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Union

from ..feature import Feature

KEYWORDS = frozenset({"and", "or", "not", "in", "is", "contains", "all", "absent", "present"})
_PLAIN = re.compile(r"[\w+*%-][\w.+*%-]*")


@dataclass(frozen=True)
class FeatureName:
    """Feature in a query, with its shortest unambiguous name."""

    feature: Feature
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Everything:
    """Query that selects all rows (``all``)."""

    def __str__(self) -> str:
        return "all"


@dataclass(frozen=True)
class Truth:
    """Condition ``feature``, which is satisfied if a Boolean is true or a number is not zero."""

    name: FeatureName

    def __str__(self) -> str:
        return str(self.name)


@dataclass(frozen=True)
class Comparison:
    """Condition ``feature OPERATOR value`` with an operator ``=``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``."""

    name: FeatureName
    operator: str
    value: str | int | float | bool

    def __str__(self) -> str:
        return f"{self.name} {self.operator} {format_value(self.value)}"


@dataclass(frozen=True)
class Membership:
    """Condition ``feature in (value, ...)``, or ``not in`` if negated."""

    name: FeatureName
    values: tuple[str | int | float | bool, ...]
    negated: bool

    def __str__(self) -> str:
        return (
            f"{self.name} {'not in' if self.negated else 'in'} ({', '.join(map(format_value, self.values))})"
        )


@dataclass(frozen=True)
class PatternMatch:
    """Condition ``feature ~ /pattern/``: the text contains a match of the pattern."""

    name: FeatureName
    pattern: str

    def __str__(self) -> str:
        return f"{self.name} ~ {_show_pattern(self.pattern)}"


@dataclass(frozen=True)
class Containment:
    """Condition ``feature contains value``: the value is an element of a set or a substring of a text."""

    name: FeatureName
    value: str

    def __str__(self) -> str:
        return f"{self.name} contains {format_value(self.value)}"


@dataclass(frozen=True)
class Presence:
    """Condition ``feature is present`` or ``feature is absent``."""

    name: FeatureName
    present: bool

    def __str__(self) -> str:
        return f"{self.name} is {'present' if self.present else 'absent'}"


@dataclass(frozen=True)
class Not:
    """Negation of a query."""

    term: Node

    def __str__(self) -> str:
        return f"not {_format_term(self.term, (And, Or))}"


@dataclass(frozen=True)
class And:
    """Conjunction of queries; nested conjunctions are flattened."""

    terms: tuple[Node, ...]

    def __str__(self) -> str:
        return " and ".join(_format_term(t, (Or,)) for t in self.terms)


@dataclass(frozen=True)
class Or:
    """Disjunction of queries; nested disjunctions are flattened."""

    terms: tuple[Node, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.terms))


Condition = Union[Truth, Comparison, Membership, PatternMatch, Containment, Presence]  # noqa: UP007 (classes named above)
Node = Union[Everything, Condition, Not, And, Or]  # noqa: UP007


def format_value(value: str | float | bool) -> str:
    """Return a value as written in a query, in quotes only if necessary."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if _PLAIN.fullmatch(value) and value.casefold() not in KEYWORDS:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def collect_names(node: Node) -> tuple[FeatureName, ...]:
    """Return the distinct feature names in a query, in order of appearance."""
    names: dict[FeatureName, None] = {}

    def visit(part: Node) -> None:
        if isinstance(part, Not):
            visit(part.term)
        elif isinstance(part, (And, Or)):
            for term in part.terms:
                visit(term)
        elif not isinstance(part, Everything):
            names[part.name] = None

    visit(node)
    return tuple(names)


def _format_term(term: Node, wider: tuple[type, ...]) -> str:
    return f"({term})" if isinstance(term, wider) else str(term)


def _show_pattern(pattern: str) -> str:
    if "\n" in pattern or not pattern:
        return '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
    # escape slashes, which would end the pattern, unless they are already escaped
    return "/" + re.sub(r"(\\.)|/", lambda m: m.group(1) or r"\/", pattern, flags=re.DOTALL) + "/"
