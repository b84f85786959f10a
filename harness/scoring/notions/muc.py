"""muc_strict, muc_exact, muc_partial, muc_type: the schemes of MUC-5 and SemEval-2013, of one pairing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Numbers
from ..pairing.assignment import Places, best_pairing
from ..pairing.candidates import Candidates
from .scheme import Scheme


@dataclass(frozen=True, kw_only=True)
class MessageUnderstanding(Scheme):
    """A scheme of MUC.

    Attributes
    ----------
    worth : callable
        What pairs count, by whether their spans and their types agree.
    """

    worth: Callable[[Flags, Flags], Flags | Numbers]
    pairing: str = "muc"
    source: str = (
        "Chinchor and Sundheim 1993 (MUC-5); "
        "Segura-Bedmar, Martínez and Herrero-Zazo 2013 (SemEval-2013 task 9.1)"
    )
    disagreement: str = (
        "nervaluate lets each prediction take the first gold mention that it overlaps, and pairs anew for "
        "each scheme and type"
    )

    def paired(self, pairs: Candidates, same_type: Flags) -> tuple[Places, Numbers]:
        """The pairing of all four, with the credits of this one."""
        chosen = _pairing(pairs, same_type)
        return chosen, self.worth(pairs.same[chosen], same_type[chosen]).astype(np.float64)


def _same_span_and_type(same: Flags, kind: Flags) -> Flags:
    return same & kind


def _same_span(same: Flags, _kind: Flags) -> Flags:
    return same


def _half_for_overlap(same: Flags, _kind: Flags) -> Numbers:
    return np.where(same, 1.0, 0.5)


def _same_type(_same: Flags, kind: Flags) -> Flags:
    return kind


MUC_STRICT = MessageUnderstanding(
    name="muc_strict", definition="paired one-to-one; right: same span, same type", worth=_same_span_and_type
)
MUC_EXACT = MessageUnderstanding(
    name="muc_exact", definition="paired one-to-one; right: same span, whatever the type", worth=_same_span
)
MUC_PARTIAL = MessageUnderstanding(
    name="muc_partial",
    definition="paired one-to-one; same span counts 1, an overlap ½",
    worth=_half_for_overlap,
)
MUC_TYPE = MessageUnderstanding(
    name="muc_type", definition="paired one-to-one by overlap; right: same type", worth=_same_type
)


def _pairing(pairs: Candidates, same_type: Flags) -> Places:
    """The pairing that the four schemes share.

    Mentions of the same span and type go together first, then those of the same span; of what is left as many
    overlapping ones as possible, by preference of the same type, then by Jaccard coefficient.
    """
    left = np.ones(len(pairs), dtype=bool)
    chosen: list[Places] = []
    preference = pairs.jaccard + np.where(same_type, 3.0, 1.0)
    for eligible in (pairs.same & same_type, pairs.same, np.ones(len(pairs), dtype=bool)):
        places = np.flatnonzero(eligible & left)
        g, p = pairs.gold[places], pairs.predicted[places]
        picked = places[best_pairing(g, p, preference[places], most=True)]
        chosen.append(picked)
        # candidates of which neither mention is paired yet stay for the next round
        gone_gold = np.zeros(len(pairs.sides[0]), dtype=bool)
        gone_predicted = np.zeros(len(pairs.sides[1]), dtype=bool)
        gone_gold[pairs.gold[picked]] = True
        gone_predicted[pairs.predicted[picked]] = True
        left &= ~(gone_gold[pairs.gold] | gone_predicted[pairs.predicted])
    return np.concatenate(chosen)
