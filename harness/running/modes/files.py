"""Modes ``batch`` and ``document``: a process is started on a file of input, and leaves its output."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO

import numpy as np

from ..costs import SPENT, Costs, of_askings, of_tokens
from ..inputs import forms as inputs
from ..inputs.cases import Batch
from ..outcomes import REPLY_BYTES, Fault, read_excerpt
from ..outputs.parse import parse
from ..outputs.placed import Placed
from ..processes.guards import Heard
from ..processes.process import EXCERPT, End, run_once
from ..processes.scratch import check_disk, nameless, remove
from .attempt import Attempt, Reply


def send(attempt: Attempt) -> Reply:
    """Send the whole batch to one process, in mode ``document`` each case to one of its own."""
    if attempt.tagger.spec.mode == "document":
        return _send_each(attempt)
    with process(attempt, "{number}") as done:
        reply = done.reply()
    reply.costs = _costs(attempt, done.end, reply.placed)
    return reply


def _costs(attempt: Attempt, end: End, placed: Placed | None) -> Costs:
    """Return what each case cost: a share of the process's seconds, and what its reply says of tokens.

    A case without an answer has no seconds, as in every mode: those in which it is answered are to come.
    """
    count, table = len(attempt.sent), attempt.tagger.spec.http
    seconds = np.full(count, np.nan)
    seconds[[] if placed is None else list(placed.way)] = end.seconds
    costs = of_askings(seconds, np.zeros(count, np.int64), attempt.sent.texts)
    prices = (None, None) if table is None else (table.price_in, table.price_out)
    for case, tokens in placed.tokens.items() if placed is not None else ():
        costs[case, SPENT] = of_tokens(*tokens, *prices)
    return costs


def _send_each(attempt: Attempt) -> Reply:
    sent, heard = attempt.sent, Heard()
    found = Placed(len(sent))
    result = Reply(placed=found)
    seconds, asking = np.full(len(sent), np.nan), np.full(len(sent), -1)
    for case in range(len(sent)):
        if attempt.gives_up(case, answered=bool(found.way)):
            break
        own = attempt.folder / str(case)
        own.mkdir()
        with process(replace(attempt, sent=sent.take([case]), folder=own), sent.names[case]) as done:
            one = done.reply(whole_case=True)
        asking[case] = case
        result.ends.append(done.end)
        heard.add(one.stderr)
        if one.replies:
            result.replies[case] = one.replies[0]
        if one.placed is not None:
            seconds[case] = done.end.seconds
            found.add([case], one.placed)
        else:
            result.case_fault[case] = Fault(one.fault, one.message, one.stderr[-EXCERPT:])
        remove(own)
        attempt.note(1)
        if done.end.fault == "no_program":
            return Reply(done.end.fault, done.end.message, ends=result.ends, stderr=heard.content)
    result.costs, result.stderr = of_askings(seconds, asking, sent.texts), heard.content
    return result


class _TooLarge(Exception):  # noqa: N818 - a signal inside this module
    """An output is larger than the limit, which the system should have held."""


@dataclass(frozen=True)
class Finished:
    """A process that was run on the input of an attempt, and what it left.

    Attributes
    ----------
    attempt : Attempt
    places : dict
        What placeholders of the specification stood for.
    end : End
    stdout : file
    stderr : bytes
        What it printed there.
    """

    attempt: Attempt
    places: dict[str, str]
    end: End
    stdout: IO[bytes]
    stderr: bytes

    def reply(self, *, whole_case: bool = False) -> Reply:
        """What it came to; not what it cost. Where it was all about one case, so is its output."""
        reply = Reply(self.end.fault, self.end.message, ends=[self.end], stderr=self.stderr)
        if self.end.fault:
            reply.replies = self._printed()
            return reply
        form = self.attempt.tagger.spec.output
        several = form.via == "path" and "{number}" in form.path and not whole_case
        try:
            reply.placed = self._each() if several else self._read(self.attempt.sent, whole_case=whole_case)
        except _TooLarge:
            reply.fault, reply.replies = "flood", self._printed()
            return reply
        if reply.placed is None:
            reply.fault, reply.message = "short", f"{self.end.message}, and no output file"
        return reply

    def _printed(self) -> dict[int, str]:
        """Return the beginning of what was printed, where it is about one case and no parser will see it."""
        if len(self.attempt.sent) > 1 or self.attempt.tagger.keep_replies == "none":
            return {}
        with self._output(None) as output:
            content = b"" if output is None else os.pread(output, REPLY_BYTES, 0)
        return {0: read_excerpt(content, self.attempt.tagger.spec.output.encoding)}

    def _each(self) -> Placed:
        """What the files say that it left for a case each."""
        sent = self.attempt.sent
        found = Placed(len(sent))
        for place, name in enumerate(sent.names):
            placed = self._read(sent.take([place]), name, whole_case=True)
            if placed is not None:
                found.add([place], placed)
        return found

    def _read(self, sent: Batch, number: str | None = None, *, whole_case: bool) -> Placed | None:
        """What an output says of some cases; None when the file that should hold it is not there.

        Where there are several outputs, `number` names it.
        """
        tagger = self.attempt.tagger
        with self._output(number) as output:
            if output is None:
                return None
            size = os.fstat(output).st_size
            if size > tagger.spec.limits.output_bytes:
                raise _TooLarge
            parts: list[bytes] = []
            # the process's own position in its standard output stays where it is
            while part := os.pread(output, size, sum(map(len, parts))):
                parts.append(part)
            content, form = b"".join(parts), tagger.spec.output
            return parse(content, form, sent, whole_case=whole_case, keep=tagger.keep_replies)

    @contextlib.contextmanager
    def _output(self, number: str | None) -> Iterator[int | None]:
        """Open an output; None when the file that should hold it is not there."""
        form = self.attempt.tagger.spec.output
        if form.via != "path":
            yield self.stdout.fileno()
            return
        places = self.places if number is None else {**self.places, "number": number}
        path = self.attempt.folder / self.attempt.tagger.fill(form.path, places)
        try:
            # a pipe with nobody at its other end is no reason to wait
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            yield None
            return
        try:
            yield handle if stat.S_ISREG(os.fstat(handle).st_mode) else None
        finally:
            os.close(handle)


@contextlib.contextmanager
def process(attempt: Attempt, number: str) -> Iterator[Finished]:
    """Write the input, run one process on it; `number` stands for the case where it is a process's own."""
    tagger, sent, folder = attempt.tagger, attempt.sent, attempt.folder
    guards, slots = attempt.guards, attempt.slots
    form, limits = tagger.spec.input, tagger.spec.limits
    given = folder / ("input" + ("" if form.via == "folder" else form.suffix))
    own = folder / "output"
    own.mkdir()
    places = {
        "input": str(given),
        "output": str(own / "result"),
        "output_dir": str(own),
        "work": str(folder),
        "number": number,
    }
    line: inputs.Line | None = None
    if form.form == "openai_batch":
        from ..endpoints.requests import batch_lines

        line = batch_lines(tagger)
    inputs.write(sent, form, given, line)
    seconds = limits.start + (limits.batch if limits.batch is not None else limits.case * len(sent))
    # without names: a tagger may remove whatever it finds in its folder
    with nameless(folder) as stdout, nameless(folder) as stderr:
        with slots.running() as slot:
            guards.check()
            places["slot"] = str(slot)
            start = tagger.start(places, folder)
            end, printed = run_once(
                start, guards, given, stdout, stderr, seconds, as_stdin=form.via == "stdin"
            )
            guards.check()
            check_disk(folder, failed=bool(end.fault))
            if end.fault and end.unread:
                slots.note_failed_start(end.blamed(printed))
            elif end.fault != "no_program":
                slots.note_started()
        yield Finished(attempt, places, end, stdout, printed)
        # once more before this frees space itself: another tagger may have found none meanwhile
        check_disk(folder, failed=False)
