"""Running a tagger on a shard (a part of the cases); batches that fail are halved and retried."""

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
from .costs import COST_COLUMNS, SECONDS, SHARED, add_costs
from .folder.shard import Failure, Shard, Summary
from .modes.attempt import Attempt, BatchReply, ProcessRecord, send_batch
from .outcomes import Fault
from .outputs.placement import Placement, normalise_mentions
from .processes.guards import StderrExcerpt
from .processes.process import decode_printed, get_last_line
from .processes.slots import MAX_FAILED_STARTS, StartFailure
from .tagger import hide_secrets

SPREAD_CASES = 8
"""Number of cases, evenly spread over a shard, that are sent one by one before the shard is abandoned."""
MIN_LONE_FAILURES = 6
"""Number of failures, without any answered case, after which cases from all parts of the shard are tried."""


class Bisection:
    """State of a shard during its run: the outcomes and mentions recorded so far.

    A batch that fails is halved and both halves are retried, until each failing case is found.
    Cases that are missing from the output are sent again in one batch. The result does not depend on time
    or on the number of jobs. If no case of a shard is answered, the shard is abandoned after a few dozen
    attempts, and its untried cases get the outcome `abandoned`.
    """

    def __init__(self, attempt: Attempt) -> None:
        self.attempt, self.batch, self.spec = attempt, attempt.sent, attempt.tagger.spec
        self.outcomes: dict[int, str] = {}
        self.placement = Placement(len(self.batch))
        self.failures: dict[int, Failure] = {}
        self.summary = Summary()
        self.stderr, self.other_stderr = StderrExcerpt(), StderrExcerpt()
        self.lone_failures = 0
        self.is_sampled = False
        self.is_unread = True
        self.costs = np.full((len(self.batch), len(COST_COLUMNS)), np.nan)

    def run(self) -> Shard:
        """Run the tagger until every case has an outcome; return the shard."""
        began = time.monotonic()
        try:
            # another shard may already have found that the tagger cannot start
            self.attempt.slots.check()
            self._run()
            # if there are few cases, more starts are needed to see whether the tagger can start
            while self.is_unread and len(self.batch) and self.summary.attempts < MAX_FAILED_STARTS:
                self._record_attempt(self._send([0]))
                if not self.placement.match_kinds:
                    self.attempt.slots.check()
        except StartFailure as failure:
            self._give_up_unstarted(failure.verdict)
        return self._make_shard(time.monotonic() - began)

    def _give_up_unstarted(self, verdict: Fault) -> None:
        """Set the outcome of all remaining cases to `abandoned`, because the tagger cannot start."""
        if not self.placement.match_kinds:
            self.outcomes, self.failures = {}, {}
            self.placement, self.stderr = Placement(len(self.batch)), StderrExcerpt()
            self.summary.strays = 0
            self.summary.undeclared.clear()
            self.summary.codes.clear()
            self.stderr.add(verdict.excerpt)
        message = (
            f"{MAX_FAILED_STARTS} starts failed in the same way before reading any input "
            f"({verdict.outcome}: {verdict.message})"
        )
        self._abandon(self._describe_end(message, verdict.excerpt))

    def _abandon(self, why: Failure) -> None:
        """Set the outcome of all remaining cases to `abandoned`, for the given reason."""
        open_cases = self._find_open(range(len(self.batch)))
        self.outcomes |= dict.fromkeys(open_cases, "abandoned")
        self.failures |= dict.fromkeys(open_cases, why)

    def _find_open(self, part: Iterable[int]) -> list[int]:
        return [case for case in part if case not in self.outcomes]

    def _send(self, part: list[int]) -> BatchReply:
        patience = None if self.placement.match_kinds else max(MIN_LONE_FAILURES - self.lone_failures, 1)
        return send_batch(replace(self.attempt, sent=self.batch.take(part), patience=patience))

    def _run(self) -> None:
        """Send the cases to the tagger in order, and halve each batch that fails."""
        cases = list(range(len(self.batch)))
        share, in_batches = self.attempt.cases_per_job, self.spec.mode == "batch"
        # if the cases are divided among process slots, a few cases are tried first
        first = MIN_LONE_FAILURES if 0 < share < len(cases) and not in_batches else len(cases)
        pending = [cases[first:], cases[:first]]
        while pending:
            part = self._find_open(pending.pop())
            if not part:
                continue
            # in the other modes than batch, cases are divided only after one of them has been answered
            is_shared = 0 < share < len(part) and (self.placement.match_kinds or in_batches)
            parts = split_evenly(part, -(-len(part) // share)) if is_shared else [part]
            for sent, unanswered in reversed([*zip(parts, self._try(parts), strict=True)]):
                if len(unanswered) < len(sent):
                    pending.append(unanswered)
                else:
                    middle = len(unanswered) // 2
                    pending += [unanswered[middle:], unanswered[:middle]]
            if not self.placement.match_kinds:
                self.attempt.slots.check()
                if self.lone_failures >= MIN_LONE_FAILURES and not self.is_sampled:
                    self._try_spread_cases()

    def _try(self, parts: Sequence[list[int]]) -> list[list[int]]:
        """Send batches to the tagger in parallel; return the cases of each batch that have no outcome yet."""
        with ThreadPoolExecutor(len(parts)) as pool:
            replies = list(pool.map(self._send, parts)) if len(parts) > 1 else [self._send(parts[0])]
        return [self._record_reply(part, reply) for part, reply in zip(parts, replies, strict=True)]

    def _record_reply(self, part: list[int], result: BatchReply) -> list[int]:
        """Store the results of one attempt; return the cases of this attempt that have no outcome yet."""
        in_batch = len(part) > 1 and self.spec.mode == "batch"
        self._record_attempt(result, alone=not in_batch)
        if result.costs is not None:
            add_costs(self.costs, part, result.costs)
        self.placement.replies |= {part[place]: reply for place, reply in result.replies.items()}
        if result.fault:
            # a program that cannot be started for a batch cannot be started for a single case either
            if len(part) > 1 and result.fault != "no_program":
                return part
            for case in part:
                self._fail(case, result.fault, self._describe_end(result.message, result.stderr))
            return []
        for place, fault in result.case_fault.items():
            self._fail(part[place], fault.outcome, self._describe_end(fault.message, fault.excerpt))
        placed = result.placed
        if placed is not None:
            self._record_placement(part, placed, result)
        unanswered = self._find_open(part)
        if len(part) == 1 and unanswered:
            garbled = placed is not None and placed.strays > 0
            noise = (
                "" if placed is None else "there is no output" if placed.is_silent else placed.stray_problem
            )
            self._fail(part[0], "garbage" if garbled else "short", self._describe_fault(part, result, noise))
            return []
        return self._retry_skipped_cases(unanswered) if in_batch and unanswered == part else unanswered

    def _retry_skipped_cases(self, part: list[int]) -> list[int]:
        """Send the unanswered cases again, mixed with answered ones; return the cases to retry.

        If the tagger again answers only the previously answered cases, it has read and skipped the others.
        These fail without a further attempt. After any other result, halving continues.
        """
        answered = [case for case, outcome in sorted(self.outcomes.items()) if outcome == "ok"]
        if len(answered) < len(part):
            return part
        mixed = [case for pair in zip(part, answered, strict=False) for case in pair]
        result = self._send(mixed)
        self._record_attempt(result)
        if result.costs is not None:
            # the seconds of the answered cases are known already
            result.costs[:, [SECONDS, SHARED]] = np.nan
            add_costs(self.costs, mixed, result.costs)
        placed = result.placed
        if result.fault or placed is None or placed.strays or placed.doubtful_count:
            return part
        has_only_answered = sorted(placed.match_kinds) == list(range(1, len(mixed), 2))
        if not has_only_answered or {fault.outcome for fault in placed.faults.values()} - {"short"}:
            return part
        for case in part:
            self._fail(case, "short", self._describe_end(result.message, result.stderr))
        return []

    def _record_attempt(self, result: BatchReply, *, alone: bool = False) -> None:
        """Add the counts of an attempt to the summary; `alone` is True if each case was sent separately."""
        summary = self.summary
        summary.attempts += 1
        processes = result.process_record or ProcessRecord(starts=len(result.ends))
        ends = [*result.ends, *processes.ends]
        has_read = processes.has_read or not ends or not all(end.unread and end.fault for end in ends)
        self.is_unread = self.is_unread and not has_read
        if alone:
            # the exit codes of other processes depend on the division of the cases into batches
            summary.codes.update(str(end.code) for end in result.ends if end.fault)
        summary.add_ends(ends)
        summary.starts += processes.starts
        self.stderr.add(result.stderr)
        self.other_stderr.add(processes.stderr.content)

    def _record_placement(self, part: list[int], placed: Placement, result: BatchReply) -> None:
        """Store the aligned mentions of an attempt, and the faults of cases with unusable output."""
        self.summary.is_silent = self.summary.is_silent and placed.is_silent
        # stray records of a failed attempt are counted when its cases are tried again;
        # requests to an endpoint have one case each and are not repeated
        final = len(part) == 1 or self.spec.mode == "http"
        for place, fault in placed.faults.items():
            if fault.outcome != "short" or final:
                self._fail(part[place], fault.outcome, self._describe_fault(part, result, fault.message))
        for place in placed.match_kinds:
            number = placed.unplaced.get(place, 0)
            self.outcomes[part[place]] = "unaligned" if number else "ok"
            if number:
                text = f"{number} mentions have" if number > 1 else "1 mention has"
                self.failures[part[place]] = Failure(f"{text} no position in the text")
        self.summary.undeclared += placed.undeclared_tags
        if placed.match_kinds or final:
            self.summary.strays += placed.strays
        self.placement.add(part, placed)

    def _fail(self, case: int, outcome: str, why: Failure) -> None:
        self.outcomes[case] = outcome
        self.lone_failures += 1
        self.failures[case] = why

    def _describe_end(self, message: str, stderr: bytes) -> Failure:
        """Return a failure that describes how a process ended, with the last line of its standard error."""
        # the names of scratch folders differ between runs
        scratch = re.escape(str(self.attempt.folder)) + r"/\w+"
        stderr = hide_secrets(re.sub(scratch.encode(), b"{work}", stderr), self.attempt.tagger.secrets)
        file = self.attempt.tagger.find_misplaced_file(decode_printed(stderr))
        hint = f"; the file {file} is in the specification's folder: write {{here}}/{file}" if file else ""
        return Failure(message + hint, get_last_line(stderr))

    def _describe_fault(self, part: list[int], result: BatchReply, problem: str) -> Failure:
        """Return a failure with the parser's message, or a description of how the process ended."""
        # if several cases were sent singly, standard error may belong to the process of another case
        is_own = len(part) == 1 or self.spec.mode == "batch"
        ended = self._describe_end(result.message, result.stderr if is_own else b"")
        missing, rest = split_problem(problem)
        return replace(ended, message=missing or ended.message, found=rest, reason=problem)

    def _try_spread_cases(self) -> None:
        """Send cases from all parts of the shard one by one, and abandon the shard if all of them fail."""
        self.is_sampled = True
        open_cases = self._find_open(range(len(self.batch)))
        if len(open_cases) <= SPREAD_CASES:
            return
        for number in range(SPREAD_CASES):
            self._try([[open_cases[number * (len(open_cases) - 1) // (SPREAD_CASES - 1)]]])
            if self.placement.match_kinds:
                return
        case, last = next(reversed(self.failures.items()))
        message = f"the tagger failed on every case tried ({self.outcomes[case]}: {last.message})"
        self._abandon(Failure(message, last.stderr))

    def _make_shard(self, seconds: float) -> Shard:
        """Return the finished shard with its mentions, outcomes and counts."""
        mentions = normalise_mentions(self.placement.mentions, self.spec)
        summary = self.summary
        summary.merged, summary.unmapped = mentions.merged, Counter(mentions.unmapped)
        summary.dropped = Counter(mentions.dropped)
        summary.stderr, summary.aside = self.stderr.content, self.other_stderr.content
        summary.seconds, summary.stripped = seconds, len(self.placement.stripped)
        keep = self.attempt.tagger.keep_replies
        replies = {
            case: hide_secrets(reply.encode(), self.attempt.tagger.secrets).decode()
            for case, reply in sorted(self.placement.replies.items())
            if keep == "all" or (keep == "failed" and self.outcomes[case] != "ok")
        }
        return Shard.from_placed(
            self.placement, mentions, self.outcomes, self.failures, summary, self.costs, replies
        )


def split_evenly(part: list[int], count: int) -> list[list[int]]:
    """Divide a list of cases into `count` parts whose sizes differ by at most one."""
    edges = [len(part) * number // count for number in range(count + 1)]
    return [part[low:high] for low, high in pairwise(edges)]
