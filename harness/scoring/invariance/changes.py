"""What changes from one answer to another, mention by mention, in places that can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Edges = tuple[tuple[int, int], ...]

KINDS = ("missing", "appeared", "moved", "retyped", "failed")
"""Kinds of change: a mention is no longer found, is found only now, has other boundaries, has another type;
or the tagger did not answer."""


class Answered(NamedTuple):
    """A mention of an answer.

    Attributes
    ----------
    edges : tuple of (int, int)
        Its fragments, by places that both answers can be compared in.
    type : str
    row : int
        Its place in the frame that it comes from.
    """

    edges: Edges
    type: str
    row: int

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.edges[0][0]

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.edges[-1][1]


class Change(NamedTuple):
    """A difference between two answers; `before` or `after` is None where there is no such mention."""

    kind: str
    before: Answered | None
    after: Answered | None


def changes(before: Sequence[Answered], after: Sequence[Answered]) -> list[Change]:
    """The differences of two answers.

    Equal mentions fall away, each with one; then such of the same place and another type are retyped; then
    those that overlap are moved (the nearest in both edges first, each once); the rest is missing, or
    appeared.

    Examples
    --------
    >>> one, other = Answered(((0, 4),), "gp", 0), Answered(((0, 6),), "gp", 0)
    >>> [c.kind for c in changes([one], [other])], changes([one], [one])
    (['moved'], [])
    """
    left = sorted(before)
    gone: list[Change] = []
    new: list[Answered] = []
    for one in sorted(after):
        same = next((b for b in left if b.edges == one.edges and b.type == one.type), None)
        if same is None:
            new.append(one)
        else:
            left.remove(same)
    for one in list(new):
        placed = next((b for b in left if b.edges == one.edges), None)
        if placed is not None:
            gone.append(Change("retyped", placed, one))
            left.remove(placed)
            new.remove(one)
    meeting = sorted(
        (abs(b.start - a.start) + abs(b.end - a.end), b, a)
        for b in left
        for a in new
        if a.start < b.end and b.start < a.end
    )
    for _, b, a in meeting:
        if b in left and a in new:
            gone.append(Change("moved", b, a))
            left.remove(b)
            new.remove(a)
    found = [*gone, *(Change("missing", b, None) for b in left), *(Change("appeared", None, a) for a in new)]
    return sorted(found, key=lambda c: (c.before or c.after or (), c.kind))
