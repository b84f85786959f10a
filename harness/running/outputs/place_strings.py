"""Search in a text for strings that were returned without offsets.

Occurrences with the same characters are preferred to those that differ in case, white space, normalisation or
Penn Treebank brackets (see `alignment`). Longer strings are placed before shorter ones, so that a name is
placed inside a longer name only if it does not occur elsewhere. The result does not depend on the
order of the strings, except for equal strings.
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
    """Half-open span of a string in code points, and its status (one of `STATUSES`)."""

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
    """Return the positions of strings in a text.

    Parameters
    ----------
    text : str
    strings : sequence of str
        Strings in the order of the answer.
    types : sequence, optional
        Type of each string; if there are too few occurrences, strings with different types may share
        an occurrence.
    occurrences : str
        ``each``: n equal strings take the first n occurrences; ``all``: a string takes all occurrences;
        ``first``: a string takes the first one.
    taken : iterable of (start, end)
        Positions that are already taken.

    Returns
    -------
    list of list of Spot
        Positions of each string: none if it does not occur, several only if `occurrences` is ``all``. If a
        string was returned more often than it occurs, equal strings share a position.

    Examples
    --------
    >>> place_strings("IL-2 binds the IL-2 receptor", ["IL-2", "IL-2 receptor"])
    [[Spot(start=0, end=4, status='exact')], [Spot(start=15, end=28, status='exact')]]
    """
    rows_by_string: dict[str, list[int]] = defaultdict(list)
    for i, string in enumerate(strings):
        rows_by_string[string].append(i)
    groups: dict[str, list[str]] = defaultdict(list)
    for string in sorted(rows_by_string):
        groups[fold_text(string)].append(string)
    searched_text = _Text(text, occurrences, taken)
    found: dict[str, dict[str, list[Spot]]] = {}
    longest_first = sorted(groups, key=lambda letters: (-len(letters), letters))
    for letters in longest_first:
        counts = {string: len(rows_by_string[string]) for string in groups[letters]}
        found[letters] = searched_text.place(counts, letters)
    result: list[list[Spot]] = [[] for _ in strings]
    for placed in found.values():
        _assign_spots(result, placed, rows_by_string, types, occurrences)
    return result


def _assign_spots(
    result: list[list[Spot]],
    placed: dict[str, list[Spot]],
    rows_by_string: dict[str, list[int]],
    types: Sequence[Hashable],
    occurrences: Occurrences,
) -> None:
    """Assign positions to strings that have the same canonical form, in their order in the answer."""
    all_spots = sorted({Spot(start, end, CHANGED) for spots in placed.values() for start, end, _ in spots})
    used: set[tuple[Hashable, Span]] = set()
    repeats: list[tuple[int, list[Spot]]] = []
    for string, spots in placed.items():
        rows = rows_by_string[string]
        if occurrences != "each":
            for i in rows:
                result[i] = spots
            continue
        for i, spot in zip(rows, spots, strict=False):
            result[i] = [spot]
            used.add((types[i] if types else None, spot[:2]))
        repeats += [(i, spots or all_spots) for i in rows[len(spots) :]]
    for i, spots in repeats:
        if spots:
            kind = types[i] if types else None
            # a position that no equal string of its type has, otherwise the first one
            spot = next((spot for spot in spots if (kind, spot[:2]) not in used), spots[0])
            used.add((kind, spot[:2]))
            result[i] = [spot]


class _Text:
    """Text in which strings are searched, with the positions that are already taken."""

    def __init__(self, text: str, occurrences: Occurrences, taken: Iterable[Span]) -> None:
        self.text = text
        self.occurrences = occurrences
        self.taken: set[Span] = set()
        # at each position, the farthest end of a taken span that covers it
        self._reach = [0] * (len(text) + 1)
        self._mark_taken(taken)

    def place(self, counts: dict[str, int], letters: str) -> dict[str, list[Spot]]:
        """Return positions for strings with the same canonical form; `counts` are their frequencies."""
        found: dict[str, list[Spot]] = {string: [] for string in counts}
        if not letters:
            return found
        inside_words: dict[str, list[Span]] = {}
        for string in counts:
            at_word_edges: list[Span] = []
            inside_words[string] = []
            for span in _find_occurrences(self.text, string):
                (at_word_edges if self._is_word(span) else inside_words[string]).append(span)
            self._assign_spans(found, {string: counts[string]}, at_word_edges, EXACT)
        if any(self._list_wanting(found, counts)):
            self._assign_spans(found, counts, self._find_variants(letters), CHANGED)
        for string in self._list_wanting(found, counts):
            self._assign_spans(found, {string: counts[string]}, inside_words[string], EXACT)
        self._mark_taken(spot[:2] for spots in found.values() for spot in spots)
        return {string: sorted(spots) for string, spots in found.items()}

    def _list_wanting(self, found: dict[str, list[Spot]], counts: dict[str, int]) -> list[str]:
        """Return the strings that have fewer positions than required."""
        each = self.occurrences == "each"
        return [s for s, number in counts.items() if len(found[s]) < (number if each else 1)]

    def _assign_spans(
        self, found: dict[str, list[Spot]], counts: dict[str, int], spans: Sequence[Span], status: str
    ) -> None:
        """Assign spans to strings that still need a position; spans inside taken spans are used last."""
        used = self.taken | {spot[:2] for spots in found.values() for spot in spots} if spans else set()
        tiers: tuple[list[Span], list[Span]] = ([], [])
        for span in spans:
            if self.occurrences != "each" or span not in used:
                tiers[self._is_inside(span)].append(span)
        for tier in tiers:
            unplaced = self._list_wanting(found, counts)
            if not (tier and unplaced):
                continue
            apart, overlapping = _split_overlapping(tier)
            if self.occurrences != "each":
                spans_taken = apart if self.occurrences == "all" else apart[:1]
                found |= {string: [Spot(*span, status) for span in spans_taken] for string in unplaced}
                continue
            number = sum(counts[s] - len(found[s]) for s in unplaced)
            mark = AMBIGUOUS if len(apart) > number else status
            left = (Spot(*span, mark) for span in sorted((apart + overlapping)[:number]))
            for string in unplaced:
                found[string] += islice(left, counts[string] - len(found[string]))

    def _mark_taken(self, spans: Iterable[Span]) -> None:
        for start, end in spans:
            self.taken.add((start, end))
            for place in range(start, end):
                self._reach[place] = max(self._reach[place], end)

    def _is_inside(self, span: Span) -> bool:
        return self._reach[span[0]] >= span[1]

    def _is_word(self, span: Span) -> bool:
        """Return True if a span begins and ends at word boundaries."""
        text, (start, end) = self.text, span
        return not (
            (start > 0 and text[start - 1].isalnum() and text[start].isalnum())
            or (end < len(text) and text[end - 1].isalnum() and text[end].isalnum())
            or (end < len(text) and combining(text[end]))
        )

    def _map_span(self, low: int, high: int) -> Span:
        """Return the text span of a part of the canonical form; combining marks at its end are included."""
        _, starts, ends = self._canonical
        end = ends[high - 1]
        while end < len(self.text) and combining(self.text[end]):
            end += 1
        return starts[low], end

    @cached_property
    def _canonical(self) -> tuple[str, Sequence[int], Sequence[int]]:
        """Canonical form of the text, and the original start and end of each of its characters."""
        return fold_with_spans(self.text)

    def _find_variants(self, letters: str) -> list[Span]:
        """Return the spans of whole words whose canonical form is `letters`."""
        spans = (self._map_span(low, high) for low, high in _find_occurrences(self._canonical[0], letters))
        return [span for span in dict.fromkeys(spans) if self._is_word(span)]


def _find_occurrences(text: str, string: str) -> Iterator[Span]:
    """Yield the spans of all occurrences of a string, overlapping ones included."""
    at = text.find(string)
    while at >= 0:
        yield at, at + len(string)
        at = text.find(string, at + 1)


def _split_overlapping(spans: Sequence[Span]) -> tuple[list[Span], list[Span]]:
    """Divide sorted spans into a list without overlaps and a list of the remaining spans."""
    apart: list[Span] = []
    others: list[Span] = []
    for span in spans:
        (others if apart and span[0] < apart[-1][1] else apart).append(span)
    return apart, others
