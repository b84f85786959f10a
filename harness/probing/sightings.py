"""How often a case was found at each place of the texts that were answered, and what else was found there."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .answers import Answer, Span
from .texts import Ints, Probe, Side, Unit

Flags = NDArray[np.bool_]


@dataclass
class Sightings:
    """Places of a case's mention in some texts, and what the tagger found there.

    Attributes
    ----------
    asked : list of (Probe, Answer)
    usual : collection of (int, int)
        Parts of the mention that the tagger also finds where the case stands alone, relative to its start:
        they are no trace of a seam.
    """

    asked: list[tuple[Probe, Answer]]
    usual: Collection[Span] = ()

    def before(self, unit: Unit) -> Ints:
        """Return the length of the text before each place."""
        return _join(p.before(unit, p.spans[0]) for p, _ in self.asked)

    def extent(self, unit: Unit, side: Side) -> Ints:
        """Return how much of the text a tagger must read to see the mention, for each place."""
        return _join(p.extent(unit, side) for p, _ in self.asked)

    @cached_property
    def times(self) -> Ints:
        """How often the whole mention was found at each place."""
        return _join(
            np.array([answer.spans.count((a, b)) for a, b in _spans(probe)], dtype=np.int64)
            for probe, answer in self.asked
        )

    @property
    def seen(self) -> Flags:
        """Whether the whole mention was found at each place."""
        seen: Flags = self.times > 0
        return seen

    @cached_property
    def pieces(self) -> list[list[Span]]:
        """Other mentions that overlap each place, without the usual ones."""
        found: list[list[Span]] = []
        for probe, answer in self.asked:
            spans = np.array(answer.spans, dtype=np.int64).reshape(-1, 2)
            for start, end in _spans(probe):
                near = spans[(spans[:, 1] > start) & (spans[:, 0] < end)].tolist()
                others = [(a, b) for a, b in near if (a, b) != (start, end)]
                found.append([(a, b) for a, b in others if (a - start, b - start) not in self.usual])
        return found

    @property
    def odd(self) -> Flags:
        """Return the places where the mention was not found exactly once, or was also found in part."""
        odd: Flags = (self.times != 1) | np.array([bool(found) for found in self.pieces], dtype=bool)
        return odd


def _spans(probe: Probe) -> list[Span]:
    return [(start, start + len(probe.case.mention)) for start in probe.starts]


def _join(parts: Iterable[Ints]) -> Ints:
    found = list(parts)
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
