"""Orthographic features: case, first and last characters, punctuation, brackets, sub- and superscripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..core.text import CharKind, Flags, Ints, TextColumn
from .words import Words

MARKS = {
    "contains_hyphen": "-‐‑‒–—―−",
    "contains_forward_slash": "/",
    "contains_apostrophe": "'’′",
    "contains_comma": ",",
    "contains_period": ".",
    "contains_colon": ":",
    "contains_parenthesis": "()",
    "contains_square_bracket": "[]",
    "contains_curly_bracket": "{}",
    "contains_plus": "+",
    "contains_asterisk": "*",
}
"""Punctuation marks that each feature counts."""
MARK_FEATURES = frozenset({*MARKS, "contains_punctuation", "contains_other_punctuation"})
"""Names of the features that `count_marks` computes."""

CASES = ("upper", "lower", "initial", "title", "mixed")
EDGES = ("upper", "lower", "digit", "Greek", "punctuation")
_SCRIPT = re.compile(r"[_^]\{[^{}\n]*\}|<su[bp]>[^<\n]*</su[bp]>", re.IGNORECASE)
_PARTNER = {"(": ")", "[": "]", "{": "}"}


def count_marks(strings: TextColumn) -> dict[str, NDArray[np.int32]]:
    """Return the number of punctuation marks in each string, for each feature that counts such marks."""
    # place and code point of each mark, and True if no feature in MARKS counts it
    places = strings.find_places(CharKind.MARK)
    codes = strings.codes[places]
    other = np.ones(len(places), np.bool_)
    counts = {"contains_punctuation": strings.count_per_text(places)}
    for name, characters in MARKS.items():
        counted = np.isin(codes, [ord(character) for character in characters])
        counts[name] = strings.count_per_text(places[counted])
        other &= ~counted
    return {**counts, "contains_other_punctuation": strings.count_per_text(places[other])}


def classify_cases(strings: TextColumn, words: Words) -> NDArray[np.int8]:
    """Return the case of each string as an index into CASES; -1 for strings without letters."""
    uppers, lowers = strings.count_before(CharKind.UPPER), strings.count_before(CharKind.LOWER)
    upper = uppers[strings.ends] - uppers[strings.starts]
    lower = lowers[strings.ends] - lowers[strings.starts]
    letters = uppers + lowers
    # a letter is the first of its string (or word) if no letter precedes it there
    places = strings.find_places(CharKind.UPPER)
    owner, start = strings.rows[places], words.starts[words.index_at(places)]
    first_of_string = letters[places] == letters[strings.starts[owner]]
    first_of_word = letters[places] == letters[start]
    size = len(strings)
    lettered = words.count_in_strings(letters[words.ends] > letters[words.starts])
    raised = np.bincount(owner[first_of_word], minlength=size)
    begins = np.zeros(size, np.bool_)
    begins[owner[first_of_string]] = True
    conditions = [
        upper + lower == 0,
        lower == 0,
        upper == 0,
        begins & (upper == 1),
        (raised == lettered) & (upper == raised),
    ]
    return np.select(conditions, [-1, 0, 1, 2, 3], 4).astype(np.int8)


def classify_edges(strings: TextColumn, *, last: bool) -> NDArray[np.int8]:
    """Return the kind of each string's first or last character as an index into EDGES (-1 if empty)."""
    offsets = strings.ends - 1 if last else strings.starts
    empty = strings.ends == strings.starts
    kinds = strings.kinds[np.where(empty, strings.ends, offsets)] if len(strings) else strings.kinds
    conditions = [empty] + [
        (kinds & int(kind)) != 0
        # Greek comes first, because a Greek letter is also an upper- or lower-case letter
        for kind in (CharKind.GREEK, CharKind.DIGIT, CharKind.UPPER, CharKind.LOWER)
    ]
    return np.select(conditions, [-1, 3, 2, 0, 1], 4).astype(np.int8)


def locate_runs(strings: TextColumn, starts: Ints, ends: Ints) -> tuple[Flags, Flags, Flags]:
    """Return three masks of the strings with a span at the left edge, in the middle, or at the right edge.

    `starts` and `ends` are the positions of the spans in the column.
    """
    owner = strings.rows[starts]
    left, right = starts == strings.starts[owner], ends == strings.ends[owner]
    return (
        strings.has_place(starts[left]),
        strings.has_place(starts[~left & ~right]),
        strings.has_place(starts[right]),
    )


def is_ascii(strings: TextColumn) -> Flags:
    """Return a mask of the strings that contain only ASCII characters."""
    return ~strings.has_place(strings.find_places(CharKind.NON_ASCII))


def has_script(strings: TextColumn) -> Flags:
    """Return a mask of the strings with a subscript or superscript (a special character or mark-up)."""
    mask = strings.has_place(strings.find_places(CharKind.SCRIPT))
    points = strings.codes
    first = np.flatnonzero((points == ord("_")) | (points == ord("^")) | (points == ord("<")))
    starts = [place for place in first.tolist() if _SCRIPT.match(strings.joined, place)]
    mask[strings.rows[np.array(starts, np.int64)]] = True
    return mask


def find_brackets(strings: TextColumn) -> tuple[Flags, Flags]:
    """Return masks of the strings with a bracketed part, and of the strings with nested brackets."""
    part, nested = np.zeros(len(strings), np.bool_), np.zeros(len(strings), np.bool_)
    opened = strings.has_place(strings.find_places(CharKind.LEFT_BRACKET)) & strings.has_place(
        strings.find_places(CharKind.RIGHT_BRACKET)
    )
    for index in np.flatnonzero(opened).tolist():
        part[index], nested[index] = _match_brackets(strings.texts[index])
    return part, nested


def _match_brackets(text: str) -> tuple[bool, bool]:
    """Return whether a text has a bracketed part, and whether it has nested brackets.

    Unmatched closing brackets are ignored.
    """
    stack: list[tuple[str, int]] = []
    part = nested = False
    for place, character in enumerate(text):
        if character in _PARTNER:
            stack.append((_PARTNER[character], place))
            continue
        matching = next((i for i in range(len(stack) - 1, -1, -1) if stack[i][0] == character), None)
        if matching is None:
            continue
        if place > stack[matching][1] + 1:
            part = True
            nested = nested or matching > 0
        del stack[matching:]
    return part, nested


STRING_RULES: dict[str, Callable[[TextColumn], NDArray[np.int8] | Flags]] = {
    "first_character": partial(classify_edges, last=False),
    "last_character": partial(classify_edges, last=True),
    "is_ASCII": is_ascii,
    "contains_subscript_or_superscript": has_script,
}
"""Functions that compute features from strings that need not be split into words, keyed by feature name."""
