"""A batch sent to a tagger in the mode of its specification (batch, document, persistent), and its reply."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np

from ..inputs import forms as inputs
from ..inputs.cases import Batch
from ..outputs.placed import Joining, Placed
from ..processes.disk import check_disk
from ..processes.process import End, Guard, nameless, run_once
from ..processes.slots import CannotStart, Slots
from ..processes.stderr import EXCERPT, Heard
from ..processes.trees import remove
from ..specification import TEXT_FORMS
from ..tagger import Tagger, expand

HEAVY = 1 << 24
"""Bytes of output beyond which one file is read at a time, whatever the number of jobs."""
_LARGE = threading.Lock()


@dataclass
class Reply:
    """What came of sending a batch once.

    Attributes
    ----------
    fault : str
        Why the whole of it failed; empty when it did not.
    message : str
        How the process ended, in words.
    placed : Placed or None
        The mentions, by places of the batch.
    ends : list of End
        One for each process.
    stderr : bytes
        What the processes printed there.
    case_fault : dict
        Cases that failed alone (persistent and document mode): outcome, how the process ended, and the end of
        what it printed.
    """

    fault: str = ""
    message: str = ""
    placed: Placed | None = None
    ends: list[End] = field(default_factory=list)
    stderr: bytes = b""
    case_fault: dict[int, tuple[str, str, bytes]] = field(default_factory=dict)


def send(
    tagger: Tagger, batch: Batch, guard: Guard, slots: Slots, scratch: Path, patience: int | None = None
) -> Reply:
    """Send a batch through the tagger once.

    Where each case is asked alone (persistent and document mode), `patience` is the number of failures
    without any success after which the rest is left as it is.
    """
    sent = inputs.as_sent(batch, tagger.spec.input)
    folder = Path(tempfile.mkdtemp(dir=scratch, prefix="try"))
    try:
        if tagger.spec.mode == "batch":
            result = _batch(tagger, sent, guard, slots, folder)
        elif tagger.spec.mode == "document":
            result = _documents(tagger, sent, guard, slots, folder, patience)
        else:
            result = _persistent(tagger, sent, guard, slots, folder, patience)
        # once more before this frees space itself: another tagger may have found none meanwhile
        check_disk(folder, failed=bool(result.fault or result.case_fault))
        return result
    except CannotStart:
        # it may be our disk that keeps it from starting
        check_disk(folder, failed=True)
        raise
    finally:
        remove(folder)


def seconds_for(tagger: Tagger, count: int) -> float:
    """Time that a process may take for some cases."""
    limits = tagger.spec.limits
    return limits.start + (limits.batch if limits.batch is not None else limits.case * count)


def _places(tagger: Tagger, folder: Path, number: str) -> dict[str, str]:
    spec = tagger.spec
    (folder / "output").mkdir()
    return {
        "input": str(folder / ("input" + ("" if spec.input.via == "folder" else spec.input.suffix))),
        "output": str(folder / "output" / "result"),
        "output_dir": str(folder / "output"),
        "work": str(folder),
        "number": number,
    }


@dataclass
class _Result:
    """What one process left: how it ended, its standard error, its places and its standard output."""

    end: End
    printed: bytes
    places: dict[str, str]
    stdout: IO[bytes]


@contextlib.contextmanager
def _process(
    tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path, number: str
) -> Iterator[_Result]:
    """Write the input, run one process on it."""
    spec = tagger.spec
    places = _places(tagger, folder, number)
    inputs.write(sent, spec.input, Path(places["input"]))
    start = tagger.start(places, folder)
    # without names: a tagger may remove whatever it finds in its folder
    with nameless(folder) as stdout, nameless(folder) as stderr:
        with slots.running():
            guard.check()
            end, printed = run_once(
                start,
                guard,
                Path(places["input"]) if spec.input.via == "stdin" else None,
                stdout,
                stderr,
                seconds_for(tagger, len(sent)),
                spec.success,
                Path(places["input"]) if spec.input.via != "stdin" else None,
            )
            guard.check()
            check_disk(folder, failed=bool(end.fault))
            if end.fault != "no_program":
                slots.note(end.fault, end.message, printed[-EXCERPT:], unread=end.unread)
        yield _Result(end, printed, places, stdout)
        # once more before this frees space itself: another tagger may have found none meanwhile
        check_disk(folder, failed=False)


@contextlib.contextmanager
def _written(
    tagger: Tagger, result: _Result, folder: Path, number: str | None = None
) -> Iterator[int | None]:
    """Open the one output of a process; None when the file that should hold it is not there."""
    form = tagger.spec.output
    if form.via != "path":
        yield result.stdout.fileno()
        return
    places = result.places if number is None else {**result.places, "number": number}
    path = folder / expand(form.path, places, tagger.options, tagger.path)
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


class _TooLarge(Exception):  # noqa: N818 - a signal inside this module
    """An output is larger than the limit, which the system should have held."""


def _read(handle: int, tagger: Tagger, sent: Batch, *, whole_case: bool = False) -> Placed:
    """Read and parse an output.

    Raises
    ------
    _TooLarge
        When it is larger than any output may be.
    """
    size = os.fstat(handle).st_size
    if size > tagger.spec.limits.output_mb * 2**20:
        raise _TooLarge
    with _LARGE if size > HEAVY else contextlib.nullcontext():
        return _parse(_content(handle, size), tagger, sent, whole_case=whole_case)


def _content(handle: int, size: int) -> bytes:
    parts: list[bytes] = []
    at = 0
    while at < size:
        # the process's own position in its standard output stays where it is
        parts.append(os.pread(handle, size - at, at))
        at += len(parts[-1])
        if not parts[-1]:
            break
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _parse(content: bytes, tagger: Tagger, sent: Batch, *, whole_case: bool = False) -> Placed:
    # the parsers are loaded when there is something to parse: by then the next tagger runs
    from ..outputs.parse import parse

    limit = tagger.spec.limits.output_mb
    return parse(content, tagger.spec.output, sent, whole_case=whole_case, limit_mb=limit)


def _batch(tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path) -> Reply:
    with _process(tagger, sent, guard, slots, folder, "{number}") as result:
        end, printed = result.end, result.printed
        if end.fault:
            return Reply(end.fault, end.message, None, [end], printed)
        form = tagger.spec.output
        try:
            if form.via == "path" and "{number}" in form.path:
                found = Joining(len(sent))
                for i in range(len(sent)):
                    with _written(tagger, result, folder, sent.names[i]) as output:
                        if output is not None:
                            placed = _read(output, tagger, sent.take_one(i), whole_case=True)
                            found.add(np.array([i]), placed)
                return Reply("", end.message, found.result(), [end], printed)
            with _written(tagger, result, folder) as output:
                if output is None:
                    return Reply("short", f"{end.message}, and no output file", None, [end], printed)
                return Reply("", end.message, _read(output, tagger, sent), [end], printed)
        except _TooLarge:
            return Reply("flood", end.message, None, [end], printed)


def _documents(
    tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path, patience: int | None
) -> Reply:
    result = Reply()
    found = Joining(len(sent))
    heard = Heard()
    answered = False
    for i in range(len(sent)):
        if patience is not None and not answered and i >= patience:
            break
        own = folder / str(i)
        own.mkdir()
        with _process(tagger, sent.take_one(i), guard, slots, own, sent.names[i]) as done:
            fault, ended, placed = _document(tagger, done, own, sent.take_one(i))
        end = done.end
        result.ends.append(end)
        heard.add(done.printed)
        if fault:
            result.case_fault[i] = (fault, ended, done.printed[-EXCERPT:])
        if placed is not None:
            answered = answered or bool(placed.way[0] >= 0)
            found.add(np.array([i]), placed)
        remove(own)
        if end.fault == "no_program":
            return Reply(end.fault, end.message, None, result.ends, heard.content)
    result.placed, result.stderr = found.result(), heard.content
    return result


def _document(tagger: Tagger, done: _Result, folder: Path, one: Batch) -> tuple[str, str, Placed | None]:
    """What a process of one case came to: its fault and how it ended, or what it found."""
    end = done.end
    if end.fault:
        return end.fault, end.message, None
    with _written(tagger, done, folder) as output:
        if output is None:
            return "short", f"{end.message}, and no output file", None
        try:
            return "", end.message, _read(output, tagger, one, whole_case=True)
        except _TooLarge:
            return "flood", end.message, None


def _persistent(
    tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path, patience: int | None
) -> Reply:
    from .conversation import converse

    result = Reply()
    start = tagger.start({"work": str(folder)}, folder)
    answers = _Answers(tagger, sent)
    with slots.running():
        talk = converse(start, tagger.spec, sent, guard, slots, answers.add, patience)
        guard.check()
    result.ends, result.stderr, result.case_fault = talk.ends, talk.heard.content, talk.faults
    if talk.ends and talk.ends[0].fault == "no_program":
        return Reply("no_program", talk.ends[0].message, None, talk.ends, result.stderr)
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
            self.found.add(places, _parse(lines, self._tagger, self._sent.take(places)))
            return
        for place, answer in waiting:
            one = self._sent.take_one(place)
            self.found.add(np.array([place]), _parse(answer, self._tagger, one, whole_case=True))
