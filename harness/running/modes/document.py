"""Mode ``document``: a process for each case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..costs import of_seconds
from ..inputs.cases import Batch
from ..outputs.placed import Joining, Placed
from ..processes.stderr import EXCERPT, Heard
from ..processes.trees import remove
from ..tagger import Tagger
from .attempt import Attempt, Reply, Result, TooLarge, process, read, written


def send(attempt: Attempt) -> Reply:
    """Send each case to a process of its own."""
    tagger, sent, folder, patience = attempt.tagger, attempt.sent, attempt.folder, attempt.patience
    result = Reply()
    found = Joining(len(sent))
    heard = Heard()
    seconds: dict[int, float] = {}
    answered = False
    for i in range(len(sent)):
        if patience is not None and not answered and i >= patience:
            break
        own = folder / str(i)
        own.mkdir()
        with process(replace(attempt, sent=sent.take_one(i), folder=own), sent.names[i]) as done:
            fault, ended, placed = _document(tagger, done, own, sent.take_one(i))
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


def _document(tagger: Tagger, done: Result, folder: Path, one: Batch) -> tuple[str, str, Placed | None]:
    """What a process of one case came to: its fault and how it ended, or what it found."""
    end = done.end
    if end.fault:
        return end.fault, end.message, None
    with written(tagger, done, folder) as output:
        if output is None:
            return "short", f"{end.message}, and no output file", None
        try:
            return "", end.message, read(output, tagger, one, whole_case=True)
        except TooLarge:
            return "flood", end.message, None
