"""How far a tagger reads: the same case at many places of neutral text, and what explains where it is found.

A survey comes first: texts that are nothing but the case's sentence, so that one text tells of hundreds of
places. What it suggests is only believed when single cases in neutral text say the same, on both sides of
each edge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...catalogues.core.errors import InputError
from ..running.outcomes import ANSWERED
from ..running.tagger import Tagger
from .answers import Answer, Answers, OutOfCallsError, Span
from .cases import TRIES, Case, chosen_cases, read_cases
from .findings import Length
from .limits import Bracket, brackets, next_probe
from .options import LengthOptions
from .sightings import Sightings
from .texts import Ints, Probe, Side, at_extent, lengthened, placed, survey
from .windows import Windows, fit_windows, unexplained

PERIOD = 12
"""Words of a sentence up to which each place is surveyed; of a longer one, each at which it can be cut."""
GRID_CASES, GRID_PLACES = 5, 8
"""Cases and places that are tried where no limit and no windows explain what is lost."""
ATTEMPTS = 3
"""How often a limit is looked for again when what should confirm it did not."""
SURE = 0.01
"""Probability of a fall by chance below which it is called a decay."""


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
        Keeps the answers: a probe that stopped goes on there, and no text is sent twice.
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
    return _Probing(tagger, Answers(tagger, folder, options.calls, say), cases, options.most).found()


class _Probing:
    """A probe while it is made."""

    def __init__(self, tagger: Tagger, answers: Answers, cases: list[Case], most: int) -> None:
        self.answers, self.cases, self.most = answers, cases, most
        self.usual: frozenset[Span] = frozenset()
        self.alone = self._alone(tagger)
        self.case = self.alone.asked[0][0].case
        self.usual = frozenset((a - self.case.start, b - self.case.start) for a, b in self.alone.pieces[0])
        self.rest = most - self.case.words
        self.result = Length(tagger.label, "undecided", self.case, most)
        self.unstable = False

    def found(self) -> Length:
        result = self.result
        try:
            self._decide()
        except OutOfCallsError:
            result.kind = "undecided"
            result.bracket = result.windows = None
        result.calls = len(self.answers.asked)
        # what is usual is known of the case alone: other cases only tell whether they were found
        result.sightings = Sightings(
            [(p, a) for p, a in self.answers.asked if p.case == self.case], self.usual
        )
        return result

    def _alone(self, tagger: Tagger) -> Sightings:
        """The first case that is found alone, with the parts of its mention that are given beside it."""
        outcomes = set()
        for case in self.cases[:TRIES]:
            one = self._look([placed(case, "alone", 0)])
            outcomes.add(one.asked[0][1].outcome)
            if one.seen[0]:
                return one
        tried = min(len(self.cases), TRIES)
        raise InputError(
            "the tagger finds the mention of none of the cases, even where they stand alone",
            file=tagger.path,
            found=f"{tried} cases tried ({', '.join(sorted(outcomes))})",
            allowed="--suite with cases that it finds",
        )

    def _look(self, probes: list[Probe]) -> Sightings:
        answers: list[Answer] = self.answers.ask(probes)
        return Sightings(list(zip(probes, answers, strict=True)), self.usual)

    def _with(self, *parts: Sightings) -> Sightings:
        return Sightings([one for part in parts for one in part.asked], self.usual)

    def _decide(self) -> None:
        ends = self._look(
            [placed(self.case, "end", 0, self.rest), placed(self.case, "end", self.rest, 0, turn=1)]
        )
        front, back = (bool(flag) for flag in ends.seen)
        ends = self._with(self.alone, ends)
        overview = self._survey()
        if self.unstable:
            return
        side: Side | None = None if front and back else "before" if front else "after" if back else "whole"
        if overview is not None:
            if (
                side
                and brackets(self._with(ends, overview), side)
                and self._limit(side, self._with(ends, overview))
            ):
                return
            self.result.fits = fit_windows(overview)
            for windows in self.result.fits:
                confirmed = self._confirmed(windows, overview) if windows.wrong * 2 < windows.odd else None
                if confirmed is not None:
                    self.result.kind, self.result.windows = "windows", confirmed
                    self.result.fits = [
                        confirmed if one.unit == windows.unit else one for one in self.result.fits
                    ]
                    return
        if side:
            if self._limit(side, ends, overview):
                return
        elif overview is None or not overview.odd.any():
            quarters = [
                placed(self.case, "confirmation", self.rest * i // 4, 0, turn=1 + i) for i in (1, 2, 3)
            ]
            if self._look(quarters).seen.all():
                self.result.kind = "no limit"
                self._note_windows()
                return
        if not self.unstable:
            self._grid()

    def _survey(self) -> Sightings | None:
        """The case everywhere; None where the tagger gives no answer to such texts."""
        period = self.case.words
        step = 1 if period <= PERIOD else max(self.case.length - 1, 1)
        probes = [survey(self.case, shift, self.most) for shift in range(0, period, step)][:PERIOD]
        found = self._look(probes)
        if any(answer.outcome not in ANSWERED for _, answer in found.asked):
            self.result.notes.append("texts that repeat the case got no answer: seams were not looked for")
            return None
        self._again([probes[0]], [found.asked[0][1]])
        return found

    def _again(self, probes: list[Probe], answers: list[Answer]) -> None:
        """Send texts a second time; the tagger is unstable where what was seen is another."""
        first = Sightings(list(zip(probes, answers, strict=True)), self.usual)
        second = self._look([replace(p, purpose="again", repeat=1) for p in probes])
        differ = (first.times != second.times) | (first.odd != second.odd)
        if differ.any():
            self.unstable = True
            self.result.kind = "unstable"
            self.result.changed = float(differ.mean())

    def _limit(self, side: Side, known: Sightings, others: Sightings | None = None) -> bool:
        """Whether a limit explains what is known; the result then has it. Also true where answers change.

        `others` are places whose loss says nothing: a tagger may name a case once that a text repeats.
        """
        sent = {probe.text for probe, _ in known.asked}
        alive = brackets(known, side, others)
        edges: list[tuple[Probe, Answer]] = []
        for attempt in range(ATTEMPTS):
            while alive:
                probe = next_probe(alive, self.case, side)
                if probe is None or probe.text in sent:
                    break
                sent.add(probe.text)
                known = self._with(known, self._look([probe]))
                alive = brackets(known, side, others)
            if not alive:
                return False
            one = alive[0]
            known = self._with(known, self._look(self._around(one, side, known, attempt)))
            edges = known.asked[-2:]
            alive = brackets(known, side, others)
            if one in alive:
                break
        self._again([p for p, _ in edges], [a for _, a in edges])
        if self.unstable:
            return True
        if not alive:
            return False
        self.result.kind, self.result.side, self.result.bracket = "cut-off", side, alive[0]
        if alive[0].misses:
            self.result.notes.append(f"{alive[0].misses} places before the limit were lost too")
        as_well = [b.unit for b in brackets(known, side, others) if b.unit != alive[0].unit]
        if as_well:
            self.result.notes.append(f"{' and '.join(as_well)} would explain it as well")
        return True

    def _around(self, one: Bracket, side: Side, known: Sightings, attempt: int) -> list[Probe]:
        """Texts that confirm a limit: far from it on both sides, and last, in other words, next to it."""
        extent = known.extent(one.unit, side)
        places = [
            (one.found + int(extent.min())) // 2,
            (one.lost + int(extent.max())) // 2,
            one.found,
            one.lost,
        ]
        return [
            at_extent(self.case, "confirmation", side, one.unit, place, turn=100 * (attempt + 1) + i)
            for i, place in enumerate(places)
        ]

    def _confirmed(self, windows: Windows, overview: Sightings) -> Windows | None:
        """The windows, or those like them, whose seams single cases in neutral text show too."""
        twice = bool((overview.times > 1).any())
        size = int((self.alone.extent(windows.unit, "before") - self.alone.begin(windows.unit))[0])
        total = min(p.total(windows.unit) for p, _ in overview.asked)
        open_ = [windows, *(replace(windows, size=a, step=b, alike=()) for a, b in windows.alike)]
        seen = Sightings([], self.usual)
        asked: set[int] = set()
        while open_:
            places = [p for p in _turning(open_[0], size, total, twice=twice) if p not in asked]
            if not places:
                break
            seen = self._with(seen, self._look([self._inside(windows, place, size) for place in places]))
            asked |= set(places)
            open_ = [one for one in open_ if not unexplained(one, seen, twice=twice)]
        if not open_ or not asked or not seen.odd.any():
            return None
        if len(open_) > 1:
            sizes, shared = [one.size for one in open_], [one.overlap for one in open_]
            self.result.notes.append(
                f"windows of {min(sizes):,} to {max(sizes):,} {windows.unit} with an overlap of "
                f"{min(shared):,} to {max(shared):,} explain it alike"
            )
        for fit in self.result.fits:
            as_good = fit.unit != windows.unit and fit.wrong == windows.wrong
            if as_good and not unexplained(fit, seen, twice=twice):
                words = f"{fit.size:,} {fit.unit} with an overlap of {fit.overlap:,}"
                self.result.notes.append(f"windows of {words} would explain it as well")
        return open_[0]

    def _inside(self, windows: Windows, place: int, size: int) -> Probe:
        """A single case whose mention has a number of units before it, in a text of full length."""
        one = at_extent(self.case, "confirmation", "before", windows.unit, place + size, turn=place)
        return lengthened(one, max(self.most - one.total("words"), 0), turn=place + 1)

    def _note_windows(self) -> None:
        if self.case.length < 2:
            self.result.notes.append("the mention is one word: windows that share nothing cannot cut it")
        else:
            self.result.notes.append(
                f"windows that share at least {self.case.length - 1} words and whose answers are merged "
                "leave no trace, and lose nothing"
            )

    def _grid(self) -> None:
        """Several cases at places from the beginning to the end, which show a decay."""
        from scipy.stats import kendalltau

        cases = [self.case]
        for case in self.cases[: 2 * TRIES]:
            if len(cases) == GRID_CASES:
                break
            other = case.mention not in {one.mention for one in cases}
            if other and self._look([placed(case, "alone", 0)]).seen[0]:
                cases.append(case)
        places = np.linspace(0, self.most - max(case.words for case in cases), GRID_PLACES).astype(np.int64)
        probes = [
            placed(case, "grid", place, self.most - case.words - place, turn=i)
            for i, case in enumerate(cases)
            for place in places.tolist()
        ]
        seen = self._look(probes).seen
        at = np.tile(np.arange(GRID_PLACES), len(cases))
        shares = [float(seen[at == i].mean()) for i in range(GRID_PLACES)]
        words = ", ".join(f"{share:.0%}" for share in shares)
        self.result.notes.append(
            f"{len(cases)} cases at {GRID_PLACES} places from first to last: found {words}"
        )
        if len(cases) == 1:
            self.result.notes.append(
                "only one case is found alone: more would tell a decay more surely (--suite)"
            )
        fall = kendalltau(at, seen, alternative="less").pvalue if seen.any() and not seen.all() else 1.0
        self.result.kind = "decay" if fall < SURE else "irregular"


def _turning(windows: Windows, size: int, total: int, *, twice: bool) -> list[int]:
    """Places on both sides of which windows show a mention otherwise, at the first and the last seam."""
    last = (total - windows.size) // windows.step * windows.step + windows.size - size
    begin = np.arange(max(last + 1, 0), dtype=np.int64)
    end = begin + size
    holding = windows.holding(begin, end)
    shown: Ints = np.minimum(holding, 2 if twice else 1) * 4
    shown = shown + (windows.ending(begin, end) >= 0) * 2 + (windows.beginning(begin, end) >= 0)
    turns = np.flatnonzero(np.diff(shown)) + 1
    chosen = [*turns[:4].tolist(), *turns[4:][-2:].tolist()]
    return sorted({place for turn in chosen for place in (turn - 1, turn)})
