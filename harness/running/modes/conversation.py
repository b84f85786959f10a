"""The cases of a batch, asked of one process after another: windows, faults, and which case is to blame."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..inputs import forms as inputs
from ..outcomes import REPLY_BYTES, Fault, decode_excerpt
from ..processes.guards import StderrExcerpt
from ..processes.persistent_process import AnswerTimeout, OutputEnd, OutputFlood, PersistentProcess
from ..processes.process import NOT_STARTED, LaunchSettings, ProcessEnd
from ..specification import Specification
from .attempt import Attempt, ProcessRecord


class Receiver(Protocol):
    """Receiver of a batch's answers."""

    is_numbered: bool
    """Whether each answer has the number of its request: then anything else is passed over."""

    def add(self, place: int, answer: bytes) -> None:
        """Take a case's answer, without the mark of its end."""

    def is_answer(self, place: int, answer: bytes) -> bool:
        """Return True if this can be the answer to the case at `place`."""

    def is_complete(self, failed: Collection[int]) -> bool:
        """Whether every case has an answer that can be used, but for those that failed alone."""


def ask_cases(attempt: Attempt, answers: Receiver) -> Conversation:
    """Ask for every case of a batch in a slot.

    The process that is asked stays there for the next batch, where each of its answers could be used and it
    says nothing that nobody asked for; else it is ended here.

    Raises
    ------
    CannotStart
        When it has turned out that the tagger cannot start.
    """
    guards, slots = attempt.guards, attempt.slots
    with slots.hold_slot() as slot:
        guards.check()
        # it stays while the process does: a batch's own folder goes with the batch
        home = attempt.folder.parent / f"slot{slot}"
        start = attempt.tagger.make_launch_settings({"slot": str(slot)}, home)
        talk = Conversation(attempt, start, answers, slots.take_process(slot))
        try:
            talk.ask_all()
            sound = answers.is_complete(talk.faults)
            if sound and talk.process is not None and talk.process.is_quiet():
                talk.process_record.stderr.add(talk.process.read_stderr())
                slots.keep_process(slot, talk.process)
                talk.process = None
        finally:
            talk.end_process(patient=not guards.is_stopping)
        guards.check()
    return talk


@dataclass
class Conversation:
    """A batch that is asked case by case, or some at once; a process that dies or hangs is replaced.

    A process that fails is replaced and the case at which it did is asked once more: only a case that fails
    as the first of its process, and alone, is the guilty one. Where some are asked at once, what is left of
    them is asked one by one after a fault.

    Attributes
    ----------
    attempt : Attempt
        Its patience is of guilty cases.
    launch_settings : Start
    answers : Receiver
    process : Partner or None
        The process that is asked: at first one that was kept, where there is one, and then what is left.
    process_record : Passing
        The processes that ended at no case's fault.
    faults : dict
        Cases without an answer, and why.
    seconds : array of float64
        Of each case with an answer, from the moment at which it was asked, alone or with others; else NaN.
    request_numbers : array of int64
        The first case of the asking that each was answered in; else negative.
    ends : list of End
        One for each process that failed at the first case that it was asked, or could not be started.
    stderr : Heard
        What these printed on standard error.
    replies : dict
        What these printed of an answer, by the case that they were asked for.
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
    # the next case, and the first of this process
    _next: int = 0
    _first: int = 0
    # answers, from the first case on, of a process that has read nothing: it may be talking of itself
    _held: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        """No case has been asked."""
        count = len(self.attempt.sent)
        self.seconds, self.request_numbers = np.full(count, np.nan), np.full(count, -1)

    @property
    def spec(self) -> Specification:
        """The specification of the tagger that is asked."""
        return self.attempt.tagger.spec

    @property
    def failed_start(self) -> ProcessEnd | None:
        """How a process ended that could not be started; None where all were."""
        return self.ends[0] if self.ends and self.ends[0].fault == "no_program" else None

    def end_process(self, *, patient: bool = True) -> None:
        """End the process that is left, which did no harm."""
        partner, self.process = self.process, None
        if partner is not None:
            self.process_record.add(*partner.finish(timed_out=False, patient=patient))

    def ask_all(self) -> None:
        """Ask for every case.

        Raises
        ------
        CannotStart
            When it has turned out that the tagger cannot start.
        """
        if self.process is not None and not self.process.is_quiet():
            # it has ended meanwhile, or says what nobody asked for
            self.end_process(patient=False)
        # the cases before this one are asked one by one
        careful = 0
        count = len(self.attempt.sent)
        while self._next < count:
            self.attempt.guards.check()
            if self.attempt.is_hopeless(len(self.faults), answered=len(self.faults) < self._next):
                break
            partner = self.process or self._start_process()
            if partner is None:
                return
            begun, is_fresh = self._next, partner.asked_count == 0
            many = 1 if begun < careful else min(self.spec.persistent.batch_in_flight, count - begun)
            if fault := self._ask_next(partner, many):
                careful = max(careful, begun + many)
                self._replace_process(partner, fault, may_blame=is_fresh and many == 1)
        self._release_held()

    def _ask_next(self, partner: PersistentProcess, many: int) -> str:
        """Ask for the next cases; return why the process failed, empty where it did not."""
        limits, ready, begun = self.spec.limits, self.spec.persistent.ready, self._next
        requests, fits = self._make_requests(many), self.answers.is_answer
        # what a kept process says first may belong to the batch before
        is_kept = partner.asked_count > 0 and begun == 0
        # one that does not say when it is ready may start meanwhile
        seconds = limits.case * many + (0 if partner.asked_count or ready else limits.start)
        own = (lambda i, answer: fits(begun + i, answer)) if self.answers.is_numbered else None
        try:
            if not partner.asked_count:
                partner.await_ready(limits.start)
            asked = time.monotonic()
            for answer in partner.send_requests(requests, many, seconds, own):
                if is_kept and self._next == begun and not fits(begun, answer):
                    # the process did no harm
                    self.end_process(patient=False)
                    break
                self.seconds[self._next], self.request_numbers[self._next] = time.monotonic() - asked, begun
                self._take_answer(partner, answer)
        except AnswerTimeout:
            return "timeout"
        except OutputFlood:
            return "flood"
        except OutputEnd:
            return "crash"
        return ""

    def _take_answer(self, partner: PersistentProcess, answer: bytes) -> None:
        """Take the answer to the next case; of a process that has read nothing it may be no answer."""
        if partner.is_unread():
            if sum(map(len, self._held)) + len(answer) > partner.max_bytes:
                raise OutputFlood
            self._held.append(answer)
        else:
            self._note_read()
            self._release_held()
            self.answers.add(self._next, answer)
        self._next += 1
        self.attempt.on_progress(1)

    def _release_held(self) -> None:
        """Give away the answers that were held back."""
        for place, answer in enumerate(self._held, self._first):
            self.answers.add(place, answer)
        self._held.clear()

    def _start_process(self) -> PersistentProcess | None:
        """Start a process; return None where that could not be done."""
        try:
            self.process = PersistentProcess(self.launch_settings, self.spec, self.attempt.guards)
        except OSError as error:
            self.ends.insert(0, NOT_STARTED)
            self.stderr.add(f"{error}\n".encode())
            return None
        self.process_record.starts += 1
        self._first = self._next
        return self.process

    def _make_requests(self, many: int) -> bytes:
        """Return what asks for the next cases."""
        form, low = self.spec.input, self._next
        requests = "".join(
            inputs.serialise_batch(self.attempt.sent.take([case]), form) for case in range(low, low + many)
        )
        if self.spec.persistent.window_end == "blank":
            requests += "\n"
        return requests.encode(form.encoding)

    def _note_read(self) -> None:
        """Say that the tagger can start: a process has read its input."""
        if not self.process_record.has_read:
            self.attempt.slots.note_started()
            self.process_record.has_read = True

    def _replace_process(self, partner: PersistentProcess, fault: str, *, may_blame: bool) -> None:
        """End a process that failed; the next case is to blame where it may be, or where nothing was read."""
        self.process = None
        unread = partner.is_unread()
        if unread:
            # it printed something about itself: what came before it had read anything is no answer
            self._next = self._first
            self._held.clear()
        self._release_held()
        blamed = self._next if unread or may_blame else None
        if blamed is not None and self.attempt.tagger.keep_replies != "none":
            self.replies[blamed] = decode_excerpt(
                bytes(partner.buffer[:REPLY_BYTES]), self.spec.output.encoding
            )
        end, said = partner.finish(timed_out=fault == "timeout", patient=fault == "crash")
        # it may have been ended because the run is to stop
        self.attempt.guards.check()
        # what was seen of it says more than how it ended, but for one that closed its output
        end = replace(end, unread=unread, fault=end.fault or fault if fault == "crash" else fault)
        if not unread:
            # now it has read, also where that could not be seen yet when it answered
            self._note_read()
        if blamed is None:
            self.process_record.add(end, said)
            return
        # what it had said was no answer
        self.seconds[blamed], self.request_numbers[blamed] = np.nan, -1
        self.ends.append(end)
        self.stderr.add(said)
        self.faults[blamed] = end.make_fault(said)
        self._next = blamed + 1
        self.attempt.on_progress(1)
        if unread:
            self.attempt.slots.note_failed_start(self.faults[blamed])
        self.attempt.slots.check()
