"""Edits of a text, and the mapping of positions between the original and the edited text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

Edge = int
"""Position in an edited text as an integer: twice the offset or, inside a replaced span, an odd number."""


class Edit(NamedTuple):
    """Replacement of a half-open span of a text, in code points; the span of an insertion is empty."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Apply edits to a text; they must be sorted and must not overlap.

    Examples
    --------
    >>> apply_edits("IL-2 binds", [Edit(2, 3, ""), Edit(5, 10, "is")])
    'IL2 is'
    """
    parts: list[str] = []
    at = 0
    for start, end, new in edits:
        if start < at or end < start:
            raise ValueError(f"edits overlap or are not sorted: {list(edits)}")
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def make_edits(start: int, old: str, new: str) -> list[Edit]:
    """Make the edits that change the string `old` at offset `start` to `new`.

    Strings of equal length get one edit per changed character, so that all positions inside can be mapped.
    """
    if len(old) != len(new):
        return [Edit(start, start + len(old), new)]
    return [
        Edit(start + i, start + i + 1, b) for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b
    ]


class SpanMap:
    """Mapping between positions in the original and in the edited text.

    A position inside a replaced span cannot be mapped, and can be compared only with positions in the same
    span. Text that is inserted at the edge of a mention does not belong to the mention.

    Parameters
    ----------
    edits : sequence of Edit
        Edits, sorted and without overlaps.

    Examples
    --------
    >>> spans = SpanMap([Edit(0, 0, "Oh. "), Edit(4, 9, "alpha-2")])
    >>> spans.map_span(4, 9), spans.map_span(0, 3), spans.map_span(6, 9), spans.map_back(8, 15)
    ((8, 15), (4, 7), None, (4, 9))
    """

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.edits = tuple(edits)
        self._starts = [e.start for e in edits]
        # start of each stretch in the edited text
        self._places: list[int] = []
        shift = 0
        for edit in edits:
            self._places.append(edit.start + shift)
            shift += len(edit.new) - (edit.end - edit.start)

    @cached_property
    def inverse(self) -> SpanMap:
        """Mapping from the edited text to the original text."""
        return SpanMap(
            [
                Edit(place, place + len(e.new), " " * (e.end - e.start))
                for place, e in zip(self._places, self.edits, strict=True)
            ]
        )

    def map_edges(self, start: int, end: int) -> tuple[Edge, Edge]:
        """Return the edges of a span of the original text as comparable positions (see `Edge`)."""
        return self._edge(start, begins=True), self._edge(end, begins=False)

    def map_edges_after(self, start: int, end: int) -> tuple[Edge, Edge]:
        """Return the edges of a span of the edited text as comparable positions (see `Edge`)."""
        return self._edge_after(start), self._edge_after(end)

    def map_span(self, start: int, end: int) -> tuple[int, int] | None:
        """Map a span of the original text to the edited text.

        Returns None if an edge lies inside a replaced span, or if nothing of the span is left.
        """
        low, high = self.map_edges(start, end)
        return None if low % 2 or high % 2 or low >= high else (low // 2, high // 2)

    def map_back(self, start: int, end: int) -> tuple[int, int] | None:
        """Map a span of the edited text to the original text.

        If the span covers part of a replacement, the complete replaced span is included. Returns None for a
        span inside inserted text.
        """
        inverse = self.inverse
        low, high = inverse.map_outwards(start, begins=True), inverse.map_outwards(end, begins=False)
        return None if low >= high else (low, high)

    def _edge(self, offset: int, *, begins: bool) -> Edge:
        at = self._find_edit(offset)
        if at is not None:
            return 2 * self._places[at] + 1
        return 2 * self._move_offset(offset, begins=begins)

    def map_outwards(self, offset: int, *, begins: bool) -> int:
        """Map an offset to the edited text; in a replaced span, return an edge of the replacement."""
        at = self._find_edit(offset)
        if at is None:
            return self._move_offset(offset, begins=begins)
        return self._places[at] + (0 if begins else len(self.edits[at].new))

    def _find_edit(self, offset: int) -> int | None:
        """Return the index of the edit with an offset strictly inside its span, or None."""
        at = bisect_left(self._starts, offset) - 1
        return at if at >= 0 and offset < self.edits[at].end else None

    def _move_offset(self, offset: int, *, begins: bool) -> int:
        """Return the new position of an offset that is outside replaced spans."""
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and self.edits[at].start == offset:
            # an edit of the following text lies after the offset; an insertion at the offset lies
            # before a mention that begins there and after one that ends there
            if begins and self.edits[at].end == offset:
                break
            at -= 1
        if at < 0:
            return offset
        edit = self.edits[at]
        return offset - edit.end + self._places[at] + len(edit.new)

    def _edge_after(self, offset: int) -> Edge:
        at = bisect_left(self._places, offset) - 1
        if at >= 0 and offset < self._places[at] + len(self.edits[at].new):
            return 2 * self._places[at] + 1
        return 2 * offset


def sort_edits(edits: Iterable[Edit]) -> list[Edit]:
    """Sort edits, and drop those that overlap an earlier edit."""
    kept: list[Edit] = []
    for edit in sorted(edits):
        if not kept or (edit.start >= kept[-1].end and edit != kept[-1]):
            kept.append(edit)
    return kept
