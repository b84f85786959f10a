"""Mode ``python``: a function is called for each case, in its own process or in the current one."""

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

from ..costs import IntArray, compute_time_costs
from ..functions.caller import READY_LINE, Caller, Message, encode_answer, has_offsets
from ..inputs.cases import Batch
from ..outcomes import Fault
from ..outputs.parse import parse_output
from ..outputs.placement import Placement
from ..processes.process import ProcessEnd
from ..specification import OFFSETS_FORM, PersistentSettings
from ..specification_forms import Input
from .attempt import Attempt, BatchReply
from .conversation import ask_cases

_CALL_LOCK = threading.Lock()
"""Lock that prevents simultaneous calls of a Python object, because most objects are not thread-safe."""


def send(attempt: Attempt) -> BatchReply:
    """Call the function for every case of the batch."""
    if attempt.tagger.function is not None:
        return _call_in_memory(attempt, attempt.tagger.function)
    return _call_in_processes(attempt)


class _Placer:
    """Parser of a function's answers; it collects the mentions and faults of a batch."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt, self.answered = attempt, False
        self.placement = Placement(len(attempt.sent))
        self.faults: dict[int, Fault] = {}
        self.strings = attempt.tagger.spec.output
        self.offsets_tagger = self.strings.model_copy(update={"form": OFFSETS_FORM})

    def add(self, place: int, answer: Message) -> None:
        """Parse the answer for a case, or record the fault of the case."""
        if "fault" in answer:
            last = str(answer["last"]).encode("utf-8", "replace")
            if "reply" in answer and self.attempt.tagger.keep_replies != "none":
                self.placement.replies[place] = str(answer["reply"])
            self.faults[place] = Fault(answer["fault"], str(answer["said"]), last)
            return
        self.answered = True
        form = self.offsets_tagger if has_offsets(answer) else self.strings
        sent, keep = self.attempt.sent.take([place]), self.attempt.tagger.keep_replies
        self.placement.add(
            [place], parse_output(encode_answer(answer), form, sent, is_single_case=True, reply_policy=keep)
        )

    def complete_reply(
        self, reply: BatchReply, seconds: NDArray[np.float64], request_numbers: IntArray
    ) -> BatchReply:
        """Add the mentions, faults and costs of all cases to a reply."""
        reply.placed = self.placement
        reply.case_fault = {**self.faults, **reply.case_fault}
        # a fault is not an answer
        seconds[list(reply.case_fault)] = np.nan
        reply.costs = compute_time_costs(seconds, request_numbers, self.attempt.sent.texts)
        return reply


def _get_window_size(attempt: Attempt) -> int:
    """Return the number of texts per call, which is 1 unless the function takes a list of texts."""
    table = attempt.tagger.spec.python
    return table.window if table is not None and attempt.tagger.has_list_input else 1


def _call_in_memory(attempt: Attempt, function: Callable[..., Any]) -> BatchReply:
    """Call a Python object in this process without a time limit; a case fails if its call raises an error."""
    count, size = len(attempt.sent), _get_window_size(attempt)
    answers = _Placer(attempt)
    caller = Caller(function, {}, several=attempt.tagger.has_list_input)
    seconds, request_numbers = np.full(count, np.nan), np.full(count, -1)
    began = time.monotonic()
    try:
        for low in range(0, count, size):
            attempt.guards.check()
            if attempt.is_hopeless(len(answers.faults), answered=answers.answered):
                break
            window = range(low, min(low + size, count))
            texts = attempt.sent.texts[low : low + size]
            with _CALL_LOCK:
                asked = time.monotonic()
                results = caller.answer_texts(texts)
                seconds[window], request_numbers[window] = time.monotonic() - asked, low
            for place, answer in zip(window, results, strict=True):
                answers.add(place, answer)
            attempt.on_progress(len(window))
    finally:
        caller.close()
    reply = BatchReply(ends=[ProcessEnd("", 0, time.monotonic() - began, 0.0)])
    return answers.complete_reply(reply, seconds, request_numbers)


def _call_in_processes(attempt: Attempt) -> BatchReply:
    """Send the cases to processes that run `functions.program`, with the protocol defined there."""
    tagger, sent = attempt.tagger, attempt.sent
    # random numbers, which do not occur in output of the function by accident
    numbers = [secrets.token_hex(8) for _ in range(len(sent))]
    requests = [
        json.dumps({"number": number, "text": text}) for number, text in zip(numbers, sent.texts, strict=True)
    ]
    form = PersistentSettings(ready=READY_LINE, batch_in_flight=_get_window_size(attempt), window_end="blank")
    program = replace(tagger, spec=tagger.spec.model_copy(update={"input": Input(), "persistent": form}))
    batch = Batch(requests, sent.case_ids)
    answers = _Placer(attempt)
    talk = ask_cases(replace(attempt, tagger=program, sent=batch), _NumberedReceiver(answers, numbers))
    reply = talk.make_reply()
    return reply if reply.fault else answers.complete_reply(reply, talk.seconds, talk.request_numbers)


class _NumberedReceiver:
    """Receiver of answers that begin with the number of the request."""

    is_numbered = True

    def __init__(self, answers: _Placer, numbers: Sequence[str]) -> None:
        self._answers, self._numbers = answers, [number.encode() for number in numbers]
        self._broken = False

    def is_answer(self, place: int, answer: bytes) -> bool:
        """Return True if a line contains the number of the request, possibly after other text."""
        return self._numbers[place] in answer

    def add(self, place: int, answer: bytes) -> None:
        printed = answer.partition(self._numbers[place])[2]
        try:
            message = json.loads(printed)
        except ValueError:
            # the answer is broken by output that the function wrote to the same pipe
            self._broken = True
            last = printed[:80].decode("utf-8", "replace")
            problem = "output of the function is mixed with its answers"
            message = {"fault": "garbage", "said": problem, "last": last}
        self._answers.add(place, message)

    def is_complete(self, _failed: Collection[int]) -> bool:
        """Return True if no answer was mixed with other output."""
        return not self._broken
