"""A query over columns: text by distinct value, numbers by array, no loop over rows."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
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
    found = columns.answers.get(node)
    if found is None:
        found = _condition(node, columns)
        columns.remember(node, found)
    return found


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
        elements = list(dict.fromkeys(e for found in sets for e in found))
        held = dict(zip(elements, _held(node, feature.kind, elements), strict=True))
        verdicts = [any(held[e] for e in found) for found in sets]
    else:
        verdicts = _held(node, feature.kind, distinct)
    # the last entry answers for -1, the absent value
    return np.append(np.asarray(verdicts, dtype=bool), False)[codes]


def _held(node: Condition, kind: str, values: Sequence[str]) -> list[bool]:
    """Of which of some values (elements of sets) the condition is true."""
    if isinstance(node, Compare):
        wanted, same = node.value, node.operator == "="
        return [(v == wanted) is same for v in values]
    if isinstance(node, Member):
        members, inside = frozenset(node.values), not node.negated
        return [(v in members) is inside for v in values]
    if isinstance(node, Match):
        found = matching(node.pattern, values)
        return [v in found for v in values]
    if isinstance(node, Contains):
        part = node.value
        # all values in one step: a class file may ask this ten thousand times
        return list(map(operator.eq if kind == "set" else operator.contains, values, itertools.repeat(part)))
    raise TypeError(f"not a condition on a text: {node}")
