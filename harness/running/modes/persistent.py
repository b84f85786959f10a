"""Mode ``persistent``: one process that is asked for case after case."""

from __future__ import annotations

import numpy as np

from ..costs import of_seconds
from ..inputs.cases import Batch
from ..outputs.placed import Joining
from ..outputs.registry import TEXT_FORMS
from ..tagger import Tagger
from .attempt import Attempt, Reply, parse
from .conversation import converse


def send(attempt: Attempt) -> Reply:
    """Ask for every case of the batch."""
    tagger, sent, guard, slots = attempt.tagger, attempt.sent, attempt.guard, attempt.slots
    result = Reply()
    start = tagger.start({"work": str(attempt.folder)}, attempt.folder)
    answers = _Answers(tagger, sent)
    with slots.running():
        talk = converse(start, tagger.spec, sent, guard, slots, answers.add, attempt.patience)
        guard.check()
    result.ends, result.stderr, result.case_fault = talk.ends, talk.heard.content, talk.faults
    if talk.ends and talk.ends[0].fault == "no_program":
        return Reply("no_program", talk.ends[0].message, None, talk.ends, result.stderr)
    result.costs = of_seconds(talk.seconds, len(sent))
    answers.settle()
    result.placed = answers.found.result()
    return result


class _Answers:
    """Answers of a process that is asked, placed as they come: what waits is never more than some megabytes.

    Where each is a line of text, those that wait are placed together.
    """

    MOST = 1 << 24
    """Bytes that wait; no more than one output may be large, where that is less."""

    def __init__(self, tagger: Tagger, sent: Batch) -> None:
        self.found = Joining(len(sent))
        self._tagger, self._sent = tagger, sent
        self._together = tagger.spec.persistent.end == "line" and tagger.spec.output.form in TEXT_FORMS
        self._waiting: list[tuple[int, bytes]] = []
        self._size = 0

    def add(self, place: int, answer: bytes) -> None:
        """Add a case's answer."""
        most = min(self.MOST, self._tagger.spec.limits.output_mb * 2**20)
        if self._size + len(answer) > most:
            self.settle()
        self._waiting.append((place, answer))
        self._size += len(answer)
        if self._size > most:
            self.settle()

    def settle(self) -> None:
        """Place what waits."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if self._together and waiting:
            places = np.array([place for place, _ in waiting], dtype=np.int64)
            lines = b"".join(answer for _, answer in waiting)
            self.found.add(places, parse(lines, self._tagger, self._sent.take(places)))
            return
        for place, answer in waiting:
            one = self._sent.take_one(place)
            self.found.add(np.array([place]), parse(answer, self._tagger, one, whole_case=True))
