"""The length up to which a tagger reads, found by bisection, in words or in characters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ...sentences.neutral import Order
from .cases import Case
from .sightings import Sightings
from .texts import UNITS, Probe, Side, Unit, place_case

OTHER_TEXTS: tuple[Order, ...] = ("long", "broken")
"""Texts with longer words, and with more marks, than those of the bisection: they tell units apart."""


@dataclass(frozen=True)
class Limit:
    """Length beyond which a case is not found.

    Attributes
    ----------
    side : str
        What is limited.
    unit : str
    found, lost : int
        The greatest length at which the case was found, and the least at which it was not.
    is_certain : bool
        Whether other texts show the same limit in this unit.
    """

    side: Side
    unit: Unit
    found: int
    lost: int
    is_certain: bool = False


@dataclass
class LimitSearch:
    """Search for the length up to which a tagger reads.

    Attributes
    ----------
    look : callable
        Sends texts to the tagger.
    case : Case
        A case that is found alone.
    side : str
        What is limited.
    rest : int
        Neutral words of the longest text, in which the case is not found.
    """

    look: Callable[[list[Probe]], Sightings]
    case: Case
    side: Side
    rest: int
    _known: list[Sightings] = field(default_factory=list)

    def find(self) -> Limit | None:
        """Return the limit; None where places far from it contradict it."""
        low, high = 0, self.rest
        while high - low > 1:
            middle = (low + high) // 2
            if self._see([self._text("bisection", middle)])[0]:
                low = middle
            else:
                high = middle
        far = [self._text("confirmation", n, turn=1) for n in (low // 2, (high + self.rest) // 2)]
        edges = [self._text("confirmation", n) for n in (low, high)]
        if self._see([*far, *edges]) != [True, False, True, False]:
            return None
        for unit in UNITS:
            if self._is_confirmed(self._measure(unit)):
                return replace(self._measure(unit), is_certain=True)
        return self._measure("words")

    def _text(self, purpose: str, words: int, order: Order = "mixed", turn: int = 0) -> Probe:
        before, after = (words, 0) if self.side == "before" else (0, words)
        return place_case(self.case, purpose, before, after, order, turn)

    def _see(self, probes: list[Probe]) -> list[bool]:
        self._known.append(self.look(probes))
        return [bool(flag) for flag in self._known[-1].seen]

    def _measure(self, unit: Unit) -> Limit:
        extent = np.concatenate([one.extent(unit, self.side) for one in self._known])
        seen = np.concatenate([one.seen for one in self._known])
        return Limit(self.side, unit, int(extent[seen].max()), int(extent[~seen].min()))

    def _is_confirmed(self, limit: Limit) -> bool:
        """Return True if other texts of these lengths are read up to the same limit."""
        lengths = range(self.rest + 1)
        probes: list[Probe] = []
        for order in OTHER_TEXTS:

            def extent(words: int, order: Order = order) -> int:
                return int(self._text("unit", words, order).extent(limit.unit, self.side)[0])

            inside = bisect_right(lengths, limit.found, key=extent) - 1
            beyond = min(bisect_left(lengths, limit.lost, key=extent), self.rest)
            probes += [self._text("unit", inside, order), self._text("unit", beyond, order)]
        is_possible = limit.found < limit.lost
        return is_possible and self._see(probes) == [True, False] * len(OTHER_TEXTS)
