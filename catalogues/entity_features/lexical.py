"""Lexical features: common English words, similarity to disease names, and eponyms (*Down syndrome*)."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache

import numpy as np

from ..core.text import Flags
from . import lexicon
from .words import WORD_PIECE, Words

_NAME = re.compile(r"[^\W\d_]{2,}")
_NON_ENDINGS = 4


def find_common_english(words: Words, lexicon_words: Container[str] | None) -> tuple[Flags, Flags]:
    """Return masks of the strings that contain a common English word, and of the strings that are one.

    Parameters
    ----------
    words : Words
        Words of the strings to examine.
    lexicon_words : container of str or None
        Common words in lower case, including inflected forms. If None, words and their lemmas are looked up
        in the bundled lexicon of base forms.
    """

    def has_common_piece(word: str) -> bool:
        return any(is_common(p, lexicon_words) for p in WORD_PIECE.findall(word))

    contains = words.any_in_string(words.test_words(has_common_piece))
    common = words.test_words(lambda word: is_common(word, lexicon_words))
    return contains, np.asarray(words.any_in_string(common) & (words.count == 1))


def is_common(piece: str, lexicon_words: Container[str] | None = None) -> bool:
    """Return True if a piece of a word is common English, has two or more letters and is not in capitals."""
    if len(piece) < 2 or not piece.isalpha() or not (piece.islower() or piece.istitle()):
        return False
    return _is_core(piece.lower()) if lexicon_words is None else piece.lower() in lexicon_words


@lru_cache(maxsize=1 << 17)
def _is_core(word: str) -> bool:
    core = lexicon.read_words("common_English.txt")
    return word in core or any(not core.isdisjoint(lemmas) for lemmas in lexicon.find_lemmas(word).values())


def resembles_disease(words: Words) -> Flags:
    """Return a mask of the strings that contain a word for a medical condition (see `is_condition`)."""
    return words.any_in_string(words.test_words(_is_condition))


def _is_condition(word: str) -> bool:
    return any(is_condition(p.lower()) for p in WORD_PIECE.findall(word) if len(p) >= _NON_ENDINGS)


@lru_cache(maxsize=1 << 17)
def is_condition(piece: str) -> bool:
    """Return True if a lower-case piece of a word is a medical condition or has an ending such as *-itis*."""
    if piece in _conditions():
        return True
    endings, exceptions = _endings()
    return piece.endswith(endings) and piece not in exceptions and piece not in endings


@lru_cache
def _conditions() -> frozenset[str]:
    return frozenset(r[0] for r in lexicon.read_rows("conditions.tsv") if len(r) < 2 or r[1] != "head_only")


@lru_cache
def _heads() -> frozenset[str]:
    return frozenset(r[0] for r in lexicon.read_rows("conditions.tsv") if len(r) > 1)


@lru_cache
def _endings() -> tuple[tuple[str, ...], frozenset[str]]:
    table = lexicon.read_mapping("condition_endings.tsv")
    endings = tuple(ending for ending, is_ending in table.items() if is_ending == "yes")
    return endings, frozenset(table) - frozenset(endings)


def has_bare_genitive(words: Words) -> Flags:
    """Return a mask of the strings with a person's name before a word such as *disease* (*Down syndrome*).

    Names in the list of eponyms always count. Another capitalised word of four or more letters counts if it
    is neither the first word of the string nor common English, and the next word is in lower case.
    """
    heads = words.test_words(lambda w: _strip_marks(w).lower() in _heads())
    before = np.flatnonzero(heads & ~words.is_first) - 1
    if not len(before):
        return np.zeros(len(words.strings), np.bool_)
    candidates = np.unique(words.codes[before])
    listed = words.test_words(lambda w: _last_piece(w) in lexicon.read_words("eponyms.txt"), candidates)
    likely = words.test_words(_is_name, candidates) & ~words.is_first
    low_head = words.test_words(str.islower, np.unique(words.codes[before + 1]))
    chosen = np.zeros(len(words), np.bool_)
    chosen[before] = listed[before] | (likely[before] & low_head[before + 1])
    return words.any_in_string(chosen)


def _strip_marks(word: str) -> str:
    return word.strip("()[],;:.")


def _last_piece(word: str) -> str:
    """Return the last part of a hyphenated name if it is an eponym, else the first part."""
    bare = _strip_marks(word)
    first, last = bare.split("-", 1)[0], bare.rsplit("-", 1)[-1]
    return last if last in lexicon.read_words("eponyms.txt") else first


def _is_name(word: str) -> bool:
    return (
        len(word) >= _NON_ENDINGS
        and word[0].isupper()
        and all(_NAME.fullmatch(p) and p[1:].islower() for p in word.split("-"))
        and not is_common(word)
    )
