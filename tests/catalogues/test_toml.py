"""Tests that TOML is read back as it was written, including control characters."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.core.toml import write_toml

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
plain = st.one_of(
    texts,
    st.text(st.sampled_from("\x00\x07\t\n\r\x1b\x7f\x85\\\"'\u2028"), max_size=8),
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.floats(allow_nan=False),
)
values = st.recursive(
    plain, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3))
)


@given(st.dictionaries(texts, values, max_size=5))
def test_what_is_written_reads_back(table: dict[str, Any]) -> None:
    assert tomllib.loads(write_toml(table)) == table


@pytest.mark.parametrize(
    ("table", "text", "why"),
    [
        ({}, "", "nothing"),
        ({"a": {"b": 1}, "c": 2}, "c = 2\n\n[a]\nb = 1\n", "values first, since they would be the table's"),
        ({"a": [{"b": 1}, {}]}, "[[a]]\nb = 1\n\n[[a]]\n", "short tables have heads too"),
        ({"a": [{"b": {"c": 1}}]}, "[[a]]\n[a.b]\nc = 1\n", "a table of tables alone"),
        ({"x y": [{"b": 1}]}, '[["x y"]]\nb = 1\n', "a name with a space"),
        ({"a": "\x7f\x00"}, 'a = "\\u007f\\u0000"\n', "control characters are escaped"),
        ({"a": ["b"]}, 'a = [\n    "b",\n]\n', "an item a line"),
    ],
)
def test_how_it_is_written(table: dict[str, Any], text: str, why: str) -> None:
    assert write_toml(table) == text, why
