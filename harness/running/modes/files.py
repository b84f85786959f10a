"""Modes ``batch`` and ``document``: a process is started on a file of input, and leaves its output."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO

import numpy as np

from ..costs import TOKEN_COLUMNS, Costs, compute_time_costs, compute_token_costs
from ..inputs import forms as inputs
from ..inputs.cases import Batch
from ..outcomes import REPLY_BYTES, Fault, decode_excerpt
from ..outputs.parse import parse_output
from ..outputs.placement import Placement
from ..processes.guards import StderrExcerpt
from ..processes.process import EXCERPT_BYTES, ProcessEnd, run_program
from ..processes.scratch import check_disk, open_nameless_file, remove_folder
from .attempt import Attempt, BatchReply


def send(attempt: Attempt) -> BatchReply:
    """Send the whole batch to one process, in mode ``document`` each case to one of its own."""
    if attempt.tagger.spec.mode == "document":
        return _send_each(attempt)
    with run_batch_process(attempt, "{number}") as done:
        reply = done.make_reply()
    reply.costs = _compute_costs(attempt, done.end, reply.placed)
    return reply


def _compute_costs(attempt: Attempt, end: ProcessEnd, placed: Placement | None) -> Costs:
    """Return what each case cost: a share of the process's seconds, and what its reply says of tokens.

    A case without an answer has no seconds, as in every mode: those in which it is answered are to come.
    """
    count, table = len(attempt.sent), attempt.tagger.spec.http
    seconds = np.full(count, np.nan)
    seconds[[] if placed is None else list(placed.match_kinds)] = end.seconds
    costs = compute_time_costs(seconds, np.zeros(count, np.int64), attempt.sent.texts)
    prices = (None, None) if table is None else (table.price_in, table.price_out)
    for case, tokens in placed.tokens.items() if placed is not None else ():
        costs[case, TOKEN_COLUMNS] = compute_token_costs(*tokens, *prices)
    return costs


def _send_each(attempt: Attempt) -> BatchReply:
    sent, heard = attempt.sent, StderrExcerpt()
    found = Placement(len(sent))
    result = BatchReply(placed=found)
    seconds, asking = np.full(len(sent), np.nan), np.full(len(sent), -1)
    for case in range(len(sent)):
        if attempt.is_hopeless(case, answered=bool(found.match_kinds)):
            break
        own = attempt.folder / str(case)
        own.mkdir()
        with run_batch_process(
            replace(attempt, sent=sent.take([case]), folder=own), sent.case_ids[case]
        ) as done:
            one = done.make_reply(is_single_case=True)
        asking[case] = case
        result.ends.append(done.end)
        heard.add(one.stderr)
        if one.replies:
            result.replies[case] = one.replies[0]
        if one.placed is not None:
            seconds[case] = done.end.seconds
            found.add([case], one.placed)
        else:
            result.case_fault[case] = Fault(one.fault, one.message, one.stderr[-EXCERPT_BYTES:])
        remove_folder(own)
        attempt.on_progress(1)
        if done.end.fault == "no_program":
            return BatchReply(done.end.fault, done.end.message, ends=result.ends, stderr=heard.content)
    result.costs, result.stderr = compute_time_costs(seconds, asking, sent.texts), heard.content
    return result


class _TooLarge(Exception):  # noqa: N818 - a signal inside this module
    """An output is larger than the limit, which the system should have held."""


@dataclass(frozen=True)
class FinishedProcess:
    """A process that was run on the input of an attempt, and what it left.

    Attributes
    ----------
    attempt : Attempt
    placeholder_values : dict
        What placeholders of the specification stood for.
    end : End
    stdout : file
    stderr : bytes
        What it printed there.
    """

    attempt: Attempt
    placeholder_values: dict[str, str]
    end: ProcessEnd
    stdout: IO[bytes]
    stderr: bytes

    def make_reply(self, *, is_single_case: bool = False) -> BatchReply:
        """What it came to; not what it cost. Where it was all about one case, so is its output."""
        reply = BatchReply(self.end.fault, self.end.message, ends=[self.end], stderr=self.stderr)
        if self.end.fault:
            reply.replies = self._read_printed()
            return reply
        form = self.attempt.tagger.spec.output
        several = form.via == "path" and "{number}" in form.path and not is_single_case
        try:
            reply.placed = (
                self._read_each() if several else self._read(self.attempt.sent, whole_case=is_single_case)
            )
        except _TooLarge:
            reply.fault, reply.replies = "flood", self._read_printed()
            return reply
        if reply.placed is None:
            reply.fault, reply.message = "short", f"{self.end.message}, and no output file"
        return reply

    def _read_printed(self) -> dict[int, str]:
        """Return the beginning of what was printed, where it is about one case and no parser will see it."""
        if len(self.attempt.sent) > 1 or self.attempt.tagger.keep_replies == "none":
            return {}
        with self._open_output(None) as output:
            content = b"" if output is None else os.pread(output, REPLY_BYTES, 0)
        return {0: decode_excerpt(content, self.attempt.tagger.spec.output.encoding)}

    def _read_each(self) -> Placement:
        """What the files say that it left for a case each."""
        sent = self.attempt.sent
        found = Placement(len(sent))
        for place, name in enumerate(sent.case_ids):
            placed = self._read(sent.take([place]), name, whole_case=True)
            if placed is not None:
                found.add([place], placed)
        return found

    def _read(self, sent: Batch, number: str | None = None, *, whole_case: bool) -> Placement | None:
        """What an output says of some cases; None when the file that should hold it is not there.

        Where there are several outputs, `number` names it.
        """
        tagger = self.attempt.tagger
        with self._open_output(number) as output:
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
            return parse_output(
                content, form, sent, is_single_case=whole_case, reply_policy=tagger.keep_replies
            )

    @contextlib.contextmanager
    def _open_output(self, number: str | None) -> Iterator[int | None]:
        """Open an output; None when the file that should hold it is not there."""
        form = self.attempt.tagger.spec.output
        if form.via != "path":
            yield self.stdout.fileno()
            return
        places = self.placeholder_values if number is None else {**self.placeholder_values, "number": number}
        path = self.attempt.folder / self.attempt.tagger.fill_placeholders(form.path, places)
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
def run_batch_process(attempt: Attempt, number: str) -> Iterator[FinishedProcess]:
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
    line: inputs.LineFormatter | None = None
    if form.form == "openai_batch":
        from ..endpoints.requests import make_line_formatter

        line = make_line_formatter(tagger)
    inputs.write_batch(sent, form, given, line)
    seconds = limits.start + (limits.batch if limits.batch is not None else limits.case * len(sent))
    # without names: a tagger may remove whatever it finds in its folder
    with open_nameless_file(folder) as stdout, open_nameless_file(folder) as stderr:
        with slots.hold_slot() as slot:
            guards.check()
            places["slot"] = str(slot)
            start = tagger.make_launch_settings(places, folder)
            end, printed = run_program(
                start, guards, given, stdout, stderr, seconds, as_stdin=form.via == "stdin"
            )
            guards.check()
            check_disk(folder, failed=bool(end.fault))
            if end.fault and end.unread:
                slots.note_failed_start(end.make_fault(printed))
            elif end.fault != "no_program":
                slots.note_started()
        yield FinishedProcess(attempt, places, end, stdout, printed)
        # once more before this frees space itself: another tagger may have found none meanwhile
        check_disk(folder, failed=False)
