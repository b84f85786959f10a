"""Length probe: measure how much of a text a tagger reads, by placing one case in neutral text.

First, the probe sends texts that repeat the sentence of the case, so that each text tests hundreds of
positions and reveals boundaries between windows. Then it finds the maximum text length by bisection, with
one case in neutral text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...catalogues.core.errors import InputError
from ...sentences.neutral import note_named_sentences
from ..running.outcomes import ANSWERED_OUTCOMES
from ..running.tagger import Tagger
from . import LengthOptions
from .calls import CallLimitError, ProbeSession, Span
from .findings import LengthResult, Limit, Observations, Seam
from .texts import IntArray, Probe, ProbeCase, Side, load_cases, place_case, repeat_case

MAX_TRIED_CASES = 12
"""Maximum number of cases to try until the tagger finds a mention without surrounding text."""
MAX_SURVEY_TEXTS = 12
"""Maximum number of texts that repeat the case; each begins with one more neutral word than the last."""
MIN_REGULAR_SHARE = 0.75
"""Minimum share of equal distances between boundaries that counts as a sign of text windows."""


def probe_length(
    tagger: Tagger,
    folder: Path,
    options: LengthOptions,
    suite: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> LengthResult:
    """Measure how much of a text a tagger reads.

    Parameters
    ----------
    tagger : Tagger
        Tagger to measure.
    folder : Path
        Folder for the answers, from which an interrupted probe is resumed.
    options : LengthOptions
        Options of the probe.
    suite : str
        Suite folder or ``FORMAT:PATH`` with the cases to use; the bundled cases if empty.
    say : callable
        Function called with each progress message.

    Raises
    ------
    InputError
        If the tagger does not find the mention of any case without surrounding text, or the folder contains
        the answers of another tagger.
    """
    calls = ProbeSession(tagger, folder, options.calls, say)
    return _LengthProbe(tagger, calls, load_cases(suite, options.case), options.most).measure_length()


class _LengthProbe:
    def __init__(self, tagger: Tagger, calls: ProbeSession, cases: list[ProbeCase], most: int) -> None:
        self.calls = calls
        self.usual_spans: frozenset[Span] = frozenset()
        self.case = self._choose_case(tagger, cases)
        self.neutral_words = most - self.case.word_count
        self.result = LengthResult(tagger.label, "undecided", self.case, most)
        if self.case.avoid:
            self.result.notes.append(note_named_sentences(self.case.avoid))

    def measure_length(self) -> LengthResult:
        result = self.result
        try:
            self._determine_kind()
        except CallLimitError:
            result.kind = "undecided"
        result.call_count = len(self.calls.calls)
        # other cases were only tested alone
        own = [call for call in self.calls.calls if call.probe.case == self.case]
        result.observations = Observations(own, self.usual_spans)
        return result

    def _choose_case(self, tagger: Tagger, cases: list[ProbeCase]) -> ProbeCase:
        """Return the first case whose mention is found if the case is sent alone; set `usual_spans`."""
        outcomes = set()
        for case in cases[:MAX_TRIED_CASES]:
            alone = self._send_probes([place_case(case, "alone", 0)])
            outcomes.add(alone.calls[0].outcome)
            if alone.found_flags[0]:
                found = alone.partial_spans[0]
                self.usual_spans = frozenset((a - case.start, b - case.start) for a, b in found)
                return case
        raise InputError(
            "the tagger finds no mention even in texts with a single case; use another suite",
            file=tagger.path,
            found=f"{min(len(cases), MAX_TRIED_CASES)} cases tried ({', '.join(sorted(outcomes))})",
        )

    def _send_probes(self, probes: list[Probe]) -> Observations:
        return Observations(self.calls.send_probes(probes), self.usual_spans)

    def _determine_kind(self) -> None:
        first = place_case(self.case, "end", 0, self.neutral_words)
        last = place_case(self.case, "end", self.neutral_words, turn=1)
        ends = self._send_probes([first, last])
        survey = self._survey()
        if self._is_unstable(ends if survey is None else survey):
            return
        front, back = (bool(flag) for flag in ends.found_flags)
        side: Side = "before" if front else "after" if back else "whole"
        if not (front and back) and self._has_limit(side, survey):
            return
        if survey is not None and survey.irregular_flags.any():
            self.result.kind = "windows" if self._has_seam(survey) else "irregular"
        elif front and back and self._is_found_between():
            self.result.kind = "no limit"
        else:
            self.result.kind = "irregular"

    def _survey(self) -> Observations | None:
        """Send texts that repeat the case; return the answers, or None if one of them is unusable."""
        shifts = range(min(self.case.word_count, MAX_SURVEY_TEXTS))
        longest = self.neutral_words + self.case.word_count
        found = self._send_probes([repeat_case(self.case, n, longest) for n in shifts])
        if all(call.outcome in ANSWERED_OUTCOMES for call in found.calls):
            return found
        self.result.notes.append(
            "texts that repeat the case got no answer, so window boundaries were not tested"
        )
        return None

    def _is_unstable(self, known: Observations) -> bool:
        """Send a text a second time; return True if the predictions differ from the first time."""
        first = Observations(known.calls[:1], self.usual_spans)
        second = self._send_probes([replace(known.calls[0].probe, purpose="again", repeat=1)])
        differ = (first.counts != second.counts) | (first.irregular_flags != second.irregular_flags)
        self.result.changed_share = float(differ.mean())
        if differ.any():
            self.result.kind = "unstable"
        return bool(differ.any())

    def _has_limit(self, side: Side, survey: Observations | None) -> bool:
        limit = self._find_limit(side)
        # a case that was found far beyond the limit contradicts it
        if limit is None or (
            survey is not None and (survey.count_words_read(side)[survey.found_flags] > 2 * limit.words).any()
        ):
            return False
        self.result.kind, self.result.limit = "cut-off", limit
        return True

    def _find_limit(self, side: Side) -> Limit | None:
        """Return the maximum text length that the tagger reads, found by bisection.

        Returns None if the tagger misses the mention in a shorter text or finds it in a longer one.
        """

        def text(purpose: str, words: int, turn: int = 0) -> Probe:
            before, after = (words, 0) if side == "before" else (0, words)
            return place_case(self.case, purpose, before, after, turn)

        low, high = 0, self.neutral_words
        while high - low > 1:
            middle = (low + high) // 2
            if self._send_probes([text("bisection", middle)]).found_flags[0]:
                low = middle
            else:
                high = middle
        far = [text("confirmation", n, turn=1) for n in (low // 2, (high + self.neutral_words) // 2)]
        edges = [text("confirmation", n) for n in (low, high)]
        if self._send_probes([*far, *edges]).found_flags.tolist() != [True, False, True, False]:
            return None
        return Limit(side, int(edges[0].count_words_read(side)[0]), edges[0].count_characters(side))

    def _has_seam(self, survey: Observations) -> bool:
        """Return True if the survey shows a boundary, and a further text or equal distances confirm it."""
        self.result.seam = seam = find_seam(survey, self.case)
        if seam is None:
            return False
        words = max(seam.position - len(self.case.text[: self.case.start].split()), 0)
        alone = place_case(self.case, "confirmation", words, self.neutral_words - words)
        if self._send_probes([alone]).irregular_flags[0]:
            return True
        if not seam.step:
            self.result.seam = None
            return False
        self.result.notes.append("the window boundaries appear only in texts that repeat the case")
        return True

    def _is_found_between(self) -> bool:
        words = [self.neutral_words * i // 4 for i in (1, 2, 3)]
        found = self._send_probes([place_case(self.case, "confirmation", n, turn=n) for n in words])
        self.result.notes.append(
            "windows cannot be detected if they overlap by at least the length of the mention and their "
            "results are merged"
        )
        return bool(found.found_flags.all())


def find_seam(survey: Observations, case: ProbeCase) -> Seam | None:
    """Return the first boundary between windows; None if the errors do not look like window boundaries.

    At a boundary, mentions are missed, split or predicted more than once. Returns None if such an error is
    in the first sentence, or if errors occur in three or more areas at unequal distances. Windows that
    overlap can cause errors at both ends of the overlap.
    """
    odd = survey.irregular_flags
    order = np.argsort(survey.words_before[odd], kind="stable")
    begin, end = survey.words_before[odd][order], survey.count_words_read("before")[odd][order]
    if begin[0] < case.word_count:
        return None
    parts = np.split(np.arange(len(begin)), np.flatnonzero(np.diff(begin) > case.word_count) + 1)
    starts = np.array([part[0] for part in parts])
    for ends in (1, 2):
        distances = begin[starts[ends:]] - begin[starts[:-ends]]
        if len(parts) <= 2 or _are_equal(distances, case.word_count):
            step = int(np.median(distances)) if len(parts) > 2 else 0
            seam = np.concatenate(parts[:ends])
            place = begin[parts[0][(len(parts[0]) - 1) // 2]]
            return Seam(int(begin[seam].min()), int(end[seam].max()), step, int(place))
    return None


def _are_equal(distances: IntArray, tolerance: int) -> bool:
    near = np.abs(distances - np.median(distances)) <= tolerance
    return len(distances) > 1 and float(near.mean()) >= MIN_REGULAR_SHARE
