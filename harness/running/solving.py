"""One shard to its end: attempts, halving where they fail, until every case has its outcome."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.tables import printable
from .attempts import Attempt, attempt
from .cases import Batch, Places
from .gathering import gathered
from .outcomes import NAMES
from .placed import Parts, Placed, no_parts
from .processes import KEPT, Guard
from .slots import STARTS, CannotStart, Slots, Verdict
from .tagger import Tagger

CODE = {name: i for i, name in enumerate(NAMES)}
PROBES = 8
"""Cases spread over a shard that are tried alone before a shard without any success is given up."""
ALONE = 6
"""Cases that must have failed alone, without any success, before that."""


@dataclass
class Failure:
    """Why some case has an outcome other than ok."""

    place: int
    outcome: str
    said: str
    stderr: str
    found: str = ""


@dataclass
class Solved:
    """A shard with an outcome for every case.

    Attributes
    ----------
    case, start, end, score : arrays
        Mentions, by places of the shard, sorted by case, start, end, fragments, type.
    type : array of int32
        Place in `types`.
    types : list of str
        Sorted; after the type map.
    outcome : array of int8
        A place in `outcomes.NAMES`.
    way, unplaced : arrays
        As in `Placed`.
    failures : list of Failure
    strays : int
        Records of output that belong to no case.
    parts : array of int64
        Fragments of discontinuous mentions, as in `Placed`.
    merged : int
        Mentions that were made one with another of the same text, span and type.
    unmapped : dict
        Types that the type map does not know or drops, with their number.
    dropped : list of str
        Those that it drops.
    codes : dict
        Exit codes and how many processes ended so.
    stderr : bytes
    attempts, seconds, peak_mb :
        For timings.json.
    """

    case: Places
    start: Places
    end: Places
    type: NDArray[np.int32]
    types: list[str]
    score: NDArray[np.float64]
    outcome: NDArray[np.int8]
    way: NDArray[np.int8]
    unplaced: NDArray[np.int32]
    parts: Parts = field(default_factory=no_parts)
    failures: list[Failure] = field(default_factory=list)
    strays: int = 0
    merged: int = 0
    unmapped: dict[str, int] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    stderr: bytes = b""
    attempts: int = 0
    seconds: float = 0.0
    peak_mb: float = 0.0


class _Solver:
    def __init__(self, tagger: Tagger, batch: Batch, guard: Guard, slots: Slots, scratch: Path) -> None:
        self.tagger, self.batch, self.guard, self.slots, self.scratch = tagger, batch, guard, slots, scratch
        count = len(batch)
        self.outcome = np.full(count, -1, dtype=np.int8)
        self.way = np.full(count, -1, dtype=np.int8)
        self.unplaced = np.zeros(count, dtype=np.int32)
        self.parts: list[tuple[Places, Placed]] = []
        self.failures: list[Failure] = []
        self.codes: dict[str, int] = {}
        self.stderr = b""
        self.strays = 0
        self.attempts = 0
        self.peak = 0.0
        self.settled = 0
        self.alone = 0
        self.probed = False
        self.unread = True

    def solve(self) -> None:
        try:
            self._solve()
            # whether it can start at all is known after some starts, be there ever so few cases
            while self.unread and len(self.batch) and self.attempts < STARTS:
                self._note(self._attempt(self.batch.take_one(0)))
                if not self.settled:
                    self.slots.check()
        except CannotStart as never:
            self._never_started(never.verdict)

    def _never_started(self, verdict: Verdict) -> None:
        """Give up what is open, the same whether it was this shard that found it out or another."""
        open_ = np.arange(len(self.batch)) if not self.settled else np.flatnonzero(self.outcome < 0)
        if not self.settled:
            self.failures, self.codes, self.parts, self.strays = [], {}, [], 0
            self.stderr = verdict.stderr
        said = f"{STARTS} starts failed alike, and none read its input ({verdict.fault}: {verdict.said})"
        last = _last_line(verdict.stderr)
        self.outcome[open_] = CODE["abandoned"]
        self.failures += [Failure(place, "abandoned", said, last) for place in open_.tolist()]

    def _attempt(self, batch: Batch) -> Attempt:
        patience = None if self.settled else max(ALONE - self.alone, 1)
        return attempt(self.tagger, batch, self.guard, self.slots, self.scratch, patience)

    def _solve(self) -> None:
        pending = [np.arange(len(self.batch), dtype=np.int64)]
        while pending:
            part = pending.pop()
            part = part[self.outcome[part] < 0]
            if not len(part):
                continue
            rest = self._try(part)
            if len(rest):
                if len(rest) < len(part):
                    pending.append(rest)
                else:
                    middle = len(rest) // 2
                    pending += [rest[middle:], rest[:middle]]
            if not self.settled:
                self.slots.check()
            if not self.settled and self.alone >= ALONE and not self.probed:
                self._probe()

    def _try(self, part: Places) -> Places:
        """One attempt; gives the cases that are still open."""
        whole = len(part) == len(self.batch)
        result = self._attempt(self.batch if whole else self.batch.take(part))
        self._note(result)
        said = _last_line(result.stderr)
        if result.fault:
            # what cannot be started for a batch cannot be started for a case
            if len(part) == 1 or result.fault == "no_program":
                for place in part.tolist():
                    self._fail(place, result.fault, result.said, said)
                return part[:0]
            return part
        for place, (fault, how, end) in result.case_fault.items():
            self._fail(int(part[place]), fault, how, _last_line(end))
        if result.placed is not None:
            self._settle(part, result.placed, result.said, said)
        left = part[self.outcome[part] < 0]
        if len(part) == 1 and len(left):
            garbled = result.placed is not None and result.placed.strays > 0
            found = result.placed.noise if result.placed is not None else ""
            self._fail(int(left[0]), "garbage" if garbled else "short", result.said, said, found)
            return left[:0]
        if len(part) > 1 and len(left) == len(part) and self.tagger.spec.mode == "batch":
            return self._beside(left)
        return left

    def _beside(self, part: Places) -> Places:
        """Cases that got no record at all, each followed by one that did; gives those that are still open.

        Where all the others are answered again and nothing else is, the tagger has read every one of these
        cases, left it out and gone on: it need not be tried alone. Anything else (it stopped there, it
        swallowed the next line, it printed what is no text) says nothing, and halving goes on.
        """
        others = np.flatnonzero(self.outcome == CODE["ok"])[: len(part)]
        if len(others) < len(part):
            return part
        mixed = np.stack((part, others), axis=1).ravel()
        result = attempt(self.tagger, self.batch.take(mixed), self.guard, self.slots, self.scratch)
        self._note(result)
        placed = result.placed
        if result.fault or placed is None or placed.strays or placed.doubtful:
            return part
        answered = placed.way >= 0
        if answered[::2].any() or not answered[1::2].all() or set(placed.fault.values()) - {"short"}:
            return part
        for place in part.tolist():
            self._fail(place, "short", result.said, _last_line(result.stderr))
        return part[:0]

    def _note(self, result: Attempt) -> None:
        self.attempts += 1
        self.unread = self.unread and all(e.unread and e.fault for e in result.ends)
        for end in result.ends:
            self.codes[str(end.code)] = self.codes.get(str(end.code), 0) + 1
            self.peak = max(self.peak, end.peak_mb)
        if len(self.stderr) < 2 * KEPT:
            self.stderr += result.stderr

    def _settle(self, part: Places, placed: Placed, how: str, said: str) -> None:
        # strays of a failing attempt are seen again when its cases are tried again
        final = len(part) == 1
        answered = placed.way >= 0
        for place, fault in placed.fault.items():
            if fault != "short" or final:
                self._fail(int(part[place]), fault, how, said, placed.what.get(place, ""))
        self.outcome[part[answered]] = np.where(
            placed.unplaced[answered] > 0, CODE["unaligned"], CODE["ok"]
        ).astype(np.int8)
        self.way[part[answered]] = placed.way[answered]
        self.unplaced[part[answered]] = placed.unplaced[answered]
        for place in np.flatnonzero(answered & (placed.unplaced > 0)).tolist():
            number = int(placed.unplaced[place])
            text = "1 mention has" if number == 1 else f"{number} mentions have"
            self.failures.append(Failure(int(part[place]), "unaligned", f"{text} no place in the text", ""))
        self.settled += int(answered.sum())
        if answered.any() or final:
            self.strays += placed.strays
        self.parts.append((part, placed))

    def _fail(self, place: int, outcome: str, said: str, stderr: str, found: str = "") -> None:
        self.outcome[place] = CODE[outcome]
        self.alone += 1
        self.failures.append(Failure(place, outcome, said, stderr, found))

    def _probe(self) -> None:
        """Nothing has succeeded so far: try cases spread over what is open; when all fail, give up."""
        self.probed = True
        open_ = np.flatnonzero(self.outcome < 0)
        if len(open_) <= PROBES:
            return
        for place in open_[np.linspace(0, len(open_) - 1, PROBES).astype(np.int64)].tolist():
            self._try(np.array([place], dtype=np.int64))
            if self.settled:
                return
        last = self.failures[-1]
        for place in np.flatnonzero(self.outcome < 0).tolist():
            self.outcome[place] = CODE["abandoned"]
            said = f"the tagger failed on every case tried ({last.outcome}: {last.said})"
            self.failures.append(Failure(place, "abandoned", said, last.stderr))

    def result(self, seconds: float) -> Solved:
        found = gathered(self.parts, self.outcome, self.tagger.spec)
        failures = sorted(self.failures, key=lambda f: (f.place, f.outcome))
        return Solved(
            found.case, found.start, found.end, found.type, found.types, found.score,
            self.outcome, self.way, self.unplaced, found.parts, failures, self.strays,
            found.merged, found.unmapped, found.dropped, dict(sorted(self.codes.items())),
            self.stderr, self.attempts, seconds, self.peak,
        )  # fmt: skip


def _last_line(stderr: bytes) -> str:
    said = printable(stderr.decode("utf-8", "replace"))
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else ""


def solve(tagger: Tagger, batch: Batch, guard: Guard, slots: Slots, scratch: Path) -> Solved:
    """Run a shard until each of its cases has an outcome.

    An attempt that fails as a whole is cut in two and both halves are tried, down to the case that fails
    alone; cases without a record are tried again together. Nothing here depends on time or on the number of
    jobs, so a shard comes out the same whenever it is done. A shard in which nothing succeeds is given up
    after a few dozen attempts; its untried cases are `abandoned`.
    """
    began = time.monotonic()
    solver = _Solver(tagger, batch, guard, slots, scratch)
    solver.solve()
    return solver.result(time.monotonic() - began)
