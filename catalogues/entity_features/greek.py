"""Recognition of Greek letters: spelled out, in brackets, in Unicode, or replaced by Latin letters."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from ..core.arrays import bounds_from_lengths, concatenate_ranges
from ..core.text import CharKind, Ints, TextColumn
from . import lexicon
from .words import Words

LETTER_FORMATS = ("spelled", "square_bracketed", "curly_bracketed", "unicode", "abbreviated")
_TOKEN = re.compile(r"[^\W_]+(?:[/-][^\W_]+)*")
_MAX_NAME_LENGTH = 12
_TAIL = re.compile(r"\d*[A-Za-z]?\d*")


@lru_cache
def spelled_pattern() -> re.Pattern[str]:
    """Return a pattern for possible Greek letters, spelled out or in brackets; see `letter_format`.

    The pattern has no look-behind, so that the search is fast.
    """
    names = lexicon.read_mapping("greek_letters.tsv")
    any_name = "|".join(sorted(names, key=len, reverse=True))
    inside = sorted(_letters_within_words())
    alone = sorted(names.keys() - _letters_within_words())
    lower = "|".join(inside)
    greek = "\u0370-\u03ff\u1f00-\u1fffµ\u2126"
    bracketed = rf"\\?(?:(?i:{any_name})|[{greek}])"
    # each alternative begins with a literal character, which makes the search fast
    alternatives = [
        *(rf"{n}(?:{lower})*(?![a-z])" for n in inside),
        *(rf"{n.capitalize()}(?:{lower})*(?![a-z])" for n in inside),
        *(rf"{n.upper()}(?![A-Za-z])" for n in inside),
        *(rf"{n}(?![A-Za-z])" for n in alone),
        rf"\[{bracketed}\]",
        rf"\{{{bracketed}\}}",
    ]
    return re.compile("|".join(alternatives))


@lru_cache
def _letters_within_words() -> frozenset[str]:
    """Return the names of Greek letters that are also found inside a word if the case changes (*TGFbeta*)."""
    return frozenset(n for n, place in lexicon.read_mapping("greek_letters.tsv").items() if place == "inside")


def letter_format(match: re.Match[str]) -> int:
    """Return the format (index into LETTER_FORMATS) of a match of `spelled_pattern`; -1 if not Greek."""
    letter, start = match[0], match.start()
    if letter[0] in "[{":
        return 1 if letter[0] == "[" else 2
    before = match.string[start - 1] if start else ""
    if not (before.isascii() and before.isalpha()):
        return 0
    if letter[0].isupper():
        return -1 if letter.isupper() else 0
    return 0 if before.isupper() and not _is_alone(letter) else -1


def _is_alone(name: str) -> bool:
    return name not in _letters_within_words() and name in lexicon.read_mapping("greek_letters.tsv")


def mask_letters(word: str) -> str:
    """Replace each spelled-out or bracketed Greek letter in a word with the digit 0."""
    return spelled_pattern().sub(lambda m: "0" if letter_format(m) >= 0 else m[0], word)


def find_letters(words: Words) -> tuple[Ints, Ints, Ints]:
    """Return the start and end positions and the formats (indices into LETTER_FORMATS) of Greek letters."""
    vocabulary = TextColumn(words.vocabulary)
    starts: list[int] = []
    ends: list[int] = []
    formats: list[int] = []
    for match in spelled_pattern().finditer(vocabulary.joined):
        form = letter_format(match)
        if form >= 0:
            starts.append(match.start())
            ends.append(match.end())
            formats.append(form)
    left, right = np.array(starts, np.int64), np.array(ends, np.int64)
    unicode = _offsets_outside(vocabulary.find_places(CharKind.GREEK), left, right)
    stand_in = _offsets_outside(np.array(_find_stand_ins(vocabulary), np.int64), left, right)
    offsets = np.concatenate([left, unicode, stand_in])
    length = np.concatenate([right, unicode + 1, stand_in + 1]) - offsets
    format_ = np.concatenate(
        [np.array(formats, np.int64), np.full(len(unicode), 3), np.full(len(stand_in), 4)]
    )
    return _find_occurrences(words, vocabulary, offsets, length, format_.astype(np.int64))


def _find_occurrences(
    words: Words, vocabulary: TextColumn, offsets: Ints, lengths: Ints, formats: Ints
) -> tuple[Ints, Ints, Ints]:
    """Convert the positions of Greek letters in the vocabulary to all their positions in the strings."""
    code = vocabulary.rows[offsets].astype(np.int64)
    order = np.argsort(code, kind="stable")
    code, offsets, lengths, formats = code[order], offsets[order], lengths[order], formats[order]
    letter_counts = np.bincount(code, minlength=len(words.vocabulary))
    first = bounds_from_lengths(letter_counts)[:-1]
    places = np.flatnonzero(letter_counts[words.codes]) if len(letter_counts) else np.zeros(0, np.int64)
    times = letter_counts[words.codes[places]] if len(places) else places
    word = np.repeat(places, times)
    letters = concatenate_ranges(first[words.codes[places]], times)
    starts = words.starts[word] + offsets[letters] - vocabulary.starts[code[letters]]
    return starts, starts + lengths[letters], formats[letters]


def _offsets_outside(offsets: Ints, starts: Ints, ends: Ints) -> Ints:
    """Return the offsets that lie outside all spans; the spans must be sorted and disjoint."""
    if not len(starts) or not len(offsets):
        return offsets
    span = np.searchsorted(starts, offsets, side="right") - 1
    return offsets[(span < 0) | (offsets >= ends[span])]


def _find_stand_ins(vocabulary: TextColumn) -> list[int]:
    """Return the positions, in the vocabulary, of Latin letters that replace Greek letters."""
    places = []
    for match in _TOKEN.finditer(vocabulary.joined):
        if match[0][:2].upper() in _heads():
            place = find_stand_in(match[0])
            if place is not None:
                places.append(match.start() + place)
    return places


def find_stand_in(token: str) -> int | None:
    """Return the offset of a Latin letter that replaces a Greek one in a token (*TGFB1*), or None.

    The letter follows the name of a gene family and an optional hyphen; at most a number and a letter come
    after it. In *NF-kB* and *IkB* it is in the middle.
    """
    nuclear = re.match(r"(?:NF-?|I)([kK])B(?![a-z])", token)
    if nuclear is not None:
        return nuclear.start(1)
    families = lexicon.read_mapping("greek_stand_ins.tsv")
    for place in range(2, min(len(token), _MAX_NAME_LENGTH)):
        stem = token[:place].upper().removesuffix("-")
        if token[place].upper() in families.get(stem, "") and _is_separate(token, place):
            return place
    return None


def _is_separate(token: str, place: int) -> bool:
    """Return True if the letter at `place` can replace a Greek letter.

    At most a number and a letter may follow it, and the text before it must not be in lower case.
    """
    return _TAIL.fullmatch(token, place + 1) is not None and not token[:place].islower()


@lru_cache
def _heads() -> frozenset[str]:
    return frozenset(stem[:2] for stem in lexicon.read_mapping("greek_stand_ins.tsv")) | {"NF", "IK"}
