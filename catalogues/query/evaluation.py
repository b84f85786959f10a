"""Evaluation of queries on the columns of a table; each distinct text is tested only once."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.patterns import find_matching_texts
from ..feature import Feature
from .columns import Bools, QueryColumns
from .nodes import (
    And,
    Comparison,
    Condition,
    Containment,
    Everything,
    Membership,
    Node,
    Not,
    Or,
    PatternMatch,
    Presence,
    Truth,
)

_NUMERIC = ("integer", "number", "boolean")
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def evaluate_node(node: Node, columns: QueryColumns) -> Bools:
    """Return a mask of the rows that a query selects.

    A comparison with an absent value is false, so its negation with `not` is true.
    """
    if isinstance(node, Everything):
        return np.ones(columns.rows, dtype=bool)
    if isinstance(node, Not):
        return ~evaluate_node(node.term, columns)
    if isinstance(node, And):
        return functools.reduce(np.bitwise_and, (evaluate_node(t, columns) for t in node.terms))
    if isinstance(node, Or):
        return functools.reduce(np.bitwise_or, (evaluate_node(t, columns) for t in node.terms))
    mask = columns.answers.get(node)
    if mask is None:
        mask = _condition(node, columns)
        columns.remember_answer(node, mask)
    return mask


def _condition(node: Condition, columns: QueryColumns) -> Bools:
    feature = node.name.feature
    column = feature.column
    if column not in columns:
        absent = isinstance(node, Presence) and not node.present
        return np.full(columns.rows, absent, dtype=bool)
    if isinstance(node, Presence):
        present = columns.get_present(column)
        return present if node.present else ~present
    if feature.kind in _NUMERIC:
        return _numbers(node, column, columns)
    return _words(node, feature, columns)


def _numbers(node: Condition, column: str, columns: QueryColumns) -> Bools:
    values, present = columns.get_numbers(column)
    if isinstance(node, Truth):
        chosen = values != 0
    elif isinstance(node, Comparison):
        chosen = _OPERATORS[node.operator](values, node.value)
    elif isinstance(node, Membership):
        chosen = np.isin(values, np.asarray(node.values), invert=node.negated)
    else:
        raise TypeError(f"this condition cannot be applied to numbers: {node}")
    return np.asarray(chosen, dtype=bool) & present


def _words(node: Condition, feature: Feature, columns: QueryColumns) -> Bools:
    codes, distinct = columns.get_words(feature.column)
    if feature.kind == "set":
        # a set satisfies a condition if any element does
        sets = [[e for e in value.split("|") if e] for value in distinct]
        elements = list(dict.fromkeys(e for members in sets for e in members))
        results = dict(zip(elements, _test_values(node, feature.kind, elements), strict=True))
        verdicts = [any(results[e] for e in members) for members in sets]
    else:
        verdicts = _test_values(node, feature.kind, distinct)
    # the last entry is the result for code -1, an absent value
    return np.append(np.asarray(verdicts, dtype=bool), False)[codes]


def _test_values(node: Condition, kind: str, values: Sequence[str]) -> list[bool]:
    """Return, for each value (or element of a set), whether it satisfies the condition."""
    if isinstance(node, Comparison):
        expected, is_equality = node.value, node.operator == "="
        return [(v == expected) is is_equality for v in values]
    if isinstance(node, Membership):
        members, inside = frozenset(node.values), not node.negated
        return [(v in members) is inside for v in values]
    if isinstance(node, PatternMatch):
        matching = find_matching_texts(node.pattern, values)
        return [v in matching for v in values]
    if isinstance(node, Containment):
        part = node.value
        # one step for all values: a file of classes may contain ten thousand such conditions
        return list(map(operator.eq if kind == "set" else operator.contains, values, itertools.repeat(part)))
    raise TypeError(f"this condition cannot be applied to texts: {node}")
