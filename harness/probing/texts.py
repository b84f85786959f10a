"""Long texts with a case in them, and where the case's mention stands in each unit of length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.text import Kind, TextColumn, runs_of
from ...sentences.neutral import ORDERS, Order, neutral
from .cases import Case

Ints = NDArray[np.int64]
Unit = Literal["words", "tokens", "characters"]
"""Words are what white space divides; of tokens, each mark is one too, but a hyphen or underscore inside."""
UNITS: tuple[Unit, ...] = get_args(Unit)
Side = Literal["before", "after", "whole"]
"""What is limited: the text up to the mention's end, the text from its beginning on, or the whole text."""

_TOKEN = re.compile(r"\w+(?:[-_]\w+)*|\S")


@dataclass(frozen=True)
class Probe:
    """A text that is sent.

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
    def _units(self) -> dict[Unit, tuple[Ints, Ints]]:
        """What `_places` found."""
        return {}

    def _places(self, unit: Unit) -> tuple[Ints, Ints]:
        """Where words or tokens begin and end, in characters; most texts are asked for one of them only."""
        if unit not in self._units:
            if unit == "words":
                self._units[unit] = runs_of(~TextColumn([self.text]).of_kind(Kind.SPACE))
            else:
                spans = [match.span() for match in _TOKEN.finditer(self.text)]
                ends = np.array(spans, dtype=np.int64).reshape(-1, 2)
                self._units[unit] = (ends[:, 0], ends[:, 1])
        return self._units[unit]

    def before(self, unit: Unit, places: Ints) -> Ints:
        """Units that begin before each place."""
        if unit == "characters":
            return places
        return np.searchsorted(self._places(unit)[0], places, side="left").astype(np.int64)

    def next_end(self, unit: Unit, places: Ints) -> Ints:
        """Units of the text up to the end of the first word that ends after each place."""
        ends = self._places("words")[1]
        at = np.minimum(np.searchsorted(ends, places, side="right"), len(ends) - 1)
        return self.before(unit, np.maximum(ends[at], places))

    def previous_start(self, unit: Unit, places: Ints) -> Ints:
        """Units of the text up to the beginning of the last word that begins before each place."""
        starts = self._places("words")[0]
        at = np.maximum(np.searchsorted(starts, places, side="left") - 1, 0)
        return self.before(unit, starts[at])

    def total(self, unit: Unit) -> int:
        """Units of the whole text."""
        return len(self.text) if unit == "characters" else len(self._places(unit)[0])

    @property
    def spans(self) -> tuple[Ints, Ints]:
        """The mention's half-open spans, in characters."""
        starts = np.array(self.starts, dtype=np.int64)
        return starts, starts + len(self.case.mention)

    def extent(self, unit: Unit, side: Side) -> Ints:
        """For each place of the mention, how long a text must be read for it to be seen."""
        starts, ends = self.spans
        if side == "before":
            return self.before(unit, ends)
        total = self.total(unit)
        return np.full_like(starts, total) if side == "whole" else total - self.before(unit, starts)


def placed(
    case: Case, purpose: str, before: int, after: int = 0, order: Order = "mixed", turn: int = 0
) -> Probe:
    """A case with neutral words before and after its sentence."""
    # most texts have nothing on one side: no sentences need be gone through for it
    head = neutral(before, order, turn) if before else []
    tail = neutral(after, order, turn, without=head) if after else []
    start = len(" ".join([*head, ""])) + case.start
    return Probe(purpose, case, " ".join([*head, case.text, *tail]), (start,))


def survey(case: Case, shift: int, most: int) -> Probe:
    """A case's sentence again and again after some neutral words, at most a number of words in all."""
    head = neutral(shift)
    copies = max((most - shift) // case.words, 1)
    first = len(" ".join([*head, ""])) + case.start
    step = len(case.text) + 1
    starts = tuple(range(first, first + copies * step, step))
    return Probe("survey", case, " ".join([*head, *[case.text] * copies]), starts)


def at_extent(case: Case, purpose: str, side: Side, unit: Unit, extent: int, turn: int = 0) -> Probe:
    """A single case whose extent in a unit is as asked, or as near as neutral text can be made.

    `turn` chooses the neutral text: another gives the same extent in other words.
    """
    best = _on_side(case, purpose, side, 0)
    alone = int(best.extent(unit, side)[0])
    rate = max((int(_on_side(case, purpose, side, 400).extent(unit, side)[0]) - alone) / 400, 1.0)
    nearest = abs(extent - alone)
    words = max(round((extent - alone) / rate), 0)
    for own in range(turn, turn + TURNS):
        for shift in _SHIFTS:
            probe = _on_side(case, purpose, side, max(words + shift, 0), "mixed", own)
            gap = extent - int(probe.extent(unit, side)[0])
            if abs(gap) < nearest or not gap:
                best, nearest = probe, abs(gap)
            if gap == 0:
                return probe
            if shift == 0:
                # with this text one word more or less is no longer nearer
                words = max(words + round(gap / rate), 0)
    return best


def lengthened(probe: Probe, words: int, turn: int = 0) -> Probe:
    """A text with more neutral words behind it."""
    return replace(probe, text=" ".join([probe.text, *neutral(words, "mixed", turn)]))


TURNS = 40
"""Neutral texts that are tried for an extent."""
_SHIFTS = (0, 0, 0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6)
"""Words more or less that are tried with each: thrice the number that seems right, which is corrected."""


def _on_side(
    case: Case, purpose: str, side: Side, words: int, order: Order = "mixed", turn: int = 0
) -> Probe:
    """A case with neutral words on the side whose length is looked at."""
    if side == "before":
        return placed(case, purpose, words, 0, order, turn)
    return placed(case, purpose, 0, words, order, turn)


def varied(case: Case, purpose: str, side: Side, near: int) -> Iterator[Probe]:
    """Texts with short words, long words or many marks, of about a number of words."""
    for share in (1.0, 0.9, 1.1, 0.8, 1.25, 0.97, 1.03, 0.7, 1.5, 0.6, 1.8):
        for shift in (0, 1, -1):
            words = round(near * share) + shift
            for order in ORDERS:
                if words >= 0:
                    yield _on_side(case, purpose, side, words, order, 0)
