"""Mode ``document``: a process for each case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..costs import of_askings
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
    seconds = np.full(len(sent), np.nan)
    asking = np.full(len(sent), -1)
    answered = False
    for i in range(len(sent)):
        if attempt.gives_up(i, answered=answered):
            break
        own, one = folder / str(i), sent.take_one(i)
        own.mkdir()
        with process(replace(attempt, sent=one, folder=own), sent.names[i]) as done:
            fault, ended, placed = outcome(done, tagger, one, own, whole_case=True)
        end = done.end
        asking[i] = i
        result.ends.append(end)
        heard.add(done.printed)
        if fault:
            result.case_fault[i] = (fault, ended, done.printed[-EXCERPT:])
        else:
            seconds[i] = end.seconds
        if placed is not None:
            answered = answered or bool(placed.way[0] >= 0)
            found.add_one(i, placed)
        remove(own)
        if end.fault == "no_program":
            return Reply(end.fault, end.message, None, result.ends, heard.content)
    result.costs = of_askings(seconds, asking, sent.characters)
    result.placed, result.stderr = found.result(), heard.content
    return result
