"""Schemes: notions that pair mentions one-to-one in a way of their own, and give each pair a credit.

The schemes of MUC-5 and SemEval-2013 share one pairing; credit by overlap and the slot error rate have the
pairing of greatest total. Nothing depends on the order of mentions, which is where the counts of programs
that pair first come, first served may differ; see ``docs/reference/notions.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arrays import Flags, Ints, Numbers
from ..options import Pairing
from ..pairing.assignment import Positions, find_best_pairing
from ..pairing.candidates import Candidates
from .notion import Notion, Tally


@dataclass(frozen=True, kw_only=True)
class Scheme(Notion):
    """A notion that pairs one-to-one and counts what each pair is worth, from 0 to 1.

    Attributes
    ----------
    pair_mentions : callable
        Takes all candidates, and which of them agree in type (all where types are ignored). Returns the
        candidates that are paired, and what each of these pairs is worth.
    """

    pair_mentions: Callable[[Candidates, Flags], tuple[Positions, Numbers]]

    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:  # noqa: ARG002
        """Count the credits of pairs; apart from them, how many there are, and are right or partly right."""
        same_type = pairs.match_types(np.ones(len(pairs), dtype=bool), ignore_types)
        chosen, credit = self.pair_mentions(pairs, same_type)
        g, p = pairs.gold[chosen], pairs.predicted[chosen]
        gold, predicted = (len(side) for side in pairs.sides)
        one = np.ones(len(chosen))
        partial_credit = (credit > 0.0) & (credit < 1.0)
        return Tally(
            self,
            gold_units=np.ones(gold),
            gold_matched=_scatter_values(g, gold, credit),
            predicted_units=np.ones(predicted),
            predicted_matched=_scatter_values(p, predicted, credit),
            extra={
                "gold_paired": _scatter_values(g, gold, one),
                "predicted_paired": _scatter_values(p, predicted, one),
                "gold_right": _scatter_values(g, gold, (credit == 1.0).astype(np.float64)),
                "gold_partial": _scatter_values(g, gold, partial_credit.astype(np.float64)),
            },
        )


def _scatter_values(places: Ints, size: int, values: Numbers) -> Numbers:
    """Values at their mentions, 0 at all others."""
    numbers = np.zeros(size)
    numbers[places] = values
    return numbers


def _pair_muc(
    pairs: Candidates, same_type: Flags, worth: Callable[[Flags, Flags], Flags]
) -> tuple[Positions, Numbers]:
    """The pairing that the four schemes of MUC share, with the credits of one.

    Mentions of the same span and type go together first, then those of the same span; of what is left as many
    overlapping ones as possible, by preference of the same type, then by Jaccard coefficient.
    """
    left = np.ones(len(pairs), dtype=bool)
    chosen: list[Positions] = []
    preference = pairs.jaccard + np.where(same_type, 3.0, 1.0)
    for eligible in (pairs.same & same_type, pairs.same, np.ones(len(pairs), dtype=bool)):
        places = np.flatnonzero(eligible & left)
        g, p = pairs.gold[places], pairs.predicted[places]
        picked = places[find_best_pairing(g, p, preference[places], maximise_size=True)]
        chosen.append(picked)
        # candidates of which neither mention is paired yet stay for the next round
        left &= ~np.isin(pairs.gold, pairs.gold[picked]) & ~np.isin(pairs.predicted, pairs.predicted[picked])
    pairing = np.concatenate(chosen)
    return pairing, worth(pairs.same[pairing], same_type[pairing]).astype(np.float64)


def _pair_by_jaccard(pairs: Candidates, same_type: Flags, across: float) -> tuple[Positions, Numbers]:
    """The pairing of greatest total Jaccard coefficient; a pair of two types counts `across` of it."""
    value = np.where(same_type, 1.0, across) * pairs.jaccard
    chosen = find_best_pairing(pairs.gold, pairs.predicted, value)
    return chosen, value[chosen]


_make_muc_scheme = partial(
    Scheme,
    pairing="muc",
    source=(
        "Chinchor and Sundheim 1993 (MUC-5); "
        "Segura-Bedmar, Martínez and Herrero-Zazo 2013 (SemEval-2013 task 9.1)"
    ),
    disagreement=(
        "nervaluate lets each prediction take the first gold mention that it overlaps, and pairs anew for "
        "each scheme and type"
    ),
)
MUC_STRICT = _make_muc_scheme(
    name="muc_strict",
    definition="paired one-to-one; right: same span, same type",
    pair_mentions=partial(_pair_muc, worth=lambda same, kind: same & kind),
)
MUC_EXACT = _make_muc_scheme(
    name="muc_exact",
    definition="paired one-to-one; right: same span, whatever the type",
    pair_mentions=partial(_pair_muc, worth=lambda same, _kind: same),
)
MUC_PARTIAL = _make_muc_scheme(
    name="muc_partial",
    definition="paired one-to-one; same span counts 1, an overlap ½",
    pair_mentions=partial(_pair_muc, worth=lambda same, _kind: np.where(same, 1.0, 0.5)),
)
MUC_TYPE = _make_muc_scheme(
    name="muc_type",
    definition="paired one-to-one by overlap; right: same type",
    pair_mentions=partial(_pair_muc, worth=lambda _same, kind: kind),
)
OVERLAP_CREDIT = Scheme(
    name="overlap_credit",
    definition="paired one-to-one within the type; each pair counts its Jaccard coefficient of code points",
    source="partial credit by overlap, after the similarity of Bossy et al. 2019 (Bacteria Biotope)",
    disagreement="MUC and SemEval-2013 give half for any overlap (muc_partial)",
    pairing="greatest-total",
    pair_mentions=partial(_pair_by_jaccard, across=0.0),
)
SLOT_ERROR = Scheme(
    name="slot_error",
    definition=(
        "paired one-to-one by Jaccard (half of it where types differ); what a pair lacks is substitution"
    ),
    source="Makhoul, Kubala, Schwartz and Weischedel 1999 (slot error rate)",
    disagreement="Makhoul et al. count a substitution as one whole error; parts of it are from Bossy et al.",
    pairing="greatest-total",
    pair_mentions=partial(_pair_by_jaccard, across=0.5),
)
