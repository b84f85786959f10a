"""A length up to which a tagger reads: in which unit it is, and between which two numbers it lies."""

from __future__ import annotations

from dataclasses import dataclass

from .cases import Case
from .sightings import Sightings
from .texts import UNITS, Probe, Side, Unit, at_extent, varied


@dataclass(frozen=True)
class Bracket:
    """Where a limit lies.

    Attributes
    ----------
    unit : str
    found : int
        The longest extent at which the case was found.
    lost : int
        The shortest beyond it at which it was not.
    misses : int
        Places nearer than `found` at which it was not found.
    """

    unit: Unit
    found: int
    lost: int
    misses: int = 0

    @property
    def exact(self) -> bool:
        """Whether nothing lies between them."""
        return self.lost - self.found == 1


def brackets(sightings: Sightings, side: Side, others: Sightings | None = None) -> list[Bracket]:
    """The units in which a limit explains what was seen: all that is longer is lost, and hardly else.

    A tagger may miss a case here and there; what is beyond its limit it never finds. The units are those that
    leave least misses. Of `others` only counts what was found, not what was lost.
    """
    alive: list[Bracket] = []
    seen = sightings.seen
    for unit in UNITS:
        extent = sightings.extent(unit, side)
        if not seen.any() or seen.all():
            continue
        found = int(extent[seen].max())
        if others is not None and others.seen.any():
            found = max(found, int(others.extent(unit, side)[others.seen].max()))
        beyond = extent[extent > found]
        misses = int((~seen & (extent <= found)).sum())
        if len(beyond) and misses <= MISSES * int((extent <= found).sum()):
            alive.append(Bracket(unit, found, int(beyond.min()), misses))
    least = min((one.misses for one in alive), default=0)
    return [one for one in alive if one.misses == least]


MISSES = 0.05
"""Share of the places before a limit that may be lost: beyond a larger one it is no limit."""


def next_probe(alive: list[Bracket], case: Case, side: Side) -> Probe | None:
    """The text that tells most: halves what is open, or tells two units apart; None where nothing is open."""
    first = alive[0]
    if not first.exact:
        return at_extent(case, "bisection", side, first.unit, (first.found + first.lost) // 2)
    if len(alive) > 1:
        near = max(first.found - case.words, 1) if first.unit == "words" else 0
        if not near:
            near = max(at_extent(case, "unit", side, first.unit, first.found).text.count(" "), 1)
        for probe in varied(case, "unit", side, near):
            if len({_told(probe, one, side) for one in alive} - {None}) > 1:
                return probe
    return None


def _told(probe: Probe, one: Bracket, side: Side) -> bool | None:
    """Whether a limit within a bracket lets a text be found; None where that is open."""
    extent = int(probe.extent(one.unit, side)[0])
    return True if extent <= one.found else False if extent >= one.lost else None
