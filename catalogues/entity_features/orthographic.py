"""Orthographic features: length, case, edges, marks, brackets, scripts."""

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
"""The marks that have a feature of their own."""
MARK_FEATURES = frozenset({*MARKS, "contains_punctuation", "contains_other_punctuation"})
"""The features that are numbers of marks: those of `marks`."""

CASES = ("upper", "lower", "initial", "title", "mixed")
EDGES = ("upper", "lower", "digit", "Greek", "punctuation")
_SCRIPT = re.compile(r"[_^]\{[^{}\n]*\}|<su[bp]>[^<\n]*</su[bp]>", re.IGNORECASE)
_PLAIN_PAIRS = re.compile(r"[^][(){}]*(?:(?:\([^][(){}]+\)|\[[^][(){}]+\]|\{[^][(){}]+\})[^][(){}]*)+")
_PARTNER = {"(": ")", "[": "]", "{": "}"}


def count_marks(strings: TextColumn) -> dict[str, NDArray[np.int32]]:
    """Number of punctuation marks: of all, of each kind, and of those that are of no kind."""
    # places of all marks, their code points, and whether no feature of its own counts them: each (marks,)
    places = strings.find_places(CharKind.MARK)
    codes = strings.codes[places]
    other = np.ones(len(places), np.bool_)
    counts = {"contains_punctuation": strings.count_per_text(places)}
    for name, characters in MARKS.items():
        own = np.isin(codes, [ord(character) for character in characters])
        counts[name] = strings.count_per_text(places[own])
        other &= ~own
    return {**counts, "contains_other_punctuation": strings.count_per_text(places[other])}


def classify_cases(strings: TextColumn, words: Words) -> NDArray[np.int8]:
    """Index into CASES for each string, -1 without letters."""
    uppers, lowers = strings.count_before(CharKind.UPPER), strings.count_before(CharKind.LOWER)
    upper = uppers[strings.ends] - uppers[strings.starts]
    lower = lowers[strings.ends] - lowers[strings.starts]
    letters = uppers + lowers
    # the first letter of its string, or of its word, has none before it there
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
    """Index into EDGES of the first or last character of each string, -1 for an empty string."""
    offsets = strings.ends - 1 if last else strings.starts
    empty = strings.ends == strings.starts
    kinds = strings.kinds[np.where(empty, strings.ends, offsets)] if len(strings) else strings.kinds
    conditions = [empty] + [
        (kinds & int(kind)) != 0
        # Greek comes first: a Greek letter is also an upper- or lower-case one
        for kind in (CharKind.GREEK, CharKind.DIGIT, CharKind.UPPER, CharKind.LOWER)
    ]
    return np.select(conditions, [-1, 3, 2, 0, 1], 4).astype(np.int8)


def locate_runs(strings: TextColumn, starts: Ints, ends: Ints) -> tuple[Flags, Flags, Flags]:
    """For runs of characters: which strings have one at the left edge, at neither, at the right edge."""
    owner = strings.rows[starts]
    left, right = starts == strings.starts[owner], ends == strings.ends[owner]
    return (
        strings.has_place(starts[left]),
        strings.has_place(starts[~left & ~right]),
        strings.has_place(starts[right]),
    )


def is_ascii(strings: TextColumn) -> Flags:
    """Whether all characters are ASCII."""
    return ~strings.has_place(strings.find_places(CharKind.NON_ASCII))


def has_script(strings: TextColumn) -> Flags:
    """Whether a subscript or superscript occurs, as a character or as mark-up."""
    found = strings.has_place(strings.find_places(CharKind.SCRIPT))
    points = strings.codes
    first = np.flatnonzero((points == ord("_")) | (points == ord("^")) | (points == ord("<")))
    starts = [place for place in first.tolist() if _SCRIPT.match(strings.joined, place)]
    found[strings.rows[np.array(starts, np.int64)]] = True
    return found


def find_brackets(strings: TextColumn) -> tuple[Flags, Flags]:
    """Which strings have a bracketed part, and which have one within another."""
    part, nested = np.zeros(len(strings), np.bool_), np.zeros(len(strings), np.bool_)
    opened = strings.has_place(strings.find_places(CharKind.LEFT_BRACKET)) & strings.has_place(
        strings.find_places(CharKind.RIGHT_BRACKET)
    )
    for index in np.flatnonzero(opened).tolist():
        value = strings.texts[index]
        # nearly all have plain pairs side by side
        if _PLAIN_PAIRS.fullmatch(value):
            part[index] = True
        else:
            part[index], nested[index] = _match_brackets(value)
    return part, nested


def _match_brackets(text: str) -> tuple[bool, bool]:
    """Match brackets with a stack; a closing mark that fits no open bracket is passed over."""
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
"""The features that the strings alone decide, and how."""
