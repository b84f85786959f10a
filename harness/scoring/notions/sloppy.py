"""sloppy: any overlap."""

from __future__ import annotations

from ..arrays import Flags
from ..pairing.candidates import Candidates
from .condition import Condition


class Sloppy(Condition):
    """A mention is right when it shares a token with one of the other side."""

    def admits(self, pairs: Candidates) -> Flags:
        """Candidates that share a token."""
        return pairs.overlap


SLOPPY = Sloppy(
    name="sloppy",
    definition="it overlaps (shares a token with) a mention of the other side",
    phrase="at least in part",
    disagreement="elsewhere a shared character is an overlap; here the parts of a hyphenated name share none",
)
