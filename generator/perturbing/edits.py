"""Edits of a text, and the places of mentions before and after them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

Edge = int
"""A comparable place of the edited text: twice the offset, or an odd number inside what was replaced."""


class Edit(NamedTuple):
    """A stretch of a text (half-open, code points; empty where something is put in) and what replaces it."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text after edits that are sorted and do not overlap.

    Examples
    --------
    >>> applied("IL-2 binds", [Edit(2, 3, ""), Edit(5, 10, "is")])
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
    """The edits that make one stretch another.

    A character each where both are as long, so that any place inside has its counterpart.
    """
    if len(old) != len(new):
        return [Edit(start, start + len(old), new)]
    return [
        Edit(start + i, start + i + 1, b) for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b
    ]


class SpanMap:
    """Places of a text in the edited text, and back.

    A place inside a replaced stretch has no counterpart. It is comparable all the same: a boundary inside it
    stays one inside it, whichever it is. What is put in belongs to no neighbour: a mention that begins there
    begins after it, one that ends there ends before it.

    Parameters
    ----------
    edits : sequence of Edit
        Sorted, not overlapping.

    Examples
    --------
    >>> carrying = Carrying([Edit(0, 0, "Oh. "), Edit(4, 9, "alpha-2")])
    >>> carrying.span(4, 9), carrying.span(0, 3), carrying.span(6, 9), carrying.map_back(8, 15)
    ((8, 15), (4, 7), None, (4, 9))
    """

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.edits = tuple(edits)
        self._starts = [e.start for e in edits]
        # where each stretch begins in the edited text
        self._places: list[int] = []
        shift = 0
        for edit in edits:
            self._places.append(edit.start + shift)
            shift += len(edit.new) - (edit.end - edit.start)

    @cached_property
    def inverse(self) -> SpanMap:
        """From the edited text to the one before; what was put in is taken out."""
        return SpanMap(
            [
                Edit(place, place + len(e.new), " " * (e.end - e.start))
                for place, e in zip(self._places, self.edits, strict=True)
            ]
        )

    def map_edges(self, start: int, end: int) -> tuple[Edge, Edge]:
        """The edges of a span of the first text, in places of the edited text."""
        return self._edge(start, begins=True), self._edge(end, begins=False)

    def map_edges_after(self, start: int, end: int) -> tuple[Edge, Edge]:
        """The edges of a span of the edited text, comparable with those of `edges`."""
        return self._edge_after(start), self._edge_after(end)

    def map_span(self, start: int, end: int) -> tuple[int, int] | None:
        """A span of the first text in the edited one.

        None where an edge lies inside what was replaced, or nothing of the span is left.
        """
        low, high = self.map_edges(start, end)
        return None if low % 2 or high % 2 or low >= high else (low // 2, high // 2)

    def map_back(self, start: int, end: int) -> tuple[int, int] | None:
        """A span of the edited text in the first one; stretches of which it has a part are taken whole.

        None where it lies in what was put in.
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
        """Where an offset comes to lie, outwards where it is inside what was replaced."""
        at = self._find_edit(offset)
        if at is None:
            return self._move_offset(offset, begins=begins)
        return self._places[at] + (0 if begins else len(self.edits[at].new))

    def _find_edit(self, offset: int) -> int | None:
        """The edit in whose stretch an offset lies, not at its edges."""
        at = bisect_left(self._starts, offset) - 1
        return at if at >= 0 and offset < self.edits[at].end else None

    def _move_offset(self, offset: int, *, begins: bool) -> int:
        """An offset outside of stretches, moved by all edits before it."""
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and self.edits[at].start == offset:
            # what replaces something after the offset is after it; what is put in there is before a mention
            # that begins, and after one that ends
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
    """Edits sorted, those that overlap an earlier one left out."""
    kept: list[Edit] = []
    for edit in sorted(edits):
        if not kept or (edit.start >= kept[-1].end and edit != kept[-1]):
            kept.append(edit)
    return kept
