"""Mode ``document``: a process for each case."""

from __future__ import annotations

from dataclasses import replace

from ..costs import of_seconds
from ..outputs.placed import Joining
from ..processes.stderr import EXCERPT, Heard
from ..processes.trees import remove
from .attempt import Attempt, Reply, outcome, process


def send(attempt: Attempt) -> Reply:
    """Send each case to a process of its own."""
    tagger, sent, folder = attempt.tagger, attempt.sent, attempt.folder
    result = Reply()
    found = Joining(len(sent))
    heard = Heard()
    seconds: dict[int, float] = {}
    answered = False
    for i in range(len(sent)):
        if attempt.gives_up(i, answered=answered):
            break
        own, one = folder / str(i), sent.take_one(i)
        own.mkdir()
        with process(replace(attempt, sent=one, folder=own), sent.names[i]) as done:
            fault, ended, placed = outcome(done, tagger, one, own, whole_case=True)
        end = done.end
        seconds[i] = end.seconds
        result.ends.append(end)
        heard.add(done.printed)
        if fault:
            result.case_fault[i] = (fault, ended, done.printed[-EXCERPT:])
        if placed is not None:
            answered = answered or bool(placed.way[0] >= 0)
            found.add_one(i, placed)
        remove(own)
        if end.fault == "no_program":
            return Reply(end.fault, end.message, None, result.ends, heard.content)
    result.costs = of_seconds(seconds, len(sent))
    result.placed, result.stderr = found.result(), heard.content
    return result
