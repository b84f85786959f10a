"""Schemes: notions that have their own one-to-one pairing and give each pair a credit.

The MUC-5 and SemEval-2013 schemes share one pairing; overlap credit and the slot error rate use the pairing
with the greatest total similarity. Results do not depend on the order of mentions, unlike those of programs
that pair in order of occurrence; see ``docs/reference/notions.md``.
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
    """Notion with its own one-to-one pairing that gives each pair a credit from 0 to 1.

    Attributes
    ----------
    pair_mentions : callable
        Function of all candidates and a Boolean array that is True for candidates whose types are equal or
        ignored. It returns the positions of the chosen candidates, and the credit of each.
    """

    pair_mentions: Callable[[Candidates, Flags], tuple[Positions, Numbers]]

    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:  # noqa: ARG002
        """Return the tally of credits, with the numbers of all, right and partly right pairs in `extra`."""
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
    """Return an array of length `size` with `values` at the positions `places` and 0 elsewhere."""
    numbers = np.zeros(size)
    numbers[places] = values
    return numbers


def _pair_muc(
    pairs: Candidates, same_type: Flags, worth: Callable[[Flags, Flags], Flags]
) -> tuple[Positions, Numbers]:
    """Return the pairing that is common to the four MUC schemes, and the credits under one scheme.

    Mentions with the same span and type are paired first, then mentions with the same span, then as many of
    the remaining overlapping mentions as possible. Pairs with the same type are preferred, then pairs with
    a high Jaccard coefficient.
    """
    free = np.ones(len(pairs), dtype=bool)
    chosen: list[Positions] = []
    preference = pairs.jaccard + np.where(same_type, 3.0, 1.0)
    for eligible in (pairs.same & same_type, pairs.same, np.ones(len(pairs), dtype=bool)):
        places = np.flatnonzero(eligible & free)
        g, p = pairs.gold[places], pairs.predicted[places]
        picked = places[find_best_pairing(g, p, preference[places], maximise_size=True)]
        chosen.append(picked)
        # the next round uses the candidates in which both mentions are still unpaired
        free &= ~np.isin(pairs.gold, pairs.gold[picked]) & ~np.isin(pairs.predicted, pairs.predicted[picked])
    pairing = np.concatenate(chosen)
    return pairing, worth(pairs.same[pairing], same_type[pairing]).astype(np.float64)


def _pair_by_jaccard(pairs: Candidates, same_type: Flags, across: float) -> tuple[Positions, Numbers]:
    """Return the pairing with the greatest total similarity, and the similarity of each pair.

    The similarity is the Jaccard coefficient, multiplied by the factor `across` if the types differ.
    """
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
        "nervaluate pairs each prediction with the first gold mention that it overlaps, separately for each "
        "scheme and type"
    ),
)
MUC_STRICT = _make_muc_scheme(
    name="muc_strict",
    definition="paired one-to-one; right: same span, same type",
    pair_mentions=partial(_pair_muc, worth=lambda same, kind: same & kind),
)
MUC_EXACT = _make_muc_scheme(
    name="muc_exact",
    definition="paired one-to-one; right: same span, any type",
    pair_mentions=partial(_pair_muc, worth=lambda same, _kind: same),
)
MUC_PARTIAL = _make_muc_scheme(
    name="muc_partial",
    definition="paired one-to-one; the same span counts 1, an overlap ½",
    pair_mentions=partial(_pair_muc, worth=lambda same, _kind: np.where(same, 1.0, 0.5)),
)
MUC_TYPE = _make_muc_scheme(
    name="muc_type",
    definition="paired one-to-one by overlap; right: same type",
    pair_mentions=partial(_pair_muc, worth=lambda _same, kind: kind),
)
OVERLAP_CREDIT = Scheme(
    name="overlap_credit",
    definition="paired one-to-one within types; the credit of a pair is its Jaccard coefficient",
    source="partial credit for overlap, based on the similarity of Bossy et al. 2019 (Bacteria Biotope)",
    disagreement="MUC and SemEval-2013 count any overlap as one half (muc_partial)",
    pairing="greatest-total",
    pair_mentions=partial(_pair_by_jaccard, across=0.0),
)
SLOT_ERROR = Scheme(
    name="slot_error",
    definition=(
        "paired one-to-one by Jaccard coefficient (half if types differ); 1 - coefficient is substitution"
    ),
    source="Makhoul, Kubala, Schwartz and Weischedel 1999 (slot error rate)",
    disagreement="Makhoul et al. count each substitution as a full error; partial errors follow Bossy et al.",
    pairing="greatest-total",
    pair_mentions=partial(_pair_by_jaccard, across=0.5),
)
