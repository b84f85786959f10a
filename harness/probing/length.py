"""How far a tagger reads: the same case at many places of neutral text.

A survey comes first: texts that repeat the case's sentence, so that one text shows hundreds of places. It
shows seams between windows. A limit is found by bisection with single cases in neutral text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ...catalogues.core.errors import InputError
from ..running.outcomes import ANSWERED
from ..running.tagger import Tagger
from .answers import Answers, OutOfCallsError, Span
from .cases import TRIES, Case, chosen_cases, read_cases
from .findings import Length
from .limits import Limit, LimitSearch
from .options import LengthOptions
from .seams import find_seam, place_at_seam
from .sightings import Sightings
from .texts import UNITS, Probe, Side, place_case, repeat_case

MOST_SURVEYS = 12
"""Texts of the survey: each place of a sentence of at most as many words is seen."""


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
    cases = chosen_cases(read_cases(suite), options.case, suite)
    answers = Answers(tagger, folder, options.calls, say)
    return _Probing(tagger, answers, cases, options.most).find()


class _Probing:
    """A probe while it is made."""

    def __init__(self, tagger: Tagger, answers: Answers, cases: list[Case], most: int) -> None:
        self.answers = answers
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
        result.calls = len(self.answers.asked)
        # other cases were only tried alone
        asked = [(probe, answer) for probe, answer in self.answers.asked if probe.case == self.case]
        result.sightings = Sightings(asked, self.usual)
        return result

    def _choose_case(self, tagger: Tagger, cases: list[Case]) -> Case:
        """Return the first case that is found alone, and note which parts of its mention are found too."""
        outcomes = set()
        for case in cases[:TRIES]:
            alone = self._look([place_case(case, "alone", 0)])
            outcomes.add(alone.asked[0][1].outcome)
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
        return Sightings(list(zip(probes, self.answers.ask(probes), strict=True)), self.usual)

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
        if all(answer.outcome in ANSWERED for _, answer in found.asked):
            return found
        self.result.notes.append("texts that repeat the case got no answer: seams were not looked for")
        return None

    def _is_unstable(self, known: Sightings) -> bool:
        """Send a text again; return True if the case is found at other places."""
        probe = known.asked[0][0]
        first = Sightings(known.asked[:1], self.usual)
        second = self._look([replace(probe, purpose="again", repeat=1)])
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
