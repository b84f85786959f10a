"""Columns of texts stored as one array of code points, so that NumPy can process the characters.

The texts are concatenated, each followed by a line feed. A position, or *place*, is an index into this array.
The offset of a character within its text is its position minus the start of the text.
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


class CharKind(IntFlag):
    """Properties of a character; a character may have several."""

    LETTER = 1 << 0
    UPPER = 1 << 1
    """A letter in upper or title case."""
    LOWER = 1 << 2
    """A letter in lower case."""
    DIGIT = 1 << 3
    SPACE = 1 << 4
    MARK = 1 << 5
    """Any character except letters, digits, combining marks and white space."""
    GREEK = 1 << 6
    SCRIPT = 1 << 7
    """A subscript or superscript."""
    LEFT_BRACKET = 1 << 8
    RIGHT_BRACKET = 1 << 9
    NON_ASCII = 1 << 10
    WORD = 1 << 11
    r"""A character of a word: a letter, digit or other numeral (``\w`` without the underscore)."""
    OPENING = 1 << 12
    """An opening bracket or a quotation mark, in any script."""
    CLOSING = 1 << 13
    """A closing bracket, a quotation mark (in any script), or a punctuation mark that ends a phrase."""
    STOP = 1 << 14
    """A punctuation mark that ends a sentence."""
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
"""Unicode categories and single characters that define each kind of punctuation mark."""


def classify_character(character: str) -> CharKind:
    """Return the properties of a character according to Unicode.

    The micro sign and the ohm sign are classified as Greek, because their compatibility forms are Greek.
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
    """Return an array with the `CharKind` of each code point, or 0 if it is not yet computed."""
    table = np.zeros(_CODE_POINTS, dtype=np.uint32)
    table[:128] = [int(classify_character(chr(code))) for code in range(128)]
    return table


def classify_code_points(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the properties of code points, as bits of `CharKind`."""
    table = _kind_table()
    kinds = table[codes]
    # no kind is 0, so 0 marks a code point that is not yet in the table
    if not kinds.all():
        for code in np.unique(codes[kinds == 0]).tolist():
            table[code] = int(classify_character(chr(code)))
        kinds = table[codes]
    return kinds


def find_runs(flags: Flags) -> tuple[Ints, Ints]:
    """Return the starts and ends of all runs of true values, as maximal half-open spans."""
    step = np.diff(flags.astype(np.int8), prepend=0, append=0)
    return np.flatnonzero(step == 1), np.flatnonzero(step == -1)


def remove_white_space(text: str) -> str:
    """Return a text without its white space."""
    return "".join(text.split())


class TextColumn:
    """Column of texts, concatenated into one array of code points with a line feed after each text.

    Parameters
    ----------
    texts : iterable of str
        The texts, without missing values; empty texts are allowed.

    Attributes
    ----------
    texts : list of str
        The texts.
    starts, ends : arrays of int64
        Half-open span of each text in the array of code points; its line feed is at `ends`.

    Examples
    --------
    >>> column = TextColumn(["α-1", "", "p53"])
    >>> column.starts.tolist(), column.ends.tolist()
    ([0, 4, 5], [3, 4, 8])
    >>> column.slices(np.array([2, 0]), np.array([1, 0]), np.array([3, 1]))
    ['53', 'α']
    >>> column.has_place(column.find_places(CharKind.DIGIT)).tolist()
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
        """Total number of code points, including a line feed after each text."""
        return int(self.lengths.sum()) + len(self)

    @cached_property
    def joined(self) -> str:
        """All texts in one string, each followed by a line feed."""
        return "\n".join([*self.texts, ""])

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """Code points of the concatenated texts, each followed by a line feed."""
        return np.frombuffer(self.joined.encode("utf-32-le", "surrogatepass"), np.uint32)

    @cached_property
    def kinds(self) -> NDArray[np.uint32]:
        """Properties of each code point of the texts, as bits of `CharKind`; line feeds are white space."""
        return classify_code_points(self.codes)

    @cached_property
    def rows(self) -> NDArray[np.int32]:
        """Number of the text to which each code point belongs; a line feed belongs to the text before it."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths + 1)

    def is_of_kind(self, kind: CharKind) -> Flags:
        """Return a mask that is True for each character with a property in `kind`."""
        return np.asarray((self.kinds & int(kind)) != 0)

    def find_places(self, kind: CharKind) -> Ints:
        """Return the positions of the characters with the property `kind`."""
        return np.flatnonzero(self.kinds & int(kind))

    def count_before(self, kind: CharKind) -> NDArray[np.int32]:
        """Return the number of characters with the property `kind` before each position, and their total."""
        counts = np.zeros(self.size + 1, np.int32)
        np.cumsum(self.is_of_kind(kind), out=counts[1:])
        return counts

    def find_runs(self, kind: CharKind) -> tuple[Ints, Ints]:
        """Return the start and end positions of all maximal runs of characters with the property `kind`."""
        return find_runs(self.is_of_kind(kind))

    def count_per_text(self, places: Ints) -> NDArray[np.int32]:
        """Return the number of the given positions that each text contains."""
        return np.bincount(self.rows[places], minlength=len(self)).astype(np.int32)

    def has_place(self, places: Ints) -> Flags:
        """Return a mask of the texts that contain at least one of the given positions."""
        flags = np.zeros(len(self), np.bool_)
        flags[self.rows[places]] = True
        return flags

    def cut_pieces(self, starts: Ints, ends: Ints) -> list[str]:
        """Return the substrings between the given start and end positions in the concatenated texts."""
        joined = self.joined
        return [joined[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]

    def slices(self, rows: Ints, starts: Ints, ends: Ints) -> list[str]:
        """Return the substring of each half-open span, given its text number, start offset and end offset."""
        base = self.starts[rows]
        return self.cut_pieces(base + starts, base + ends)

    def distinct_pieces(self, starts: Ints, ends: Ints) -> tuple[list[str], Ints]:
        """Return the distinct substrings of the given spans, and the index of each span's substring."""
        numbers: dict[str, int] = {}
        # one piece at a time: there may be a million pieces, few of them distinct
        pieces = (self.joined[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True))
        codes = (numbers.setdefault(piece, len(numbers)) for piece in pieces)
        index = np.fromiter(codes, np.int64, len(starts))
        return list(numbers), index
