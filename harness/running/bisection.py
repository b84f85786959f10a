"""A shard run to its end: what fails is cut in two and tried again, until every case has its outcome."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from ...sentences.formats.records import explained
from .costs import SECONDS, SHARED, Places, add, unknown
from .folder.shard import Failure, Shard, Summary
from .modes.attempt import Attempt, Passing, Reply, send
from .outcomes import NAMES, Fault
from .outputs.placed import Placed, normalise
from .processes.slots import STARTS, CannotStart
from .processes.stderr import Heard, last_line, readable
from .tagger import hide

CODE = {name: i for i, name in enumerate(NAMES)}
PROBES = 8
"""Cases spread over a shard that are tried alone before a shard without any success is given up."""
NO_OUTPUT = "there is no output"
ALONE = 6
"""Cases that must have failed alone, without any success, before that."""


class _Bisection:
    """A shard while it is run: the outcome of each case so far, and what was found."""

    def __init__(self, whole: Attempt) -> None:
        self.whole, self.batch, self.spec = whole, whole.sent, whole.tagger.spec
        count = len(self.batch)
        self.outcome = np.full(count, -1, dtype=np.int8)
        self.found = Placed(count)
        self.failures: dict[int, Failure] = {}
        self.record = Summary()
        self.heard, self.aside = Heard(), Heard()
        self.settled = 0
        self.alone = 0
        self.probed = False
        self.unread = True
        self.costs = unknown(count)

    def run(self) -> None:
        """Try until every case has its outcome."""
        try:
            # another shard may have found it out already
            self.whole.slots.check()
            self._run()
            # whether it can start at all is known after some starts, be there ever so few cases
            while self.unread and len(self.batch) and self.record.attempts < STARTS:
                self._note(self._send(np.array([0])))
                if not self.settled:
                    self.whole.slots.check()
        except CannotStart as never:
            self._never_started(never.verdict)

    def _never_started(self, verdict: Fault) -> None:
        """Give up what is open, the same whether it was this shard that found it out or another."""
        open_ = np.arange(len(self.batch)) if not self.settled else np.flatnonzero(self.outcome < 0)
        if not self.settled:
            self.failures, self.found, self.heard = {}, Placed(len(self.batch)), Heard()
            self.record.strays = 0
            self.record.undeclared.clear()
            self.record.codes.clear()
            self.heard.add(verdict.said)
        message = (
            f"{STARTS} starts failed alike, and none read its input ({verdict.outcome}: {verdict.message})"
        )
        self._abandon(open_, self._ended(message, verdict.said))

    def _abandon(self, places: Places, why: Failure) -> None:
        """Give cases up that were not tried alone."""
        self.outcome[places] = CODE["abandoned"]
        self.failures |= dict.fromkeys(places.tolist(), why)

    def _send(self, part: Places) -> Reply:
        patience = None if self.settled else max(ALONE - self.alone, 1)
        return send(replace(self.whole, sent=self.batch.take(part.tolist()), patience=patience))

    def _begin(self) -> list[Places]:
        """Return what is tried, the last first: a few cases before slots share the others."""
        whole = np.arange(len(self.batch), dtype=np.int64)
        divided = 0 < self.whole.share < len(whole) and self.spec.mode != "batch"
        return [whole[ALONE:], whole[:ALONE]] if divided else [whole]

    def _divide(self, part: Places) -> list[Places]:
        """Divide cases among slots; those asked one by one only when some case has been answered."""
        share = self.whole.share
        if not share or (not self.settled and self.spec.mode != "batch"):
            return [part]
        return np.array_split(part, -(-len(part) // share))

    def _run(self) -> None:
        pending = self._begin()
        while pending:
            part = pending.pop()
            part = part[self.outcome[part] < 0]
            if not len(part):
                continue
            parts = self._divide(part)
            for one, rest in reversed([*zip(parts, self._try(parts), strict=True)]):
                if len(rest) < len(one):
                    pending.append(rest)
                else:
                    middle = len(rest) // 2
                    pending += [rest[middle:], rest[:middle]]
            if not self.settled:
                self.whole.slots.check()
            if not self.settled and self.alone >= ALONE and not self.probed:
                self._probe()

    def _try(self, parts: Sequence[Places]) -> list[Places]:
        """Send parts at the same time; gives the cases of each that are still open."""
        if len(parts) == 1:
            replies = [self._send(parts[0])]
        else:
            with ThreadPoolExecutor(len(parts)) as pool:
                replies = list(pool.map(self._send, parts))
        return [self._take(part, reply) for part, reply in zip(parts, replies, strict=True)]

    def _take(self, part: Places, result: Reply) -> Places:
        """Note what came of one attempt; gives the cases that are still open."""
        self._note(result, alone=len(part) == 1 or self.spec.mode != "batch")
        if result.costs is not None:
            add(self.costs, part, result.costs)
        ended = self._ended(result.message, result.stderr)
        self.found.replies |= {int(part[place]): reply for place, reply in result.replies.items()}
        if result.placed is not None:
            self.record.is_silent = self.record.is_silent and result.placed.is_silent
        if result.fault:
            # what cannot be started for a batch cannot be started for a case
            if len(part) == 1 or result.fault == "no_program":
                for place in part.tolist():
                    self._fail(place, result.fault, ended)
                return part[:0]
            return part
        for place, fault in result.case_fault.items():
            self._fail(int(part[place]), fault.outcome, self._ended(fault.message, fault.said))
        if result.placed is not None:
            if len(part) > 1 and self.spec.mode != "batch":
                # the last words are those of another case's process
                ended = Failure(result.message)
            self._settle(part, result.placed, ended)
        left = part[self.outcome[part] < 0]
        if len(part) == 1 and len(left):
            garbled = result.placed is not None and result.placed.strays > 0
            noise = result.placed.noise if result.placed is not None else ""
            if result.placed is not None and result.placed.is_silent:
                noise = NO_OUTPUT
            self._fail(int(left[0]), "garbage" if garbled else "short", _explained(ended, noise))
            return left[:0]
        if len(part) > 1 and len(left) == len(part) and self.spec.mode == "batch":
            return self._beside_answered(left)
        return left

    def _ended(self, message: str, said: bytes) -> Failure:
        """Return how a process or request ended, and what it printed last on standard error."""
        # scratch folders have other names in each run
        scratch = re.escape(str(self.whole.folder)) + r"/\w+"
        said = hide(re.sub(scratch.encode(), b"{work}", said), self.whole.tagger.secrets)
        file = self.whole.tagger.misplaced_file(readable(said))
        hint = (
            f"; {file} stands beside the specification: write {{here}}/{file} in the command" if file else ""
        )
        return Failure(message + hint, last_line(said))

    def _beside_answered(self, part: Places) -> Places:
        """Cases that got no record at all, each followed by one that did; gives those that are still open.

        Where all the others are answered again and nothing else is, the tagger has read every one of these
        cases, left it out and gone on: it need not be tried alone. Anything else (it stopped there, it
        swallowed the next line, it printed what is no text) says nothing, and halving goes on.
        """
        others = np.flatnonzero(self.outcome == CODE["ok"])[: len(part)]
        if len(others) < len(part):
            return part
        mixed = np.stack((part, others), axis=1).ravel()
        result = self._send(mixed)
        self._note(result)
        if result.costs is not None:
            # the others have their seconds already
            result.costs[:, [SECONDS, SHARED]] = np.nan
            add(self.costs, mixed, result.costs)
        placed = result.placed
        if result.fault or placed is None or placed.strays or placed.doubtful:
            return part
        has_only_others = sorted(placed.way) == list(range(1, len(mixed), 2))
        if not has_only_others or {fault.outcome for fault in placed.faults.values()} - {"short"}:
            return part
        for place in part.tolist():
            self._fail(place, "short", self._ended(result.message, result.stderr))
        return part[:0]

    def _note(self, result: Reply, *, alone: bool = False) -> None:
        record = self.record
        record.attempts += 1
        passing = result.passing or Passing(starts=len(result.ends))
        ends = [*result.ends, *passing.ends]
        self.unread = (
            self.unread and not passing.read and bool(ends) and all(e.unread and e.fault for e in ends)
        )
        if alone:
            # how others ended depends on how the cases were divided
            record.codes.update(str(end.code) for end in result.ends if end.fault)
        record.add_ends(ends)
        record.starts += passing.starts
        self.heard.add(result.stderr)
        self.aside.add(passing.heard.content)

    def _settle(self, part: Places, placed: Placed, ended: Failure) -> None:
        """Note what was found; of a case whose record cannot be used, how the process ended, too."""
        # strays of a failing attempt are seen again when its cases are tried again
        # an endpoint is asked case by case: it would answer the same again
        final = len(part) == 1 or self.spec.mode == "http"
        for place, fault in placed.faults.items():
            if fault.outcome != "short" or final:
                self._fail(int(part[place]), fault.outcome, _explained(ended, fault.message))
        for place in placed.way:
            number = placed.unplaced[place]
            self.outcome[part[place]] = CODE["unaligned" if number else "ok"]
            if number:
                text = f"{number} mentions have" if number > 1 else "1 mention has"
                self.failures[int(part[place])] = Failure(f"{text} no place in the text")
        self.settled += len(placed.way)
        self.record.undeclared += placed.undeclared
        if placed.way or final:
            self.record.strays += placed.strays
        self.found.add(part.tolist(), placed)

    def _fail(self, place: int, outcome: str, why: Failure) -> None:
        self.outcome[place] = CODE[outcome]
        self.alone += 1
        self.failures[place] = why

    def _probe(self) -> None:
        """Nothing has succeeded so far: try cases spread over what is open; when all fail, give up."""
        self.probed = True
        open_ = np.flatnonzero(self.outcome < 0)
        if len(open_) <= PROBES:
            return
        for place in open_[np.linspace(0, len(open_) - 1, PROBES).astype(np.int64)].tolist():
            self._try([np.array([place], dtype=np.int64)])
            if self.settled:
                return
        place, last = next(reversed(self.failures.items()))
        outcome = NAMES[self.outcome[place]]
        message = f"the tagger failed on every case tried ({outcome}: {last.message})"
        self._abandon(np.flatnonzero(self.outcome < 0), Failure(message, last.stderr))

    def shard(self, seconds: float) -> Shard:
        """What was found, and what became of each case."""
        found = normalise(self.found.mentions, self.spec)
        record = self.record
        record.merged, record.unmapped = found.merged, Counter(found.unmapped)
        record.dropped = Counter(found.dropped)
        record.stderr, record.aside = self.heard.content, self.aside.content
        record.seconds, record.stripped = seconds, len(self.found.stripped)
        keep = self.whole.tagger.keep_replies
        replies = {
            place: hide(reply.encode(), self.whole.tagger.secrets).decode()
            for place, reply in sorted(self.found.replies.items())
            if keep == "all" or (keep == "failed" and NAMES[self.outcome[place]] != "ok")
        }
        return Shard.from_placed(self.found, found, self.outcome, self.failures, record, self.costs, replies)


def _explained(ended: Failure, found: str) -> Failure:
    """A failure with what was found: what is missing says more than how the process ended."""
    missing, rest = explained(found)
    return replace(ended, message=missing or ended.message, found=rest, reason=found)


def run_shard(whole: Attempt) -> Shard:
    """Run a tagger over a shard until each of its cases has an outcome.

    An attempt that fails as a whole is cut in two and both halves are tried, down to the case that fails
    alone; cases without a record are tried again together. Nothing here depends on time or on the number of
    jobs, so a shard comes out the same whenever it is done. A shard in which nothing succeeds is given up
    after a few dozen attempts; its untried cases are `abandoned`.
    """
    began = time.monotonic()
    bisection = _Bisection(whole)
    bisection.run()
    return bisection.shard(time.monotonic() - began)
