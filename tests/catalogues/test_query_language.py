"""The query language: what is selected, what is printed, what is refused and where the caret stands."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tagsuite.catalogues.query import Query, QueryError
from tagsuite.catalogues.query.columns import Columns
from tagsuite.catalogues.taxonomy import Bin, Feature, Taxonomy, Value

F = Feature
POSITIONS = (Value("initial", "i", ""), Value("medial", "m", ""), Value("final", "f", ""))
CASES = (
    Value("upper", "u", ""),
    Value("lower", "a", ""),
    Value("initial", "i", ""),
    Value("title", "t", ""),
    Value("mixed", "m", ""),
)
SMALL = Taxonomy(
    (
        F("data", "entity", "orthographic", "text"),
        F(
            "name_vs_symbol",
            "entity",
            "morphosyntactic",
            "category",
            (Value("name", "n", ""), Value("symbol", "s", "")),
        ),
        F("length", "entity", "orthographic", "integer", bins=(Bin("1-3", 1, 3), Bin("4-", 4, None))),
        F("case", "entity", "orthographic", "category", CASES),
        F("contains_hyphen", "entity", "orthographic", "integer"),
        F("is_ASCII", "entity", "orthographic", "boolean"),
        F("Arabic_numeral_position", "entity", "orthographic", "set", POSITIONS),
        F("in_list.NAME", "entity", "lexical", "boolean"),
        F("source_id", "entity", "source", "text", catalogue_only=True),
        F("type", "context", "positivity", "category", (Value("tp", "", ""), Value("fp", "", ""))),
        F("position", "context", "position", "set", POSITIONS),
        F("keyword", "context", "false_positive", "set"),
        F("source_id", "context", "source", "text", catalogue_only=True),
        F(
            "position",
            "slot",
            "position",
            "category",
            tuple(Value(v.name, v.code.upper(), "") for v in POSITIONS),
        ),
        F("left_punctuation", "slot", "typographic", "text"),
        F("type", "mention", "mention", "text"),
        F("score", "mention", "mention", "number"),
    )
)


def frame() -> pd.DataFrame:
    """Seven mentions; the last has nothing but its data."""
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


SELECTED = [
    # query, rows, why
    ("", "0123456", "an empty query selects everything"),
    ("  \n ", "0123456", "white space is an empty query"),
    ("all", "0123456", "the class of everything"),
    ("ALL and not case = lower", "136", "all is a term like others"),
    ("not all", "", "nothing"),
    ("case = lower", "0245", "a value by name"),
    ("case = a", "0245", "by its short code"),
    ("case = U", "13", "a code in another case, where that is clear"),
    ("case = Lower", "0245", "a name in another case"),
    ("case != lower", "13", "a comparison with an absent value is false"),
    ("not case = lower", "136", "not negates the false comparison: the absent one is selected"),
    ("case in (lower, mixed)", "0245", "member"),
    ("case not in (lower, mixed)", "13", "not in is a comparison: absent is not selected"),
    ("not case in (lower, mixed)", "136", "not negates: absent is selected"),
    ("not case not in (lower, mixed)", "02456", "the same of not in"),
    ("case is absent", "6", "three-way: absent"),
    ("case IS Present", "012345", "keywords in any case"),
    ("name_vs_symbol = symbol and contains_hyphen and not case in (lower, mixed)", "13", "bare count"),
    ("length >= 3 and length < 6", "0235", "numbers"),
    ("length>=3 and length<6", "0235", "no spaces needed"),
    ("length = 3", "025", "equality of numbers"),
    ("length != 3", "134", "the absent length is neither"),
    ("length in (3, 4)", "0235", "numbers in a list"),
    ("length not in (3, 4)", "14", "absent is not selected"),
    ("length > 3.5", "13", "a decimal bound on an integer"),
    ("not length", "6", "an absent number is not not-zero"),
    ("length is absent", "6", "integers that may be absent"),
    ("score < 0", "5", "negative value"),
    ("score >= -2.5", "01345", "negative bound; NaN is absent"),
    ("score is absent", "26", "NaN is absent"),
    ("is_ASCII", "012356", "bare boolean"),
    ("not is_ASCII", "4", "its negation"),
    ("is_ASCII = no", "4", "a boolean by a word"),
    ("is_ASCII != true", "4", "and unequal"),
    ("in_list.training", "03", "a user's list, true"),
    ("in_list.training = false", "145", "false is not absent"),
    ("not in_list.training", "12456", "not selects the absent too"),
    ("in_list.other is absent", "0123456", "a list nobody gave is absent everywhere"),
    ("in_list.other = false", "", "and false nowhere"),
    (r"data ~ /^\d+-/", "1", "the seed's first class"),
    (r'data ~ "^\d+-"', "1", "a pattern in quotes: a backslash before d is plain"),
    (r"data ~ /a\/b/", "5", "a slash in a pattern"),
    ("data ~ /(?i)lox|^P53$/", "01", "re.search with its flags"),
    ("case ~ /^l/", "0245", "a pattern on a category"),
    ('data contains "and"', "2", "substring of a text"),
    ('data = "ken and barbie"', "2", "quotes where needed"),
    ("data = 'ken and barbie'", "2", "single quotes too"),
    ("data = IL-2", "3", "no quotes where not needed"),
    ("data = β-catenin", "4", "any letters"),
    ("data = a/b", "5", "a slash inside a value"),
    ("data in (p53, 12-LOX, nothing)", "01", "texts in a list"),
    ("Arabic_numeral_position = final", "035", "any element"),
    ("Arabic_numeral_position != final", "15", "any element differs"),
    ("not Arabic_numeral_position = final", "1246", "none is"),
    ("Arabic_numeral_position in (i, m)", "15", "any element in the list"),
    ("Arabic_numeral_position not in (i, m)", "035", "any element outside the list"),
    ("Arabic_numeral_position contains f", "035", "member"),
    ("Arabic_numeral_position = i and Arabic_numeral_position = f", "5", "both"),
    ("Arabic_numeral_position ~ /al$/", "0135", "a pattern on elements"),
    ("keyword contains protein", "03", "an open set"),
    ("keyword = gen", "", "whole elements only"),
    ("context.keyword is absent", "26", "the empty set is absent"),
    ("position = initial", "04", "position alone is the slot's"),
    ("slot.position = I", "04", "the same"),
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
    ("not (case = lower and length = 4)", "0123456", "not of a conjunction"),
    ("not case = lower or length = 3", "012356", "not a or b is (not a) or b"),
    ("not not case = lower", "0245", "twice"),
    ("NOT(is_ASCII)", "4", "no space needed before a parenthesis"),
]


@pytest.mark.parametrize(("text", "rows", "why"), SELECTED, ids=[row[0] or "empty" for row in SELECTED])
def test_selects(text: str, rows: str, why: str) -> None:
    query = Query.parse(text, taxonomy=SMALL)
    assert "".join(map(str, np.flatnonzero(query.evaluate(frame())))) == rows, why


@pytest.mark.parametrize("text", [row[0] for row in SELECTED])
def test_arrow_selects_what_pandas_selects(text: str) -> None:
    query = Query.parse(text, taxonomy=SMALL)
    made = frame()
    table = pa.Table.from_pandas(made, preserve_index=False)
    expected = query.evaluate(made).tolist()
    for arrow in (table, pa.concat_tables([table.slice(0, 3), table.slice(3)])):
        assert query.evaluate(arrow).tolist() == expected
    assert query.evaluate(table.slice(2, 4)).tolist() == expected[2:6]
    assert query.evaluate(dict(made.items())).tolist() == expected


def test_answers_kept_for_later_queries_change_none() -> None:
    kept = Columns(frame())
    for _ in range(2):
        for text, rows, _ in SELECTED:
            found = Query.parse(text, taxonomy=SMALL).evaluate(kept)
            assert "".join(map(str, np.flatnonzero(found))) == rows, text


CANONICAL = [
    ("case=u AND(  length>3.0 )", "case = upper and length > 3"),
    ("(case = u or (case = a or case = m))", "case = upper or case = lower or case = mixed"),
    ("not (case = u)", "not case = upper"),
    ("not (case = u and length)", "not (case = upper and length)"),
    ("(case = u and length) or is_ASCII", "case = upper and length or is_ASCII"),
    ("case = u and (length or is_ASCII)", "case = upper and (length or is_ASCII)"),
    ("entity.case = u", "case = upper"),
    ("slot.position = I", "position = initial"),
    ("context.position = I", "context.position = initial"),
    ("mention.type = gp", "type = gp"),
    ("context.type = TP", "context.type = tp"),
    ('data = "p53"', "data = p53"),
    ('data = "all"', 'data = "all"'),
    ('data = "a b"', 'data = "a b"'),
    ('data = ""', 'data = ""'),
    (r'data = "\d"', r'data = "\\d"'),
    ("data = '\"'", r'data = "\""'),
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
    assert str(Query.parse(text, taxonomy=SMALL)) == canonical


def test_scopes_decide_what_a_bare_name_means() -> None:
    assert str(Query.parse("type = tp", scopes=("context", "slot"), taxonomy=SMALL)) == "context.type = tp"
    assert (
        str(Query.parse("position = I", scopes=("context",), taxonomy=SMALL)) == "context.position = initial"
    )
    assert str(Query.parse("source_id = x", scopes=("entity",), taxonomy=SMALL)) == "entity.source_id = x"


REFUSED = [
    # query, place of the caret, words in the message, why
    ("lenght >= 3", (0, 6), ["unknown feature 'lenght'", "length"], "the nearest name"),
    ("length >= 3 and cas = u", (16, 19), ["unknown feature 'cas'", "case"], "the caret under the second"),
    ("hyphen", (0, 6), ["unknown feature", "contains_hyphen"], "a part of the name"),
    ("slot.cas = u", (0, 8), ["unknown feature 'slot.cas'"], "unknown in that scope"),
    ("slot.case = u", (0, 9), ["unknown feature 'slot.case'", "entity.case"], "the right prefix"),
    (
        "source_id = x",
        (0, 9),
        ["several features", "entity.source_id, context.source_id"],
        "needs its prefix",
    ),
    ("case = uper", (7, 11), ["case has no value 'uper'", "upper (u), lower (a)"], "the nearest value first"),
    ("case in (upper, lowr)", (16, 20), ["no value 'lowr'", "lower (a)"], "within a list"),
    ("case < upper", (5, 6), ["case has no order", "category"], "no order"),
    ("case", (0, 4), ["neither true nor false", "case = upper"], "a bare category"),
    ("data", (0, 4), ["neither true nor false"], "a bare text"),
    ("case contains upper", (0, 4), ["contains asks a set or a text"], "contains on a category"),
    ("length contains 3", (0, 6), ["contains asks a set or a text"], "contains on a number"),
    ("length = three", (9, 14), ["length is a number"], "not a number"),
    ("length = inf", (9, 12), ["finite"], "not finite"),
    ("is_ASCII = maybe", (11, 16), ["true or false"], "not a boolean"),
    ("is_ASCII > 0", (9, 10), ["has no order"], "no order"),
    ("length ~ /3/", (9, 12), ["a pattern asks a text"], "a pattern on a number"),
    ("data ~ /(/", (8, 9), ["not a regular expression", "missing )"], "the caret stands in the pattern"),
    ("data ~ /ab[c/", (10, 11), ["not a regular expression"], "further in"),
    ("data ~ abc", (7, 10), ["between slashes or quotes"], "a pattern without slashes"),
    ("data ~ /abc", (7, 8), ["not closed"], "an open pattern"),
    ("data = /abc/", (7, 8), ["a pattern follows ~"], "a pattern after ="),
    ('data = "abc', (7, 8), ["quotation mark is not closed"], "an open quotation mark"),
    ("data = ken and barbie", (15, 21), ["unknown feature 'barbie'"], "and is a keyword"),
    ("data = ken barbie", (11, 17), ["needs quotes"], "two words"),
    ("case == upper", (6, 7), ["single ="], "another language's equality"),
    ("case = upper && length", (13, 14), ["the words are and, or, not"], "another language's and"),
    ("case = and", (7, 10), ["a value is missing"], "a keyword where a value should be"),
    ("case =", (6, 6), ["ends too early", "a value"], "no value"),
    ("case = upper and", (16, 16), ["ends too early", "a feature"], "no second condition"),
    ("(case = upper", (13, 13), ["ends too early", ")"], "an open parenthesis"),
    ("case = upper)", (12, 13), ["')' cannot stand here"], "one too many"),
    ("case in ()", (9, 10), ["')' cannot stand here", "a value"], "an empty list"),
    ("case in upper", (8, 13), ["cannot stand here", "("], "a list without parentheses"),
    ("and case = upper", (0, 3), ["cannot stand here", "a feature"], "no first condition"),
    ("case is missing", (8, 15), ["cannot stand here", "absent | present"], "not a state"),
    ("3 < length", (0, 1), ["cannot stand here", "a feature"], "the value first"),
]


@pytest.mark.parametrize(("text", "place", "words", "why"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refuses(text: str, place: tuple[int, int], words: list[str], why: str) -> None:
    with pytest.raises(QueryError) as caught:
        Query.parse(text, taxonomy=SMALL)
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
        Query.parse(text, taxonomy=SMALL, file="classes.toml", line=7)
    assert str(caught.value).splitlines() == [
        "classes.toml:7: unknown feature 'lenght'",
        "    \tand lenght = 3",
        "    \t    ^^^^^^",
        "  did you mean length?",
    ]


def test_a_feature_of_another_scope_is_refused_with_its_scope() -> None:
    with pytest.raises(QueryError, match=r"entity\.case cannot be asked here"):
        Query.parse("case = upper", scopes=("context", "slot"), taxonomy=SMALL)


def test_features_and_columns_in_order_of_appearance_each_once() -> None:
    query = Query.parse(
        "case = u or context.position = I and not case = a or in_list.training", taxonomy=SMALL
    )
    assert [f.name for f in query.features] == ["case", "position", "in_list.training"]
    assert query.columns == ("case", "context.position", "in_list.training")


def test_frames_of_no_rows_and_of_one_type_only() -> None:
    for text, _, _ in SELECTED:
        assert Query.parse(text, taxonomy=SMALL).evaluate(frame().iloc[:0]).tolist() == []
    nothing = pd.DataFrame({"case": [None, None], "length": [np.nan, np.nan], "score": [None, None]})
    for text in ("case = upper", "length = 3", "score > 0", "case ~ /u/"):
        assert Query.parse(text, taxonomy=SMALL).evaluate(nothing).tolist() == [False, False]
        assert Query.parse(f"not {text}", taxonomy=SMALL).evaluate(nothing).tolist() == [True, True]


def test_columns_as_python_objects() -> None:
    """A frame made by hand need not have the best types."""
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
        assert Query.parse(text, taxonomy=SMALL).evaluate(loose).tolist() == expected


def test_the_index_of_the_frame_does_not_matter() -> None:
    shuffled = frame().set_index(pd.Index([9, 9, 3, 1, 0, 5, 2]))
    query = Query.parse("case = lower", taxonomy=SMALL)
    assert query.evaluate(shuffled).tolist() == query.evaluate(frame()).tolist()
