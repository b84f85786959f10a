"""Classification of entities as names or symbols, and recognition of embedded symbols and postmodifiers."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..core.text import Flags, Ints, TextColumn
from . import greek, lexicon
from .words import WORD_PIECE, Words

POSTMODIFIERS = ("none", "numeral", "letter", "Greek_letter", "Roman_numeral")
_LONG_LOWER = re.compile(r"[a-z]{5}")
_ONLY_LETTERS = re.compile(r"[^\W\d_]+")
_ROMAN = re.compile(r"[IVX]+")
_CAPITALS = re.compile(r"[A-Z]{2}[A-Z0-9]*")
_SYMBOL_WITHIN = re.compile(r"[A-Z][a-z]*[A-Z0-9]|[0-9][a-z]*[A-Z]")
_DIGITS_AND_MARKS = re.compile(r"[\d\W_]+")
_SEPARATOR = re.compile(r"[\s-]")
_EDGE = re.compile(r"[\s‐‑‒–—-]+([^\s‐‑‒–—-]+)$")
_NUMERAL = re.compile(r"\d+(?:[.,/]\d+)*[A-Za-z]{0,2}\d{0,2}")
_LETTER = re.compile(r"[A-Z]\d*")
_ROMAN_EDGE = re.compile(r"[IVXLCDMivx]+")
_ROMAN_LETTERED = re.compile(r"[IVX]{2,}[A-Ea-e]?\d*")

_MAX_EDGE_LENGTH = 12

SYMBOL, NEUTRAL, NAME = 0, 1, 2
"""Classes of words: symbols, neutral words (numbers, single letters, Greek letters), and words of names."""


@lru_cache(maxsize=1 << 17)
def classify_word(word: str) -> int:
    """Return the class of a word: SYMBOL, NEUTRAL or NAME.

    Spelled-out Greek letters are ignored. A word with five consecutive lower-case letters is a NAME; a word
    is a SYMBOL if it has two capitals, has letters and digits, or is short and missing from the lexicons.
    """
    if (
        _CAPITALS.fullmatch(word)
        and not _ROMAN.fullmatch(word)
        and greek.spelled_pattern().search(word) is None
    ):
        # fast path for plain capitals, which most words of a nomenclature are
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


def is_symbol(strings: TextColumn, words: Words, votes: NDArray[np.int8]) -> Flags:
    """Return a mask of the strings that are symbols according to the rule of the feature `name_vs_symbol`.

    A string of two or three words is a symbol if at least one word is a SYMBOL, none is a NAME, and the last
    is not a noun in capitals (*p21 mRNA* is a name). A single word is a symbol unless its class is NAME and
    it has more than three characters.

    Parameters
    ----------
    strings : TextColumn
        Surface forms.
    words : Words
        Words of the surface forms.
    votes : int8 array
        Class of each vocabulary word, from `classify_word`.
    """
    classes = votes[words.codes]
    for_symbol, for_name = words.any_in_string(classes == SYMBOL), words.any_in_string(classes == NAME)
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
    """Return a mask of the strings that have several words and contain a symbol."""
    several = words.count > 1
    tested = np.zeros(len(words.vocabulary), np.bool_)
    tested[words.codes[several[words.owner]]] = True
    return np.asarray(words.any_in_string(words.test_words(has_symbol, np.flatnonzero(tested))) & several)


def has_symbol(word: str) -> bool:
    """Return True if a piece of a word (not a Roman numeral) has two capitals, or capitals and digits."""
    return _SYMBOL_WITHIN.search(word) is not None and any(
        _SYMBOL_WITHIN.search(p) is not None and not (_ROMAN.fullmatch(p) or _ROMAN_LETTERED.fullmatch(p))
        for p in WORD_PIECE.findall(word)
    )


def classify_postmodifiers(
    strings: TextColumn, romans: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> NDArray[np.int8]:
    """Return the kind of postmodifier of each string, as an index into POSTMODIFIERS.

    Parameters
    ----------
    strings : TextColumn
        Surface forms.
    romans : pair of arrays
        Start and end positions of the Roman numerals, from `numerals.find_roman`.
    """
    numeral = _find_last(strings, romans[0])
    result = np.zeros(len(strings), np.int8)
    for index, value in enumerate(strings.texts):
        piece = _find_edge(value)
        if piece and numeral[index] >= len(value) - len(piece) and _ROMAN_EDGE.fullmatch(piece):
            result[index] = 4
        elif piece:
            result[index] = classify_postmodifier(piece)
    return result


def _find_edge(value: str) -> str:
    """Return the text after the last white space or hyphen; "" if it cannot be a postmodifier."""
    piece = _SEPARATOR.split(value)[-1]
    if len(piece) < len(value) - 1 and len(piece) <= _MAX_EDGE_LENGTH:
        return piece
    # a hyphen of another kind than the ASCII one
    match = None if value.isascii() else _EDGE.search(value)
    return match[1] if match is not None and match.start() else ""


def _find_last(strings: TextColumn, offsets: Ints) -> Ints:
    """Return the offset of the last given position in each string (-1 if none); `offsets` must be sorted."""
    last = np.full(len(strings), -1)
    owner = strings.rows[offsets]
    within = offsets < strings.ends[owner]
    offsets, owner = offsets[within], owner[within]
    last[owner] = offsets - strings.starts[owner]
    return last


@lru_cache(maxsize=1 << 17)
def classify_postmodifier(piece: str) -> int:
    """Return the kind of postmodifier, as an index into POSTMODIFIERS, given the last piece of an entity."""
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
