"""Strings without offsets, placed in the text that was sent: pure functions over one text.

A string that stands there letter by letter is placed first, else one that differs in what taggers change
(case, white space, composition, brackets of the Penn Treebank: see `alignment`). Longer strings are placed
before shorter ones, so that a name inside another takes the place inside it only where it has no place of its
own. The result depends on the order of equal strings alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple
from unicodedata import combining

from .alignment import fold_text, fold_with_spans
from .placement import AMBIGUOUS, CHANGED, EXACT

Occurrences = Literal["each", "all", "first"]
Span = tuple[int, int]


class Spot(NamedTuple):
    """Place of a string, half-open in code points, and how it was found: one of `STATUSES`."""

    start: int
    end: int
    status: str


def place_strings(
    text: str,
    strings: Sequence[str],
    types: Sequence[Hashable] = (),
    *,
    occurrences: Occurrences = "each",
    taken: Iterable[Span] = (),
) -> list[list[Spot]]:
    """Return the places of strings in a text.

    Parameters
    ----------
    text : str
    strings : sequence of str
        In the order in which they were answered.
    types : sequence, optional
        Of each string: strings of two types may stand at one place where there are not places enough.
    occurrences : str
        ``each``: n equal strings take n occurrences in the order of the text; ``all``: a string takes all;
        ``first``: the first.
    taken : iterable of (start, end)
        Places that are given away already.

    Returns
    -------
    list of list of Spot
        For each string its places: none where it stands nowhere, several only where it takes all. A string
        that was answered more often than it stands has a place that another has, too.

    Examples
    --------
    >>> place_strings("IL-2 binds the IL-2 receptor", ["IL-2", "IL-2 receptor"])
    [[Spot(start=0, end=4, status='exact')], [Spot(start=15, end=28, status='exact')]]
    """
    equal: dict[str, list[int]] = defaultdict(list)
    for i, string in enumerate(strings):
        equal[string].append(i)
    groups: dict[str, list[str]] = defaultdict(list)
    for string in sorted(equal):
        groups[fold_text(string)].append(string)
    text_of = _Text(text, occurrences, taken)
    found: dict[str, dict[str, list[Spot]]] = {}
    longest_first = sorted(groups, key=lambda letters: (-len(letters), letters))
    for letters in longest_first:
        found[letters] = text_of.place({string: len(equal[string]) for string in groups[letters]}, letters)
    result: list[list[Spot]] = [[] for _ in strings]
    for placed in found.values():
        _assign_spots(result, placed, equal, types, occurrences)
    return result


def _assign_spots(
    result: list[list[Spot]],
    placed: dict[str, list[Spot]],
    equal: dict[str, list[int]],
    types: Sequence[Hashable],
    occurrences: Occurrences,
) -> None:
    """Give the places of strings of the same letters to the answers, in order; further answers repeat one."""
    everything = sorted({Spot(start, end, CHANGED) for spots in placed.values() for start, end, _ in spots})
    had: set[tuple[Hashable, Span]] = set()
    repeats: list[tuple[int, list[Spot]]] = []
    for string, spots in placed.items():
        own = equal[string]
        if occurrences != "each":
            for i in own:
                result[i] = spots
            continue
        for i, spot in zip(own, spots, strict=False):
            result[i] = [spot]
            had.add((types[i] if types else None, spot[:2]))
        repeats += [(i, spots or everything) for i in own[len(spots) :]]
    for i, spots in repeats:
        if spots:
            kind = types[i] if types else None
            # a place that no equal string of its type has; else the first again
            spot = next((one for one in spots if (kind, one[:2]) not in had), spots[0])
            had.add((kind, spot[:2]))
            result[i] = [spot]


class _Text:
    """A text in which strings are placed, the longest first."""

    def __init__(self, text: str, occurrences: Occurrences, taken: Iterable[Span]) -> None:
        self.text = text
        self.occurrences = occurrences
        self.taken: set[Span] = set()
        # at each place the farthest end of what was given from there or before
        self._reach = [0] * (len(text) + 1)
        self._mark_taken(taken)

    def place(self, counts: dict[str, int], letters: str) -> dict[str, list[Spot]]:
        """Places of strings of the same canonical letters, of which there are so many each."""
        found: dict[str, list[Spot]] = {string: [] for string in counts}
        if not letters:
            return found
        inside: dict[str, list[Span]] = {}
        for string in counts:
            whole: list[Span] = []
            inside[string] = []
            for span in _find_occurrences(self.text, string):
                (whole if self._is_word(span) else inside[string]).append(span)
            self._assign_spans(found, {string: counts[string]}, whole, EXACT)
        if any(self._list_wanting(found, counts)):
            self._assign_spans(found, counts, self._find_variants(letters), CHANGED)
        for string in self._list_wanting(found, counts):
            self._assign_spans(found, {string: counts[string]}, inside[string], EXACT)
        self._mark_taken(spot[:2] for spots in found.values() for spot in spots)
        return {string: sorted(spots) for string, spots in found.items()}

    def _list_wanting(self, found: dict[str, list[Spot]], counts: dict[str, int]) -> list[str]:
        """Strings that still want places; but for ``each`` one string wants the best that there are alone."""
        each = self.occurrences == "each"
        return [s for s, number in counts.items() if len(found[s]) < (number if each else 1)]

    def _assign_spans(
        self, found: dict[str, list[Spot]], counts: dict[str, int], spans: Sequence[Span], status: str
    ) -> None:
        """Give strings places among some that are equally good, those outside of longer strings first."""
        gone = self.taken | {spot[:2] for spots in found.values() for spot in spots} if spans else set()
        tiers: tuple[list[Span], list[Span]] = ([], [])
        for span in spans:
            if self.occurrences != "each" or span not in gone:
                tiers[self._is_inside(span)].append(span)
        for tier in tiers:
            wanting = self._list_wanting(found, counts)
            if not (tier and wanting):
                continue
            apart, overlapping = _split_overlapping(tier)
            if self.occurrences != "each":
                chosen = apart if self.occurrences == "all" else apart[:1]
                found |= {string: [Spot(*span, status) for span in chosen] for string in wanting}
                continue
            number = sum(counts[s] - len(found[s]) for s in wanting)
            mark = AMBIGUOUS if len(apart) > number else status
            left = (Spot(*span, mark) for span in sorted((apart + overlapping)[:number]))
            for string in wanting:
                found[string] += islice(left, counts[string] - len(found[string]))

    def _mark_taken(self, spans: Iterable[Span]) -> None:
        """Note that places are given away."""
        for start, end in spans:
            self.taken.add((start, end))
            for place in range(start, end):
                self._reach[place] = max(self._reach[place], end)

    def _is_inside(self, span: Span) -> bool:
        """Return True if a place that was given holds this one."""
        return self._reach[span[0]] >= span[1]

    def _is_word(self, span: Span) -> bool:
        """Return True if no word goes on beyond either edge."""
        text, (start, end) = self.text, span
        return not (
            (start > 0 and text[start - 1].isalnum() and text[start].isalnum())
            or (end < len(text) and text[end - 1].isalnum() and text[end].isalnum())
            or (end < len(text) and combining(text[end]))
        )

    def _map_span(self, low: int, high: int) -> Span:
        """Where canonical letters stand, with the marks on the last of them."""
        _, starts, ends = self._canonical
        end = ends[high - 1]
        while end < len(self.text) and combining(self.text[end]):
            end += 1
        return starts[low], end

    @cached_property
    def _canonical(self) -> tuple[str, Sequence[int], Sequence[int]]:
        """Canonical letters of the text, and where each begins and ends."""
        return fold_with_spans(self.text)

    def _find_variants(self, letters: str) -> list[Span]:
        """Whole words of the same canonical letters."""
        spans = (self._map_span(low, high) for low, high in _find_occurrences(self._canonical[0], letters))
        return [span for span in dict.fromkeys(spans) if self._is_word(span)]


def _find_occurrences(text: str, string: str) -> Iterator[Span]:
    """All places of a string, those that overlap others too."""
    at = text.find(string)
    while at >= 0:
        yield at, at + len(string)
        at = text.find(string, at + 1)


def _split_overlapping(spans: Sequence[Span]) -> tuple[list[Span], list[Span]]:
    """Spans in order of which none overlaps another, and the others."""
    apart: list[Span] = []
    others: list[Span] = []
    for span in spans:
        (others if apart and span[0] < apart[-1][1] else apart).append(span)
    return apart, others
