"""Mode ``python``: a function that is called for case after case, in a process of its own or in ours."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs import Places, of_askings
from ..functions.calling import READY, Caller, Message, content, has_places
from ..inputs.cases import Batch
from ..outcomes import Fault
from ..outputs.parse import parse
from ..outputs.placed import Placed
from ..processes.process import End
from ..specification import SPANS, Persistent
from ..specification_forms import Input
from .attempt import Attempt, Reply
from .conversation import converse

_TURN = threading.Lock()
"""An object in memory is called by one thread at a time: few of them may be called by several."""


def send(attempt: Attempt) -> Reply:
    """Ask for every case of the batch."""
    if attempt.tagger.function is not None:
        return _in_memory(attempt, attempt.tagger.function)
    return _in_processes(attempt)


class _Placer:
    """What becomes of the answers to the cases of a batch."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt, self.reply, self.answered = attempt, Reply(), False
        self.found = Placed(len(attempt.sent))
        self.strings = attempt.tagger.spec.output
        self.spans = self.strings.model_copy(update={"form": SPANS})

    def add(self, place: int, answer: Message) -> None:
        """Place a case's mentions, or note its fault."""
        if "fault" in answer:
            last = str(answer["last"]).encode("utf-8", "replace")
            if "reply" in answer and self.attempt.tagger.keep_replies != "none":
                self.found.replies[place] = str(answer["reply"])
            self.reply.case_fault[place] = Fault(answer["fault"], str(answer["said"]), last)
            return
        self.answered = True
        form = self.spans if has_places(answer) else self.strings
        sent, keep = self.attempt.sent.take([place]), self.attempt.tagger.keep_replies
        self.found.add([place], parse(content(answer), form, sent, whole_case=True, keep=keep))

    def result(self, seconds: NDArray[np.float64], asking: Places) -> Reply:
        """Return what came of the batch; `seconds` and `asking` as in `of_askings`."""
        self.reply.placed = self.found
        # a fault is no answer, however fast
        seconds[list(self.reply.case_fault)] = np.nan
        self.reply.costs = of_askings(seconds, asking, self.attempt.sent.texts)
        return self.reply


def _window(attempt: Attempt) -> int:
    """Return the number of cases that are sent together: several where the function takes a list."""
    table = attempt.tagger.spec.python
    return table.window if table is not None and attempt.tagger.several else 1


def _in_memory(attempt: Attempt, function: Callable[..., Any]) -> Reply:
    """Call an object of this process; whatever it raises is its case's fault, and no time can be kept."""
    count, size = len(attempt.sent), _window(attempt)
    answers = _Placer(attempt)
    caller = Caller(function, {}, several=attempt.tagger.several)
    seconds, asking = np.full(count, np.nan), np.full(count, -1)
    began = time.monotonic()
    try:
        for low in range(0, count, size):
            attempt.guards.check()
            if attempt.gives_up(len(answers.reply.case_fault), answered=answers.answered):
                break
            window = range(low, min(low + size, count))
            texts = attempt.sent.texts[low : low + size]
            with _TURN:
                asked = time.monotonic()
                given = caller.answers(texts)
                seconds[window], asking[window] = time.monotonic() - asked, low
            for place, answer in zip(window, given, strict=True):
                answers.add(place, answer)
            attempt.note(len(window))
    finally:
        caller.close()
    answers.reply.ends = [End("", 0, time.monotonic() - began, 0.0)]
    return answers.result(seconds, asking)


def _in_processes(attempt: Attempt) -> Reply:
    """Ask processes of our own program; see `functions.program` for what it reads and prints."""
    tagger, sent = attempt.tagger, attempt.sent
    # nothing that the function writes by accident has such a number
    numbers = [secrets.token_hex(8) for _ in range(len(sent))]
    requests = [
        json.dumps({"number": number, "text": text}) for number, text in zip(numbers, sent.texts, strict=True)
    ]
    form = Persistent(ready=READY, batch_in_flight=_window(attempt), window_end="blank")
    asking = replace(tagger, spec=tagger.spec.model_copy(update={"input": Input(), "persistent": form}))
    batch = Batch(requests, sent.names)
    answers = _Placer(attempt)
    talk = converse(replace(attempt, tagger=asking, sent=batch), _NumberedReceiver(answers, numbers))
    reply = answers.reply
    reply.ends, reply.stderr, reply.passing = talk.ends, talk.heard.content, talk.passing
    if (end := talk.not_started) is not None:
        return Reply(end.fault, end.message, ends=talk.ends, stderr=reply.stderr, passing=talk.passing)
    reply.case_fault |= talk.faults
    return answers.result(talk.seconds, talk.asking)


class _NumberedReceiver:
    """Receiver of answers that begin with the number of their request."""

    numbered = True

    def __init__(self, answers: _Placer, numbers: Sequence[str]) -> None:
        self._answers, self._numbers = answers, [number.encode() for number in numbers]
        self._broken = False

    def fits(self, place: int, answer: bytes) -> bool:
        """Return True if this line has the number of the request; the function may have begun the line."""
        return self._numbers[place] in answer

    def add(self, place: int, answer: bytes) -> None:
        """Take the answer to a case."""
        printed = answer.partition(self._numbers[place])[2]
        try:
            given = json.loads(printed)
        except ValueError:
            # it was interrupted by what the function wrote to the same pipe
            self._broken = True
            last = printed[:80].decode("utf-8", "replace")
            given = {"fault": "garbage", "said": "the function wrote into its own answers", "last": last}
        self._answers.add(place, given)

    def are_sound(self, _failed: Collection[int]) -> bool:
        """Return True if every answer arrived whole."""
        return not self._broken
