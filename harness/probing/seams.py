"""Seams between the windows in which a tagger reads: there mentions are lost, cut or found twice."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from .cases import Case
from .sightings import Sightings
from .texts import Ints, Probe, Unit, place_case

REGULAR = 0.75
"""Share of distances between seams that must be alike."""
NEAR = 10
"""Words more or less that are tried to bring a case to a seam."""


@dataclass(frozen=True)
class Seam:
    """The first seam, and how far the next one is.

    Attributes
    ----------
    unit : str
    low, high : int
        Part of the text in which the seam lies.
    step : int
        Distance from one seam to the next; 0 where it is not known.
    place : int
        Place in the seam, as the length of the text before it.
    """

    unit: Unit
    low: int
    high: int
    step: int
    place: int


def find_seam(survey: Sightings, case: Case, unit: Unit) -> Seam | None:
    """Return the first seam: places that are not found once and whole, near each other.

    None where the first sentence is lost already, or where three or more such parts of the text do not lie
    at equal distances. Windows that overlap can cut mentions at both ends of what they share.
    """
    odd = survey.odd
    order = np.argsort(survey.before("words")[odd], kind="stable")
    words = survey.before("words")[odd][order]
    begin, end = survey.before(unit)[odd][order], survey.extent(unit, "before")[odd][order]
    parts = np.split(np.arange(len(words)), np.flatnonzero(np.diff(words) > case.words) + 1)
    if words[0] < case.words:
        return None
    starts = np.array([part[0] for part in parts])
    for ends in (1, 2):
        if len(parts) <= 2 or _are_equal(words[starts[ends:]] - words[starts[:-ends]], case.words):
            step = int(np.median(begin[starts[ends:]] - begin[starts[:-ends]])) if len(parts) > 2 else 0
            seam = np.concatenate(parts[:ends])
            place = begin[parts[0][(len(parts[0]) - 1) // 2]]
            return Seam(unit, int(begin[seam].min()), int(end[seam].max()), step, int(place))
    return None


def place_at_seam(case: Case, seam: Seam, rest: int) -> Probe:
    """Put a case into neutral text so that its mention begins at the seam."""

    def before(words: int) -> int:
        probe = place_case(case, "confirmation", words)
        return int(probe.before(seam.unit, probe.spans[0])[0])

    # sentences differ: one word more can be fewer characters
    about = bisect_left(range(rest), seam.place, key=before)
    near = range(max(about - NEAR, 0), min(about + NEAR, rest) + 1)
    words = min(near, key=lambda n: abs(before(n) - seam.place))
    return place_case(case, "confirmation", words, rest - words)


def _are_equal(distances: Ints, tolerance: int) -> bool:
    near = np.abs(distances - np.median(distances)) <= tolerance
    return len(distances) > 1 and float(near.mean()) >= REGULAR
