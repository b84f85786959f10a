"""Edits of a text, and the mapping of positions between the original and the edited text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

Edge = int
"""Comparable position in the edited text: twice the offset, or an odd number inside a replaced stretch."""


class Edit(NamedTuple):
    """Replacement of a stretch of a text (half-open, in code points; empty for an insertion)."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return the text after edits, which must be sorted and must not overlap.

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
    """Return the edits that change the string `old` at offset `start` to `new`.

    Strings of equal length get one edit per changed character, so that all positions inside can be mapped.
    """
    if len(old) != len(new):
        return [Edit(start, start + len(old), new)]
    return [
        Edit(start + i, start + i + 1, b) for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b
    ]


class SpanMap:
    """Mapping of positions in a text to the edited text, and back.

    A position inside a replaced stretch has no counterpart; its edge is only comparable with other edges
    inside the same stretch. Inserted text belongs to neither neighbour: a mention that begins there begins
    after it, and a mention that ends there ends before it.

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
        """Return the edges of a span of the original text as positions in the edited text."""
        return self._edge(start, begins=True), self._edge(end, begins=False)

    def map_edges_after(self, start: int, end: int) -> tuple[Edge, Edge]:
        """Return the edges of a span of the edited text, comparable with those of `map_edges`."""
        return self._edge_after(start), self._edge_after(end)

    def map_span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the span in the edited text for a span of the original text.

        Returns None if an edge lies inside a replaced stretch, or nothing of the span is left.
        """
        low, high = self.map_edges(start, end)
        return None if low % 2 or high % 2 or low >= high else (low // 2, high // 2)

    def map_back(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the span in the original text for a span of the edited text.

        A replaced stretch that the span covers in part is included completely. Returns None for a span inside
        inserted text.
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
        """Return the new position of an offset; inside a replaced stretch, the edge of the replacement."""
        at = self._find_edit(offset)
        if at is None:
            return self._move_offset(offset, begins=begins)
        return self._places[at] + (0 if begins else len(self.edits[at].new))

    def _find_edit(self, offset: int) -> int | None:
        """Return the index of the edit whose stretch contains an offset (edges excluded), or None."""
        at = bisect_left(self._starts, offset) - 1
        return at if at >= 0 and offset < self.edits[at].end else None

    def _move_offset(self, offset: int, *, begins: bool) -> int:
        """Return the new position of an offset outside replaced stretches."""
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
    """Sort edits and leave out those that overlap an earlier one."""
    kept: list[Edit] = []
    for edit in sorted(edits):
        if not kept or (edit.start >= kept[-1].end and edit != kept[-1]):
            kept.append(edit)
    return kept
