"""Others' ways of counting: the schemes of MUC and SemEval-2013, IOB2 labels, partial credit, slot errors.

All but the IOB2 scheme pair one-to-one. Nothing depends on the order of mentions, which is where the counts
of programs that pair first come, first served may differ; see ``docs/scoring.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .axes import Side
from .candidates import Candidates, Flags, Ints
from .matching import Tally
from .notions import Notion
from .pairing import best_pairing

Credit = NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """A one-to-one pairing: positions in the two sides, and what each pair is worth."""

    gold: Ints
    predicted: Ints
    credit: Credit


def tally_scheme(pairs: Candidates, notion: Notion, ignore_types: bool) -> Tally:
    """Count under one of `notions.SCHEMES`."""
    same_type = np.ones(len(pairs), dtype=bool) if ignore_types else pairs.same_type
    if notion.name == "iob2_strict":
        return _labels(pairs, notion, same_type)
    if notion.name == "overlap_credit":
        chosen = best_pairing(pairs.gold, pairs.predicted, np.where(same_type, pairs.jaccard, 0.0))
        credit = pairs.jaccard[chosen]
    elif notion.name == "slot_error":
        value = np.where(same_type, 1.0, 0.5) * pairs.jaccard
        chosen = best_pairing(pairs.gold, pairs.predicted, value)
        credit = value[chosen]
    else:
        chosen = _message_understanding(pairs, same_type)
        credit = _credit(notion.name, pairs.same[chosen], same_type[chosen])
    return _paired(pairs, notion, Pairs(pairs.gold[chosen], pairs.predicted[chosen], credit))


def _credit(scheme: str, same: Flags, kind: Flags) -> Credit:
    """What pairs are worth, by whether their spans and their types agree."""
    if scheme == "muc_partial":
        return np.where(same, 1.0, 0.5)
    right = {"muc_strict": same & kind, "muc_exact": same, "muc_type": kind}[scheme]
    return right.astype(np.float64)


def _message_understanding(pairs: Candidates, same_type: Flags) -> NDArray[np.intp]:
    """The pairing that the four schemes share.

    Mentions of the same span and type go together first, then those of the same span; of what is left as many
    overlapping ones as possible, by preference of the same type, then by Jaccard coefficient.
    """
    left = np.ones(len(pairs), dtype=bool)
    chosen: list[NDArray[np.intp]] = []
    preference = pairs.jaccard + np.where(same_type, 3.0, 1.0)
    for eligible in (pairs.same & same_type, pairs.same, np.ones(len(pairs), dtype=bool)):
        places = np.flatnonzero(eligible & left)
        g, p = pairs.gold[places], pairs.predicted[places]
        picked = places[best_pairing(g, p, preference[places], most=True)]
        chosen.append(picked)
        gone_gold = np.zeros(len(pairs.sides[0]), dtype=bool)
        gone_predicted = np.zeros(len(pairs.sides[1]), dtype=bool)
        gone_gold[pairs.gold[picked]] = True
        gone_predicted[pairs.predicted[picked]] = True
        left &= ~(gone_gold[pairs.gold] | gone_predicted[pairs.predicted])
    return np.concatenate(chosen)


def _paired(pairs: Candidates, notion: Notion, chosen: Pairs) -> Tally:
    gold, predicted = (len(side) for side in pairs.sides)

    def spread(places: Ints, size: int, values: Credit) -> Credit:
        numbers = np.zeros(size)
        numbers[places] = values
        return numbers

    one = np.ones(len(chosen.credit))
    return Tally(
        notion,
        gold_units=np.ones(gold),
        gold_matched=spread(chosen.gold, gold, chosen.credit),
        predicted_units=np.ones(predicted),
        predicted_matched=spread(chosen.predicted, predicted, chosen.credit),
        extra={
            "gold_paired": spread(chosen.gold, gold, one),
            "predicted_paired": spread(chosen.predicted, predicted, one),
            "gold_right": spread(chosen.gold, gold, (chosen.credit == 1.0).astype(np.float64)),
            "gold_partial": spread(
                chosen.gold, gold, ((chosen.credit > 0.0) & (chosen.credit < 1.0)).astype(np.float64)
            ),
        },
    )


def _labels(pairs: Candidates, notion: Notion, same_type: Flags) -> Tally:
    """Mentions as labelled runs of tokens: a run counts once, however many mentions have it."""
    gold, predicted = pairs.sides
    runs = [_runs(side) for side in (gold, predicted)]
    right = same_type & pairs.overlap
    for edge in (0, 1):
        right = right & (runs[0][edge][pairs.gold] == runs[1][edge][pairs.predicted])
    matched = [np.zeros(len(side)) for side in (gold, predicted)]
    matched[0][pairs.gold[right]] = 1.0
    matched[1][pairs.predicted[right]] = 1.0
    units = [_first_of_each(run, side) for run, side in zip(runs, (gold, predicted), strict=True)]
    return Tally(notion, units[0], matched[0] * units[0], units[1], matched[1] * units[1])


def _runs(side: Side) -> tuple[Ints, Ints]:
    """First and one-past-last token of each mention; of a discontinuous one, over all its parts."""
    if not side.broken:
        return side.first, side.last
    first = np.full(len(side), np.iinfo(np.int64).max)
    last = np.zeros(len(side), dtype=np.int64)
    np.minimum.at(first, side.parts.owner, side.first)
    np.maximum.at(last, side.parts.owner, side.last)
    return first, last


def _first_of_each(run: tuple[Ints, Ints], side: Side) -> Credit:
    """1 for the first mention with a run of tokens and a type; 0 for others, and for one without tokens."""
    order = np.lexsort((side.kind, run[1], run[0]))
    keys = [k[order] for k in (run[0], run[1], side.kind)]
    repeated = np.zeros(len(side), dtype=bool)
    if len(side) > 1:
        repeated[1:] = np.logical_and.reduce([k[1:] == k[:-1] for k in keys])
    units = np.zeros(len(side))
    units[order] = ~repeated
    units[run[0] == run[1]] = 0.0
    return units
