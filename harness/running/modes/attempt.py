"""One attempt at a batch: what every mode is given, what it gives back, and a process run on its input."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ..costs import Costs
from ..inputs import forms as inputs
from ..inputs.cases import Batch
from ..outputs.placed import Placed
from ..processes.disk import check_disk
from ..processes.process import End, Guard, nameless, run_once
from ..processes.slots import Slots
from ..processes.stderr import EXCERPT, Heard
from ..tagger import Tagger

HEAVY = 1 << 24
"""Bytes of output beyond which one file is read at a time, whatever the number of jobs."""
_LARGE = threading.Lock()


@dataclass(frozen=True)
class Attempt:
    """A batch that is to be sent once.

    Attributes
    ----------
    tagger : Tagger
    sent : Batch
        The texts as the tagger sees them.
    guard, slots :
        What starts its processes, and how many of them run at once.
    folder : Path
        A scratch folder of its own.
    patience : int or None
        Where each case is asked alone, the number of failures without any success after which the rest is
        left as it is.
    """

    tagger: Tagger
    sent: Batch
    guard: Guard
    slots: Slots
    folder: Path
    patience: int | None = None

    def gives_up(self, failed: int, *, answered: bool) -> bool:
        """Whether the rest is left as it is, where so many cases failed and perhaps some was answered."""
        return self.patience is not None and failed >= self.patience and not answered


@dataclass
class Passing:
    """What processes did that were started, or ended, at no case's fault: they are kept from batch to batch.

    Which batch meets them depends on what ran before, so that nothing of it is told of the batch.

    Attributes
    ----------
    starts : int
        Processes that were started.
    ends : list of End
        Those that ended.
    heard : Heard
        What they printed on standard error.
    read : bool
        Whether one has read of its input.
    """

    starts: int = 0
    ends: list[End] = field(default_factory=list)
    heard: Heard = field(default_factory=Heard)
    read: bool = False

    def add(self, end: End, said: bytes) -> None:
        """Add how a process ended, and its last words."""
        self.ends.append(end)
        self.heard.add(said)


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
        One for each process; of one that is kept those that failed at the first case that they were asked.
    stderr : bytes
        What these processes printed there.
    costs : array or None
        What each case cost; see `costs`.
    case_fault : dict
        Cases that failed alone (all modes but batch): outcome, how the process ended, and the end of
        what it printed.
    passing : Passing or None
        The other processes of a tagger that is kept.
    """

    fault: str = ""
    message: str = ""
    placed: Placed | None = None
    ends: list[End] = field(default_factory=list)
    stderr: bytes = b""
    costs: Costs | None = None
    case_fault: dict[int, tuple[str, str, bytes]] = field(default_factory=dict)
    passing: Passing | None = None


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


def _lines(tagger: Tagger) -> inputs.Line | None:
    """What makes the lines of an input of requests; None where the input is another."""
    if tagger.spec.input.form != "openai_batch":
        return None
    from ..endpoints.requests import batch_lines

    return batch_lines(tagger)


@dataclass
class Result:
    """What one process left: how it ended, its standard error, its places and its standard output."""

    end: End
    printed: bytes
    places: dict[str, str]
    stdout: IO[bytes]


@contextlib.contextmanager
def process(attempt: Attempt, number: str) -> Iterator[Result]:
    """Write the input, run one process on it; `number` stands for the case where it is a process's own."""
    tagger, sent, folder = attempt.tagger, attempt.sent, attempt.folder
    guard, slots = attempt.guard, attempt.slots
    spec = tagger.spec
    places = _places(tagger, folder, number)
    inputs.write(sent, spec.input, Path(places["input"]), _lines(tagger))
    # without names: a tagger may remove whatever it finds in its folder
    with nameless(folder) as stdout, nameless(folder) as stderr:
        with slots.running() as slot:
            guard.check()
            places["slot"] = str(slot)
            start = tagger.start(places, folder)
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
        yield Result(end, printed, places, stdout)
        # once more before this frees space itself: another tagger may have found none meanwhile
        check_disk(folder, failed=False)


@contextlib.contextmanager
def written(tagger: Tagger, result: Result, folder: Path, number: str | None = None) -> Iterator[int | None]:
    """Open the one output of a process; None when the file that should hold it is not there."""
    form = tagger.spec.output
    if form.via != "path":
        yield result.stdout.fileno()
        return
    places = result.places if number is None else {**result.places, "number": number}
    path = folder / tagger.fill(form.path, places)
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


class TooLarge(Exception):  # noqa: N818 - a signal between a mode and what reads its output
    """An output is larger than the limit, which the system should have held."""


def read(handle: int, tagger: Tagger, sent: Batch, *, whole_case: bool = False) -> Placed:
    """Read and parse an output.

    Raises
    ------
    TooLarge
        When it is larger than any output may be.
    """
    size = os.fstat(handle).st_size
    if size > tagger.spec.limits.output_bytes:
        raise TooLarge
    with _LARGE if size > HEAVY else contextlib.nullcontext():
        return parse(_content(handle, size), tagger, sent, whole_case=whole_case)


def outcome(
    result: Result, tagger: Tagger, sent: Batch, folder: Path, *, whole_case: bool = False
) -> tuple[str, str, Placed | None]:
    """What a process with one output came to: its fault and how it ended, or what it found."""
    end = result.end
    if end.fault:
        return end.fault, end.message, None
    with written(tagger, result, folder) as output:
        if output is None:
            return "short", f"{end.message}, and no output file", None
        try:
            return "", end.message, read(output, tagger, sent, whole_case=whole_case)
        except TooLarge:
            return "flood", end.message, None


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


def parse(content: bytes, tagger: Tagger, sent: Batch, *, whole_case: bool = False) -> Placed:
    """Parse an output, or a part of one, by the form that the specification declares."""
    # the parsers are loaded when there is something to parse: by then the next tagger runs
    from ..outputs.parse import parse as parse_output

    spec = tagger.spec
    # one process that answers for many cases may be a case ahead
    asked = whole_case and spec.mode == "persistent" and spec.input.names_cases
    limit = spec.limits.output_mb
    return parse_output(content, spec.output, sent, whole_case=whole_case, asked=asked, limit_mb=limit)


def parse_one(content: bytes, tagger: Tagger, sent: Batch, place: int) -> Placed:
    """Parse what is all about one case of a batch."""
    return parse(content, tagger, sent.take_one(place), whole_case=True)
