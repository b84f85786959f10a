"""Tests of queries: selected rows, canonical text, error messages and the position of the caret."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tagsuite.catalogues.feature import Feature
from tagsuite.catalogues.query import Query, QueryError
from tagsuite.catalogues.query.columns import QueryColumns
from tagsuite.catalogues.taxonomy import Taxonomy


def frame() -> pd.DataFrame:
    """Return a table of seven mentions; the last one has only its surface form."""
    return pd.DataFrame(
        {
            "data": pd.Series(
                ["p53", "12-LOX", "ken and barbie", "IL-2", "β-catenin", "a/b", "x"], dtype="str"
            ),
            "name_vs_symbol": pd.Categorical(["symbol", "symbol", "name", "symbol", "name", "symbol", None]),
            "length": pd.array([3, 6, 3, 4, 1, 3, None], dtype="Int32"),
            "case": pd.Categorical(["lower", "upper", "lower", "upper", "lower", "lower", None]),
            "contains_hyphen": np.array([0, 1, 0, 1, 1, 0, 0], dtype="int32"),
            "is_ASCII": np.array([True, True, True, True, False, True, True]),
            "Arabic_numeral_position": pd.Categorical(
                ["final", "initial", None, "final", None, "initial|final", None]
            ),
            "in_list.training": pd.array([True, False, None, True, False, False, None], dtype="boolean"),
            "position": pd.Categorical(["initial", "medial", "medial", "final", "initial", "final", None]),
            "context.position": pd.Categorical(["initial|final"] * 3 + ["final"] * 3 + [None]),
            "keyword": pd.Categorical(
                ["gene|protein", "gene", None, "protein", "mutant", "gene|mutant", None]
            ),
            "left_punctuation": pd.Series(["(", None, None, "/", '"', None, None], dtype="str"),
            "type": pd.Series(["gp"] * 6 + ["cell"], dtype="str"),
            "score": [0.5, 1.0, float("nan"), 0.25, 0.75, -2.5, float("nan")],
        }
    )


KEPT = QueryColumns(frame())
SELECTED = [
    # query, rows, why
    ("", "0123456", "an empty query selects everything"),
    ("all", "0123456", "the class of everything"),
    ("ALL and not case = lower", "136", "all is a term like others"),
    ("case = lower", "0245", "a value by name"),
    ("case = a", "0245", "by its short code"),
    ("case = U", "13", "a code in another case, where that is clear"),
    ("case = Lower", "0245", "a name in another case"),
    ("case != lower", "13", "a comparison with an absent value is false"),
    ("not case = lower", "136", "not negates the false comparison: the absent one is selected"),
    ("case in (lower, mixed)", "0245", "member"),
    ("case not in (lower, mixed)", "13", "not in is a comparison: absent is not selected"),
    ("not case in (lower, mixed)", "136", "not negates: absent is selected"),
    ("case is absent", "6", "three-way: absent"),
    ("case IS Present", "012345", "keywords in any case"),
    ("name_vs_symbol = symbol and contains_hyphen and not case in (lower, mixed)", "13", "bare count"),
    ("length >= 3 and length < 6", "0235", "numbers"),
    ("length in (3, 4)", "0235", "numbers in a list"),
    ("length > 3.5", "13", "a decimal bound on an integer"),
    ("not length", "6", "an absent number is not not-zero"),
    ("score >= -2.5", "01345", "negative bound; NaN is absent"),
    ("score is absent", "26", "NaN is absent"),
    ("is_ASCII", "012356", "bare boolean"),
    ("is_ASCII = no", "4", "a boolean by a word"),
    ("in_list.training", "03", "a user's list, true"),
    ("in_list.training = false", "145", "false is not absent"),
    ("in_list.other is absent", "0123456", "a list nobody gave is absent everywhere"),
    ("in_list.other = false", "", "and false nowhere"),
    (r"data ~ /^\d+-/", "1", "the seed's first class"),
    (r'data ~ "^\d+-"', "1", "a pattern in quotes: a backslash before d is plain"),
    (r"data ~ /a\/b/", "5", "a slash in a pattern"),
    ("data ~ /(?i)lox|^P53$/", "01", "re.search with its flags"),
    ("case ~ /^l/", "0245", "a pattern on a category"),
    ('data contains "and"', "2", "substring of a text"),
    ('data = "ken and barbie"', "2", "quotes where needed"),
    ("data = IL-2", "3", "no quotes where not needed"),
    ("data = β-catenin", "4", "any letters"),
    ("data = a/b", "5", "a slash inside a value"),
    ("data in (p53, 12-LOX, nothing)", "01", "texts in a list"),
    ("Arabic_numeral_position = final", "035", "any element"),
    ("Arabic_numeral_position != final", "15", "any element differs"),
    ("Arabic_numeral_position in (i, m)", "15", "any element in the list"),
    ("Arabic_numeral_position not in (i, m)", "035", "any element outside the list"),
    ("Arabic_numeral_position ~ /al$/", "0135", "a pattern on elements"),
    ("keyword contains protein", "03", "an open set"),
    ("keyword = gen", "", "whole elements only"),
    ("context.keyword is absent", "26", "the empty set is absent"),
    ("position = initial", "04", "position alone is the slot's"),
    ("context.position = initial", "012", "the context's"),
    ('context.position = initial or slot.left_punctuation = "("', "012", "DESIGN's example"),
    ("left_punctuation = /", "3", "a slash alone"),
    (r'left_punctuation = "\""', "4", "an escaped quotation mark"),
    ("left_punctuation = '\"'", "4", "or the other kind of quotation mark"),
    ("type = gp", "012345", "type alone is the mention's"),
    ("context.type = tp", "", "the context's is not in this frame"),
    ("case = lower or case = upper and length = 6", "01245", "and binds tighter than or"),
    ("(case = lower or case = upper) and length = 6", "1", "parentheses"),
    ("not case = lower and length = 3", "", "not binds tighter than and"),
    ("not case = lower or length = 3", "012356", "not a or b is (not a) or b"),
]


@pytest.mark.parametrize(("text", "rows", "why"), SELECTED, ids=[row[0] or "empty" for row in SELECTED])
def test_selects(text: str, rows: str, why: str) -> None:
    """Test DataFrames, Arrow tables in one or two chunks, and columns with remembered results."""
    query, made = Query.parse(text), frame()
    expected = [str(row) in rows for row in range(len(made))]
    assert query.evaluate(made).tolist() == expected, why
    table = pa.Table.from_pandas(made, preserve_index=False)
    assert query.evaluate(pa.concat_tables([table.slice(0, 3), table.slice(3)])).tolist() == expected
    assert query.evaluate(table.slice(2, 4)).tolist() == expected[2:6]
    assert query.evaluate(dict(made.items())).tolist() == expected
    for _ in range(2):
        assert query.evaluate(KEPT).tolist() == expected


CANONICAL = [
    ("case=u AND(  length>3.0 )", "case = upper and length > 3"),
    ("(case = u or (case = a or case = m))", "case = upper or case = lower or case = mixed"),
    ("not (case = u)", "not case = upper"),
    ("not (case = u and length)", "not (case = upper and length)"),
    ("(case = u and length) or is_ASCII", "case = upper and length or is_ASCII"),
    ("case = u and (length or is_ASCII)", "case = upper and (length or is_ASCII)"),
    ("slot.position = I", "position = initial"),
    ('data = "p53"', "data = p53"),
    ('data = "all"', 'data = "all"'),
    ('data = "a b"', 'data = "a b"'),
    (r'data = "\d"', r'data = "\\d"'),
    ('data ~ "a/b"', r"data ~ /a\/b/"),
    (r'data ~ "a\\/b"', r"data ~ /a\/b/"),
    ("data ~ ''", 'data ~ ""'),
    ("is_ASCII = 1", "is_ASCII = true"),
    ("score > 1e3", "score > 1000"),
    ("score > 1e-7", "score > 1e-07"),
    ("   ", "all"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_canonical(text: str, canonical: str) -> None:
    assert str(Query.parse(text)) == canonical


def test_scopes_decide_what_a_bare_name_means() -> None:
    assert str(Query.parse("type = tp", scopes=("context", "slot"))) == "context.type = tp"
    assert str(Query.parse("position = I", scopes=("context",))) == "context.position = initial"
    assert str(Query.parse("source_id = x", scopes=("entity",))) == "entity.source_id = x"


REFUSED = [
    # query, place of the caret, words in the message, why
    ("lenght >= 3", (0, 6), ["unknown feature 'lenght'", "length"], "the nearest name"),
    ("length >= 3 and cas = u", (16, 19), ["unknown feature 'cas'", "case"], "the caret under the second"),
    ("hyphen", (0, 6), ["unknown feature", "contains_hyphen"], "a part of the name"),
    ("slot.case = u", (0, 9), ["unknown feature 'slot.case'", "entity.case"], "the right prefix"),
    ("source_id = x", (0, 9), ["several features", "entity.source_id, context."], "needs its prefix"),
    ("case = uper", (7, 11), ["case has no value 'uper'", "upper (u), lower (a)"], "the nearest value first"),
    ("case in (upper, lowr)", (16, 20), ["no value 'lowr'", "lower (a)"], "within a list"),
    ("case < upper", (5, 6), ["case cannot be compared with <", "category"], "no order"),
    ("case", (0, 4), ["needs an operator and a value", "case = upper"], "a bare category"),
    ("case contains upper", (0, 4), ["`contains` needs a set or a text"], "contains on a category"),
    ("length = three", (9, 14), ["the value of length must be a number"], "not a number"),
    ("length = inf", (9, 12), ["finite"], "not finite"),
    ("is_ASCII = maybe", (11, 16), ["true or false"], "not a boolean"),
    ("length ~ /3/", (9, 12), ["a pattern can be compared only with texts"], "a pattern on a number"),
    ("data ~ /(/", (8, 9), ["not a regular expression", "missing )"], "the caret stands in the pattern"),
    ("data ~ /ab[c/", (10, 11), ["not a regular expression"], "further in"),
    ("data ~ abc", (7, 10), ["between slashes or quotes"], "a pattern without slashes"),
    ("data ~ /abc", (7, 8), ["not closed"], "an open pattern"),
    ("data = /abc/", (7, 8), ["use ~ before a pattern"], "a pattern after ="),
    ('data = "abc', (7, 8), ["quotation mark is not closed"], "an open quotation mark"),
    ("data = ken and barbie", (15, 21), ["unknown feature 'barbie'"], "and is a keyword"),
    ("data = ken barbie", (11, 17), ["in quotes"], "two words"),
    ("case == upper", (6, 7), ["single ="], "another language's equality"),
    ("case = upper && length", (13, 14), ["use the words and, or, not"], "another language's and"),
    ("case = and", (7, 10), ["missing value"], "a keyword where a value should be"),
    ("case =", (6, 6), ["is incomplete", "a value"], "no value"),
    ("(case = upper", (13, 13), ["is incomplete", ")"], "an open parenthesis"),
    ("case = upper)", (12, 13), ["unexpected ')'"], "one too many"),
    ("case in ()", (9, 10), ["unexpected ')'", "a value"], "an empty list"),
    ("and case = upper", (0, 3), ["unexpected", "a feature"], "no first condition"),
    ("case is missing", (8, 15), ["unexpected", "absent | present"], "not a state"),
]


@pytest.mark.parametrize(("text", "place", "words", "why"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refuses(text: str, place: tuple[int, int], words: list[str], why: str) -> None:
    with pytest.raises(QueryError) as caught:
        Query.parse(text)
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert (caught.value.start, caught.value.end) == place, message
    # no terminal names of the grammar
    assert not re.search(r"\b_?[A-Z]{4,}\b", message.replace("VALUE", "").replace("ASCII", ""))
    lines = message.splitlines()
    shown = next(i for i, line in enumerate(lines) if line == f"    {text}")
    assert lines[shown + 1] == "    " + " " * place[0] + "^" * max(1, place[1] - place[0]), why


def test_the_error_shows_the_faulty_line_of_several_and_its_file() -> None:
    text = "case = upper\n\tand lenght = 3\nor is_ASCII"
    with pytest.raises(QueryError) as caught:
        Query.parse(text, file="classes.toml", line=7)
    assert str(caught.value).splitlines() == [
        "classes.toml:7: unknown feature 'lenght'",
        "    \tand lenght = 3",
        "    \t    ^^^^^^",
        "  did you mean length?",
    ]


def test_a_feature_of_another_scope_is_refused_with_its_scope() -> None:
    with pytest.raises(QueryError, match=r"entity\.case cannot be used in this query"):
        Query.parse("case = upper", scopes=("context", "slot"))


def test_features_and_columns_in_order_of_appearance_each_once() -> None:
    query = Query.parse("case = u or context.position = I and not case = a or in_list.training")
    assert [f.name for f in query.features] == ["case", "position", "in_list.training"]
    assert query.columns == ("case", "context.position", "in_list.training")


def test_frames_of_no_rows_and_of_one_type_only() -> None:
    for text, _, _ in SELECTED:
        assert Query.parse(text).evaluate(frame().iloc[:0]).tolist() == []
    nothing = pd.DataFrame({"case": [None, None], "length": [np.nan, np.nan], "score": [None, None]})
    for text in ("case = upper", "length = 3", "score > 0", "case ~ /u/"):
        assert Query.parse(text).evaluate(nothing).tolist() == [False, False]
        assert Query.parse(f"not {text}").evaluate(nothing).tolist() == [True, True]


def test_columns_as_python_objects() -> None:
    """Test columns with dtype object."""
    loose = pd.DataFrame(
        {
            "case": pd.Series(["upper", None, "lower"], dtype=object),
            "length": pd.Series([3, None, 5], dtype=object),
            "is_ASCII": pd.Series([True, None, False], dtype=object),
            "data": pd.Categorical([7, None, 8]),
        }
    )
    for text, expected in (
        ("case != upper", [False, False, True]),
        ("length >= 3", [True, False, True]),
        ("is_ASCII = false", [False, False, True]),
        ("is_ASCII is absent", [False, True, False]),
        ("data ~ /7/", [True, False, False]),
    ):
        assert Query.parse(text).evaluate(loose).tolist() == expected


def test_another_taxonomy_can_be_asked() -> None:
    own = Taxonomy((Feature("colour", "entity", "lexical", "text"),))
    query = Query.parse("colour = red", taxonomy=own)
    assert query.evaluate(pd.DataFrame({"colour": ["red", None]})).tolist() == [True, False]


def test_the_index_of_the_frame_does_not_matter() -> None:
    shuffled = frame().set_index(pd.Index([9, 9, 3, 1, 0, 5, 2]))
    query = Query.parse("case = lower")
    assert query.evaluate(shuffled).tolist() == query.evaluate(frame()).tolist()
