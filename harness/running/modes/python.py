"""Mode ``python``: a function that is called for case after case, in a process of its own or in ours."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..costs import of_askings
from ..functions.calling import Answer, Caller, content, has_places
from ..inputs.cases import Batch, Places, assemble
from ..outcomes import Fault
from ..outputs.placed import Joining
from ..processes.process import End
from ..specification.input import Input
from ..specification.python import SPANS
from .attempt import Attempt, Reply, parse_one
from .conversation import Conversation, converse

_TURN = threading.Lock()
"""An object in memory is called by one thread at a time: few of them may be called by several."""


def send(attempt: Attempt) -> Reply:
    """Ask for every case of the batch."""
    if attempt.tagger.function is not None:
        return _in_memory(attempt, attempt.tagger.function)
    return _in_processes(attempt)


class _Answers:
    """What becomes of the answers to the cases of a batch."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt, self.reply, self.answered = attempt, Reply(), False
        self.found = Joining(len(attempt.sent))
        self._seconds = np.full(len(attempt.sent), np.nan)
        self._asking = np.full(len(attempt.sent), -1)
        self._askings = 0
        output = attempt.tagger.spec.output.model_copy(update={"form": SPANS})
        self.spans = replace(attempt.tagger, spec=attempt.tagger.spec.model_copy(update={"output": output}))

    def add(self, place: int, answer: Answer) -> None:
        """Place a case's mentions, or note its fault."""
        if "fault" in answer:
            last = str(answer["last"]).encode("utf-8", "replace")
            if "reply" in answer and self.attempt.tagger.keep_replies != "none":
                self.found.keep(place, str(answer["reply"]))
            self.reply.case_fault[place] = Fault(answer["fault"], str(answer["said"]), last)
            return
        self.answered = True
        tagger = self.spans if has_places(answer) else self.attempt.tagger
        self.found.add_one(place, parse_one(content(answer), tagger, self.attempt.sent, place))

    def took(self, window: Places, seconds: float) -> None:
        """Note how long the answers to a window took."""
        self._askings += 1
        self._asking[window], self._seconds[window] = self._askings, seconds

    def result(self) -> Reply:
        """What came of the batch."""
        self.reply.placed = self.found.result()
        # a fault is no answer, however fast
        self._seconds[list(self.reply.case_fault)] = np.nan
        self.reply.costs = of_askings(self._seconds, self._asking, self.attempt.sent.characters)
        return self.reply


def _windows(attempt: Attempt) -> list[Places]:
    """The places of cases that are sent together: several where the function takes a list."""
    table = attempt.tagger.spec.python
    size = table.window if table is not None and attempt.tagger.several else 1
    count = len(attempt.sent)
    return [np.arange(low, min(low + size, count)) for low in range(0, count, size)]


def _in_memory(attempt: Attempt, function: Callable[..., Any]) -> Reply:
    """Call an object of this process; whatever it raises is its case's fault, and no time can be kept."""
    tagger = attempt.tagger
    answers = _Answers(attempt)
    caller = Caller(function, {}, several=tagger.several)
    began = time.monotonic()
    try:
        for window in _windows(attempt):
            attempt.guards.check()
            if attempt.gives_up(len(answers.reply.case_fault), answered=answers.answered):
                break
            texts = [attempt.sent.text(place).decode() for place in window.tolist()]
            with _TURN:
                asked = time.monotonic()
                given = caller.answers(texts)
                took = time.monotonic() - asked
            for place, answer in zip(window.tolist(), given, strict=True):
                answers.add(place, answer)
            answers.took(window, took)
    finally:
        caller.close()
    answers.reply.ends = [End("", 0, time.monotonic() - began, 0.0)]
    return answers.result()


def _in_processes(attempt: Attempt) -> Reply:
    """Ask a process for window after window; the cases of one at which it dies or hangs are asked alone."""
    answers = _Answers(attempt)
    windows = _windows(attempt)
    # a window that fails says nothing of its cases, but that there may be a failure alone
    patience = attempt.patience if not attempt.tagger.several or attempt.patience is None else 1
    talk = _asked(attempt, windows, answers, patience)
    if (end := talk.not_started) is not None:
        return Reply(end.fault, end.message, ends=talk.ends, stderr=talk.heard.content, passing=talk.passing)
    again = [np.array([place]) for i in sorted(talk.faults) for place in windows[i] if len(windows[i]) > 1]
    if again:
        settled = None if answers.answered else attempt.patience
        _asked(attempt, again, answers, settled)
    return answers.result()


def _asked(
    attempt: Attempt, windows: Sequence[Places], answers: _Answers, patience: int | None
) -> Conversation:
    """Ask for the cases of each window, and note what came of it; limits of time are those of all of them."""
    tagger, sent = attempt.tagger, attempt.sent
    spec = tagger.spec
    longest = max((len(window) for window in windows), default=1)
    limits = spec.limits.model_copy(update={"case": spec.limits.case * longest})
    asking = replace(tagger, spec=spec.model_copy(update={"limits": limits, "input": Input()}))
    requests = [
        json.dumps({"texts": [sent.text(place).decode() for place in window.tolist()]}).encode()
        for window in windows
    ]
    batch: Batch = assemble(requests, np.arange(len(windows)), [str(i) for i in range(len(windows))])
    reply = answers.reply
    asked = replace(attempt, tagger=asking, sent=batch, patience=patience)
    talk = converse(asked, _Windows(answers, windows), reply.passing)
    reply.ends += talk.ends
    reply.stderr += talk.heard.content
    reply.passing = talk.passing
    for i, fault in talk.faults.items():
        if len(windows[i]) == 1:
            reply.case_fault[int(windows[i][0])] = fault
    for i in np.flatnonzero(talk.asking >= 0).tolist():
        answers.took(windows[i], float(talk.seconds[i]))
    return talk


class _Windows:
    """Takes the answers to windows of cases."""

    def __init__(self, answers: _Answers, windows: Sequence[Places]) -> None:
        self._answers, self._windows = answers, windows
        self._broken = False

    def add(self, place: int, answer: bytes) -> None:
        """Take the answers to a window; what our program did not write the function wrote into its pipe."""
        window = self._windows[place]
        given = _read(answer, len(window))
        if given is None:
            self._broken = True
            said = "the function wrote into its own answers"
            last = answer[:80].decode("utf-8", "replace")
            given = [{"fault": "garbage", "said": said, "last": last}] * len(window)
        for case, one in zip(window.tolist(), given, strict=True):
            self._answers.add(case, one)

    def fits(self, place: int, answer: bytes) -> bool:
        """Whether these are answers to this window."""
        return _read(answer, len(self._windows[place])) is not None

    def are_sound(self, _failed: Collection[int]) -> bool:
        """Whether all were written by our program."""
        return not self._broken


def _read(printed: bytes, count: int) -> list[Answer] | None:
    """The answers to a window of so many cases; None where our program did not write them."""
    try:
        given: Any = json.loads(printed)["answers"]
    except (ValueError, TypeError, KeyError):
        return None
    if isinstance(given, list) and len(given) == count and all(isinstance(g, dict) for g in given):
        return given
    return None
