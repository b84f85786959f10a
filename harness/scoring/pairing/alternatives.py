"""Alternatives: other spans that the gold accepts in place of one of its mentions.

An alternative stands for the gold mentions of its text with which it shares a code point (and the type). The
corpora of the BioCreative gene mention tasks have them; see ``docs/reference/scoring.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....catalogues.core.arrays import mark_run_starts
from ..arrays import Flags, Ints, Numbers
from ..notions import Notion, Tally
from .axes import Side
from .candidates import Candidates, expand_ranges, find_overlapping_intervals


def match_alternatives(alternatives: Side, gold: Side, ignore_types: bool) -> tuple[Ints, Ints]:
    """Every (alternative, gold mention) that share a code point and the type."""
    a, g = alternatives.parts, gold.parts
    i, j = find_overlapping_intervals(a.start, a.end, g.start, g.end)
    i, j = a.owner[i], g.owner[j]
    if not ignore_types:
        agree = alternatives.type_code[i] == gold.type_code[j]
        i, j = i[agree], j[agree]
    key = np.unique(i * len(gold) + j)
    return np.divmod(key, max(len(gold), 1))


def map_to_gold(
    pairs: Candidates, is_match: Flags, gold: Side, ignore_types: bool
) -> tuple[Ints, Ints, Ints]:
    """Carry pairs (alternative, predicted) that fit over to the gold mentions the alternatives stand for.

    Returns
    -------
    tuple of array
        Positions of the gold and of the predicted mentions, and of the pairs in the alternatives' candidates.
    """
    other, stands_for = match_alternatives(pairs.sides[0], gold, ignore_types)
    entry = np.flatnonzero(is_match)
    wanted = pairs.gold[entry]
    left, place = expand_ranges(
        np.searchsorted(other, wanted, "left"), np.searchsorted(other, wanted, "right")
    )
    return stands_for[place], pairs.predicted[entry[left]], entry[left]


@dataclass(frozen=True)
class ReadingCandidates(Candidates):
    """Candidates of gold mentions in any of their readings: their own span, or an alternative's.

    What a pair has in common is what any reading has in common with the predicted mention; types are those of
    the two mentions.

    Attributes
    ----------
    best_jaccard : array
        The Jaccard coefficient of the reading that is most alike.
    """

    best_jaccard: Numbers

    @cached_property
    def jaccard(self) -> Numbers:
        """The Jaccard coefficient of the reading that is most alike."""
        return self.best_jaccard


def find_reading_candidates(
    pairs: Candidates, alternative_pairs: Candidates, notion: Notion, ignore_types: bool
) -> ReadingCandidates:
    """The candidates of every reading of the gold mentions under which the notion admits them.

    Counted one-to-one they give the best pairing over all readings.

    Parameters
    ----------
    pairs, alternative_pairs : Candidates
        Candidates of the gold mentions, and of their alternatives, with the predicted ones.
    notion : Notion
        The notion that counts them.
    ignore_types : bool
        Let an alternative stand for gold mentions of other types.
    """
    gold, predicted = pairs.sides
    direct = np.flatnonzero(notion.admits(pairs))
    accepted_gold, accepted_predicted, entry = map_to_gold(
        alternative_pairs, notion.admits(alternative_pairs), gold, ignore_types
    )
    # every admitted reading's pair as one number; the distinct pairs, and to which of them each reading leads
    width = max(len(predicted), 1)
    key, place = np.unique(
        np.concatenate(
            (
                pairs.gold[direct] * width + pairs.predicted[direct],
                accepted_gold * width + accepted_predicted,
            )
        ),
        return_inverse=True,
    )
    g, p = np.divmod(key, width)

    def readings(name: str) -> NDArray[Any]:
        return np.concatenate((getattr(pairs, name)[direct], getattr(alternative_pairs, name)[entry]))

    def any_of(name: str) -> Flags:
        return np.bincount(place, readings(name), minlength=len(key)) > 0

    likeness = np.zeros(len(key))
    np.maximum.at(likeness, place, readings("jaccard"))
    return ReadingCandidates(
        gold=g,
        predicted=p,
        overlap=any_of("overlap"),
        same=any_of("same"),
        left=any_of("left"),
        right=any_of("right"),
        same_type=gold.type_code[g] == predicted.type_code[p],
        sides=pairs.sides,
        best_jaccard=likeness,
    )


def tally_published(
    pairs: Candidates, alternative_pairs: Candidates, notion: Notion, listed: Ints, ignore_types: bool
) -> Tally:
    """Count as the GENETAG corpus's own evaluation program does.

    Every gold mention looks through the system's mentions in their order and takes the first that has its
    exact span, or the exact span of an alternative of it: a true positive, classed by the *system's* form;
    else it is a false negative. One system mention may serve several gold ones. A system mention that equals
    neither a gold mention nor an alternative of its text is a false positive; one that equals an alternative
    and serves nobody counts as nothing, and that is so in texts without gold mentions too (of which the
    training corpus has three: without them its published total of 3,293 is not reached).

    Parameters
    ----------
    pairs, alternative_pairs : Candidates
        Candidates of the gold mentions, and of their alternatives, with the system's.
    notion : Notion
        The notion, strict: the program knows no other.
    listed : array
        The place of each (sorted) system mention in its file.
    ignore_types : bool
        Let mentions of different types match.
    """
    gold, predicted = pairs.sides
    exact = pairs.match_types(pairs.same, ignore_types)
    equal = alternative_pairs.match_types(alternative_pairs.same, ignore_types)
    accepted_gold, accepted_predicted, _ = map_to_gold(alternative_pairs, equal, gold, ignore_types)
    g = np.concatenate((pairs.gold[exact], accepted_gold))
    p = np.concatenate((pairs.predicted[exact], accepted_predicted))
    order = np.lexsort((listed[p], g))
    g, p = g[order], p[order]
    first = mark_run_starts(g)
    found, partner = g[first], p[first]

    served = np.bincount(partner, minlength=len(predicted)).astype(np.float64)
    known = np.zeros(len(predicted), dtype=bool)
    known[pairs.predicted[exact]] = True
    known[alternative_pairs.predicted[equal]] = True
    spurious = (~known).astype(np.float64)
    missed = np.ones(len(gold))
    missed[found] = 0.0
    return Tally(
        notion,
        gold_units=missed,
        gold_matched=np.zeros(len(gold)),
        predicted_units=served + spurious,
        predicted_matched=served,
        published_units=served,
        published_matched=served,
        gold_verdict=1.0 - missed,
        predicted_verdict=np.where(spurious > 0, 0.0, np.where(served > 0, 1.0, np.nan)),
    )
