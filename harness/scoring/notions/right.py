"""right: the same right boundary."""

from __future__ import annotations

from ..arrays import Flags
from ..pairing.candidates import Candidates
from .condition import Condition


class Right(Condition):
    """A mention is right when one that it overlaps ends where it ends."""

    def admits(self, pairs: Candidates) -> Flags:
        """Candidates that overlap and end at the same code point."""
        return pairs.right


RIGHT = Right(
    name="right",
    definition="a mention that it overlaps ends where it ends",
    phrase="with its right boundary",
)
