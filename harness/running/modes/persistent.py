"""Mode ``persistent``: one process receives the cases one after another."""

from __future__ import annotations

from collections.abc import Collection

from ..costs import compute_time_costs
from ..inputs.cases import Batch
from ..outputs.parse import parse_output
from ..outputs.placement import Placement
from ..outputs.registry import TEXT_FORMS
from ..tagger import Tagger
from .attempt import Attempt, BatchReply
from .conversation import ask_cases


def send(attempt: Attempt) -> BatchReply:
    """Send every case of the batch to a persistent process."""
    answers = _Receiver(attempt.tagger, attempt.sent)
    talk = ask_cases(attempt, answers)
    reply = talk.make_reply()
    if not reply.fault:
        reply.costs = compute_time_costs(talk.seconds, talk.request_numbers, attempt.sent.texts)
        reply.replies, reply.placed = talk.replies, answers.placement
    return reply


class _Receiver:
    """Receiver of a persistent process's answers; it parses the answers when all of them have arrived.

    One-line answers are parsed together, so that an answer that belongs to another case is detected.
    """

    is_numbered = False

    def __init__(self, tagger: Tagger, sent: Batch) -> None:
        self.placement = Placement(len(sent))
        self._tagger, self._sent = tagger, sent
        self._together = tagger.spec.persistent.end == "line" and tagger.spec.output.form in TEXT_FORMS
        self._answers: dict[int, bytes] = {}
        self._size = 0

    def add(self, place: int, answer: bytes) -> None:
        self._answers[place] = answer
        self._size += len(answer)
        if self._size > self._tagger.spec.limits.output_bytes:
            self._place()

    def is_answer(self, place: int, answer: bytes) -> bool:
        """Return True if `answer` can be parsed as a usable answer to the case at position `place`."""
        return self._parse([place], answer).is_complete()

    def is_complete(self, failed: Collection[int]) -> bool:
        """Parse the answers; return True if all cases except the `failed` ones have a usable answer."""
        self._place()
        return self.placement.is_complete(failed)

    def _place(self) -> None:
        places = [list(self._answers)] if self._together else [[place] for place in self._answers]
        for cases in filter(None, places):
            content = b"".join(self._answers[place] for place in cases)
            self.placement.add(cases, self._parse(cases, content))
        self._answers, self._size = {}, 0

    def _parse(self, places: list[int], content: bytes) -> Placement:
        spec, keep = self._tagger.spec, self._tagger.keep_replies
        whole_case = not self._together
        # a process that answers for many cases may answer for a later case
        has_sent_id = whole_case and spec.input.has_identifiers
        sent = self._sent.take(places)
        return parse_output(
            content, spec.output, sent, is_single_case=whole_case, has_sent_id=has_sent_id, reply_policy=keep
        )
