"""A query over columns: text by distinct value, numbers by array, no loop over rows."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ..core.patterns import matching
from ..taxonomy import Feature
from .columns import Bools, Columns
from .nodes import All, And, Bare, Compare, Condition, Contains, Match, Member, Node, Not, Or, Presence

_NUMERIC = ("integer", "number", "boolean")
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def evaluate(node: Node, columns: Columns) -> Bools:
    """Which rows the query selects. A comparison with an absent value is false; `not` then negates."""
    if isinstance(node, All):
        return np.ones(columns.rows, dtype=bool)
    if isinstance(node, Not):
        return ~evaluate(node.term, columns)
    if isinstance(node, And):
        return functools.reduce(np.bitwise_and, (evaluate(t, columns) for t in node.terms))
    if isinstance(node, Or):
        return functools.reduce(np.bitwise_or, (evaluate(t, columns) for t in node.terms))
    return _condition(node, columns)


def _condition(node: Condition, columns: Columns) -> Bools:
    feature = node.name.feature
    column = feature.column
    if column not in columns:
        absent = isinstance(node, Presence) and not node.present
        return np.full(columns.rows, absent, dtype=bool)
    if isinstance(node, Presence):
        present = columns.present(column)
        return present if node.present else ~present
    if feature.kind in _NUMERIC:
        return _numbers(node, column, columns)
    return _words(node, feature, columns)


def _numbers(node: Condition, column: str, columns: Columns) -> Bools:
    values, present = columns.numbers(column)
    if isinstance(node, Bare):
        chosen = values != 0
    elif isinstance(node, Compare):
        chosen = _OPERATORS[node.operator](values, node.value)
    elif isinstance(node, Member):
        chosen = np.isin(values, np.asarray(node.values), invert=node.negated)
    else:
        raise TypeError(f"not a condition on a number: {node}")
    return np.asarray(chosen, dtype=bool) & present


def _words(node: Condition, feature: Feature, columns: Columns) -> Bools:
    codes, distinct = columns.words(feature.column)
    if feature.kind == "set":
        # any element satisfies; the empty set has none
        sets = [[e for e in value.split("|") if e] for value in distinct]
        holds = _predicate(node, feature.kind, {e: None for elements in sets for e in elements})
        verdicts = [any(map(holds, elements)) for elements in sets]
    else:
        holds = _predicate(node, feature.kind, distinct)
        verdicts = [holds(value) for value in distinct]
    # the last entry answers for -1, the absent value
    return np.append(np.asarray(verdicts, dtype=bool), False)[codes]


def _predicate(node: Condition, kind: str, values: Collection[str]) -> Callable[[str], bool]:
    """The condition as a question about one of `values` (elements of sets)."""
    if isinstance(node, Compare):
        wanted = node.value
        return (lambda v: v == wanted) if node.operator == "=" else (lambda v: v != wanted)
    if isinstance(node, Member):
        members = frozenset(node.values)
        return (lambda v: v not in members) if node.negated else (lambda v: v in members)
    if isinstance(node, Match):
        return matching(node.pattern, values).__contains__
    if isinstance(node, Contains):
        part = node.value
        return (lambda v: v == part) if kind == "set" else (lambda v: part in v)
    raise TypeError(f"not a condition on a text: {node}")
