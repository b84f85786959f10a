"""Mode ``persistent``: one process that is asked for case after case."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ..costs import of_askings
from ..inputs.cases import Batch
from ..outputs.placed import Joining, Placed
from ..outputs.registry import TEXT_FORMS
from ..tagger import Tagger
from .attempt import Attempt, Reply, parse, parse_one
from .conversation import converse


def send(attempt: Attempt) -> Reply:
    """Ask for every case of the batch."""
    tagger, sent = attempt.tagger, attempt.sent
    answers = _Answers(tagger, sent)
    talk = converse(attempt, answers)
    result = Reply(ends=talk.ends, stderr=talk.heard.content, case_fault=talk.faults, passing=talk.passing)
    if (end := talk.not_started) is not None:
        return replace(result, fault=end.fault, message=end.message, case_fault={})
    result.costs = of_askings(talk.seconds, talk.asking, sent.characters)
    for place, reply in talk.replies.items():
        answers.found.keep(place, reply)
    result.placed = answers.found.result()
    return result


class _Answers:
    """Answers of a process that is asked, placed as they come: what waits is never more than some megabytes.

    Where each is a line of text, those that wait are placed together.
    """

    numbered = False
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
        most = min(self.MOST, self._tagger.spec.limits.output_bytes)
        if self._size + len(answer) > most:
            self.settle()
        self._waiting.append((place, answer))
        self._size += len(answer)
        if self._size > most:
            self.settle()

    def fits(self, place: int, answer: bytes) -> bool:
        """Whether this can be the answer to this case: its text, or its identifier where it has one."""
        sent = self._sent.take_one(place)
        return _is_sound(parse(answer, self._tagger, sent, whole_case=not self._together))

    def are_sound(self, failed: Collection[int]) -> bool:
        """Place what waits; whether every case is answered, but for those that failed alone."""
        self.settle()
        found = self.found.result()
        asked = np.ones(len(self._sent), dtype=bool)
        asked[list(failed)] = False
        return bool(not found.strays and not found.fault and (found.way[asked] >= 0).all())

    def settle(self) -> None:
        """Place what waits."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if self._together and waiting:
            places = np.array([place for place, _ in waiting], dtype=np.int64)
            lines = b"".join(answer for _, answer in waiting)
            self.found.add(places, parse(lines, self._tagger, self._sent.take(places)))
            return
        for place, answer in waiting:
            self.found.add_one(place, parse_one(answer, self._tagger, self._sent, place))


def _is_sound(placed: Placed) -> bool:
    return bool(not placed.strays and not placed.fault and (placed.way >= 0).all())
