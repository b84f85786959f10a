"""Many strings as one array of code points, so that features are counted by column and not by string."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from enum import IntFlag
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]


class Kind(IntFlag):
    """What a character is; a character may be several things."""

    LETTER = 1 << 0
    UPPER = 1 << 1
    LOWER = 1 << 2
    DIGIT = 1 << 3
    SPACE = 1 << 4
    MARK = 1 << 5
    """A mark in the wide sense of the taxonomy: no letter, digit, combining mark or white space."""
    HYPHEN = 1 << 6
    SLASH = 1 << 7
    APOSTROPHE = 1 << 8
    COMMA = 1 << 9
    PERIOD = 1 << 10
    COLON = 1 << 11
    PARENTHESIS = 1 << 12
    SQUARE = 1 << 13
    CURLY = 1 << 14
    PLUS = 1 << 15
    ASTERISK = 1 << 16
    OTHER = 1 << 17
    GREEK = 1 << 18
    SCRIPT = 1 << 19
    OPENING = 1 << 20
    CLOSING = 1 << 21
    NON_ASCII = 1 << 22


NAMED_MARKS: dict[str, Kind] = {
    **dict.fromkeys("-‐‑‒–—―−", Kind.HYPHEN),
    "/": Kind.SLASH,
    **dict.fromkeys("'’′", Kind.APOSTROPHE),
    ",": Kind.COMMA,
    ".": Kind.PERIOD,
    ":": Kind.COLON,
    "(": Kind.PARENTHESIS | Kind.OPENING,
    ")": Kind.PARENTHESIS | Kind.CLOSING,
    "[": Kind.SQUARE | Kind.OPENING,
    "]": Kind.SQUARE | Kind.CLOSING,
    "{": Kind.CURLY | Kind.OPENING,
    "}": Kind.CURLY | Kind.CLOSING,
    "+": Kind.PLUS,
    "*": Kind.ASTERISK,
}


def kind_of(character: str) -> Kind:
    """Classify one character by its Unicode properties.

    Greek is decided on the compatibility form, so that the micro sign and the ohm sign are Greek as well.
    """
    kind = Kind(0)
    category = unicodedata.category(character)
    compatible = unicodedata.normalize("NFKC", character)
    decomposition = unicodedata.decomposition(character)
    script = decomposition.startswith(("<super>", "<sub>"))
    if script:
        kind |= Kind.SCRIPT
    if not character.isascii():
        kind |= Kind.NON_ASCII
    if character.isspace():
        return kind | Kind.SPACE
    if category[0] == "L":
        kind |= Kind.LETTER
        if character.isupper() or category == "Lt":
            kind |= Kind.UPPER
        elif character.islower() or category == "Ll":
            kind |= Kind.LOWER
        if len(compatible) == 1 and _is_greek(compatible):
            kind |= Kind.GREEK
    elif category == "Nd" or (category == "No" and script):
        kind |= Kind.DIGIT
    elif category[0] in "PS" or category in ("No", "Nl", "Cf", "Cc", "Co", "Cn", "Cs"):
        kind |= Kind.MARK | NAMED_MARKS.get(character, Kind.OTHER)
    return kind


def _is_greek(character: str) -> bool:
    return "\u0370" <= character <= "\u03ff" or "\u1f00" <= character <= "\u1fff"


class Strings:
    """Strings side by side in one array of code points, a separator after each.

    Parameters
    ----------
    values : sequence of str
        Distinct or not, empty ones allowed.

    Attributes
    ----------
    text : str
        All of them, each followed by a line feed; line breaks within a string are written as spaces, so
        that one scan of `text` never runs from one string into the next, and offsets stay what they are.
    starts, ends : int64 arrays
        Where each string stands in `text`.
    """

    def __init__(self, values: Sequence[str]) -> None:
        self.values = list(values)
        lengths = np.fromiter(map(len, self.values), np.int64, len(self.values))
        joined = "\n".join(self.values) + "\n" if self.values else ""
        if joined.count("\n") != len(self.values):
            joined = "\n".join(v.replace("\n", " ") for v in self.values) + "\n"
        # other characters at which str.splitlines breaks do no harm: nothing here splits lines
        self.text = joined
        self.ends = np.cumsum(lengths + 1) - 1 if len(lengths) else np.zeros(0, np.int64)
        self.starts = self.ends - lengths

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def points(self) -> NDArray[np.uint32]:
        """The code points of `text`."""
        return np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)

    @cached_property
    def kinds(self) -> NDArray[np.uint32]:
        """The kind of each character of `text`; separators have none."""
        if not len(self.points):
            return np.zeros(0, np.uint32)
        top = int(self.points.max()) + 1
        present = np.zeros(top, np.bool_)
        present[self.points] = True
        table = np.zeros(top, np.uint32)
        for point in np.flatnonzero(present):
            table[point] = int(kind_of(chr(point)))
        kinds = table[self.points]
        kinds[self.ends] = 0
        return kinds

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """The index of the string that each character of `text` belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.ends - self.starts + 1)

    def where(self, kind: Kind) -> Ints:
        """Offsets in `text` of the characters that are of this kind."""
        return np.flatnonzero(self.kinds & int(kind))

    def before(self, kind: Kind) -> NDArray[np.int32]:
        """How many characters of a kind stand before each offset of `text`, its end included."""
        found = np.zeros(len(self.kinds) + 1, np.int32)
        np.cumsum((self.kinds & int(kind)) != 0, out=found[1:])
        return found

    def count(self, kind: Kind) -> NDArray[np.int32]:
        """Number of characters of a kind in each string."""
        return self.tally(self.where(kind))

    def tally(self, offsets: Ints) -> NDArray[np.int32]:
        """Number of offsets that fall into each string."""
        return np.bincount(self.owners[offsets], minlength=len(self)).astype(np.int32)

    def has(self, offsets: Ints) -> Bools:
        """Whether an offset falls into each string."""
        found = np.zeros(len(self), np.bool_)
        found[self.owners[offsets]] = True
        return found

    def runs(self, kind: Kind) -> tuple[Ints, Ints]:
        """Starts and ends in `text` of the maximal runs of characters of a kind."""
        member = np.zeros(len(self.kinds) + 2, np.int8)
        member[1:-1] = (self.kinds & int(kind)) != 0
        step = np.diff(member)
        return np.flatnonzero(step == 1), np.flatnonzero(step == -1)

    def places(self, starts: Ints, ends: Ints) -> tuple[Bools, Bools, Bools]:
        """For runs in `text`: which strings have one that touches the left edge, neither, the right edge."""
        owner = self.owners[starts]
        left, right = starts == self.starts[owner], ends == self.ends[owner]
        found = []
        for chosen in (left, ~left & ~right, right):
            mask = np.zeros(len(self), np.bool_)
            mask[owner[chosen]] = True
            found.append(mask)
        return found[0], found[1], found[2]
