"""The notions of Olsson et al. 2002 that are a condition on a pair of mentions, and their own counting."""

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
    """A notion under which a mention is right when it satisfies a condition with one of the other side.

    With pairing ``any`` some mention of the other side is enough. With ``one-to-one`` each mention serves
    once, in the pairing with most pairs, ties broken by total Jaccard coefficient of code points; with
    ``greedy`` the pair with the highest coefficient comes first.

    Attributes
    ----------
    admits : callable
        Which candidates satisfy the condition, types aside.
    """

    admits: Callable[[Candidates], Flags]
    source: str = OLSSON

    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:
        """Count the mentions that have a partner."""
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
    definition="a mention of the other side has exactly its span",
    phrase="exactly",
    disagreement="spaCy compares sets of spans: a repeated mention counts once there, each time here",
    admits=attrgetter("same"),
)
SLOPPY = ConditionNotion(
    name="sloppy",
    definition="it overlaps (shares a token with) a mention of the other side",
    phrase="at least in part",
    disagreement="elsewhere a shared character is an overlap; here the parts of a hyphenated name share none",
    admits=attrgetter("overlap"),
)
LEFT = ConditionNotion(
    name="left",
    definition="a mention that it overlaps starts where it starts",
    phrase="with its left boundary",
    admits=attrgetter("left"),
)
RIGHT = ConditionNotion(
    name="right",
    definition="a mention that it overlaps ends where it ends",
    phrase="with its right boundary",
    admits=attrgetter("right"),
)
LEFT_OR_RIGHT = ConditionNotion(
    name="left_or_right",
    definition="left or right holds",
    phrase="with one boundary",
    disagreement="the paper's own figures are the mean of left and right (--counting published)",
    admits=_left_or_right,
)


def recount_as_published(tally: Tally, count: Callable[[Notion], Tally]) -> Tally:
    """Recount one notion as table 1 of Olsson et al. 2002 was counted.

    LEFT OR RIGHT is the number of correct boundaries over twice the number of mentions, that is the mean of
    LEFT and RIGHT (Yapex: recall 71.7 and 76.3 give 74.0), and the ratio of recall to precision is the same
    under all notions that count mentions, so one numerator, the matched predictions, served both. Tokens
    (pnp) are counted as ever.

    Parameters
    ----------
    tally : Tally
        The counting by the text's definitions.
    count : callable
        Counts another notion by the text's definitions.
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
