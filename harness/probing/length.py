"""How far a tagger reads: the same case at many places of neutral text.

A survey comes first: texts that repeat the case's sentence, so that one text shows hundreds of places. It
shows seams between windows. A limit is found by bisection with single cases in neutral text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ...catalogues.core.errors import InputError
from ...sentences.neutral import Order
from ..running.outcomes import ANSWERED
from ..running.tagger import Tagger
from . import LengthOptions
from .calls import Calls, OutOfCallsError, Span
from .findings import Length, Limit, Seam, Sightings
from .texts import UNITS, Case, Ints, Probe, Side, Unit, load_cases, place_case, repeat_case

TRIES = 12
"""Cases that are tried before a tagger is said to find none."""
MOST_SURVEYS = 12
"""Texts of the survey: each place of a sentence of at most as many words is seen."""
OTHER_TEXTS: tuple[Order, ...] = ("long", "broken")
"""Texts with longer words, and with more marks, than those of the bisection: they tell units apart."""
REGULAR = 0.75
"""Share of distances between seams that must be alike."""
NEAR = 10
"""Words more or less that are tried to bring a case to a seam."""


def probe_length(
    tagger: Tagger,
    folder: Path,
    options: LengthOptions,
    suite: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> Length:
    """Find out how far a tagger reads.

    Parameters
    ----------
    tagger : Tagger
    folder : Path
        Keeps the answers: a probe that stopped is resumed there, and no text is sent twice.
    options : LengthOptions
    suite : str
        A suite folder or ``FORMAT:PATH`` with the cases to use; those of tagsuite when empty.
    say : callable
        Called with a line about what is done.

    Raises
    ------
    InputError
        When the tagger finds none of the cases alone, or the folder holds a probe of another tagger.
    """
    calls = Calls(tagger, folder, options.calls, say)
    return _Probing(tagger, calls, load_cases(suite, options.case), options.most).find()


class _Probing:
    """A probe while it is made."""

    def __init__(self, tagger: Tagger, calls: Calls, cases: list[Case], most: int) -> None:
        self.calls = calls
        self.usual: frozenset[Span] = frozenset()
        self.case = self._choose_case(tagger, cases)
        self.rest = most - self.case.words
        self.result = Length(tagger.label, "undecided", self.case, most)

    def find(self) -> Length:
        result = self.result
        try:
            self._decide()
        except OutOfCallsError:
            result.kind = "undecided"
        result.calls = len(self.calls.made)
        # other cases were only tried alone
        own = [call for call in self.calls.made if call.probe.case == self.case]
        result.sightings = Sightings(own, self.usual)
        return result

    def _choose_case(self, tagger: Tagger, cases: list[Case]) -> Case:
        """Return the first case that is found alone, and note which parts of its mention are found too."""
        outcomes = set()
        for case in cases[:TRIES]:
            alone = self._look([place_case(case, "alone", 0)])
            outcomes.add(alone.calls[0].outcome)
            if alone.seen[0]:
                self.usual = frozenset((a - case.start, b - case.start) for a, b in alone.pieces[0])
                return case
        raise InputError(
            "the tagger finds the mention of none of the cases, even where they stand alone",
            file=tagger.path,
            found=f"{min(len(cases), TRIES)} cases tried ({', '.join(sorted(outcomes))})",
            allowed="--suite with cases that it finds",
        )

    def _look(self, probes: list[Probe]) -> Sightings:
        return Sightings(self.calls.make(probes), self.usual)

    def _decide(self) -> None:
        ends = self._look(
            [place_case(self.case, "end", 0, self.rest), place_case(self.case, "end", self.rest, turn=1)]
        )
        survey = self._survey()
        if self._is_unstable(ends if survey is None else survey):
            return
        front, back = (bool(flag) for flag in ends.seen)
        if not (front and back) and self._has_limit(
            "before" if front else "after" if back else "whole", survey
        ):
            return
        if survey is not None and survey.odd.any():
            self.result.kind = "windows" if self._has_seam(survey) else "irregular"
        elif front and back and self._finds_between():
            self.result.kind = "no limit"
        else:
            self.result.kind = "irregular"

    def _survey(self) -> Sightings | None:
        """Look at the case everywhere; None where the tagger gives no answer to such texts."""
        shifts = range(min(self.case.words, MOST_SURVEYS))
        found = self._look([repeat_case(self.case, n, self.rest + self.case.words) for n in shifts])
        if all(call.outcome in ANSWERED for call in found.calls):
            return found
        self.result.notes.append("texts that repeat the case got no answer: seams were not looked for")
        return None

    def _is_unstable(self, known: Sightings) -> bool:
        """Send a text again; return True if the case is found at other places."""
        first = Sightings(known.calls[:1], self.usual)
        second = self._look([replace(known.calls[0].probe, purpose="again", repeat=1)])
        differ = (first.times != second.times) | (first.odd != second.odd)
        self.result.changed = float(differ.mean())
        if differ.any():
            self.result.kind = "unstable"
        return bool(differ.any())

    def _has_limit(self, side: Side, survey: Sightings | None) -> bool:
        limit = LimitSearch(self._look, self.case, side, self.rest).find()
        if limit is None or (survey is not None and _reaches_beyond(survey, limit)):
            return False
        self.result.kind, self.result.limit = "cut-off", limit
        if not limit.is_certain:
            self.result.notes.append(
                "other texts have another limit, in words and in characters: it is counted in another unit, "
                "such as word pieces"
            )
        return True

    def _has_seam(self, survey: Sightings) -> bool:
        """Return True if a single case in neutral text shows the seam too, or distances are equal."""
        for unit in UNITS:
            seam = find_seam(survey, self.case, unit)
            if seam and self._look([place_at_seam(self.case, seam, self.rest)]).odd[0]:
                self.result.seam = seam
                return True
        seam = find_seam(survey, self.case, "words")
        if seam is None or not seam.step:
            return False
        self.result.seam = seam
        self.result.notes.append("only texts that repeat the case show the seams")
        return True

    def _finds_between(self) -> bool:
        words = [self.rest * i // 4 for i in (1, 2, 3)]
        found = self._look([place_case(self.case, "confirmation", n, turn=n) for n in words])
        self.result.notes.append(
            "windows whose overlap is as long as the mention, and whose answers are merged, leave no trace"
        )
        return bool(found.seen.all())


def _reaches_beyond(survey: Sightings, limit: Limit) -> bool:
    """Return True if the survey found a case far beyond the limit."""
    found = survey.extent(limit.unit, limit.side)[survey.seen]
    return bool((found > 2 * limit.lost).any())


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
