"""What was seen of a case in the texts that were answered: whole, twice, cut, or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .answers import Answer, Span
from .texts import Ints, Probe, Side, Unit

Flags = NDArray[np.bool_]


@dataclass
class Sightings:
    """The places of a case's mention in some texts, and what the tagger said there.

    Attributes
    ----------
    asked : list of (Probe, Answer)
    usual : collection of (int, int)
        Parts of the mention that the tagger gives beside it when it stands alone, relative to its start:
        they say nothing about windows.
    """

    asked: list[tuple[Probe, Answer]]
    usual: Collection[Span] = ()
    _extents: dict[tuple[Unit, Side], Ints] = field(default_factory=dict, repr=False)

    def extent(self, unit: Unit, side: Side) -> Ints:
        """How long a text must be read for each place to be seen."""
        if (unit, side) not in self._extents:
            self._extents[unit, side] = self._joined(p.extent(unit, side) for p, _ in self.asked)
        return self._extents[unit, side]

    def begin(self, unit: Unit) -> Ints:
        """Units before each place."""
        return self._joined(p.before(unit, p.spans[0]) for p, _ in self.asked)

    @staticmethod
    def _joined(parts: Iterable[Ints]) -> Ints:
        found = list(parts)
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    @cached_property
    def text(self) -> Ints:
        """The text in which each place is, by number."""
        return self._joined(np.full(len(p.starts), i, dtype=np.int64) for i, (p, _) in enumerate(self.asked))

    @cached_property
    def times(self) -> Ints:
        """How often the whole mention was found at each place."""
        parts = []
        for probe, answer in self.asked:
            size = len(probe.case.mention)
            counts: dict[int, int] = {}
            for start, end in answer.spans:
                if end - start == size:
                    counts[start] = counts.get(start, 0) + 1
            parts.append(np.array([counts.get(s, 0) for s in probe.starts], dtype=np.int64))
        return self._joined(parts)

    @property
    def seen(self) -> Flags:
        """Whether the whole mention was found at each place."""
        seen: Flags = self.times > 0
        return seen

    @cached_property
    def pieces(self) -> list[list[Span]]:
        """What else overlaps each place, but what is usual."""
        found: list[list[Span]] = []
        for probe, answer in self.asked:
            spans = np.array(answer.spans, dtype=np.int64).reshape(-1, 2)
            size = len(probe.case.mention)
            for start in probe.starts:
                near = spans[(spans[:, 1] > start) & (spans[:, 0] < start + size)]
                pairs = [(int(a), int(b)) for a, b in near.tolist()]
                found.append(
                    [
                        (a, b)
                        for a, b in pairs
                        if (a, b) != (start, start + size) and (a - start, b - start) not in self.usual
                    ]
                )
        return found

    def cuts(self, unit: Unit) -> tuple[Ints, Ints]:
        """Where mentions are cut: the end of what was read of them, and the beginning.

        Returns
        -------
        tuple of arrays
            Rows of place (index), low, high: a window ends (begins) within low to high, both included.
        """
        ends: list[tuple[int, int, int]] = []
        begins: list[tuple[int, int, int]] = []
        place = 0
        for probe, _ in self.asked:
            size = len(probe.case.mention)
            for start in probe.starts:
                for a, b in self.pieces[place]:
                    if a == start and b < start + size:
                        at = np.array([b])
                        low, high = probe.before(unit, at)[0], probe.next_end(unit, at)[0] - 1
                        ends.append((place, int(low), max(int(low), int(high))))
                    elif b == start + size and a > start:
                        at = np.array([a])
                        low, high = probe.previous_start(unit, at)[0] + 1, probe.before(unit, at)[0]
                        begins.append((place, min(int(low), int(high)), int(high)))
                place += 1
        return (
            np.array(ends, dtype=np.int64).reshape(-1, 3),
            np.array(begins, dtype=np.int64).reshape(-1, 3),
        )

    @cached_property
    def odd(self) -> Flags:
        """Places at which the mention was not found once and whole, or was found cut too."""
        cut = np.zeros(len(self.times), dtype=bool)
        for rows in self.cuts("words"):
            cut[rows[:, 0]] = True
        odd: Flags = (self.times != 1) | cut
        return odd
