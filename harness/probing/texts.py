"""Long texts with a case in them, and where the case's mention stands in words and in characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ...sentences.neutral import Order, neutral
from .cases import Case

Ints = NDArray[np.int64]
Unit = Literal["words", "characters"]
"""Words are separated by white space."""
UNITS: tuple[Unit, ...] = get_args(Unit)
Side = Literal["before", "after", "whole"]
"""What is limited: the text up to the mention's end, the text from its beginning on, or the whole text."""


@dataclass(frozen=True)
class Probe:
    """Text that is sent to the tagger.

    Attributes
    ----------
    purpose : str
        What it is sent for.
    case : Case
    text : str
    starts : tuple of int
        Where the case's mention begins, once or several times.
    repeat : int
        How often the same text was sent before.
    """

    purpose: str
    case: Case
    text: str
    starts: tuple[int, ...]
    repeat: int = 0

    @cached_property
    def _words(self) -> Ints:
        return np.array([match.start() for match in re.finditer(r"\S+", self.text)], dtype=np.int64)

    def before(self, unit: Unit, places: Ints) -> Ints:
        """Return the number of units that begin before each place."""
        if unit == "characters":
            return places
        return np.searchsorted(self._words, places, side="left").astype(np.int64)

    def total(self, unit: Unit) -> int:
        """Return the length of the text."""
        return len(self.text) if unit == "characters" else len(self._words)

    @property
    def spans(self) -> tuple[Ints, Ints]:
        """Half-open spans of the mention, in characters."""
        starts = np.array(self.starts, dtype=np.int64)
        return starts, starts + len(self.case.mention)

    def extent(self, unit: Unit, side: Side) -> Ints:
        """Return how much of the text a tagger must read to see the mention, for each place of it."""
        starts, ends = self.spans
        if side == "before":
            return self.before(unit, ends)
        total = self.total(unit)
        return np.full_like(starts, total) if side == "whole" else total - self.before(unit, starts)


def place_case(
    case: Case, purpose: str, before: int, after: int = 0, order: Order = "mixed", turn: int = 0
) -> Probe:
    """Put a case between numbers of neutral words; another `turn` takes other neutral text."""
    # most texts have nothing on one side: no sentence needs to be read for it
    head = neutral(before, order, turn) if before else []
    tail = neutral(after, order, turn, without=head) if after else []
    start = len(" ".join([*head, ""])) + case.start
    return Probe(purpose, case, " ".join([*head, case.text, *tail]), (start,))


def repeat_case(case: Case, shift: int, most: int) -> Probe:
    """Repeat a case's sentence after some neutral words, up to a number of words in all."""
    head = neutral(shift)
    copies = max((most - shift) // case.words, 1)
    first = len(" ".join([*head, ""])) + case.start
    step = len(case.text) + 1
    starts = tuple(range(first, first + copies * step, step))
    return Probe("survey", case, " ".join([*head, *[case.text] * copies]), starts)
