"""What kind of expression an entity is: name or symbol, embedded symbols, the right edge's postmodifier."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..core.text import CharKind, Flags, Ints, TextColumn
from . import greek, lexicon
from .words import WORD_PIECE, Words

POSTMODIFIERS = ("none", "numeral", "letter", "Greek_letter", "Roman_numeral")
_LONG_LOWER = re.compile(r"[a-z]{5}")
_ONLY_LETTERS = re.compile(r"[^\W\d_]+")
_ROMAN = re.compile(r"[IVX]+")
_CAPITALS = re.compile(r"[A-Z]{2}[A-Z0-9]*")
_SYMBOL_WITHIN = re.compile(r"[A-Z][a-z]*[A-Z0-9]|[0-9][a-z]*[A-Z]")
_DIGITS_AND_MARKS = re.compile(r"[\d\W_]+")
_EDGE = re.compile(r"[\s‐‑‒–—-]+([^\s‐‑‒–—-]+)$")
_NUMERAL = re.compile(r"\d+(?:[.,/]\d+)*[A-Za-z]{0,2}\d{0,2}")
_LETTER = re.compile(r"[A-Z]\d*")
_ROMAN_EDGE = re.compile(r"[IVXLCDMivx]+")
_ROMAN_LETTERED = re.compile(r"[IVX]{2,}[A-Ea-e]?\d*")

_MAX_EDGE_LENGTH = 12

SYMBOL, NEUTRAL, NAME = 0, 1, 2
"""What a word speaks for: a symbol, nothing (numbers, letters, Greek and Roman), a name."""


@lru_cache(maxsize=1 << 17)
def classify_word(word: str) -> int:
    """What one white-space word speaks for: SYMBOL, NEUTRAL or NAME.

    Greek letters' names are set aside first. A run of five lower-case letters makes a name; two capitals, or
    letters with digits, or a short form that is in no lexicon make a symbol.
    """
    if (
        _CAPITALS.fullmatch(word)
        and not _ROMAN.fullmatch(word)
        and greek.spelled_pattern().search(word) is None
    ):
        # most words of a nomenclature: nothing to set aside
        return SYMBOL
    bare = greek.mask_letters(word) if len(word) > 1 else word
    if _LONG_LOWER.search(bare):
        return NAME
    letters = [p for p in WORD_PIECE.findall(bare) if not p.isdigit()]
    if not letters or all(len(p) == 1 or _ROMAN.fullmatch(p) for p in letters):
        return NEUTRAL
    if sum(map(str.isupper, bare)) >= 2 or any(map(str.isdigit, bare)):
        return SYMBOL
    if all(_ONLY_LETTERS.fullmatch(p) and not _is_word(p) for p in letters):
        return SYMBOL
    return NAME


def _is_word(piece: str) -> bool:
    low = piece.lower()
    return len(low) > 4 or low in lexicon.read_words("common_English.txt") or bool(lexicon.find_lemmas(low))


def classify_words(vocabulary: list[str]) -> NDArray[np.int8]:
    """What each word speaks for.

    Plain symbols, most words of a nomenclature, are recognised by columns: without lower-case letters and
    brackets, and with a capital other than I, V, X beside another capital or a digit.
    """
    strings = TextColumn(vocabulary)
    points = strings.codes
    capital = (points >= ord("A")) & (points <= ord("Z"))
    alphanumeric = capital | ((points >= ord("0")) & (points <= ord("9")))
    telling = capital & ~np.isin(points, [ord(c) for c in "IVX"])
    telling &= np.append(alphanumeric[1:], False) | np.insert(alphanumeric[:-1], 0, False)
    # a Greek letter's name in capitals is set aside first: such words take the careful way
    greek_names = [m.start() for m in greek.capital_pattern().finditer(strings.joined)]
    careful = (points > 127) | ((points >= ord("a")) & (points <= ord("z"))) | np.isin(points, [91, 123])
    careful[greek_names] = True
    plain = strings.has_place(np.flatnonzero(telling)) & ~strings.has_place(np.flatnonzero(careful))
    return np.array(
        [
            SYMBOL if is_plain else classify_word(word)
            for word, is_plain in zip(vocabulary, plain.tolist(), strict=True)
        ],
        np.int8,
    )


def is_symbol(strings: TextColumn, words: Words, votes: NDArray[np.int8]) -> Flags:
    """Whether each string is a symbol by the rule of the taxonomy (`votes`: the votes of the vocabulary).

    An entity of several words is a symbol when it has at most three, one at least speaks for a symbol, none
    for a name, and the last is no noun in capitals (*p21 mRNA* is a name). An entity of one word is a name
    when its word is one; words of up to three letters, and words of numbers and single letters alone, are
    symbols.
    """
    spoken = votes[words.codes]
    for_symbol, for_name = words.any_in_string(spoken == SYMBOL), words.any_in_string(spoken == NAME)
    single = words.count == 1
    short = np.asarray(strings.ends - strings.starts <= 3)
    several = for_symbol & ~for_name & (words.count <= 3) & (words.count > 1)
    last = words.is_last & several[words.owner]
    nouns = lexicon.read_words("capital_nouns.txt")
    several &= ~words.any_in_string(
        last & words.test_words(lambda w: w.lower() in nouns, np.unique(words.codes[last]))
    )
    return np.asarray((single & (~for_name | short)) | several)


def has_embedded_symbol(words: Words) -> Flags:
    """Whether a name of several words has a symbol within."""
    several = words.count > 1
    asked = np.zeros(len(words.vocabulary), np.bool_)
    asked[words.codes[several[words.owner]]] = True
    return np.asarray(words.any_in_string(words.test_words(has_symbol, np.flatnonzero(asked))) & several)


def has_symbol(word: str) -> bool:
    """Whether a piece of the word has two capitals, or capitals and digits, and is no Roman numeral."""
    return _SYMBOL_WITHIN.search(word) is not None and any(
        _SYMBOL_WITHIN.search(p) is not None and not (_ROMAN.fullmatch(p) or _ROMAN_LETTERED.fullmatch(p))
        for p in WORD_PIECE.findall(word)
    )


def classify_postmodifiers(
    strings: TextColumn, romans: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> NDArray[np.int8]:
    """Index into POSTMODIFIERS for each string.

    Parameters
    ----------
    romans : pair of arrays
        The Roman numerals of the strings' text, as `numerals.roman` finds them.
    """
    numeral = _find_last(strings, romans[0])
    separator = _find_last(
        strings, np.flatnonzero(strings.is_of_kind(CharKind.SPACE) | (strings.codes == ord("-")))
    )
    lengths = strings.ends - strings.starts
    # nothing set off, or too long for a postmodifier; rarer hyphens take the careful way
    plain = (separator > 0) & (lengths - separator <= _MAX_EDGE_LENGTH + 1)
    other = ~plain & strings.has_place(strings.find_places(CharKind.NON_ASCII))
    known: dict[str, int] = {}
    result = np.zeros(len(strings), np.int8)
    for index in np.flatnonzero(plain | other).tolist():
        value = strings.texts[index]
        piece = value[separator[index] + 1 :]
        if other[index]:
            match = _EDGE.search(value)
            if match is None or match.start() == 0:
                continue
            piece = match[1]
        if numeral[index] >= len(value) - len(piece) and _ROMAN_EDGE.fullmatch(piece):
            result[index] = 4
            continue
        if piece not in known:
            known[piece] = classify_postmodifier(piece)
        result[index] = known[piece]
    return result


def _find_last(strings: TextColumn, offsets: Ints) -> Ints:
    """Where in each string the last of some offsets (ascending) of the text stands; -1: nowhere."""
    last = np.full(len(strings), -1)
    owner = strings.rows[offsets]
    within = offsets < strings.ends[owner]
    offsets, owner = offsets[within], owner[within]
    last[owner] = offsets - strings.starts[owner]
    return last


def classify_postmodifier(piece: str) -> int:
    """Index into POSTMODIFIERS of a last piece that holds no Roman numeral."""
    if _NUMERAL.fullmatch(piece):
        return 1
    if _ROMAN_LETTERED.fullmatch(piece):
        return 4
    if _LETTER.fullmatch(piece):
        return 2
    match = greek.spelled_pattern().match(piece)
    letters = (
        match.end()
        if match is not None and greek.letter_format(match) >= 0
        else 1
        if piece and "\u0370" <= piece[0] <= "\u03ff"
        else 0
    )
    if letters and _DIGITS_AND_MARKS.fullmatch(piece + "0", letters):
        return 3
    return 0
