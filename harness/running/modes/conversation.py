"""Exchange of cases and answers with persistent processes, which receive several cases at a time."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..inputs import forms as inputs
from ..outcomes import Fault, decode_excerpt
from ..processes.guards import StderrExcerpt
from ..processes.persistent_process import ExchangeFault, PersistentProcess
from ..processes.process import NOT_STARTED, LaunchSettings, ProcessEnd
from ..specification import Specification
from .attempt import Attempt, BatchReply, ProcessRecord


class Receiver(Protocol):
    """Interface of objects that store and parse the answers to the cases of a batch."""

    is_numbered: bool
    """True if each answer contains the number of its request; other lines are then ignored."""

    def add(self, place: int, answer: bytes) -> None:
        """Store the answer to a case; `answer` does not include the marker that ends it."""

    def is_answer(self, place: int, answer: bytes) -> bool:
        """Return True if `answer` can belong to the case at position `place` of the batch."""

    def is_complete(self, failed: Collection[int]) -> bool:
        """Return True if all cases except the `failed` ones have a usable answer."""


def ask_cases(attempt: Attempt, answers: Receiver) -> Conversation:
    """Send every case of a batch to a process in a free slot, and return the finished conversation.

    The process stays in its slot for the next batch if all its answers were usable and it has no unread
    output; otherwise it is terminated.

    Raises
    ------
    StartFailure
        If the tagger cannot start.
    """
    guards, slots = attempt.guards, attempt.slots
    with slots.hold_slot() as slot:
        guards.check()
        # this folder exists as long as the process; the folder of a batch is removed after the batch
        home = attempt.folder.parent / f"slot{slot}"
        start = attempt.tagger.make_launch_settings({"slot": str(slot)}, home)
        talk = Conversation(attempt, start, answers, slots.residents.pop(slot, None))
        try:
            talk.ask_all()
            is_complete = answers.is_complete(talk.faults)
            if is_complete and talk.process is not None and talk.process.is_quiet():
                talk.process_record.stderr.add(talk.process.read_stderr())
                slots.residents[slot], talk.process = talk.process, None
        finally:
            talk.end_process(patient=not guards.is_stopping)
        guards.check()
    return talk


@dataclass
class Conversation:
    """Exchange of cases and answers with a process; a process that dies or hangs is replaced.

    Cases are sent in windows (several cases at a time). After a fault, the unanswered cases of the window
    are sent separately to a new process. A case fails only if it was sent alone, as the first case of a
    process.

    Attributes
    ----------
    attempt : Attempt
        The batch, and the maximum number of failures.
    launch_settings : LaunchSettings
    answers : Receiver
    process : PersistentProcess or None
        The current process; initially the process that an earlier batch left in the slot, if any.
    process_record : ProcessRecord
        Starts of processes, and the ends that no case caused.
    faults : dict
        Faults of cases without an answer.
    seconds : array of float64
        Seconds from the request to the answer of each case; NaN for a case that has no answer.
    request_numbers : array of int64
        For each case, the first case of its window; negative for a case that has no answer.
    ends : list of ProcessEnd
        Ends of processes that failed on their first case or could not be started.
    stderr : StderrExcerpt
        Standard error of these processes.
    replies : dict
        Incomplete answers from these processes, by case.
    """

    attempt: Attempt
    launch_settings: LaunchSettings
    answers: Receiver
    process: PersistentProcess | None
    process_record: ProcessRecord = field(default_factory=ProcessRecord)
    faults: dict[int, Fault] = field(default_factory=dict)
    seconds: NDArray[np.float64] = field(init=False)
    request_numbers: NDArray[np.int64] = field(init=False)
    ends: list[ProcessEnd] = field(default_factory=list)
    stderr: StderrExcerpt = field(default_factory=StderrExcerpt)
    replies: dict[int, str] = field(default_factory=dict)
    # the next case, and the first case of this process
    _next: int = 0
    _first: int = 0
    # answers of a process that has read nothing yet: they may be its own messages
    _held: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = len(self.attempt.sent)
        self.seconds, self.request_numbers = np.full(count, np.nan), np.full(count, -1)

    @property
    def spec(self) -> Specification:
        """Specification of the tagger."""
        return self.attempt.tagger.spec

    def make_reply(self) -> BatchReply:
        """Return the results of the batch; the whole batch fails if no process could be started."""
        reply = BatchReply(ends=self.ends, stderr=self.stderr.content, process_record=self.process_record)
        if self.ends and self.ends[0].fault == "no_program":
            return replace(reply, fault=self.ends[0].fault, message=self.ends[0].message)
        return replace(reply, case_fault=self.faults)

    def end_process(self, *, patient: bool = True) -> None:
        """End the current process without assigning a fault to a case."""
        process, self.process = self.process, None
        if process is not None:
            self.process_record.add(*process.finish(timed_out=False, patient=patient))

    def ask_all(self) -> None:
        """Send every case of the batch to a process.

        Raises
        ------
        StartFailure
            If the tagger cannot start.
        """
        if self.process is not None and not self.process.is_quiet():
            # it has ended meanwhile, or has printed unrequested output
            self.end_process(patient=False)
        # the cases before this one are sent singly
        single_until = 0
        count = len(self.attempt.sent)
        while self._next < count:
            self.attempt.guards.check()
            if self.attempt.is_hopeless(len(self.faults), answered=len(self.faults) < self._next):
                break
            process = self.process or self._start_process()
            if process is None:
                return
            begun, is_fresh = self._next, process.asked_count == 0
            size = 1 if begun < single_until else min(self.spec.persistent.batch_in_flight, count - begun)
            if fault := self._ask_next(process, size):
                single_until = max(single_until, begun + size)
                self._replace_process(process, fault, may_blame=is_fresh and size == 1)
        self._release_held()

    def _ask_next(self, process: PersistentProcess, size: int) -> str:
        """Send the next `size` cases; return the error of the process, or "" if there is none."""
        limits, ready, begun = self.spec.limits, self.spec.persistent.ready, self._next
        requests, fits = self._make_requests(size), self.answers.is_answer
        # the first line of a kept process may belong to the previous batch
        is_kept = process.asked_count > 0 and begun == 0
        # without a ready line, the process may still be starting
        seconds = limits.case * size + (0 if process.asked_count or ready else limits.start)
        own = (lambda i, answer: fits(begun + i, answer)) if self.answers.is_numbered else None
        try:
            if not process.asked_count:
                process.await_ready(limits.start)
            asked = time.monotonic()
            for answer in process.send_requests(requests, size, seconds, own):
                if is_kept and self._next == begun and not fits(begun, answer):
                    # a late answer to the previous batch: end the process without a fault
                    self.end_process(patient=False)
                    break
                self.seconds[self._next], self.request_numbers[self._next] = time.monotonic() - asked, begun
                self._take_answer(process, answer)
        except ExchangeFault as fault:
            return str(fault)
        return ""

    def _take_answer(self, process: PersistentProcess, answer: bytes) -> None:
        """Accept the answer to the next case, or hold it back until the process has read input."""
        if process.is_unread():
            if sum(map(len, self._held)) + len(answer) > process.max_bytes:
                raise ExchangeFault("flood")
            self._held.append(answer)
        else:
            self._note_read()
            self._release_held()
            self.answers.add(self._next, answer)
        self._next += 1
        self.attempt.on_progress(1)

    def _release_held(self) -> None:
        """Pass all held-back answers to the receiver."""
        for place, answer in enumerate(self._held, self._first):
            self.answers.add(place, answer)
        self._held.clear()

    def _start_process(self) -> PersistentProcess | None:
        """Start a process; return None if it cannot be started."""
        try:
            self.process = PersistentProcess(self.launch_settings, self.spec, self.attempt.guards)
        except OSError as error:
            self.ends.insert(0, NOT_STARTED)
            self.stderr.add(f"{error}\n".encode())
            return None
        self.process_record.starts += 1
        self._first = self._next
        return self.process

    def _make_requests(self, size: int) -> bytes:
        form, low = self.spec.input, self._next
        requests = "".join(
            inputs.serialise_batch(self.attempt.sent.take([case]), form) for case in range(low, low + size)
        )
        if self.spec.persistent.window_end == "blank":
            requests += "\n"
        return requests.encode(form.encoding)

    def _note_read(self) -> None:
        """Record that a process has read input, which proves that the tagger can start."""
        if not self.process_record.has_read:
            self.attempt.slots.has_started = True
            self.process_record.has_read = True

    def _replace_process(self, process: PersistentProcess, fault: str, *, may_blame: bool) -> None:
        """End a failed process; the next case fails if `may_blame`, or if the process has read no input."""
        self.process = None
        unread = process.is_unread()
        if unread:
            # output before it had read anything is not an answer
            self._next = self._first
            self._held.clear()
        self._release_held()
        blamed = self._next if unread or may_blame else None
        if blamed is not None and self.attempt.tagger.keep_replies != "none":
            self.replies[blamed] = decode_excerpt(bytes(process.buffer), self.spec.output.encoding)
        end, stderr = process.finish(timed_out=fault == "timeout", patient=fault == "crash")
        # it may have been ended because the run must stop
        self.attempt.guards.check()
        # the observed fault is more precise than the end, unless the process closed its output
        end = replace(end, unread=unread, fault=end.fault or fault if fault == "crash" else fault)
        if not unread:
            # it has read its input, even if that was not visible when it answered
            self._note_read()
        if blamed is None:
            self.process_record.add(end, stderr)
            return
        # its output was not an answer
        self.seconds[blamed], self.request_numbers[blamed] = np.nan, -1
        self.ends.append(end)
        self.stderr.add(stderr)
        self.faults[blamed] = end.make_fault(stderr)
        self._next = blamed + 1
        self.attempt.on_progress(1)
        if unread:
            self.attempt.slots.note_failed_start(self.faults[blamed])
        self.attempt.slots.check()
