"""A shard run to its end: what fails is cut in two and tried again, until every case has its outcome."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...sentences.formats.problems import split_problem
from .costs import SECONDS, SHARED, add_costs, make_unknown_costs
from .folder.shard import Failure, Shard, Summary
from .modes.attempt import Attempt, BatchReply, ProcessRecord, send_batch
from .outcomes import Fault
from .outputs.placement import Placement, normalise_mentions
from .processes.guards import StderrExcerpt
from .processes.process import decode_printed, get_last_line
from .processes.slots import MAX_FAILED_STARTS, StartFailure
from .tagger import hide_secrets

SPREAD_CASES = 8
"""Cases spread over a shard that are tried alone before a shard without any success is given up."""
NO_OUTPUT = "there is no output"
MIN_LONE_FAILURES = 6
"""Cases that must have failed alone, without any success, before that."""


class Bisection:
    """A shard while it is run: the outcome of each case so far, and what was found.

    An attempt that fails as a whole is cut in two and both halves are tried, down to the case that fails
    alone; cases without a record are tried again together. Nothing here depends on time or on the number of
    jobs, so a shard comes out the same whenever it is done. A shard in which nothing succeeds is given up
    after a few dozen attempts; its untried cases are `abandoned`.
    """

    def __init__(self, whole: Attempt) -> None:
        self.whole, self.batch, self.spec = whole, whole.sent, whole.tagger.spec
        self.outcome: dict[int, str] = {}
        self.found = Placement(len(self.batch))
        self.failures: dict[int, Failure] = {}
        self.record = Summary()
        self.heard, self.aside = StderrExcerpt(), StderrExcerpt()
        self.alone = 0
        self.is_probed = False
        self.is_unread = True
        self.costs = make_unknown_costs(len(self.batch))

    def run(self) -> Shard:
        """Run the tagger until every case has its outcome; return the shard."""
        began = time.monotonic()
        try:
            # another shard may have found it out already
            self.whole.slots.check()
            self._run()
            # whether it can start at all is known after some starts, be there ever so few cases
            while self.is_unread and len(self.batch) and self.record.attempts < MAX_FAILED_STARTS:
                self._note(self._send([0]))
                if not self.found.match_kinds:
                    self.whole.slots.check()
        except StartFailure as never:
            self._never_started(never.verdict)
        return self._shard(time.monotonic() - began)

    def _never_started(self, verdict: Fault) -> None:
        """Give up what is open, the same whether it was this shard that found it out or another."""
        if not self.found.match_kinds:
            self.outcome, self.failures, self.found, self.heard = (
                {},
                {},
                Placement(len(self.batch)),
                StderrExcerpt(),
            )
            self.record.strays = 0
            self.record.undeclared.clear()
            self.record.codes.clear()
            self.heard.add(verdict.excerpt)
        message = (
            f"{MAX_FAILED_STARTS} starts failed in the same way before reading any input "
            f"({verdict.outcome}: {verdict.message})"
        )
        self._abandon(self._ended(message, verdict.excerpt))

    def _abandon(self, why: Failure) -> None:
        """Give up the cases that are open."""
        left = self._open(range(len(self.batch)))
        self.outcome |= dict.fromkeys(left, "abandoned")
        self.failures |= dict.fromkeys(left, why)

    def _open(self, part: Iterable[int]) -> list[int]:
        """Return the cases without an outcome."""
        return [case for case in part if case not in self.outcome]

    def _send(self, part: list[int]) -> BatchReply:
        patience = None if self.found.match_kinds else max(MIN_LONE_FAILURES - self.alone, 1)
        return send_batch(replace(self.whole, sent=self.batch.take(part), patience=patience))

    def _run(self) -> None:
        """Send what is open, the first cases first; what failed as a whole is cut in two."""
        cases = list(range(len(self.batch)))
        share, in_batches = self.whole.cases_per_job, self.spec.mode == "batch"
        # where slots share the cases, a few are tried before the others
        first = MIN_LONE_FAILURES if 0 < share < len(cases) and not in_batches else len(cases)
        pending = [cases[first:], cases[:first]]
        while pending:
            part = self._open(pending.pop())
            if not part:
                continue
            # those that are asked one by one are divided only when some case has been answered
            is_shared = 0 < share < len(part) and (self.found.match_kinds or in_batches)
            parts = split_evenly(part, -(-len(part) // share)) if is_shared else [part]
            for one, left in reversed([*zip(parts, self._try(parts), strict=True)]):
                if len(left) < len(one):
                    pending.append(left)
                else:
                    middle = len(left) // 2
                    pending += [left[middle:], left[:middle]]
            if not self.found.match_kinds:
                self.whole.slots.check()
                if self.alone >= MIN_LONE_FAILURES and not self.is_probed:
                    self._probe()

    def _try(self, parts: Sequence[list[int]]) -> list[list[int]]:
        """Send parts at the same time; return the cases of each that are still open."""
        with ThreadPoolExecutor(len(parts)) as pool:
            replies = list(pool.map(self._send, parts)) if len(parts) > 1 else [self._send(parts[0])]
        return [self._take(part, reply) for part, reply in zip(parts, replies, strict=True)]

    def _take(self, part: list[int], result: BatchReply) -> list[int]:
        """Note what came of one attempt; return the cases that are still open."""
        in_batch = len(part) > 1 and self.spec.mode == "batch"
        self._note(result, alone=not in_batch)
        if result.costs is not None:
            add_costs(self.costs, part, result.costs)
        self.found.replies |= {part[place]: reply for place, reply in result.replies.items()}
        if result.fault:
            # what cannot be started for a batch cannot be started for a case
            if len(part) > 1 and result.fault != "no_program":
                return part
            for case in part:
                self._fail(case, result.fault, self._ended(result.message, result.stderr))
            return []
        for place, fault in result.case_fault.items():
            self._fail(part[place], fault.outcome, self._ended(fault.message, fault.excerpt))
        placed = result.placed
        if placed is not None:
            self._settle(part, placed, result)
        left = self._open(part)
        if len(part) == 1 and left:
            garbled = placed is not None and placed.strays > 0
            noise = "" if placed is None else NO_OUTPUT if placed.is_silent else placed.stray_problem
            self._fail(part[0], "garbage" if garbled else "short", self._explain(part, result, noise))
            return []
        return self._settle_left_out(left) if in_batch and left == part else left

    def _settle_left_out(self, part: list[int]) -> list[int]:
        """Send cases that got no record again, each followed by one that did; return those still open.

        Where all the others are answered again and nothing else is, the tagger has read every one of these
        cases, left it out and gone on: it need not be tried alone. Anything else (it stopped there, it
        swallowed the next line, it printed what is no text) says nothing, and halving goes on.
        """
        others = [case for case, outcome in sorted(self.outcome.items()) if outcome == "ok"]
        if len(others) < len(part):
            return part
        mixed = [case for pair in zip(part, others, strict=False) for case in pair]
        result = self._send(mixed)
        self._note(result)
        if result.costs is not None:
            # the others have their seconds already
            result.costs[:, [SECONDS, SHARED]] = np.nan
            add_costs(self.costs, mixed, result.costs)
        placed = result.placed
        if result.fault or placed is None or placed.strays or placed.doubtful_count:
            return part
        has_only_others = sorted(placed.match_kinds) == list(range(1, len(mixed), 2))
        if not has_only_others or {fault.outcome for fault in placed.faults.values()} - {"short"}:
            return part
        for case in part:
            self._fail(case, "short", self._ended(result.message, result.stderr))
        return []

    def _note(self, result: BatchReply, *, alone: bool = False) -> None:
        record = self.record
        record.attempts += 1
        passing = result.process_record or ProcessRecord(starts=len(result.ends))
        ends = [*result.ends, *passing.ends]
        has_read = passing.has_read or not ends or not all(end.unread and end.fault for end in ends)
        self.is_unread = self.is_unread and not has_read
        if alone:
            # how others ended depends on how the cases were divided
            record.codes.update(str(end.code) for end in result.ends if end.fault)
        record.add_ends(ends)
        record.starts += passing.starts
        self.heard.add(result.stderr)
        self.aside.add(passing.stderr.content)

    def _settle(self, part: list[int], placed: Placement, result: BatchReply) -> None:
        """Note what was found; of a case whose record cannot be used, how the process ended, too."""
        self.record.is_silent = self.record.is_silent and placed.is_silent
        # strays of a failing attempt are seen again when its cases are tried again
        # an endpoint is asked case by case: it would answer the same again
        final = len(part) == 1 or self.spec.mode == "http"
        for place, fault in placed.faults.items():
            if fault.outcome != "short" or final:
                self._fail(part[place], fault.outcome, self._explain(part, result, fault.message))
        for place in placed.match_kinds:
            number = placed.unplaced.get(place, 0)
            self.outcome[part[place]] = "unaligned" if number else "ok"
            if number:
                text = f"{number} mentions have" if number > 1 else "1 mention has"
                self.failures[part[place]] = Failure(f"{text} no place in the text")
        self.record.undeclared += placed.undeclared_tags
        if placed.match_kinds or final:
            self.record.strays += placed.strays
        self.found.add(part, placed)

    def _fail(self, case: int, outcome: str, why: Failure) -> None:
        self.outcome[case] = outcome
        self.alone += 1
        self.failures[case] = why

    def _ended(self, message: str, said: bytes) -> Failure:
        """Return how a process or request ended, and what it printed last on standard error."""
        # scratch folders have other names in each run
        scratch = re.escape(str(self.whole.folder)) + r"/\w+"
        said = hide_secrets(re.sub(scratch.encode(), b"{work}", said), self.whole.tagger.secrets)
        file = self.whole.tagger.find_misplaced_file(decode_printed(said))
        hint = (
            f"; {file} stands beside the specification: write {{here}}/{file} in the command" if file else ""
        )
        return Failure(message + hint, get_last_line(said))

    def _explain(self, part: list[int], result: BatchReply, found: str) -> Failure:
        """Return a failure with what was found: what is missing says more than how the process ended."""
        # where several were asked one by one, the last words are those of another case's process
        is_own = len(part) == 1 or self.spec.mode == "batch"
        ended = self._ended(result.message, result.stderr if is_own else b"")
        missing, rest = split_problem(found)
        return replace(ended, message=missing or ended.message, found=rest, reason=found)

    def _probe(self) -> None:
        """Nothing has succeeded so far: try cases spread over what is open; when all fail, give up."""
        self.is_probed = True
        left = self._open(range(len(self.batch)))
        if len(left) <= SPREAD_CASES:
            return
        for number in range(SPREAD_CASES):
            self._try([[left[number * (len(left) - 1) // (SPREAD_CASES - 1)]]])
            if self.found.match_kinds:
                return
        case, last = next(reversed(self.failures.items()))
        message = f"the tagger failed on every case tried ({self.outcome[case]}: {last.message})"
        self._abandon(Failure(message, last.stderr))

    def _shard(self, seconds: float) -> Shard:
        """Return what was found, and what became of each case."""
        found = normalise_mentions(self.found.mentions, self.spec)
        record = self.record
        record.merged, record.unmapped = found.merged, Counter(found.unmapped)
        record.dropped = Counter(found.dropped)
        record.stderr, record.aside = self.heard.content, self.aside.content
        record.seconds, record.stripped = seconds, len(self.found.stripped)
        keep = self.whole.tagger.keep_replies
        replies = {
            case: hide_secrets(reply.encode(), self.whole.tagger.secrets).decode()
            for case, reply in sorted(self.found.replies.items())
            if keep == "all" or (keep == "failed" and self.outcome[case] != "ok")
        }
        return Shard.from_placed(self.found, found, self.outcome, self.failures, record, self.costs, replies)


def split_evenly(part: list[int], count: int) -> list[list[int]]:
    """Return cases in a number of parts whose sizes differ by at most one."""
    edges = [len(part) * number // count for number in range(count + 1)]
    return [part[low:high] for low, high in pairwise(edges)]
