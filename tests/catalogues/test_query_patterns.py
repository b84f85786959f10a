"""Patterns in queries: what `re.search` finds, whichever way it is searched, and an end to all of it."""

from __future__ import annotations

import re
import threading

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tagsuite.catalogues.core import patterns
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.query import Query, QueryError

ENDLESS = [
    # pattern, a value that Python's matcher does not finish with, why
    ("(([a-z]+)+)+$%", "a" * 40 + "!", "repetitions in repetitions"),
    ("(x+x+)+y", "x" * 60, "neighbours in a repetition"),
    ("a{200000}b", "a" * 1_000_000, "one way only, and a long one from each place"),
    ("(a|a)*b", "a" * 60, "alternatives that are the same"),
    ("(a?){40}a*b", "a" * 60, "bounded, and as many ways as 2 to the power of 40"),
    (r"(?=(\w+\s?)+;)", "word " * 30, "within a look ahead"),
]


@pytest.mark.parametrize(("pattern", "value", "why"), ENDLESS, ids=[why for *_, why in ENDLESS])
def test_a_search_without_end_is_an_error_that_names_the_pattern(
    pattern: str, value: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.1)
    with pytest.raises(InputError, match="too much work") as caught:
        Query.parse(f"data ~ /{pattern}/").evaluate(pd.DataFrame({"data": ["p53", value]}))
    assert f"/{pattern}/" in str(caught.value)


ORDINARY = [
    r"^\d+-",
    r"[- ]",
    "kinase$",
    "^[A-Z]{2,5}[0-9]+[a-z]?$",
    r"\bI{1,3}\b|IV|V",
    "(?i)^p-?53",
    "α|beta",
]


@pytest.mark.parametrize("pattern", ORDINARY)
def test_ordinary_patterns_need_no_guard(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(patterns, "_guarded")
    values = [f"IL-{i} kinase" for i in range(2000)]
    assert patterns.matching(pattern, values) == {v for v in values if re.search(pattern, v)}


PATTERNS = [
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
]


@given(
    st.sampled_from(PATTERNS),
    st.lists(st.text(st.sampled_from("abcAB-1 \n\U0001f9ec\ud800"), max_size=10), max_size=8),
)
def test_both_ways_find_what_re_search_finds(pattern: str, values: list[str]) -> None:
    wanted = {v for v in values if re.search(pattern, v)}
    assert patterns.matching(pattern, values) == wanted
    guarded = patterns._guarded(pattern, values, 1, 5)
    assert {v for v, found in zip(values, guarded, strict=True) if found} == wanted


@given(
    st.sampled_from(PATTERNS),
    st.lists(st.text(st.sampled_from("abcAB-1 \n\U0001f9ec\ud800"), max_size=10), max_size=8),
    st.booleans(),
)
def test_both_ways_find_the_same_matches(pattern: str, values: list[str], every: bool) -> None:
    wanted = [
        [(m.start(), m.end(), m.groups()) for m in list(re.finditer(pattern, v))[: None if every else 1]]
        for v in values
    ]
    assert list(patterns.searched(pattern, values, every=every)) == wanted
    assert patterns._guarded(pattern, values, 10**9 if every else 1, 5) == wanted


def test_a_child_that_was_ended_is_started_again() -> None:
    for _ in range(2):
        assert patterns._guarded("a", ["a"], 1, 5) == [[(0, 1, ())]]
        with pytest.raises(InputError, match="too much work"):
            patterns._guarded("(a+)+b", ["a" * 60], 1, 0.1)


def test_sets_are_asked_element_by_element() -> None:
    query = Query.parse("keyword ~ /^(g+e*)+n/")
    frame = pd.DataFrame({query.columns[0]: ["protein|gene", "cell", None, ""]})
    assert query.evaluate(frame).tolist() == [True, False, False, False]


def test_threads_may_search_at_once() -> None:
    found: list[bool] = []

    def ask() -> None:
        found.append(patterns.matching("(a+)+b", ["a" * 30 + "b"]) == {"a" * 30 + "b"})

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("(" * 90 + "is_ASCII" + ")" * 90, True),
        ("(" * 200 + "is_ASCII" + ")" * 200, False),
        ("not " * 90 + "is_ASCII", True),
        ("not " * 300 + "is_ASCII", False),
        ("(is_ASCII or not " * 150 + "is_ASCII" + ")" * 150, False),
    ],
)
def test_what_is_read_can_be_evaluated_and_printed(query: str, fits: bool) -> None:
    if fits:
        read = Query.parse(query)
        assert Query.parse(str(read)) == read
        assert len(read.evaluate(pd.DataFrame({"is_ASCII": [True]}))) == 1
    else:
        with pytest.raises(QueryError, match="nested too deeply"):
            Query.parse(query)
