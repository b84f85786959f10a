"""Property tests of queries: canonical text, and agreement with a simple evaluator, on random data."""

from __future__ import annotations

import re
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tagsuite.catalogues.feature import Feature
from tagsuite.catalogues.query import Query, QueryError
from tagsuite.catalogues.query.nodes import (
    And,
    Comparison,
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
from tagsuite.catalogues.query.parser import NameResolver
from tagsuite.catalogues.taxonomy import taxonomy

SCOPES = ("entity", "context", "slot", "mention")
OF_ENTITY = ("data", "case", "length", "contains_hyphen", "contains_plural", "Arabic_numeral_position")
PATHS = (
    *(f"entity.{name}" for name in (*OF_ENTITY, "function_words", "source_id")),
    *("context.source_id", "context.type", "context.position"),
    *("slot.position", "slot.left_punctuation", "mention.type", "mention.score"),
)
NAMES = NameResolver(taxonomy(), SCOPES)
FEATURES = [*(taxonomy().find(p) for p in PATHS), NAMES.lookup("in_list.training")[0]]
TEXTS = ("", "p53", "IL-2", "ken and barbie", "a/b", "q\"'\\", "β", "new\nline", "or", "the", "|", "(")
PATTERNS = ("5", "^$", r"\d", "a/b", r"\\", "[(]", "β", "\n", "^.{3}$", '"', r"/\./")
NUMBERS = (-1, 0, 1, 3, 2.5, 7)
OPERATORS = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
RELAXED = settings(suppress_health_check=[HealthCheck.too_slow])


def legal(feature: Feature) -> st.SearchStrategy[Any]:
    if feature.kind == "boolean":
        return st.booleans()
    if feature.kind in ("integer", "number"):
        return st.sampled_from(NUMBERS)
    if feature.values:
        return st.sampled_from([v.name for v in feature.values])
    return st.sampled_from(TEXTS)


def conditions(feature: Feature) -> st.SearchStrategy[Node]:
    name = NAMES.shortest_name(feature)
    values = legal(feature)
    choices: list[st.SearchStrategy[Node]] = [
        st.builds(Comparison, st.just(name), st.sampled_from(["=", "!="]), values),
        st.builds(
            Membership, st.just(name), st.lists(values, min_size=1, max_size=3).map(tuple), st.booleans()
        ),
        st.builds(Presence, st.just(name), st.booleans()),
    ]
    if feature.kind in ("boolean", "integer", "number"):
        choices.append(st.just(Truth(name)))
    if feature.kind in ("integer", "number"):
        choices.append(st.builds(Comparison, st.just(name), st.sampled_from(["<", "<=", ">", ">="]), values))
    if feature.kind in ("text", "category", "set"):
        choices.append(st.builds(PatternMatch, st.just(name), st.sampled_from(PATTERNS)))
    if feature.kind in ("text", "set"):
        choices.append(st.builds(Containment, st.just(name), values))
    return st.one_of(choices)


def flat(kind: type[And] | type[Or], terms: list[Node]) -> Node:
    parts: list[Node] = []
    for term in terms:
        parts.extend(term.terms if isinstance(term, kind) else (term,))
    return kind(tuple(parts))


TREES = st.recursive(
    st.one_of(st.just(Everything()), st.sampled_from(FEATURES).flatmap(conditions)),
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.lists(inner, min_size=2, max_size=3).map(lambda t: flat(And, t)),
        st.lists(inner, min_size=2, max_size=3).map(lambda t: flat(Or, t)),
    ),
    max_leaves=8,
)


def cells(feature: Feature) -> st.SearchStrategy[Any]:
    if feature.kind == "set":
        # an element of a joined set cannot hold the mark that joins it, and the empty set is absent
        elements = [v.name for v in feature.values] or [t for t in TEXTS if t and "|" not in t]
        chosen = st.lists(st.sampled_from(elements), min_size=1, max_size=3, unique=True)
        whole: st.SearchStrategy[Any] = chosen.map("|".join)
    elif feature.kind == "integer":
        whole = st.integers(-1, 7)
    else:
        whole = legal(feature)
    return st.one_of(st.none(), whole)


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(0, 6))
    columns: dict[str, Any] = {}
    for feature in draw(st.lists(st.sampled_from(FEATURES), unique=True, min_size=1)):
        content = draw(st.lists(cells(feature), min_size=rows, max_size=rows))
        if feature.kind == "boolean":
            columns[feature.column] = pd.array(content, dtype="boolean")
        elif feature.kind == "integer":
            columns[feature.column] = pd.array(content, dtype="Int32")
        elif feature.kind == "number":
            columns[feature.column] = np.array([np.nan if c is None else c for c in content], dtype=float)
        elif feature.kind == "text":
            columns[feature.column] = pd.Series(content, dtype="str")
        else:
            columns[feature.column] = pd.Categorical(
                content, categories=sorted({c for c in content if c is not None})
            )
    return pd.DataFrame(columns, index=range(rows))


def naive(node: Node, row: dict[str, Any]) -> bool:
    """Evaluate a query row by row, independently of the evaluator under test."""
    if isinstance(node, Everything):
        return True
    if isinstance(node, Not):
        return not naive(node.term, row)
    if isinstance(node, And):
        return all(naive(t, row) for t in node.terms)
    if isinstance(node, Or):
        return any(naive(t, row) for t in node.terms)
    feature = node.name.feature
    value: Any = row.get(feature.column)
    missing = value is None or value is pd.NA or value != value
    if isinstance(node, Presence):
        return missing != node.present
    if missing:
        return False
    if isinstance(node, Truth):
        return bool(value)
    if isinstance(node, Containment) and feature.kind == "text":
        return node.value in value
    elements = value.split("|") if feature.kind == "set" else [value]
    return any(holds(node, element) for element in elements)


def holds(node: Node, value: Any) -> bool:
    if isinstance(node, Comparison):
        return bool(OPERATORS[node.operator](value, node.value))
    if isinstance(node, Membership):
        return (value not in node.values) if node.negated else (value in node.values)
    if isinstance(node, PatternMatch):
        return re.search(node.pattern, value) is not None
    assert isinstance(node, Containment)
    return bool(value == node.value)


@RELAXED
@given(TREES)
def test_the_canonical_text_reads_to_the_same_tree(tree: Node) -> None:
    query = Query(tree)
    again = Query.parse(str(query))
    assert again == query
    assert str(again) == str(query)


@RELAXED
@given(TREES, frames())
def test_the_evaluator_agrees_with_the_definition(tree: Node, frame: pd.DataFrame) -> None:
    rows = frame.astype(object).to_dict("records")
    expected = [naive(tree, {str(name): value for name, value in row.items()}) for row in rows]
    assert Query(tree).evaluate(frame).tolist() == expected
    assert Query(tree).evaluate(pa.Table.from_pandas(frame, preserve_index=False)).tolist() == expected


@RELAXED
@given(st.text(alphabet="cases lenthudp_.()=!<>~,\"'/\\|\n", max_size=25))
def test_any_text_is_a_query_or_an_error_with_a_place(text: str) -> None:
    refusal = None
    try:
        Query.parse(text)
    except QueryError as error:
        refusal = error
    assert refusal is None or (0 <= refusal.start <= len(text) and "^" in str(refusal))
