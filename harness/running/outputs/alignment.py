"""Texts compared by their letters: without what taggers change, and aligned where letters differ.

The canonical letters of a text have no white space, case, composition, entities or typographic quotes. Where
those of two texts are equal every mention has its place. Elsewhere the two are matched from one difference to
the next: after a difference the nearest place is sought where the next letters of both agree again, inside a
window, so that the time grows with the length alone. A mention is placed only when both of its edges fall on
letters that agree, or when it covers a replaced stretch from edge to edge; anything else is not placed, and
counted.
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
"""Signs that stand for one another; a double quote is two single ones, as the Penn Treebank writes it."""

MIN_MATCH = 4
"""Letters that must agree for a match to begin again."""
MIN_INNER_MATCH = 2
"""Letters that must agree inside a short stretch that differs."""
MAX_MISSING_END = 4
"""Letters that may be missing at the end of a record before it counts as cut off."""
WINDOW = 160
"""Letters that are looked through for it on either side."""
MIN_AGREEMENT = 0.6
"""Share of letters that must agree for a record to be the text that was sent."""

Block = tuple[int, int, int, int]


@lru_cache(maxsize=65536)
def fold_character(character: str) -> str:
    """The canonical letters of one character; nothing for white space and for marks on a letter."""
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
    """Canonical letters of a text, and the half-open span of the text that each comes from.

    Examples
    --------
    >>> canonical("NF-\N{GREEK SMALL LETTER KAPPA}B &lt; 2")[0]
    'nf-κb<2'
    """
    # arrays: a list would hold an object for each letter
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
    """Yield each character that a text means, and the half-open span that stands for it."""
    at = 0
    for match in ESCAPE.finditer(text):
        meant = BRACKETS.get(match[0]) or html.unescape(match[0])
        if meant != match[0]:
            yield from zip(text[at : match.start()], count(at), count(at + 1))
            yield from ((character, *match.span()) for character in meant)
            at = match.end()
    yield from zip(text[at:], count(at), count(at + 1))


def fold_text(text: str) -> str:
    """Return the canonical letters of a text alone."""
    return "".join(text.split()).lower().replace("`", "'") if _is_plain(text) else fold_with_spans(text)[0]


def _is_plain(text: str) -> bool:
    """Return True if only white space, case and back quotes are changed."""
    return text.isascii() and '"' not in text and ESCAPE.search(text) is None


def match_blocks(given: str, sent: str) -> list[Block]:
    """Matching stretches as (given start, given end, sent start, sent end), in order."""
    found: list[Block] = []
    i = j = 0
    while i < len(given) and j < len(sent):
        n = _count_equal(given, i, sent, j)
        if n:
            found.append((i, i + n, j, j + n))
            i, j = i + n, j + n
            continue
        step = _find_next_match(given, i, sent, j)
        # the stretch between is short: what agrees in it is looked for letter by letter
        left, right = step or (min(len(given) - i, WINDOW), min(len(sent) - j, WINDOW))
        for a, b, n in SequenceMatcher(
            None, given[i : i + left], sent[j : j + right], False
        ).get_matching_blocks():
            if n >= MIN_INNER_MATCH or (n and n == left):
                found.append((i + a, i + a + n, j + b, j + b + n))
        if step is None:
            break
        i, j = i + left, j + right
    return found


def _count_equal(given: str, i: int, sent: str, j: int) -> int:
    n = 0
    most = min(len(given) - i, len(sent) - j)
    while n < most and given[i + n] == sent[j + n]:
        n += 1
    return n


def _find_next_match(given: str, i: int, sent: str, j: int) -> tuple[int, int] | None:
    """The smallest steps after which both agree again for some letters, or to the end."""
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
        # close to the end of a text there is no room for a whole run of letters
        if len(given) - i <= WINDOW and len(sent) - j <= WINDOW:
            n = 0
            while n < min(len(left), len(right)) and left[-1 - n] == right[-1 - n]:
                n += 1
            if n:
                return len(left) - n, len(right) - n
        return None
    return best


class Alignment:
    """One record against the text that was sent.

    Attributes
    ----------
    is_exact : bool
        Whether the canonical letters are equal.
    agreement : float
        Share of the letters of both that agree.
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
        """Return True if the given text agrees to its end and ends long before the sent one does."""
        if not self.blocks:
            return False
        _, end, _, reached = self.blocks[-1]
        return end == len(self.given) and len(self.sent) - reached > max(
            MAX_MISSING_END, len(self.sent) // 10
        )

    @property
    def is_likely(self) -> bool:
        """Return True if the given text may be the sent one, altered."""
        return self.agreement >= MIN_AGREEMENT and not self.is_cut

    def map_spans(self, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int] | None]:
        """The spans of the sent text that spans of the given text stand for; None where there is none."""
        lefts, rights = ({}, {}) if self.is_exact else self._map_edges()
        placed: list[tuple[int, int] | None] = []
        for start, end in spans:
            # the letters that lie inside the span
            low = bisect_left(self.given_end, start + 1)
            high = bisect_left(self.given_start, end)
            first, last = (low, high) if self.is_exact else (lefts.get(low), rights.get(high))
            if high <= low or first is None or last is None or last <= first:
                placed.append(None)
            else:
                placed.append((self.sent_start[first], self.sent_end[last - 1]))
        return placed

    def map_position(self, at: int) -> int:
        """Return where the first letter from a place of the given text on stands in the sent one."""
        letter = bisect_left(self.given_end, at + 1)
        return self.sent_start[min(letter, len(self.sent_start) - 1)] if self.sent_start else 0

    def _map_edges(self) -> tuple[dict[int, int], dict[int, int]]:
        """The places among the sent letters of left edges and of right edges among the given ones."""
        lefts: dict[int, int] = {}
        rights: dict[int, int] = {}
        i = j = 0
        for a, b, c, d in [*self.blocks, (len(self.given), len(self.given), len(self.sent), len(self.sent))]:
            if a > i and c > j:
                # a replaced stretch: its edges are edges on both sides
                lefts[i], rights[a] = j, c
            lefts.update(zip(range(a, b), range(c, d), strict=True))
            rights.update(zip(range(a + 1, b + 1), range(c + 1, d + 1), strict=True))
            i, j = b, d
        return lefts, rights
