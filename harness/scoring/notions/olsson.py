"""Notions of Olsson et al. 2002 that are conditions on pairs of mentions, and the paper's way of counting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from ..arrays import Flags, Ints
from ..options import Pairing
from ..pairing.assignment import find_best_pairing, find_greedy_pairing
from ..pairing.candidates import Candidates
from .notion import Credit, Notion, Tally

OLSSON = "Olsson, Eriksson, Franzén, Asker and Lidén 2002, section 4.2"


@dataclass(frozen=True, kw_only=True)
class ConditionNotion(Notion):
    """Notion that is a condition on pairs of a gold and a predicted mention.

    With pairing ``any``, a mention is right if at least one of its pairs meets the condition. With
    ``one-to-one``, each mention is used at most once, in the pairing that has the largest number of pairs;
    ties are broken by the total Jaccard coefficient of code points. With ``greedy``, the pair with the
    highest coefficient is chosen first.

    Attributes
    ----------
    admits : callable
        Function that returns a Boolean array: True for each candidate pair that satisfies the condition,
        regardless of types.
    """

    admits: Callable[[Candidates], Flags]
    source: str = OLSSON

    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:
        """Return the tally: 1 unit per mention, matched if the mention has a partner."""
        gold, predicted = pairs.sides
        right = pairs.match_types(self.admits(pairs), ignore_types)
        g, p = pairs.gold[right], pairs.predicted[right]
        if pairing != "any":
            value = 1.0 + pairs.jaccard[right]
            is_greedy = pairing == "greedy"
            chosen = (
                find_greedy_pairing(g, p, value)
                if is_greedy
                else find_best_pairing(g, p, value, maximise_size=True)
            )
            g, p = g[chosen], p[chosen]
        return Tally(
            self,
            gold_units=np.ones(len(gold), dtype=bool),
            gold_matched=_flag_places(g, len(gold)),
            predicted_units=np.ones(len(predicted), dtype=bool),
            predicted_matched=_flag_places(p, len(predicted)),
        )


def _flag_places(places: Ints, size: int) -> Credit:
    flags = np.zeros(size, dtype=bool)
    flags[places] = True
    return flags


def _left_or_right(pairs: Candidates) -> Flags:
    return pairs.left | pairs.right


STRICT = ConditionNotion(
    name="strict",
    definition="a mention on the other side has exactly the same span",
    phrase="exactly",
    disagreement="spaCy compares sets of spans: repeated mentions count once there, but every time here",
    admits=attrgetter("same"),
)
SLOPPY = ConditionNotion(
    name="sloppy",
    definition="it overlaps (shares a token with) a mention on the other side",
    phrase="at least partly",
    disagreement="other programs require a shared character only (parts of a hyphenated name share no token)",
    admits=attrgetter("overlap"),
)
LEFT = ConditionNotion(
    name="left",
    definition="it overlaps a mention on the other side that has the same start",
    phrase="with the correct left boundary",
    admits=attrgetter("left"),
)
RIGHT = ConditionNotion(
    name="right",
    definition="it overlaps a mention on the other side that has the same end",
    phrase="with the correct right boundary",
    admits=attrgetter("right"),
)
LEFT_OR_RIGHT = ConditionNotion(
    name="left_or_right",
    definition="left or right holds",
    phrase="with at least one correct boundary",
    disagreement="the figures in the paper are the mean of left and right (--counting published)",
    admits=_left_or_right,
)


def recount_as_published(tally: Tally, count: Callable[[Notion], Tally]) -> Tally:
    """Return the tally of a notion, counted as in table 1 of Olsson et al. 2002.

    In that table, LEFT OR RIGHT is the mean of LEFT and RIGHT: the number of correct boundaries divided by
    twice the number of mentions (Yapex: recall 71.7 and 76.3 give 74.0). The ratio of recall to precision is
    the same under all notions that count mentions, so the paper must have used the number of matched
    predictions as the numerator of both recall and precision. The counts of tokens (pnp) do not change.

    Parameters
    ----------
    tally : Tally
        Tally under the definitions in the paper's text.
    count : callable
        Function that returns the tally of another notion under the definitions in the paper's text.
    """
    if tally.notion.unit == "token":
        return tally
    matched, gold_verdict = tally.predicted_matched, tally.gold_matched
    if tally.notion is LEFT_OR_RIGHT:
        parts = [count(notion) for notion in (LEFT, RIGHT)]
        matched = np.mean([part.predicted_matched for part in parts], axis=0)
        gold_verdict = np.mean([part.gold_matched for part in parts], axis=0)
    return replace(
        tally,
        gold_matched=np.zeros(len(tally.gold_units)),
        predicted_matched=matched,
        published_units=np.zeros(len(matched)),
        published_matched=matched,
        gold_verdict=gold_verdict,
    )
