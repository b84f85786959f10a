"""A column of texts as one array of code points: what is asked of texts is asked of all of them at once.

The texts lie end to end, each followed by one line feed. A *place* is an index into that array; the offset
of a character within its own text is its place less the text's start. `tokens` and `offsets` build on this.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from enum import IntFlag
from functools import cache, cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

_CODE_POINTS = 0x110000
PIECES_PER_BLOCK = 1 << 16
"""Pieces of texts that are held at once while the different ones are found."""


class CharKind(IntFlag):
    """What a character is; a character may be several things."""

    LETTER = 1 << 0
    UPPER = 1 << 1
    """A letter in upper or title case."""
    LOWER = 1 << 2
    """A letter in lower case."""
    DIGIT = 1 << 3
    SPACE = 1 << 4
    MARK = 1 << 5
    """A mark in the wide sense of the taxonomy: no letter, digit, combining mark or white space."""
    GREEK = 1 << 6
    SCRIPT = 1 << 7
    """A subscript or superscript."""
    LEFT_BRACKET = 1 << 8
    RIGHT_BRACKET = 1 << 9
    NON_ASCII = 1 << 10
    WORD = 1 << 11
    r"""What a word is made of: a letter, digit or other numeral (``\w`` without the underscore)."""
    OPENING = 1 << 12
    """An opening bracket or a quotation mark, of any script."""
    CLOSING = 1 << 13
    """A closing bracket or a quotation mark, of any script, or a mark that ends a phrase."""
    STOP = 1 << 14
    """A mark that ends a sentence."""
    JOINER = 1 << 15
    """A hyphen or apostrophe that joins two words into one."""


_MARK_ROLES = (
    (CharKind.LEFT_BRACKET, (), "([{"),
    (CharKind.RIGHT_BRACKET, (), ")]}"),
    (CharKind.OPENING, ("Ps", "Pi"), "\"'`"),
    (CharKind.CLOSING, ("Pe", "Pf"), "\"'`.,;:!?…"),
    (CharKind.STOP, (), ".!?"),
    (CharKind.JOINER, (), "-‐‑'’"),
)
"""What marks do in running text: by general category, and by character."""


def classify_character(character: str) -> CharKind:
    """Classify one character by its Unicode properties.

    Greek is decided on the compatibility form, so that the micro sign and the ohm sign are Greek as well.
    """
    kind = CharKind(0)
    category = unicodedata.category(character)
    script = unicodedata.decomposition(character).startswith(("<super>", "<sub>"))
    if script:
        kind |= CharKind.SCRIPT
    if not character.isascii():
        kind |= CharKind.NON_ASCII
    if character.isspace():
        return kind | CharKind.SPACE
    if character.isalnum():
        kind |= CharKind.WORD
    for role, categories, characters in _MARK_ROLES:
        if category in categories or character in characters:
            kind |= role
    if category[0] == "L":
        kind |= CharKind.LETTER
        if character.isupper() or category == "Lt":
            kind |= CharKind.UPPER
        elif character.islower() or category == "Ll":
            kind |= CharKind.LOWER
        compatible = unicodedata.normalize("NFKC", character)
        if len(compatible) == 1 and _is_greek(compatible):
            kind |= CharKind.GREEK
    elif category == "Nd" or (category == "No" and script):
        kind |= CharKind.DIGIT
    elif category[0] in "PS" or category in ("No", "Nl", "Cf", "Cc", "Co", "Cn", "Cs"):
        kind |= CharKind.MARK
    return kind


def _is_greek(character: str) -> bool:
    return "\u0370" <= character <= "\u03ff" or "\u1f00" <= character <= "\u1fff"


@cache
def _kind_table() -> NDArray[np.uint32]:
    """The kind of every code point, filled in as code points are met (all of them would take a second)."""
    table = np.zeros(_CODE_POINTS, dtype=np.uint32)
    table[:128] = [int(classify_character(chr(code))) for code in range(128)]
    return table


def classify_code_points(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The kinds of code points; each distinct one is looked up once in the life of the process."""
    table = _kind_table()
    kinds = table[codes]
    # every character is something, so 0 is a code point that was not met before
    if not kinds.all():
        for code in np.unique(codes[kinds == 0]).tolist():
            table[code] = int(classify_character(chr(code)))
        kinds = table[codes]
    return kinds


def find_runs(flags: Flags) -> tuple[Ints, Ints]:
    """Starts and ends of the longest runs of true values."""
    step = np.diff(flags.astype(np.int8), prepend=0, append=0)
    return np.flatnonzero(step == 1), np.flatnonzero(step == -1)


def remove_white_space(text: str) -> str:
    """A text without its white space."""
    return "".join(text.split())


class TextColumn:
    """Texts end to end in one array of code points, a line feed after each.

    Parameters
    ----------
    texts : iterable of str
        A list, or a column without missing values; empty texts are allowed.

    Attributes
    ----------
    texts : list of str
        The texts.
    starts, ends : arrays of int64
        Where each text begins and ends; the separator stands at `ends`.

    Examples
    --------
    >>> column = TextColumn(["α-1", "", "p53"])
    >>> column.starts.tolist(), column.ends.tolist()
    ([0, 4, 5], [3, 4, 8])
    >>> column.slices(np.array([2, 0]), np.array([1, 0]), np.array([3, 1]))
    ['53', 'α']
    >>> column.has(column.where(Kind.DIGIT)).tolist()
    [True, False, True]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = texts if isinstance(texts, list) else list(texts)
        self.lengths: Ints = np.fromiter(map(len, self.texts), np.int64, len(self.texts))
        self.ends: Ints = np.cumsum(self.lengths + 1) - 1
        self.starts: Ints = self.ends - self.lengths

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def size(self) -> int:
        """Number of code points of all texts and separators."""
        return int(self.lengths.sum()) + len(self)

    @cached_property
    def joined(self) -> str:
        """All texts as one, each followed by a line feed."""
        return "\n".join([*self.texts, ""])

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """The code points of `joined`."""
        return np.frombuffer(self.joined.encode("utf-32-le", "surrogatepass"), np.uint32)

    @cached_property
    def kinds(self) -> NDArray[np.uint32]:
        """The kind of each code point, as bits of `Kind`; a separator is white space."""
        return classify_code_points(self.codes)

    @cached_property
    def rows(self) -> NDArray[np.int32]:
        """For each place the text that it belongs to; a separator belongs to the text before it."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths + 1)

    def is_of_kind(self, kind: CharKind) -> Flags:
        """Whether each character is of a kind, or of one of several."""
        return np.asarray((self.kinds & int(kind)) != 0)

    def find_places(self, kind: CharKind) -> Ints:
        """Places of the characters of a kind."""
        return np.flatnonzero(self.kinds & int(kind))

    def count_before(self, kind: CharKind) -> NDArray[np.int32]:
        """How many characters of a kind stand before each place, the end of all included."""
        counts = np.zeros(self.size + 1, np.int32)
        np.cumsum(self.is_of_kind(kind), out=counts[1:])
        return counts

    def find_runs(self, kind: CharKind) -> tuple[Ints, Ints]:
        """Starts and ends of the longest runs of characters of a kind."""
        return find_runs(self.is_of_kind(kind))

    def count_per_text(self, places: Ints) -> NDArray[np.int32]:
        """Number of places that fall into each text."""
        return np.bincount(self.rows[places], minlength=len(self)).astype(np.int32)

    def has_place(self, places: Ints) -> Flags:
        """Whether a place falls into each text."""
        found = np.zeros(len(self), np.bool_)
        found[self.rows[places]] = True
        return found

    def cut_pieces(self, starts: Ints, ends: Ints) -> list[str]:
        """The pieces between pairs of places."""
        joined = self.joined
        return [joined[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]

    def slices(self, rows: Ints, starts: Ints, ends: Ints) -> list[str]:
        """The surface forms of half-open spans within texts, one for each (row, start, end)."""
        base = self.starts[rows]
        return self.cut_pieces(base + starts, base + ends)

    def distinct_pieces(self, starts: Ints, ends: Ints) -> tuple[list[str], Ints]:
        """The different pieces between pairs of places, and for each pair the index of its piece."""
        known: dict[str, int] = {}
        index = np.empty(len(starts), dtype=np.int64)
        # a block of pieces at a time: there may be a million, of few that differ
        for low in range(0, len(starts), PIECES_PER_BLOCK):
            pieces = self.cut_pieces(starts[low : low + PIECES_PER_BLOCK], ends[low : low + PIECES_PER_BLOCK])
            index[low : low + PIECES_PER_BLOCK] = [known.setdefault(piece, len(known)) for piece in pieces]
        return list(known), index
