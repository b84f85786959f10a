"""What a query is once it is read: a tree of conditions on features, and its canonical text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Union

from ..taxonomy import Feature

KEYWORDS = frozenset({"and", "or", "not", "in", "is", "contains", "all", "absent", "present"})
_PLAIN = re.compile(r"[\w+*%-][\w.+*%-]*")


@dataclass(frozen=True)
class FeatureName:
    """A feature with the shortest text that names it whatever else a frame holds."""

    feature: Feature
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Everything:
    """Everything."""

    def __str__(self) -> str:
        return "all"


@dataclass(frozen=True)
class Truth:
    """A boolean feature that is true, or a number that is not zero."""

    name: FeatureName

    def __str__(self) -> str:
        return str(self.name)


@dataclass(frozen=True)
class Comparison:
    """``feature OPERATOR value``; the operator is one of ``= != < <= > >=``."""

    name: FeatureName
    operator: str
    value: str | int | float | bool

    def __str__(self) -> str:
        return f"{self.name} {self.operator} {format_value(self.value)}"


@dataclass(frozen=True)
class Membership:
    """``feature in (value, ...)``, or ``not in`` when negated."""

    name: FeatureName
    values: tuple[str | int | float | bool, ...]
    negated: bool

    def __str__(self) -> str:
        return (
            f"{self.name} {'not in' if self.negated else 'in'} ({', '.join(map(format_value, self.values))})"
        )


@dataclass(frozen=True)
class PatternMatch:
    """``feature ~ /pattern/``: Python's `re.search`."""

    name: FeatureName
    pattern: str

    def __str__(self) -> str:
        return f"{self.name} ~ {_show_pattern(self.pattern)}"


@dataclass(frozen=True)
class Containment:
    """``feature contains value``: member of a set, substring of a text."""

    name: FeatureName
    value: str

    def __str__(self) -> str:
        return f"{self.name} contains {format_value(self.value)}"


@dataclass(frozen=True)
class Presence:
    """``feature is present`` or ``is absent``."""

    name: FeatureName
    present: bool

    def __str__(self) -> str:
        return f"{self.name} is {'present' if self.present else 'absent'}"


@dataclass(frozen=True)
class Not:
    """Whatever the term does not select."""

    term: Node

    def __str__(self) -> str:
        return f"not {_format_term(self.term, (And, Or))}"


@dataclass(frozen=True)
class And:
    """What every term selects; no term is an And itself."""

    terms: tuple[Node, ...]

    def __str__(self) -> str:
        return " and ".join(_format_term(t, (Or,)) for t in self.terms)


@dataclass(frozen=True)
class Or:
    """What some term selects; no term is an Or itself."""

    terms: tuple[Node, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.terms))


Condition = Union[Truth, Comparison, Membership, PatternMatch, Containment, Presence]  # noqa: UP007 (classes named above)
Node = Union[Everything, Condition, Not, And, Or]  # noqa: UP007


def format_value(value: str | float | bool) -> str:
    """A value as it is written in a query: quoted only where it would be read otherwise."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if _PLAIN.fullmatch(value) and value.casefold() not in KEYWORDS:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def collect_names(node: Node) -> tuple[FeatureName, ...]:
    """The names in a query, in order of appearance, each once."""
    found: dict[FeatureName, None] = {}

    def visit(part: Node) -> None:
        if isinstance(part, Not):
            visit(part.term)
        elif isinstance(part, (And, Or)):
            for term in part.terms:
                visit(term)
        elif not isinstance(part, Everything):
            found[part.name] = None

    visit(node)
    return tuple(found)


def _format_term(term: Node, wider: tuple[type, ...]) -> str:
    return f"({term})" if isinstance(term, wider) else str(term)


def _show_pattern(pattern: str) -> str:
    if "\n" in pattern or not pattern:
        return '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
    # a slash would end the pattern; one that is escaped already is left alone
    return "/" + re.sub(r"(\\.)|/", lambda m: m.group(1) or r"\/", pattern, flags=re.DOTALL) + "/"
