"""The cases of a batch, asked of one process after another: windows, faults, and who is guilty."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..encodings import encoded
from ..inputs import forms as inputs
from ..outcomes import REPLY_BYTES, Fault, read_excerpt
from ..processes.partner import Flood, Gone, Late, Partner
from ..processes.process import NOT_STARTED, End, Start
from ..processes.stderr import Heard
from ..specification import Specification
from .attempt import Attempt, Passing


class _Stale(Exception):  # noqa: N818 - a signal inside this module
    """What came first is no answer to this batch: it is left of the one before."""


class Answers(Protocol):
    """Receiver of a batch's answers."""

    numbered: bool
    """Whether each answer has the number of its request: then anything else is passed over."""

    def add(self, place: int, answer: bytes) -> None:
        """Take a case's answer, without the mark of its end."""

    def fits(self, place: int, answer: bytes) -> bool:
        """Return True if this can be the answer to the case at `place`."""

    def are_sound(self, failed: Collection[int]) -> bool:
        """Whether every case has an answer that can be used, but for those that failed alone."""


def converse(attempt: Attempt, answers: Answers, passing: Passing | None = None) -> Conversation:
    """Ask for every case of a batch in a slot.

    The process that is asked stays there for the next batch, where each of its answers could be used and it
    says nothing that nobody asked for; else it is ended here. Where `passing` is given, what processes do at
    no case's fault is added to it.

    Raises
    ------
    CannotStart
        When it has turned out that the tagger cannot start.
    """
    guards, slots = attempt.guards, attempt.slots
    with slots.running() as slot:
        guards.check()
        # it stays while the process does: a batch's own folder goes with the batch
        home = attempt.folder.parent / f"slot{slot}"
        start = attempt.tagger.start({"slot": str(slot)}, home)
        talk = Conversation(attempt, start, answers, passing or Passing(), slots.take(slot))
        try:
            talk.hold()
            sound = answers.are_sound(talk.faults)
            if sound and talk.partner is not None and talk.partner.is_quiet():
                talk.passing.heard.add(talk.partner.said())
                slots.keep(slot, talk.partner)
                talk.partner = None
        finally:
            talk.end(patient=not guards.stopping)
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
    start : Start
    answers : Answers
    passing : Passing
        The processes that ended at no case's fault.
    partner : Partner or None
        The process that is asked: at first one that was kept, where there is one, and then what is left.
    faults : dict
        Cases without an answer, and why.
    seconds : array of float64
        Of each case with an answer, from the moment at which it was asked, alone or with others; else NaN.
    asking : array of int64
        The number of the asking that each was answered in; else negative.
    ends : list of End
        One for each process that failed at the first case that it was asked, or could not be started.
    heard : Heard
        What these printed on standard error.
    replies : dict
        What these printed of an answer, by the case that they were asked for.
    """

    attempt: Attempt
    start: Start
    answers: Answers
    passing: Passing
    partner: Partner | None
    faults: dict[int, Fault] = field(default_factory=dict)
    seconds: NDArray[np.float64] = field(init=False)
    asking: NDArray[np.int64] = field(init=False)
    ends: list[End] = field(default_factory=list)
    heard: Heard = field(default_factory=Heard)
    replies: dict[int, str] = field(default_factory=dict)
    _has_answered: bool = False

    def __post_init__(self) -> None:
        """No case has been asked."""
        count = len(self.attempt.sent)
        self.seconds, self.asking = np.full(count, np.nan), np.full(count, -1)

    @property
    def spec(self) -> Specification:
        """The specification of the tagger that is asked."""
        return self.attempt.tagger.spec

    @property
    def not_started(self) -> End | None:
        """How a process ended that could not be started; None where all were."""
        return self.ends[0] if self.ends and self.ends[0].fault == "no_program" else None

    def end(self, *, timed_out: bool = False, patient: bool = True) -> None:
        """End the process that is left, which did no harm."""
        partner, self.partner = self.partner, None
        if partner is not None:
            self.passing.add(*partner.finish(timed_out=timed_out, patient=patient))

    def hold(self) -> None:
        """Ask for every case.

        Raises
        ------
        CannotStart
            When it has turned out that the tagger cannot start.
        """
        if self.partner is not None and not self.partner.is_quiet():
            # it has ended meanwhile, or says what nobody asked for
            self.end(patient=False)
        self._hold()

    def _hold(self) -> None:
        # what a kept process says first may belong to the batch before: its first answer is looked at
        unproven = self.partner is not None
        # the first case of this process, and cases before which all are asked one by one
        case = first = careful = 0
        # answers, from the first case on, of a process that has read nothing: it may be talking of itself
        held: list[bytes] = []
        number = 0
        sent, guards = self.attempt.sent, self.attempt.guards

        def give() -> None:
            for place, printed in enumerate(held, first):
                self.answers.add(place, printed)
            held.clear()

        while case < len(sent):
            guards.check()
            if self.attempt.gives_up(len(self.faults), answered=len(self.faults) < case):
                break
            if self.partner is None:
                if not self._begin():
                    return
                first = case
            partner = self.partner
            assert partner is not None  # noqa: S101 - it has just been started
            begun = case
            many = 1 if case < careful else min(self.spec.persistent.batch_in_flight, len(sent) - case)
            fresh = partner.asked == 0
            requests = self._requests(case, many)
            number += 1
            try:
                if fresh:
                    partner.await_ready(self.spec.limits.start)
                asked = time.monotonic()
                for answer in self._answers_of(partner, requests, begun, many):
                    self.seconds[case], self.asking[case] = time.monotonic() - asked, number
                    if unproven and not self.answers.fits(case, answer):
                        raise _Stale
                    unproven = False
                    if partner.is_unread():
                        if sum(map(len, held)) + len(answer) > partner.limit:
                            raise Flood
                        held.append(answer)
                    else:
                        self._has_read()
                        give()
                        self.answers.add(case, answer)
                    case += 1
                    self.attempt.note(1)
                continue
            except _Stale:
                self.end(patient=False)
                unproven = False
                continue
            except Late:
                fault = "timeout"
            except Flood:
                fault = "flood"
            except Gone:
                fault = "crash"
            unproven = False
            unread = partner.is_unread()
            if unread:
                # it printed something about itself: what came before it had read anything is no answer
                case, fresh = first, True
                held.clear()
            give()
            guilty = fresh and (many == 1 or unread)
            careful = max(careful, begun + many)
            self._replace(fault, unread=unread, blamed=case if guilty else None)
            case += 1 if guilty else 0
        give()

    def _begin(self) -> bool:
        """Start a process; whether that could be done."""
        try:
            self.partner = Partner(self.start, self.spec, self.attempt.guards)
        except OSError as error:
            self.ends.insert(0, NOT_STARTED)
            self.heard.add(f"{error}\n".encode())
            return False
        self.passing.starts += 1
        return True

    def _requests(self, case: int, many: int) -> bytes:
        """What asks for some cases."""
        form = self.spec.input
        requests = b"".join(inputs.serialise(self.attempt.sent.take_one(case + i), form) for i in range(many))
        if self.spec.persistent.window_end == "blank":
            requests += b"\n"
        return encoded(requests, form.encoding)

    def _answers_of(self, partner: Partner, requests: bytes, begun: int, many: int) -> Iterator[bytes]:
        """Send requests for some cases; a process that has never been asked may start meanwhile."""
        limits, ready = self.spec.limits, self.spec.persistent.ready
        seconds = limits.case * many + (limits.start if partner.asked == 0 and not ready else 0)
        if not self.answers.numbered:
            return partner.ask(requests, many, seconds)
        return partner.ask(requests, many, seconds, lambda i, answer: self.answers.fits(begun + i, answer))

    def _has_read(self) -> None:
        """Say that the tagger can start: a process has read its input."""
        self.passing.read = True
        if not self._has_answered:
            self.attempt.slots.note_started()
            self._has_answered = True

    def _replace(self, fault: str, *, unread: bool, blamed: int | None) -> None:
        """End a process that failed; a case that is to blame is a fault, and the process's end is its own."""
        partner, self.partner = self.partner, None
        assert partner is not None  # noqa: S101 - it has just failed
        if blamed is not None and self.attempt.tagger.keep_replies != "none":
            self.replies[blamed] = read_excerpt(
                bytes(partner.buffer[:REPLY_BYTES]), self.spec.output.encoding
            )
        end, said = partner.finish(timed_out=fault == "timeout", patient=fault == "crash")
        # it may have been ended because the run is to stop
        self.attempt.guards.check()
        # what was seen of it says more than how it ended, but for one that closed its output
        end = replace(end, unread=unread, fault=end.fault or fault if fault == "crash" else fault)
        if not unread:
            # now it has read, also where that could not be seen yet when it answered
            self._has_read()
        if blamed is None:
            self.passing.add(end, said)
            return
        # what it had said was no answer
        self.seconds[blamed], self.asking[blamed] = np.nan, -1
        self.ends.append(end)
        self.heard.add(said)
        self.faults[blamed] = end.blamed(said)
        self.attempt.note(1)
        if unread:
            self.attempt.slots.note_failed_start(self.faults[blamed])
        self.attempt.slots.check()
