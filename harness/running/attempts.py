"""One attempt: a batch goes to the tagger in the mode that its specification asks for, and is placed."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import inputs
from .cases import Batch
from .placed import Joining, Placed
from .processes import KEPT, End, Guard, run_once
from .room import check_room
from .slots import Slots
from .specification import TEXT_FORMS
from .tagger import Tagger

HEAVY = 1 << 24
"""Bytes of output beyond which one file is read at a time, whatever the number of jobs."""
_LARGE = threading.Lock()


@dataclass
class Attempt:
    """What came of one attempt.

    Attributes
    ----------
    fault : str
        Why the whole attempt failed; empty when it did not.
    said : str
        How the process ended, in words.
    placed : Placed or None
        The mentions, by places of the batch.
    ends : list of End
        One for each process.
    stderr : bytes
        What the processes said there.
    case_fault : dict
        Cases that failed alone (persistent and document mode): outcome and how the process ended.
    """

    fault: str = ""
    said: str = ""
    placed: Placed | None = None
    ends: list[End] = field(default_factory=list)
    stderr: bytes = b""
    case_fault: dict[int, tuple[str, str]] = field(default_factory=dict)


def attempt(tagger: Tagger, batch: Batch, guard: Guard, slots: Slots, scratch: Path) -> Attempt:
    """Send a batch through the tagger once."""
    sent = inputs.as_sent(batch, tagger.spec.input)
    folder = Path(tempfile.mkdtemp(dir=scratch, prefix="try"))
    try:
        if tagger.spec.mode == "batch":
            result = _batch(tagger, sent, guard, slots, folder)
        elif tagger.spec.mode == "document":
            result = _documents(tagger, sent, guard, slots, folder)
        else:
            result = _persistent(tagger, sent, guard, slots, folder)
        # once more before this makes room itself: another tagger may have found none meanwhile
        check_room(folder, failed=bool(result.case_fault))
        return result
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def seconds_for(tagger: Tagger, count: int) -> float:
    """Time that a process may take for some cases."""
    limits = tagger.spec.limits
    return limits.start + (limits.batch if limits.batch is not None else limits.case * count)


def _places(tagger: Tagger, folder: Path, number: str) -> dict[str, str]:
    spec = tagger.spec
    (folder / "output").mkdir(exist_ok=True)
    return {
        "input": str(folder / ("input" + ("" if spec.input.via == "folder" else spec.input.suffix))),
        "output": str(folder / "output" / "result"),
        "output_dir": str(folder / "output"),
        "work": str(folder),
        "number": number,
    }


def _process(
    tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path, number: str
) -> tuple[End, bytes, dict[str, str]]:
    """Write the input, run one process on it."""
    spec = tagger.spec
    places = _places(tagger, folder, number)
    inputs.write(sent, spec.input, Path(places["input"]))
    start = tagger.start(places, folder)
    with slots.running():
        guard.check()
        end, said = run_once(
            start,
            guard,
            Path(places["input"]) if spec.input.via == "stdin" else None,
            folder / "stdout",
            folder / "stderr",
            seconds_for(tagger, len(sent)),
            spec.success,
        )
        guard.check()
        check_room(folder, failed=bool(end.fault))
    return end, said, places


def _written(tagger: Tagger, places: dict[str, str], folder: Path) -> Path | None:
    """The one output of a process; None when the file that should hold it is not there."""
    from .tagger import expand

    form = tagger.spec.output
    path = folder / "stdout"
    if form.via == "path":
        path = Path(expand(form.path, places, tagger.options, tagger.path))
        if not path.is_absolute():
            path = folder / path
    return path if path.is_file() else None


def _read(path: Path, tagger: Tagger, sent: Batch, *, whole_case: bool = False) -> Placed:
    """Read and parse an output file."""
    with _LARGE if path.stat().st_size > HEAVY else contextlib.nullcontext():
        return _parse(path.read_bytes(), tagger, sent, whole_case=whole_case)


def _parse(content: bytes, tagger: Tagger, sent: Batch, *, whole_case: bool = False) -> Placed:
    # the parsers are loaded when there is something to parse: by then the next tagger runs
    from .outputs.parse import parse

    limit = tagger.spec.limits.output_mb
    return parse(content, tagger.spec.output, sent, whole_case=whole_case, limit_mb=limit)


def _batch(tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path) -> Attempt:
    end, said, places = _process(tagger, sent, guard, slots, folder, "{number}")
    if end.fault:
        return Attempt(end.fault, end.said, None, [end], said)
    if tagger.spec.output.via == "path" and "{number}" in tagger.spec.output.path:
        found = Joining(len(sent))
        for i in range(len(sent)):
            path = _written(tagger, {**places, "number": sent.names[i]}, folder)
            if path is not None:
                found.add(np.array([i]), _read(path, tagger, sent.take_one(i), whole_case=True))
        return Attempt("", end.said, found.result(), [end], said)
    path = _written(tagger, places, folder)
    if path is None:
        return Attempt("short", f"{end.said}, and no output file", None, [end], said)
    return Attempt("", end.said, _read(path, tagger, sent), [end], said)


def _documents(tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path) -> Attempt:
    result = Attempt()
    found = Joining(len(sent))
    heard = _Heard()
    for i in range(len(sent)):
        own = folder / str(i)
        own.mkdir()
        one = sent.take_one(i)
        end, said, places = _process(tagger, one, guard, slots, own, sent.names[i])
        result.ends.append(end)
        heard.add(said)
        path = None if end.fault else _written(tagger, places, own)
        if end.fault:
            result.case_fault[i] = (end.fault, end.said)
        elif path is None:
            result.case_fault[i] = ("short", f"{end.said}, and no output file")
        else:
            found.add(np.array([i]), _read(path, tagger, one, whole_case=True))
        shutil.rmtree(own)
        if end.fault == "no_program":
            return Attempt(end.fault, end.said, None, result.ends, heard.all())
    result.placed, result.stderr = found.result(), heard.all()
    return result


class _Heard:
    """What many processes said on standard error: the first of it, and the last that was said."""

    def __init__(self) -> None:
        self._first = bytearray()
        self._last = b""

    def add(self, said: bytes) -> None:
        if len(self._first) < 2 * KEPT:
            self._first += said
        elif said:
            self._last = said

    def all(self) -> bytes:
        return bytes(self._first) + self._last


def _persistent(tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path) -> Attempt:
    from .persistent import converse

    result = Attempt()
    start = tagger.start({"work": str(folder)}, folder)
    answers = _Answers(tagger, sent)
    with slots.running():
        talk = converse(start, tagger.spec, sent, guard, folder, answers.add)
        guard.check()
    result.ends, result.stderr, result.case_fault = talk.ends, talk.stderr, talk.faults
    if talk.ends and talk.ends[0].fault == "no_program":
        return Attempt("no_program", talk.ends[0].said, None, talk.ends, talk.stderr)
    answers.settle()
    result.placed = answers.found.result()
    return result


class _Answers:
    """Answers of a process that is asked, placed as they come: what waits is never more than some megabytes.

    Where each is a line of text, those that wait are placed together.
    """

    MOST = 1 << 24
    """Bytes that wait."""

    def __init__(self, tagger: Tagger, sent: Batch) -> None:
        self.found = Joining(len(sent))
        self._tagger, self._sent = tagger, sent
        self._together = tagger.spec.persistent.end == "line" and tagger.spec.output.form in TEXT_FORMS
        self._waiting: list[tuple[int, bytes]] = []
        self._size = 0

    def add(self, place: int, answer: bytes) -> None:
        """Add a case's answer."""
        self._waiting.append((place, answer))
        self._size += len(answer)
        if self._size > self.MOST:
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
