"""Rule-based sentence splitter that ignores the text inside mentions.

Sentence boundaries therefore do not depend on the name that fills a slot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..catalogues.core.text import CharKind, Flags, Ints, TextColumn
from .spans import find_containing
from .words import read_word_list


@dataclass(frozen=True)
class SentenceSpans:
    """Spans of the sentences in a column of texts, without white space at their ends.

    Attributes
    ----------
    starts, ends : arrays of int64
        Sorted offsets in the concatenated texts.
    text_rows : array of int64
        Index of the text that contains each sentence.
    """

    starts: Ints
    ends: Ints
    text_rows: Ints

    def index_at(self, places: Ints) -> Ints:
        """Return the index of the last sentence that begins at or before each offset."""
        return np.maximum(np.searchsorted(self.starts, places, side="right") - 1, 0)


def texts_as_sentences(column: TextColumn) -> SentenceSpans:
    """Return each text as one sentence."""
    return SentenceSpans(column.starts, column.ends, np.arange(len(column)))


def split_sentences(column: TextColumn, zone_starts: Ints, zone_ends: Ints) -> SentenceSpans:
    """Split texts into sentences.

    A sentence ends at a line break. It also ends at a full stop, question mark or exclamation mark (and any
    closing quotes or brackets) before white space, unless a lower-case letter follows. A full stop after a
    single capital letter or an abbreviation from ``words/abbreviations.txt`` does not end a sentence. No
    boundary lies inside a zone (a gold mention). A mention can begin a sentence even in lower case, and is
    never treated as an abbreviation.
    """
    space, zones = column.is_of_kind(CharKind.SPACE), (zone_starts, zone_ends)
    solid = np.flatnonzero(~space)
    stops = column.find_places(CharKind.STOP)
    beyond = stops + 1
    closing = column.is_of_kind(CharKind.CLOSING)
    for _ in range(2):
        beyond = np.where(closing[np.minimum(beyond, column.size - 1)], beyond + 1, beyond)
    beyond = np.minimum(beyond, column.size - 1)
    following = _find_next(solid, beyond, column.size)
    text_of = column.rows[stops]
    good = space[beyond] & (following < column.ends[text_of]) & (find_containing(*zones, stops) < 0)
    starts_zone = np.isin(following, zone_starts)
    good &= starts_zone | ~column.is_of_kind(CharKind.LOWER)[np.minimum(following, column.size - 1)]
    stops, following = stops[good], following[good]
    keep = ~_is_abbreviation_stop(column, stops, zones)
    breaks = np.setdiff1d(np.flatnonzero(column.codes == 10), column.ends, assume_unique=True)
    breaks = breaks[find_containing(*zones, breaks) < 0]
    begins = np.unique(
        np.concatenate((column.starts, following[keep], _find_next(solid, breaks, column.size)))
    )
    begins = begins[begins < column.size]
    text_of = column.rows[begins]
    # two line breaks in a row, or one at the end of a text, make no empty sentence
    bounds = np.minimum(np.concatenate((begins[1:], [column.size])), column.ends[text_of])
    ends = np.append(0, solid + 1)[np.searchsorted(solid, bounds)]
    return SentenceSpans(begins, np.maximum(ends, begins), text_of.astype(np.int64))


def _find_next(sorted_offsets: Ints, places: Ints, default: int) -> Ints:
    """For each offset in `places`, return the first of `sorted_offsets` that is not smaller.

    If there is none, return `default`.
    """
    return np.append(sorted_offsets, default)[np.searchsorted(sorted_offsets, places)]


def _is_abbreviation_stop(column: TextColumn, stops: Ints, zones: tuple[Ints, Ints]) -> Flags:
    """Return a boolean array that is True for each full stop that belongs to an abbreviation."""
    left = column.find_places(CharKind.SPACE)
    before = np.searchsorted(left, stops) - 1
    starts = np.where(before >= 0, left[np.maximum(before, 0)] + 1, 0)
    starts = np.maximum(starts, column.starts[column.rows[stops]])
    words, index = column.distinct_pieces(starts, stops)
    abbreviations = read_word_list("abbreviations")
    flags = np.fromiter((_is_abbreviation(w, abbreviations) for w in words), dtype=bool, count=len(words))
    outside = find_containing(*zones, np.maximum(stops - 1, 0)) < 0
    dots = column.codes[stops] == ord(".")
    result: Flags = flags[index] & outside & dots
    return result


def _is_abbreviation(word: str, abbreviations: frozenset[str]) -> bool:
    bare = word.lstrip("([{\"'“‘")
    return (len(bare) == 1 and bare.isupper()) or bare.lower() in abbreviations
