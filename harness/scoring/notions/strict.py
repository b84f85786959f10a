"""strict: exactly the same span."""

from __future__ import annotations

from ..arrays import Flags
from ..pairing.candidates import Candidates
from .condition import Condition


class Strict(Condition):
    """A mention is right when the other side has one of exactly its span."""

    def admits(self, pairs: Candidates) -> Flags:
        """Candidates of one span, parts included."""
        return pairs.same


STRICT = Strict(
    name="strict",
    definition="a mention of the other side has exactly its span",
    phrase="exactly",
    disagreement="spaCy compares sets of spans: a repeated mention counts once there, each time here",
)
