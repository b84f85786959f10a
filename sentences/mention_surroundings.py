"""Features of the text around a mention: position in the sentence, adjacent punctuation and words.

The features never depend on the text inside a gold mention, so the features of a slot are the same for all
names that fill it. A neighbouring word inside another gold mention counts as absent. A word attached to a
gold mention is cut at the edge of the mention.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.core.text import CharKind, Flags, Ints, TextColumn
from .sentence_splitter import SentenceSpans
from .spans import find_containing, mark_covered
from .words import is_adjective, read_gene_words, read_word_list

POSITIONS = ("initial", "medial", "final")
_HAZARD_CHARACTERS = {
    "slash": "/\\",
    "hyphen": "-‐‑–",
    "parenthesis": "()",
    "apostrophe": "'’",
    "bracket": "[]{}",
}
HAZARD_MARKS = tuple(_HAZARD_CHARACTERS)


@dataclass(frozen=True)
class WordSpans:
    """Spans of words: runs of letters and digits, cut at the edges of gold mentions.

    Attributes
    ----------
    starts, ends : arrays of int64
        Start and end of each run.
    chain_starts, chain_ends : arrays of int64
        Start and end of the chain that contains the run; a chain is a series of runs joined by hyphens or
        apostrophes.
    """

    starts: Ints
    ends: Ints
    chain_starts: Ints
    chain_ends: Ints


def find_words(column: TextColumn, zone_starts: Ints, zone_ends: Ints) -> WordSpans:
    """Find the words in a column of texts.

    A word is cut at the edges of zones (gold mentions; overlapping ones are merged).
    """
    solid = column.is_of_kind(CharKind.WORD)
    # True where a zone begins or ends; shape (characters + 1,)
    cut = np.zeros(len(solid) + 1, dtype=bool)
    cut[zone_starts] = cut[zone_ends] = True
    cut[0] = cut[-1] = True
    first = np.flatnonzero(solid & (cut[:-1] | ~np.roll(solid, 1)))
    last = np.flatnonzero(solid & (cut[1:] | ~np.roll(solid, -1))) + 1
    if not len(first):
        return WordSpans(first, last, first, last)
    free = find_containing(zone_starts, zone_ends, first) < 0
    gap = first[1:] - last[:-1]
    joiner = column.is_of_kind(CharKind.JOINER)[np.minimum(last[:-1], len(solid) - 1)]
    joined = (gap == 1) & joiner & free[1:] & free[:-1]
    opens = np.flatnonzero(np.concatenate(([True], ~joined)))
    chain = np.cumsum(np.concatenate(([True], ~joined))) - 1
    closes = np.concatenate((opens[1:], [len(first)])) - 1
    return WordSpans(first, last, first[opens][chain], last[closes][chain])


def classify_positions(
    column: TextColumn,
    starts: Ints,
    ends: Ints,
    sentence: Ints,
    sentences: SentenceSpans,
    zones: tuple[Ints, Ints],
) -> NDArray[np.int8]:
    """Return the position of each mention in its sentence, as an index into POSITIONS.

    A mention is initial if only opening brackets or quotes precede it in its sentence. Otherwise, it is final
    if only closing punctuation follows it.
    """
    solid = mark_covered(column.size, *zones)
    lead = np.flatnonzero(~column.is_of_kind(CharKind.OPENING | CharKind.SPACE) | solid)
    tail = np.flatnonzero(~column.is_of_kind(CharKind.CLOSING | CharKind.SPACE) | solid)
    if not len(lead) or not len(tail):
        return np.zeros(len(starts), dtype=np.int8)
    first = lead[np.minimum(np.searchsorted(lead, sentences.starts[sentence]), len(lead) - 1)]
    last = tail[np.maximum(np.searchsorted(tail, sentences.ends[sentence]) - 1, 0)]
    return np.where(starts <= first, 0, np.where(ends > last, 2, 1)).astype(np.int8)


def find_marks(column: TextColumn, places: Ints, lows: Ints, highs: Ints) -> NDArray[np.uint32]:
    """Return the code point of the punctuation mark at each offset, or 0 if there is none.

    The result is also 0 if the offset is outside its range from `lows` (inclusive) to `highs` (exclusive).
    """
    inside = (places >= lows) & (places < highs)
    at = np.where(inside, places, 0)
    touching = inside & ~column.is_of_kind(CharKind.WORD | CharKind.SPACE)[at]
    return np.where(touching, column.codes[at], 0).astype(np.uint32)


def marks_to_text(codes: NDArray[np.uint32]) -> pd.Series:
    """Convert code points to a column of one-character strings; 0 becomes a missing value."""
    present, index = np.unique(codes, return_inverse=True)
    texts = pd.Series([chr(c) if c else None for c in present.tolist()], dtype="str")
    return texts.take(index).reset_index(drop=True)


def find_hazards(left: NDArray[np.uint32], right: NDArray[np.uint32]) -> Ints:
    """Return a bit set per mention of the adjacent punctuation marks that tokenisers treat differently."""
    bits = np.zeros(len(left), dtype=np.int64)
    for place, marks in enumerate(_HAZARD_CHARACTERS.values()):
        codes = [ord(mark) for mark in marks]
        bits |= np.where(np.isin(left, codes) | np.isin(right, codes), 1 << place, 0)
    return bits


def find_neighbours(
    starts: Ints,
    ends: Ints,
    bounds: tuple[Ints, Ints],
    zones: tuple[Ints, Ints],
    words: WordSpans,
) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Return the spans of the words before and after each mention; a span is empty if there is no word.

    `bounds` contains the start and end of the sentence of each mention.
    """
    size = len(words.starts)
    if not size:
        return (starts, starts), (ends, ends)
    before = np.searchsorted(words.starts, starts, side="left") - 1
    at = np.maximum(before, 0)
    stop = np.minimum(words.ends[at], starts)
    begin = np.maximum(words.chain_starts[at], bounds[0])
    zone = find_containing(*zones, stop - 1)
    foreign = (zone >= 0) & (zones[1][np.maximum(zone, 0)] <= starts) if len(zones[0]) else zone >= 0
    good = (before >= 0) & (words.starts[at] >= bounds[0]) & ~foreign & (stop > begin)
    left = np.where(good, begin, 0), np.where(good, stop, 0)

    after = np.searchsorted(words.ends, ends, side="right")
    at = np.minimum(after, size - 1)
    begin = np.maximum(words.starts[at], ends)
    stop = np.minimum(words.chain_ends[at], bounds[1])
    zone = find_containing(*zones, begin)
    foreign = (zone >= 0) & (zones[0][np.maximum(zone, 0)] >= ends) if len(zones[0]) else zone >= 0
    good = (after < size) & (begin < bounds[1]) & ~foreign & (stop > begin)
    right = np.where(good, begin, 0), np.where(good, stop, 0)
    return left, right


WORD_KINDS = ("keyword", "species", "article", "adjective", "conjunction", "preposition")


def classify_words(distinct: list[str], kinds: Sequence[str] = WORD_KINDS) -> dict[str, Flags]:
    """Return one Boolean array per kind of word, True for the lower-case words that are of this kind."""
    tests: dict[str, Callable[[str], bool]] = {
        "keyword": read_gene_words("keyword").__contains__,
        "species": read_word_list("species").__contains__,
        "article": read_word_list("articles").__contains__,
        "adjective": is_adjective,
        "conjunction": read_word_list("conjunctions").__contains__,
        "preposition": read_word_list("prepositions").__contains__,
    }
    size = len(distinct)
    return {kind: np.fromiter(map(tests[kind], distinct), dtype=bool, count=size) for kind in kinds}
