"""Tests of patterns in queries: agreement with `re.search`, and time-outs."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.core import patterns
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.query import Query, QueryError


@pytest.mark.parametrize(
    ("pattern", "value"), [("(a|aa)+$", "a" * 100 + "!"), ("a{200000}b", "a" * 1_000_000)]
)
def test_a_search_without_end_is_an_error_that_names_the_pattern(
    pattern: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "TIME_LIMIT_SECONDS", 0.1)
    with pytest.raises(InputError, match="too long") as caught:
        Query.parse(f"data ~ /{pattern}/").evaluate(pd.DataFrame({"data": ["p53", value]}))
    assert f"/{pattern}/" in str(caught.value)


REPEATED = [("(a+)+$", "a" * 60 + "!"), ("(a|a)*b", "a" * 60), (r"(?=(\w+\s?)+;)", "word " * 30)]


@pytest.mark.parametrize(("pattern", "value"), REPEATED)
def test_repetitions_in_repetitions_come_to_an_end(pattern: str, value: str) -> None:
    assert patterns.find_matching_texts(pattern, ["p53", value]) == frozenset()


PATTERNS = [
    r"(?i)^p-?53|α|beta",
    r"^\d+-|[- ]|\bI{1,3}\b",
    "(([a-z]+)+)+$",
    "(a|b|ab)*c",
    r"(\w+)-\1$",
    "(?P<x>a)?(?(x)b|c)",
    "(?<!a)b+?",
    "(?i:A+)+b",
    r"^(?:[A-Z]{2,5}-?)+\d$",
    "",
    "\U0001f9ec+",
    "(?>a+)a|b++",
    "ab{e}|{i<=1}|a{,2}b",
    r"\{A}|[{-]\N{LATIN SMALL LETTER A}",
]


@given(
    st.sampled_from(PATTERNS),
    st.lists(st.text(st.sampled_from("abcAB-1{e} \n\U0001f9ec\ud800"), max_size=10), max_size=8),
    st.booleans(),
)
def test_matches_are_those_of_re(pattern: str, values: list[str], every: bool) -> None:
    wanted = [
        [(m.start(), m.end(), m.groups()) for m in list(re.finditer(pattern, v))[: None if every else 1]]
        for v in values
    ]
    assert list(patterns.search_texts(pattern, values, all_matches=every)) == wanted
    found = {v for v, matches in zip(values, wanted, strict=True) if matches}
    assert patterns.find_matching_texts(pattern, values) == found


def test_what_is_read_can_be_evaluated_and_printed() -> None:
    query = Query.parse("(" * 90 + "is_ASCII" + ")" * 90)
    assert Query.parse(str(query)) == query
    assert query.evaluate(pd.DataFrame({"is_ASCII": [True]})).tolist() == [True]


@pytest.mark.parametrize("query", ["(" * 5000 + "is_ASCII" + ")" * 5000, "not " * 5000 + "is_ASCII"])
def test_queries_that_are_nested_too_deeply(query: str) -> None:
    with pytest.raises(QueryError, match="nested too deeply"):
        Query.parse(query)
