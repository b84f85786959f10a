"""Alignment of one altered record to the text that was sent, in linear time.

The canonical letters of both are compared (`canonical`). Where they are equal every mention has its place.
Elsewhere the two are matched from one difference to the next: after a difference the nearest place is sought
where the next letters of both agree again, inside a window, so that the time grows with the length alone. A
mention is placed only when both of its edges fall on letters that agree, or when it covers a replaced stretch
from edge to edge; anything else is not placed, and counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher

from .canonical import canonical

GRAM = 4
"""Letters that must agree for a match to begin again."""
PAIR = 2
"""Letters that must agree inside a short stretch that differs."""
CUT = 4
"""Letters that may be missing at the end of a record before it counts as cut off."""
WINDOW = 160
"""Letters that are looked through for it on either side."""

Block = tuple[int, int, int, int]


def blocks(given: str, sent: str) -> list[Block]:
    """Matching stretches as (given start, given end, sent start, sent end), in order."""
    found: list[Block] = []
    i = j = 0
    while i < len(given) and j < len(sent):
        n = _same(given, i, sent, j)
        if n:
            found.append((i, i + n, j, j + n))
            i, j = i + n, j + n
            continue
        step = _resume(given, i, sent, j)
        # the stretch between is short: what agrees in it is looked for letter by letter
        left, right = step or (min(len(given) - i, WINDOW), min(len(sent) - j, WINDOW))
        for a, b, n in SequenceMatcher(
            None, given[i : i + left], sent[j : j + right], False
        ).get_matching_blocks():
            if n >= PAIR or (n and n == left):
                found.append((i + a, i + a + n, j + b, j + b + n))
        if step is None:
            break
        i, j = i + left, j + right
    return found


def _same(given: str, i: int, sent: str, j: int) -> int:
    n = 0
    most = min(len(given) - i, len(sent) - j)
    while n < most and given[i + n] == sent[j + n]:
        n += 1
    return n


def _resume(given: str, i: int, sent: str, j: int) -> tuple[int, int] | None:
    """The smallest steps after which both agree again for some letters, or to the end."""
    best: tuple[int, int] | None = None
    left, right = given[i : i + WINDOW], sent[j : j + WINDOW]
    size = GRAM
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


def share(found: list[Block], given: str, sent: str) -> float:
    """Share of the letters of both that agree."""
    most = max(len(given), len(sent))
    return 1.0 if most == 0 else sum(b - a for a, b, _, _ in found) / most


def is_cut(found: list[Block], given: str, sent: str) -> bool:
    """Whether the given letters agree to their end and end long before the sent ones do."""
    if not found or not given:
        return False
    _, end, _, reached = found[-1]
    return end == len(given) and len(sent) - reached > max(CUT, len(sent) // 10)


class Alignment:
    """One record against the text that was sent.

    Attributes
    ----------
    exact : bool
        Whether the canonical letters are equal.
    share : float
        Share of the letters of both that agree.
    """

    def __init__(self, given: str, sent: str) -> None:
        self.given, self.given_start, self.given_end = canonical(given)
        self.sent, self.sent_start, self.sent_end = canonical(sent)
        self.exact = self.given == self.sent
        size = len(self.given)
        self.blocks = [(0, size, 0, size)] if self.exact and size else blocks(self.given, self.sent)
        self.share = share(self.blocks, self.given, self.sent)

    @property
    def cut(self) -> bool:
        """Whether the given text agrees to its end and ends long before the sent one does."""
        return is_cut(self.blocks, self.given, self.sent)

    def place(self, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int] | None]:
        """The spans of the sent text that spans of the given text stand for; None where there is none."""
        lefts, rights = self._edges()
        placed: list[tuple[int, int] | None] = []
        for start, end in spans:
            # the letters that lie inside the span
            low = bisect_left(self.given_end, start + 1)
            high = bisect_left(self.given_start, end)
            first, last = lefts.get(low), rights.get(high)
            if high <= low or first is None or last is None or last <= first:
                placed.append(None)
            else:
                placed.append((self.sent_start[first], self.sent_end[last - 1]))
        return placed

    def _edges(self) -> tuple[dict[int, int], dict[int, int]]:
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
