"""Notions that are a condition on a pair of mentions: one that satisfies it with another is matched."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Ints
from ..options import Pairing
from ..pairing.assignment import chooser
from ..pairing.candidates import Candidates
from .notion import Credit, Notion, Tally

OLSSON = "Olsson, Eriksson, Franzén, Asker and Lidén 2002, section 4.2"


@dataclass(frozen=True, kw_only=True)
class Condition(Notion):
    """A notion under which a mention is right when it satisfies a condition with one of the other side.

    With pairing ``any`` some mention of the other side is enough. With ``one-to-one`` each mention serves
    once, in the pairing with most pairs, ties broken by total Jaccard coefficient of code points; with
    ``greedy`` the pair with the highest coefficient comes first.
    """

    source: str = OLSSON

    @abstractmethod
    def admits(self, pairs: Candidates) -> Flags:
        """Which candidates satisfy the condition, types aside."""

    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:
        """Count the mentions that have a partner."""
        gold, predicted = pairs.sides
        right = pairs.typed(self.admits(pairs), ignore_types)
        g, p = pairs.gold[right], pairs.predicted[right]
        if pairing != "any":
            chosen = chooser(pairing)(g, p, 1.0 + pairs.jaccard[right])
            g, p = g[chosen], p[chosen]
        return Tally(
            self,
            gold_units=np.ones(len(gold), dtype=bool),
            gold_matched=_flagged(g, len(gold)),
            predicted_units=np.ones(len(predicted), dtype=bool),
            predicted_matched=_flagged(p, len(predicted)),
        )


def _flagged(places: Ints, size: int) -> Credit:
    flags = np.zeros(size, dtype=bool)
    flags[places] = True
    return flags
