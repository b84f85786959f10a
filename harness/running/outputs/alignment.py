"""Alignment of a printed text (record) with the text that was sent, by comparing their canonical forms.

The canonical form of a text does not depend on white space, case, Unicode normalisation, XML entities and
typographic quotes. If two texts have the same canonical form, every mention has a position. Otherwise, after
each difference, the next match is searched within a window only, so that the time grows linearly with the
length of the text. A mention gets a position only if the characters at both of its edges agree, or if it
covers a complete part of the text that was replaced; other mentions are counted as unplaced.
"""

from __future__ import annotations

import html
import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import count

ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
ESCAPE = re.compile(ENTITY.pattern + "|" + "|".join(BRACKETS))
EQUIVALENTS = {
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", "''"),
    '"': "''",
    **dict.fromkeys("‐‑‒–—−﹣－", "-"),
    "µ": "μ",
    "\ufeff": "",
    "\u200b": "",
    "\u00ad": "",
}
"""Map from characters to equivalent strings; a double quote equals two single quotes (Penn Treebank)."""

MIN_MATCH = 4
"""Minimum number of equal characters that start a new match after a difference."""
MIN_INNER_MATCH = 2
"""Minimum number of equal characters that count as a match between two longer matches."""
MAX_MISSING_END = 4
"""A record counts as cut off only if it lacks more than this number of characters at its end."""
WINDOW = 160
"""Number of characters of each text in which the next match is searched after a difference."""
MIN_AGREEMENT = 0.6
"""Minimum share of equal characters for a record to count as the text that was sent."""

Block = tuple[int, int, int, int]


@lru_cache(maxsize=65536)
def fold_character(character: str) -> str:
    """Return the canonical form of a character, which is empty for white space and combining marks."""
    if character.isspace():
        return ""
    if character in EQUIVALENTS:
        return EQUIVALENTS[character]
    return "".join(
        EQUIVALENTS.get(c, c)
        for c in unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
        if not unicodedata.combining(c) and not c.isspace()
    )


def fold_with_spans(text: str) -> tuple[str, array[int], array[int]]:
    r"""Return a text's canonical form, and the original start and end of each of its characters.

    Examples
    --------
    >>> fold_with_spans("NF-\N{GREEK SMALL LETTER KAPPA}B &lt; 2")[0]
    'nf-κb<2'
    """
    # arrays need less memory than lists of integer objects
    start, end = array("q"), array("q")
    if _is_plain(text):
        start.extend(i for i, c in enumerate(text) if not c.isspace())
        end.extend(i + 1 for i in start)
        return fold_text(text), start, end
    folded: list[str] = []
    for character, low, high in _characters(text):
        letters = fold_character(character)
        folded.append(letters)
        start.extend([low] * len(letters))
        end.extend([high] * len(letters))
    return "".join(folded), start, end


def _characters(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each character of a text, with escapes resolved, and its half-open span."""
    at = 0
    for match in ESCAPE.finditer(text):
        unescaped = BRACKETS.get(match[0]) or html.unescape(match[0])
        if unescaped != match[0]:
            yield from zip(text[at : match.start()], count(at), count(at + 1))
            yield from ((character, *match.span()) for character in unescaped)
            at = match.end()
    yield from zip(text[at:], count(at), count(at + 1))


def fold_text(text: str) -> str:
    """Return the canonical form of a text, which is the same for similar texts (see the module docstring)."""
    return "".join(text.split()).lower().replace("`", "'") if _is_plain(text) else fold_with_spans(text)[0]


def _is_plain(text: str) -> bool:
    """Return True if a text differs from its canonical form only in white space, case and back quotes."""
    return text.isascii() and '"' not in text and ESCAPE.search(text) is None


def match_blocks(given: str, sent: str) -> list[Block]:
    """Return the matching parts, in order, as tuples (start and end in `given`, start and end in `sent`)."""
    blocks: list[Block] = []
    i = j = 0
    while i < len(given) and j < len(sent):
        n = _count_equal(given, i, sent, j)
        if n:
            blocks.append((i, i + n, j, j + n))
            i, j = i + n, j + n
            continue
        step = _find_next_match(given, i, sent, j)
        # compare the short stretch in between letter by letter
        left, right = step or (min(len(given) - i, WINDOW), min(len(sent) - j, WINDOW))
        for a, b, n in SequenceMatcher(
            None, given[i : i + left], sent[j : j + right], False
        ).get_matching_blocks():
            if n >= MIN_INNER_MATCH or (n and n == left):
                blocks.append((i + a, i + a + n, j + b, j + b + n))
        if step is None:
            break
        i, j = i + left, j + right
    return blocks


def _count_equal(given: str, i: int, sent: str, j: int) -> int:
    n = 0
    most = min(len(given) - i, len(sent) - j)
    while n < most and given[i + n] == sent[j + n]:
        n += 1
    return n


def _find_next_match(given: str, i: int, sent: str, j: int) -> tuple[int, int] | None:
    """Return how far to move in each text to reach the next match; None if `WINDOW` contains no match.

    A match has at least `MIN_MATCH` equal characters; fewer are enough at the end of both texts.
    """
    best: tuple[int, int] | None = None
    left, right = given[i : i + WINDOW], sent[j : j + WINDOW]
    size = MIN_MATCH
    places: dict[str, int] = {}
    for k in range(len(right) - size, -1, -1):
        places[right[k : k + size]] = k
    for k in range(len(left) - size + 1):
        if best is not None and k >= best[0] + best[1]:
            break
        other = places.get(left[k : k + size])
        if other is not None and (best is None or k + other < best[0] + best[1]):
            best = (k, other)
    if best is None:
        # near the end of a text, fewer letters are enough
        if len(given) - i <= WINDOW and len(sent) - j <= WINDOW:
            n = 0
            while n < min(len(left), len(right)) and left[-1 - n] == right[-1 - n]:
                n += 1
            if n:
                return len(left) - n, len(right) - n
        return None
    return best


class Alignment:
    """Alignment of a record with the text that was sent.

    Attributes
    ----------
    is_exact : bool
        True if the canonical forms are equal.
    agreement : float
        Share of canonical characters that are equal in both texts.
    """

    def __init__(self, given: str, sent: str) -> None:
        self.given, self.given_start, self.given_end = fold_with_spans(given)
        self.sent, self.sent_start, self.sent_end = fold_with_spans(sent)
        self.is_exact = self.given == self.sent
        size = len(self.given)
        self.blocks = [(0, size, 0, size)] if self.is_exact and size else match_blocks(self.given, self.sent)
        longest = max(size, len(self.sent))
        agreeing = sum(high - low for low, high, _, _ in self.blocks)
        self.agreement = agreeing / longest if longest else 1.0

    @property
    def is_cut(self) -> bool:
        """True if the record matches the beginning of the text, but its end is clearly missing."""
        if not self.blocks:
            return False
        _, end, _, reached = self.blocks[-1]
        missing = len(self.sent) - reached
        return end == len(self.given) and missing > max(MAX_MISSING_END, len(self.sent) // 10)

    @property
    def is_likely(self) -> bool:
        """True if the record may be an altered form of the text."""
        return self.agreement >= MIN_AGREEMENT and not self.is_cut

    def map_spans(self, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int] | None]:
        """Map spans in the record to spans in the sent text; None for a span that has no match."""
        lefts, rights = ({}, {}) if self.is_exact else self._map_edges()
        placed: list[tuple[int, int] | None] = []
        for start, end in spans:
            # the letters inside the span
            low = bisect_left(self.given_end, start + 1)
            high = bisect_left(self.given_start, end)
            first, last = (low, high) if self.is_exact else (lefts.get(low), rights.get(high))
            if high <= low or first is None or last is None or last <= first:
                placed.append(None)
            else:
                placed.append((self.sent_start[first], self.sent_end[last - 1]))
        return placed

    def map_position(self, at: int) -> int:
        """Return the position in the text that corresponds to a position in the record."""
        letter = bisect_left(self.given_end, at + 1)
        return self.sent_start[min(letter, len(self.sent_start) - 1)] if self.sent_start else 0

    def _map_edges(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return maps of canonical offsets from the record to the text, for span starts and for span ends."""
        lefts: dict[int, int] = {}
        rights: dict[int, int] = {}
        i = j = 0
        for a, b, c, d in [*self.blocks, (len(self.given), len(self.given), len(self.sent), len(self.sent))]:
            if a > i and c > j:
                # a replaced stretch: its edges correspond on both sides
                lefts[i], rights[a] = j, c
            lefts.update(zip(range(a, b), range(c, d), strict=True))
            rights.update(zip(range(a + 1, b + 1), range(c + 1, d + 1), strict=True))
            i, j = b, d
        return lefts, rights
