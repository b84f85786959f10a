"""Alternatives: spans that the gold standard accepts in place of one of its mentions.

An alternative belongs to all gold mentions that share its type and at least one code point with it. The
BioCreative gene mention corpora have alternatives; see ``docs/reference/scoring.md``.
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
    """Return all pairs of an alternative and a gold mention of the same type that share a code point."""
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
    """Replace each alternative in (alternative, predicted) pairs by the gold mentions to which it belongs.

    Returns
    -------
    tuple of array
        Positions of the gold mentions, of the predicted mentions, and of the converted pairs in `pairs`.
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
    """Candidates in which a gold mention has several readings: its own span and those of its alternatives.

    `overlap`, `same`, `left` and `right` are True if they are True for any reading. The attributes that
    compare types use the types of the gold and the predicted mention.

    Attributes
    ----------
    best_jaccard : array
        Highest Jaccard coefficient over the readings.
    """

    best_jaccard: Numbers

    @cached_property
    def jaccard(self) -> Numbers:
        """Highest Jaccard coefficient over the readings."""
        return self.best_jaccard


def find_reading_candidates(
    pairs: Candidates, alternative_pairs: Candidates, notion: Notion, ignore_types: bool
) -> ReadingCandidates:
    """Return the candidates that a notion admits in at least one reading of the gold mention.

    A reading of a gold mention is its own span or that of an alternative. One-to-one pairing of the returned
    candidates takes all readings into account.

    Parameters
    ----------
    pairs, alternative_pairs : Candidates
        Candidate pairs of the gold mentions, and of their alternatives, with the predicted mentions.
    notion : Notion
        Notion of correctness that decides which candidates match.
    ignore_types : bool
        Whether an alternative may belong to gold mentions of other types.
    """
    gold, predicted = pairs.sides
    direct = np.flatnonzero(notion.admits(pairs))
    accepted_gold, accepted_predicted, entry = map_to_gold(
        alternative_pairs, notion.admits(alternative_pairs), gold, ignore_types
    )
    # one key per admitted reading; the distinct keys, and the position of each reading's key among them
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

    best = np.zeros(len(key))
    np.maximum.at(best, place, readings("jaccard"))
    return ReadingCandidates(
        gold=g,
        predicted=p,
        overlap=any_of("overlap"),
        same=any_of("same"),
        left=any_of("left"),
        right=any_of("right"),
        same_type=gold.type_code[g] == predicted.type_code[p],
        sides=pairs.sides,
        best_jaccard=best,
    )


def tally_published(
    pairs: Candidates, alternative_pairs: Candidates, notion: Notion, listed: Ints, ignore_types: bool
) -> Tally:
    """Return the tally (counts per mention) as computed by the evaluation program of the GENETAG corpus.

    Each gold mention is matched with the first predicted mention, in file order, that has the exact span of
    the gold mention or of one of its alternatives. A matched gold mention is a true positive, classified by
    the *predicted* form; an unmatched one is a false negative. Several gold mentions can match the same
    predicted mention. A predicted mention that equals neither a gold mention nor an alternative in its text
    is a false positive. A predicted mention that equals an alternative but was not matched is not counted,
    even in texts without gold mentions (three in the training corpus). Without this rule, the published total
    of 3,293 could not be reproduced.

    Parameters
    ----------
    pairs, alternative_pairs : Candidates
        Candidate pairs of the gold mentions, and of their alternatives, with the predicted mentions.
    notion : Notion
        The notion ``strict``, the only one that this program supports.
    listed : array
        Position of each sorted predicted mention in the original file.
    ignore_types : bool
        Whether mentions of different types may match.
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
