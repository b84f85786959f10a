"""left: the same left boundary."""

from __future__ import annotations

from ..arrays import Flags
from ..pairing.candidates import Candidates
from .condition import Condition


class Left(Condition):
    """A mention is right when one that it overlaps starts where it starts."""

    def admits(self, pairs: Candidates) -> Flags:
        """Candidates that overlap and start at the same code point."""
        return pairs.left


LEFT = Left(
    name="left",
    definition="a mention that it overlaps starts where it starts",
    phrase="with its left boundary",
)
