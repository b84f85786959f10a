"""Tests of text columns: character kinds, substrings, tokens and offsets, compared with Python strings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.core.numbers import UNITS, Unit
from tagsuite.catalogues.core.offsets import NonSpaceCharacters, OffsetMap
from tagsuite.catalogues.core.text import CharKind, TextColumn, classify_character
from tagsuite.catalogues.core.tokens import TOKEN_PATTERNS, TokenRule, Tokens, tokenise

ALPHABET = st.characters(codec="utf-8")
COMMON = st.sampled_from("aZ9_- .(\u0301\u2003\n\x1cβ²𝛼")
TEXTS = st.lists(st.text(alphabet=st.one_of(COMMON, ALPHABET), max_size=25))


def token_texts(texts: list[str], tokens: Tokens) -> list[str]:
    return TextColumn(texts).slices(tokens.row, tokens.start, tokens.end)


@pytest.mark.parametrize("rule", ["notions", "whitespace"])
@given(texts=TEXTS)
def test_tokens_are_the_matches_of_the_rule(rule: TokenRule, texts: list[str]) -> None:
    found = tokenise(TextColumn(texts), rule)
    expected = [
        (i, m.start(), m.end()) for i, t in enumerate(texts) for m in TOKEN_PATTERNS[rule].finditer(t)
    ]
    assert list(zip(found.row.tolist(), found.start.tolist(), found.end.tolist(), strict=True)) == expected
    assert token_texts(texts, found) == [texts[r][s:e] for r, s, e in expected]
    assert found.bounds.tolist() == [sum(r < i for r, _, _ in expected) for i in range(len(texts) + 1)]


@given(texts=TEXTS.filter(lambda t: any(t)), data=st.data())
def test_touched_tokens_share_a_character(texts: list[str], data: st.DataObject) -> None:
    row = data.draw(st.sampled_from([i for i, t in enumerate(texts) if t]))
    start = data.draw(st.integers(0, len(texts[row]) - 1))
    end = data.draw(st.integers(start + 1, len(texts[row])))
    found = tokenise(TextColumn(texts))
    first, last = found.find_touched([row], [start], [end])
    touched = [
        i
        for i in range(len(found))
        if found.row[i] == row and max(found.start[i], start) < min(found.end[i], end)
    ]
    assert list(range(first[0], last[0])) == touched


def test_cuts_end_tokens() -> None:
    found = tokenise(TextColumn(["wtp53, x", "ab"]), "whitespace", cuts=np.array([2, 5, 8]))
    assert token_texts(["wtp53, x", "ab"], found) == ["wt", "p53", ",", "x", "ab"]


@pytest.mark.parametrize(
    ("character", "kinds"),
    [
        ("A", CharKind.WORD | CharKind.LETTER | CharKind.UPPER),
        ("β", CharKind.WORD | CharKind.LETTER | CharKind.LOWER | CharKind.GREEK | CharKind.NON_ASCII),
        ("µ", CharKind.WORD | CharKind.LETTER | CharKind.LOWER | CharKind.GREEK | CharKind.NON_ASCII),
        ("₂", CharKind.WORD | CharKind.DIGIT | CharKind.SCRIPT | CharKind.NON_ASCII),
        ("Ω", CharKind.WORD | CharKind.LETTER | CharKind.UPPER | CharKind.GREEK | CharKind.NON_ASCII),
        ("\u00a0", CharKind.SPACE | CharKind.NON_ASCII),
        ("(", CharKind.MARK | CharKind.LEFT_BRACKET | CharKind.OPENING),
        ("%", CharKind.MARK),
        ("\u0301", CharKind.NON_ASCII),
    ],
)
def test_kinds_of_characters(character: str, kinds: CharKind) -> None:
    assert classify_character(character) == kinds


@given(texts=TEXTS)
def test_texts_keep_their_places(texts: list[str]) -> None:
    column = TextColumn(texts)
    assert column.joined == "".join(text + "\n" for text in texts)
    assert column.cut_pieces(column.starts, column.ends) == texts
    assert column.size == len(column.codes) == len(column.rows) == len(column.joined)
    assert column.rows.tolist() == [row for row, text in enumerate(texts) for _ in range(len(text) + 1)]
    kinds = [int(classify_character(character)) for character in column.joined]
    assert column.kinds.tolist() == kinds
    pieces, index = column.distinct_pieces(column.starts, column.ends)
    assert [pieces[i] for i in index] == texts
    assert pieces == list(dict.fromkeys(texts))


ENCODED = {"characters": ("utf-32-le", 4), "bytes": ("utf-8", 1), "utf16": ("utf-16-le", 2)}


@pytest.mark.parametrize("unit", UNITS)
@given(texts=TEXTS)
def test_offsets_in_a_unit_are_those_of_the_encoding(unit: Unit, texts: list[str]) -> None:
    offsets = OffsetMap(TextColumn(texts), unit)
    encoding, width = ENCODED[unit]
    for row, text in enumerate(texts):
        units = [len(text[:i].encode(encoding)) // width for i in range(len(text) + 1)]
        rows = np.full(len(units), row)
        assert offsets.to_unit(rows, np.arange(len(units))).tolist() == units
        assert offsets.lengths[row] == units[-1]
        asked = np.arange(-1, units[-1] + 3)
        back = offsets.from_unit(np.full(len(asked), row), asked)
        assert back.tolist() == [units.index(n) if n in units else -1 for n in asked.tolist()]


@given(texts=TEXTS)
def test_characters_that_are_not_white_space_are_numbered_in_each_text(texts: list[str]) -> None:
    packed = NonSpaceCharacters(TextColumn(texts))
    assert packed.squeezed_texts() == ["".join(text.split()) for text in texts]
    for row, text in enumerate(texts):
        places = [i for i, character in enumerate(text) if not character.isspace()]
        assert packed.counts[row] == len(places)
        for number, place in enumerate(places):
            start, end = packed.spans(*(np.array([n]) for n in (row, number, number)))
            assert (start[0], end[0]) == (place, place + 1)
            back = packed.numbers(np.array([row]), start, end)
            assert (back[0][0], back[1][0]) == (number, number)
        beyond = packed.spans(*(np.array([n]) for n in (row, 0, len(places))))
        assert (beyond[0][0], beyond[1][0]) == (-1, -1)
