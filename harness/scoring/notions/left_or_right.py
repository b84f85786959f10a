"""left_or_right: one boundary at least."""

from __future__ import annotations

from ..arrays import Flags
from ..pairing.candidates import Candidates
from .condition import Condition
from .left import LEFT
from .right import RIGHT


class LeftOrRight(Condition):
    """A mention is right when it is so under left or under right."""

    def admits(self, pairs: Candidates) -> Flags:
        """Candidates that overlap and have a boundary in common."""
        return LEFT.admits(pairs) | RIGHT.admits(pairs)


LEFT_OR_RIGHT = LeftOrRight(
    name="left_or_right",
    definition="left or right holds",
    phrase="with one boundary",
    disagreement="the paper's own figures are the mean of left and right (--counting published)",
    mean_of=(LEFT, RIGHT),
)
