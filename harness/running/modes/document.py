"""Mode ``document``: a process for each case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..costs import of_askings
from ..outcomes import Fault
from ..outputs.placed import Joining
from ..processes.scratch import remove
from ..processes.stderr import EXCERPT, Heard
from .attempt import Attempt, Reply
from .files import process


def send(attempt: Attempt) -> Reply:
    """Send each case to a process of its own."""
    sent = attempt.sent
    result = Reply()
    found = Joining(len(sent))
    heard = Heard()
    seconds = np.full(len(sent), np.nan)
    asking = np.full(len(sent), -1)
    answered = False
    for i in range(len(sent)):
        if attempt.gives_up(i, answered=answered):
            break
        own = attempt.folder / str(i)
        own.mkdir()
        with process(replace(attempt, sent=sent.take_one(i), folder=own), sent.names[i]) as done:
            one = done.reply(whole_case=True)
        end = done.end
        asking[i] = i
        result.ends.append(end)
        heard.add(one.stderr)
        for reply in one.replies.values():
            found.keep(i, reply)
        if one.placed is not None:
            seconds[i] = end.seconds
            answered = answered or bool(one.placed.way[0] >= 0)
            found.add_one(i, one.placed)
        else:
            result.case_fault[i] = Fault(one.fault, one.message, one.stderr[-EXCERPT:])
        remove(own)
        attempt.note(1)
        if end.fault == "no_program":
            return Reply(end.fault, end.message, None, result.ends, heard.content)
    result.costs = of_askings(seconds, asking, sent.characters)
    result.placed, result.stderr = found.result(), heard.content
    return result
