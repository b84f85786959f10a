"""Choosing: one combination after the other, each judged on what the earlier ones leave unexplained.

A combination that is bad only because it holds a worse one, or is held by it, goes with it: that is how
redundant refinements, and descriptions of the same mentions in other words, are folded in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays import Flags, Numbers
from ..options import DiscoverOptions
from .space import LEAST_SURPRISE, Bits, Found, Space, count, pack, surprise

ALIKE = 0.8
"""Two combinations of which so much is common describe the same mentions (Jaccard)."""
MOST_CHOSEN = 40
SHARED = 0.9
"""Part of a longer description's surprise that a shorter one of the same mentions needs to be preferred."""


@dataclass
class Chosen:
    """A chosen combination, and others of the same meaning.

    Attributes
    ----------
    found : Found
    also : list of Found
        Combinations of nearly the same mentions.
    """

    found: Found
    also: list[Found] = field(default_factory=list)


def choose(space: Space, candidates: list[Found], options: DiscoverOptions) -> list[Chosen]:
    """Choose combinations until nothing surprising is left."""
    if not candidates:
        return []
    inside = np.array([space.packed(f) for f in candidates])
    left = pack(np.ones(space.size, dtype=bool))
    own = count(inside)
    open_ = np.ones(len(candidates), dtype=bool)
    chosen: list[Chosen] = []
    while len(chosen) < MOST_CHOSEN:
        total, wrong = int(count(left)), int(count(left & space.errors_packed))
        if not 0 < wrong < total:
            break
        cases, bad = space.counts(inside & left)
        much = surprise(cases, bad, total, wrong)
        still = open_ & (cases >= options.fewest) & (much >= LEAST_SURPRISE)
        still &= bad / np.maximum(cases, 1.0) - wrong / total >= options.effect
        if not still.any():
            break
        at = _first(candidates, much, still)
        open_[at] = False
        if not _needed(space, candidates[at], left, options):
            continue
        common = count(inside & inside[at])
        same = np.flatnonzero((common / (own + own[at] - common) >= ALIKE) & open_)
        best = _shortest(space, candidates, much, [at, *same.tolist()])
        others = [candidates[i] for i in (at, *same.tolist()) if i != best]
        chosen.append(Chosen(candidates[best], others))
        open_[same] = False
        left = left & ~inside[best]
    return chosen


def _first(candidates: list[Found], much: Numbers, still: Flags) -> int:
    places = np.flatnonzero(still).tolist()
    return int(min(places, key=lambda i: (-much[i], len(candidates[i].axes), candidates[i].key)))


def _shortest(space: Space, candidates: list[Found], much: Numbers, places: list[int]) -> int:
    """Of descriptions of the same mentions the shortest that is not much less surprising.

    Of equally short ones, that which says more of the mention and its place, less of its sentence, and least
    of other mentions: in a suite they select the same mentions, in a corpus they do not.
    """
    top = max(much[i] for i in places)
    good = [i for i in places if much[i] >= SHARED * top]

    def rank(i: int) -> tuple[object, ...]:
        found = candidates[i]
        ranks = sum(space.axes[a].rank for a in found.axes)
        return (len(found.axes), ranks, -much[i], found.key)

    return min(good, key=rank)


def _needed(space: Space, found: Found, left: Bits, options: DiscoverOptions) -> bool:
    """Whether every condition is still needed among what is left."""
    own = space.packed(found)
    here = own & left
    share = int(count(here & space.errors_packed)) / max(int(count(here)), 1)
    for parent in found.parents:
        wider = space.packed(parent) & left & ~own
        cases = int(count(wider))
        if not cases or share - int(count(wider & space.errors_packed)) / cases < options.effect:
            return False
    return True
