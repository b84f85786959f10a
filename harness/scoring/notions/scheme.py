"""Schemes: notions that pair mentions one-to-one in a way of their own, and give each pair a credit."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Ints, Numbers
from ..options import Pairing
from ..pairing.assignment import Places
from ..pairing.candidates import Candidates
from .notion import Notion, Tally


@dataclass(frozen=True, kw_only=True)
class Scheme(Notion):
    """A notion that pairs one-to-one and counts what each pair is worth, from 0 to 1.

    Nothing depends on the order of mentions, which is where the counts of programs that pair first come,
    first served may differ; see ``docs/notions.md``.
    """

    @abstractmethod
    def paired(self, pairs: Candidates, same_type: Flags) -> tuple[Places, Numbers]:
        """The candidates that are paired, and what each of these pairs is worth.

        Parameters
        ----------
        pairs : Candidates
            All candidates.
        same_type : array of bool
            Which of them agree in type; all where types are ignored.
        """

    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:  # noqa: ARG002
        """Count the credits of pairs; apart from them, how many there are, and are right or partly right."""
        same_type = pairs.typed(np.ones(len(pairs), dtype=bool), ignore_types)
        chosen, credit = self.paired(pairs, same_type)
        g, p = pairs.gold[chosen], pairs.predicted[chosen]
        gold, predicted = (len(side) for side in pairs.sides)
        one = np.ones(len(chosen))
        partial = (credit > 0.0) & (credit < 1.0)
        return Tally(
            self,
            gold_units=np.ones(gold),
            gold_matched=_spread(g, gold, credit),
            predicted_units=np.ones(predicted),
            predicted_matched=_spread(p, predicted, credit),
            extra={
                "gold_paired": _spread(g, gold, one),
                "predicted_paired": _spread(p, predicted, one),
                "gold_right": _spread(g, gold, (credit == 1.0).astype(np.float64)),
                "gold_partial": _spread(g, gold, partial.astype(np.float64)),
            },
        )


def _spread(places: Ints, size: int, values: Numbers) -> Numbers:
    """Values at their mentions, 0 at all others."""
    numbers = np.zeros(size)
    numbers[places] = values
    return numbers
