"""Detection of tokens outside gold mentions that look like names, by typography, suffix or keyword."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..catalogues.core.text import CharKind, Flags, Ints, TextColumn, find_runs
from ..catalogues.entity_features import lexicon
from .words import read_function_words, read_gene_words, read_word_list

TYPOGRAPHIC_FEATURES = (
    "mixed_case",
    "all_caps",
    "hyphen_and_numeral",
    "letter_and_numeral",
    "Greek_letter",
    "Roman_numeral",
    "slash",
    "parenthesised",
    "initial_capital",
)
SUFFIXES = ("ase", "in", "gen", "or", "er", "ine")

_RUN = re.compile(r"[^\W_]+")
_ROMAN = re.compile(r"(?=[IVXLCDM]{2})M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_SUFFIX = re.compile(r"([a-z]+?)(ase|in|gen|or|er|ine)(s?)")
_MIN_STEM_LENGTH = 4


@lru_cache
def keyword_bases() -> tuple[str, ...]:
    """Return the base forms of the keywords, in alphabetical order."""
    return tuple(sorted(set(read_gene_words("keyword").values())))


def find_tokens(column: TextColumn, covered: Flags) -> tuple[Ints, Ints]:
    """Return the spans of tokens outside mentions.

    Tokens are separated by white space or mentions. Punctuation at the edges of a token is not included.
    """
    solid = ~column.is_of_kind(CharKind.SPACE) & ~covered
    starts, ends = find_runs(solid)
    letters = column.find_places(CharKind.WORD)
    if not len(letters) or not len(starts):
        return starts[:0], ends[:0]
    first = letters[np.minimum(np.searchsorted(letters, starts), len(letters) - 1)]
    last = letters[np.maximum(np.searchsorted(letters, ends) - 1, 0)] + 1
    good = (first >= starts) & (first < ends)
    return first[good], last[good]


@dataclass(frozen=True)
class CarrierTokens:
    """Tokens outside mentions, with the features that make them look like names.

    Attributes
    ----------
    starts, ends : arrays of int64
        Offsets of the tokens.
    looks, suffixes, keywords : arrays of int64
        One bit set per token. The bits stand for the items of TYPOGRAPHIC_FEATURES, SUFFIXES and
        `keyword_bases()`, respectively.
    """

    starts: Ints
    ends: Ints
    looks: Ints
    suffixes: Ints
    keywords: Ints


def find_carrier_tokens(column: TextColumn, covered: Flags, sentence_starts: Ints) -> CarrierTokens:
    """Find the tokens outside mentions, and compute the features that make them look like names."""
    starts, ends = find_tokens(column, covered)
    forms, index = column.distinct_pieces(starts, ends)
    features = np.array([classify_token(form) for form in forms], dtype=np.int64).reshape(-1, 5)[index]
    before = column.codes[np.maximum(starts - 1, 0)]
    after = column.codes[np.minimum(ends, column.size - 1)]
    within = ((before == ord("(")) & (after == ord(")"))) | ((before == ord("[")) & (after == ord("]")))
    within &= (features[:, 3] > 0) & (starts > 0)
    looks = features[:, 0] | np.where(within, 1 << TYPOGRAPHIC_FEATURES.index("parenthesised"), 0)
    # the first word of a sentence always has a capital
    capital = (features[:, 4] > 0) & ~np.isin(starts, _sentence_starts(column, sentence_starts))
    looks |= np.where(capital, 1 << TYPOGRAPHIC_FEATURES.index("initial_capital"), 0)
    return CarrierTokens(starts, ends, looks, features[:, 1], features[:, 2])


@lru_cache(maxsize=1 << 18)
def classify_token(form: str) -> tuple[int, int, int, int, int]:
    """Return the features that make a token look like a name.

    Returns
    -------
    tuple of int
        Three bit sets: typographic features, suffixes and keywords. The fourth value is 1 if the token
        contains a letter, otherwise 0. The fifth is 1 if the token is capitalised, otherwise 0.
    """
    lowered = form.lower()
    keyword_bits = _keyword_bits()
    keywords = 0
    for run in _RUN.findall(lowered):
        keywords |= keyword_bits.get(run, 0)
    return (
        _typography(form),
        _suffix(lowered),
        keywords,
        int(any(map(str.isalpha, form))),
        int(_is_capitalised(form)),
    )


def _is_capitalised(form: str) -> bool:
    """Return True if a word has at least three letters, and capitals only at its start or after a hyphen."""
    parts = re.split(r"[-‐‑'’]", form)
    plain = all(part.isalpha() and (part[1:] == "" or part[1:].islower()) for part in parts)
    return plain and len(parts[0]) > 2 and parts[0][0].isupper()


def _sentence_starts(column: TextColumn, starts: Ints) -> Ints:
    """Return the offset of the first letter or digit in each sentence."""
    letters = column.find_places(CharKind.WORD)
    if not len(letters):
        return letters
    return letters[np.minimum(np.searchsorted(letters, starts), len(letters) - 1)]


@lru_cache(maxsize=1)
def _keyword_bits() -> dict[str, int]:
    bases = {base: 1 << i for i, base in enumerate(keyword_bases())}
    return {form: bases[base] for form, base in read_gene_words("keyword").items()}


def _typography(form: str) -> int:
    names: set[str] = set()
    for run in _RUN.findall(form):
        names |= _run_looks(run)
    digits = any(map(str.isdigit, form))
    if digits and re.search(r"[^\W_][-‐‑–][^\W_]", form) and any(map(str.isalpha, form)):
        names.add("hyphen_and_numeral")
    if "/" in form:
        names.add("slash")
    return sum(1 << TYPOGRAPHIC_FEATURES.index(name) for name in names)


def _run_looks(run: str) -> set[str]:
    names: set[str] = set()
    letters = [c for c in run if c.isalpha()]
    if not letters:
        return names
    upper = sum(map(str.isupper, letters))
    if len(letters) > 1 and upper == len(letters):
        names.add("all_caps")
    elif upper and not (upper == 1 and letters[0].isupper()):
        names.add("mixed_case")
    if len(letters) < len(run) and any(map(str.isdigit, run)):
        names.add("letter_and_numeral")
    if run.lower() in lexicon.read_words("greek_letters.tsv") or any(
        "Ͱ" <= c <= "Ͽ" or c == "µ" for c in letters
    ):
        names.add("Greek_letter")
    if _ROMAN.fullmatch(run):
        names.add("Roman_numeral")
    return names


@lru_cache
def _closed_class_words() -> frozenset[str]:
    return read_function_words() | read_word_list("articles") | frozenset(read_gene_words("keyword"))


def _suffix(form: str) -> int:
    last = re.split(r"[^a-z]", form)[-1]
    if last in _closed_class_words():
        return 0
    match = _SUFFIX.fullmatch(last)
    if match is None or len(match[1]) + len(match[2]) < _MIN_STEM_LENGTH:
        return 0
    return 1 << SUFFIXES.index(match[2])
