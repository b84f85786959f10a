"""Modes ``batch`` and ``document``: a process reads an input file and writes its output to files."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import IO

import numpy as np

from ..costs import TOKEN_COLUMNS, compute_time_costs, compute_token_costs
from ..inputs import forms as inputs
from ..inputs.cases import Batch
from ..outcomes import REPLY_BYTES, Fault, decode_excerpt
from ..outputs.parse import parse_output
from ..outputs.placement import Placement
from ..processes.guards import StderrExcerpt
from ..processes.process import EXCERPT_BYTES, ProcessEnd, run_program
from ..processes.scratch import check_disk, remove_folder
from .attempt import Attempt, BatchReply


def send(attempt: Attempt) -> BatchReply:
    """Send the whole batch to one process; in mode ``document``, each case to its own process."""
    if attempt.tagger.spec.mode == "document":
        return _send_each(attempt)
    with run_batch_process(attempt, "{number}") as done:
        reply = done.make_reply()
    count, table = len(attempt.sent), attempt.tagger.spec.http
    placed = reply.placed or Placement(count)
    # as in every mode, a case without an answer has no seconds; they are counted when it is answered
    seconds = np.full(count, np.nan)
    seconds[list(placed.match_kinds)] = done.end.seconds
    reply.costs = compute_time_costs(seconds, np.zeros(count, np.int64), attempt.sent.texts)
    prices = (None, None) if table is None else (table.price_in, table.price_out)
    for case, tokens in placed.tokens.items():
        reply.costs[case, TOKEN_COLUMNS] = compute_token_costs(*tokens, *prices)
    return reply


def _send_each(attempt: Attempt) -> BatchReply:
    sent, stderr = attempt.sent, StderrExcerpt()
    found = Placement(len(sent))
    result = BatchReply(placed=found)
    seconds, request_numbers = np.full(len(sent), np.nan), np.full(len(sent), -1)
    for case in range(len(sent)):
        if attempt.is_hopeless(case, answered=bool(found.match_kinds)):
            break
        folder = attempt.folder / str(case)
        folder.mkdir()
        single = replace(attempt, sent=sent.take([case]), folder=folder)
        with run_batch_process(single, sent.case_ids[case]) as done:
            reply = done.make_reply(is_single_case=True)
        request_numbers[case] = case
        result.ends.append(done.end)
        stderr.add(reply.stderr)
        if reply.replies:
            result.replies[case] = reply.replies[0]
        if reply.placed is not None:
            seconds[case] = done.end.seconds
            found.add([case], reply.placed)
        else:
            result.case_fault[case] = Fault(reply.fault, reply.message, reply.stderr[-EXCERPT_BYTES:])
        remove_folder(folder)
        attempt.on_progress(1)
        if done.end.fault == "no_program":
            return BatchReply(done.end.fault, done.end.message, ends=result.ends, stderr=stderr.content)
    result.costs, result.stderr = compute_time_costs(seconds, request_numbers, sent.texts), stderr.content
    return result


class _TooLarge(Exception):  # noqa: N818 - a signal inside this module
    """Error for an output file that is larger than the output limit."""


@dataclass(frozen=True)
class FinishedProcess:
    """Finished process of an attempt, with the files that it wrote.

    Attributes
    ----------
    attempt : Attempt
    placeholder_values : dict
        Values of the placeholders in the specification.
    end : ProcessEnd
    stdout : file
    stderr : bytes
        Output of the process on standard error.
    """

    attempt: Attempt
    placeholder_values: dict[str, str]
    end: ProcessEnd
    stdout: IO[bytes]
    stderr: bytes

    def make_reply(self, *, is_single_case: bool = False) -> BatchReply:
        """Parse the output; `is_single_case` is True if the complete output belongs to a single case."""
        reply = BatchReply(self.end.fault, self.end.message, ends=[self.end], stderr=self.stderr)
        if self.end.fault:
            reply.replies = self._read_printed()
            return reply
        form = self.attempt.tagger.spec.output
        several = form.via == "path" and "{number}" in form.path and not is_single_case
        try:
            sent = self.attempt.sent
            reply.placed = self._read_each() if several else self._read(sent, whole_case=is_single_case)
        except _TooLarge:
            reply.fault, reply.replies = "flood", self._read_printed()
            return reply
        if reply.placed is None:
            reply.fault, reply.message = "short", f"{self.end.message}, but the output file is missing"
        return reply

    def _read_printed(self) -> dict[int, str]:
        """Return the beginning of the output as the reply to a single case; {} if the batch has several."""
        if len(self.attempt.sent) > 1 or self.attempt.tagger.keep_replies == "none":
            return {}
        with self._open_output(None) as output:
            content = b"" if output is None else os.pread(output, REPLY_BYTES, 0)
        return {0: decode_excerpt(content, self.attempt.tagger.spec.output.encoding)}

    def _read_each(self) -> Placement:
        """Parse the output files of all cases, one file per case."""
        sent = self.attempt.sent
        found = Placement(len(sent))
        for place, name in enumerate(sent.case_ids):
            placed = self._read(sent.take([place]), name, whole_case=True)
            if placed is not None:
                found.add([place], placed)
        return found

    def _read(self, sent: Batch, number: str | None = None, *, whole_case: bool) -> Placement | None:
        """Parse the output, with `number` (if given) in its path; return None if the file is missing."""
        tagger = self.attempt.tagger
        with self._open_output(number) as output:
            if output is None:
                return None
            size = os.fstat(output).st_size
            if size > tagger.spec.limits.output_bytes:
                raise _TooLarge
            parts: list[bytes] = []
            # pread, because the file position is shared with the process
            while part := os.pread(output, size, sum(map(len, parts))):
                parts.append(part)
            content, form = b"".join(parts), tagger.spec.output
            return parse_output(
                content, form, sent, is_single_case=whole_case, reply_policy=tagger.keep_replies
            )

    @contextlib.contextmanager
    def _open_output(self, number: str | None) -> Iterator[int | None]:
        """Open standard output or the output file; yield its descriptor, or None if the file is missing."""
        form = self.attempt.tagger.spec.output
        if form.via != "path":
            yield self.stdout.fileno()
            return
        places = self.placeholder_values if number is None else {**self.placeholder_values, "number": number}
        path = self.attempt.folder / self.attempt.tagger.fill_placeholders(form.path, places)
        try:
            # O_NONBLOCK: do not wait for the other end of a pipe
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
    """Write the input file, run one process on it, and yield the finished process."""
    tagger, sent, folder = attempt.tagger, attempt.sent, attempt.folder
    guards, slots = attempt.guards, attempt.slots
    form, limits = tagger.spec.input, tagger.spec.limits
    input_path = folder / ("input" + ("" if form.via == "folder" else form.suffix))
    output = folder / "output"
    output.mkdir()
    places = {
        "input": str(input_path),
        "output": str(output / "result"),
        "output_dir": str(output),
        "work": str(folder),
        "number": number,
    }
    line: inputs.LineFormatter | None = None
    if form.form == "openai_batch":
        from ..endpoints.requests import make_line_formatter

        line = make_line_formatter(tagger)
    inputs.write_batch(sent, form, input_path, line)
    seconds = limits.start + (limits.batch if limits.batch is not None else limits.case * len(sent))
    # files without names, because a tagger may remove any file in its folder
    with TemporaryFile(dir=folder) as stdout, TemporaryFile(dir=folder) as stderr:
        with slots.hold_slot() as slot:
            guards.check()
            places["slot"] = str(slot)
            start = tagger.make_launch_settings(places, folder)
            end, printed = run_program(
                start, guards, input_path, stdout, stderr, seconds, as_stdin=form.via == "stdin"
            )
            guards.check()
            check_disk(folder, failed=bool(end.fault))
            if end.fault and end.unread:
                slots.note_failed_start(end.make_fault(printed))
            elif end.fault != "no_program":
                slots.has_started = True
        yield FinishedProcess(attempt, places, end, stdout, printed)
        # check again before these files are removed, because another tagger may have filled the disk
        check_disk(folder, failed=False)
