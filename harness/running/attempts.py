"""One attempt: a batch goes to the tagger in the mode that its specification asks for, and is placed."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np

from . import inputs
from .cases import Batch, Places
from .placed import Placed
from .processes import KEPT, TOLD, End, Guard, nameless, run_once
from .slots import Slots
from .specification import TEXT_FORMS, Output
from .tagger import Tagger, expand
from .trees import remove


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
        Cases that failed alone (persistent and document mode): outcome, how the process ended, and the end of
        what it said.
    """

    fault: str = ""
    said: str = ""
    placed: Placed | None = None
    ends: list[End] = field(default_factory=list)
    stderr: bytes = b""
    case_fault: dict[int, tuple[str, str, bytes]] = field(default_factory=dict)


def attempt(
    tagger: Tagger, batch: Batch, guard: Guard, slots: Slots, scratch: Path, patience: int | None = None
) -> Attempt:
    """Send a batch through the tagger once.

    Where each case is asked alone (persistent and document mode), `patience` is the number of failures
    without any success after which the rest is left as it is.
    """
    sent = inputs.as_sent(batch, tagger.spec.input)
    folder = Path(tempfile.mkdtemp(dir=scratch, prefix="try"))
    try:
        if tagger.spec.mode == "batch":
            return _batch(tagger, sent, guard, slots, folder)
        if tagger.spec.mode == "document":
            return _documents(tagger, sent, guard, slots, folder, patience)
        return _persistent(tagger, sent, guard, slots, folder, patience)
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
    """What one process left: how it ended, what it said, its places and its standard output."""

    end: End
    said: bytes
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
            end, said = run_once(
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
            if end.fault != "no_program":
                slots.note(end.fault, end.said, said[-TOLD:], unread=end.unread)
        yield _Result(end, said, places, stdout)


def _content(tagger: Tagger, result: _Result, folder: Path, number: str | None = None) -> bytes | None:
    """The one output of a process; None when the file that should hold it is not there.

    Raises
    ------
    _TooLarge
        When it is larger than any output may be.
    """
    form = tagger.spec.output
    limit = tagger.spec.limits.output_mb * 2**20
    if form.via != "path":
        return _read(result.stdout.fileno(), limit)
    places = result.places if number is None else {**result.places, "number": number}
    path = folder / expand(form.path, places, tagger.options, tagger.path)
    try:
        # a pipe with nobody at its other end is no reason to wait
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return _read(handle, limit) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    finally:
        os.close(handle)


class _TooLarge(Exception):  # noqa: N818 - a signal inside this module
    """An output is larger than the limit, which the system should have held."""


def _read(handle: int, limit: int) -> bytes:
    size = os.fstat(handle).st_size
    if size > limit:
        raise _TooLarge
    parts: list[bytes] = []
    at = 0
    while at < size:
        # the process's own position in its standard output stays where it is
        parts.append(os.pread(handle, size - at, at))
        at += len(parts[-1])
        if not parts[-1]:
            break
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _parse(content: bytes, form: Output, sent: Batch, *, whole_case: bool = False) -> Placed:
    # the parsers are loaded when there is something to parse: by then the next tagger runs
    from .outputs.parse import parse

    return parse(content, form, sent, whole_case=whole_case)


def _batch(tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path) -> Attempt:
    with _process(tagger, sent, guard, slots, folder, "{number}") as result:
        end, said = result.end, result.said
        if end.fault:
            return Attempt(end.fault, end.said, None, [end], said)
        form = tagger.spec.output
        try:
            if form.via == "path" and "{number}" in form.path:
                found: list[Placed | None] = []
                for i in range(len(sent)):
                    content = _content(tagger, result, folder, sent.names[i])
                    found.append(
                        None if content is None else _parse(content, form, sent.take_one(i), whole_case=True)
                    )
                return Attempt("", end.said, merge(found, len(sent)), [end], said)
            content = _content(tagger, result, folder)
        except _TooLarge:
            return Attempt("flood", end.said, None, [end], said)
    if content is None:
        return Attempt("short", f"{end.said}, and no output file", None, [end], said)
    return Attempt("", end.said, _parse(content, form, sent), [end], said)


def _documents(
    tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path, patience: int | None
) -> Attempt:
    result = Attempt()
    found: list[Placed | None] = []
    answered = False
    for i in range(len(sent)):
        if patience is not None and not answered and i >= patience:
            break
        own = folder / str(i)
        own.mkdir()
        one = sent.take_one(i)
        content = None
        with _process(tagger, one, guard, slots, own, sent.names[i]) as done:
            end = done.end
            fault = end.fault
            if not fault:
                try:
                    content = _content(tagger, done, own)
                except _TooLarge:
                    fault = "flood"
        result.ends.append(end)
        if len(result.stderr) < 2 * KEPT:
            result.stderr += done.said
        if fault:
            result.case_fault[i] = (fault, end.said, done.said[-TOLD:])
        elif content is None:
            result.case_fault[i] = ("short", f"{end.said}, and no output file", done.said[-TOLD:])
        placed = None if content is None else _parse(content, tagger.spec.output, one, whole_case=True)
        answered = answered or (placed is not None and bool(placed.way[0] >= 0))
        found.append(placed)
        remove(own)
        if end.fault == "no_program":
            return Attempt(end.fault, end.said, None, result.ends, result.stderr)
    found += [None] * (len(sent) - len(found))
    result.placed = merge(found, len(sent))
    return result


def _persistent(
    tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path, patience: int | None
) -> Attempt:
    from .persistent import converse

    result = Attempt()
    start = tagger.start({"work": str(folder)}, folder)
    with slots.running():
        talk = converse(start, tagger.spec, sent, guard, slots, patience)
        guard.check()
    result.ends, result.stderr, result.case_fault = talk.ends, talk.stderr, talk.faults
    if talk.ends and talk.ends[0].fault == "no_program":
        return Attempt("no_program", talk.ends[0].said, None, talk.ends, talk.stderr)
    form = tagger.spec.output
    answered = np.array([i for i, a in enumerate(talk.answers) if a is not None], dtype=np.int64)
    if tagger.spec.persistent.end == "line" and form.form in TEXT_FORMS and len(answered):
        # one line of text each: all of them can be placed together
        lines = b"".join(a for a in talk.answers if a is not None)
        result.placed = spread(_parse(lines, form, sent.take(answered)), answered, len(sent))
    else:
        result.placed = merge(
            [
                None if a is None else _parse(a, form, sent.take_one(i), whole_case=True)
                for i, a in enumerate(talk.answers)
            ],
            len(sent),
        )
    return result


def spread(placed: Placed, places: Places, count: int) -> Placed:
    """Results of some cases of a batch as results of the whole batch."""
    way = np.full(count, -1, dtype=np.int8)
    way[places] = placed.way
    unplaced = np.zeros(count, dtype=np.int32)
    unplaced[places] = placed.unplaced
    return Placed(
        places[placed.case],
        placed.start,
        placed.end,
        placed.type,
        placed.types,
        placed.score,
        way,
        unplaced,
        {int(places[c]): f for c, f in placed.fault.items()},
        placed.strays,
    )


def merge(found: list[Placed | None], count: int) -> Placed:
    """Results of single cases as results of the whole batch."""
    types: dict[str, int] = {}
    parts: list[Placed] = []
    for i, one in enumerate(found):
        if one is None:
            continue
        own = spread(one, np.array([i], dtype=np.int64), count)
        codes = np.array([types.setdefault(t, len(types)) for t in own.types], dtype=np.int32)
        own.type = codes[own.type] if len(own.type) else own.type
        parts.append(own)
    way = np.full(count, -1, dtype=np.int8)
    unplaced = np.zeros(count, dtype=np.int32)
    fault: dict[int, str] = {}
    for i, one in enumerate(found):
        if one is not None:
            way[i], unplaced[i] = one.way[0], one.unplaced[0]
            if 0 in one.fault:
                fault[i] = one.fault[0]

    def joined(arrays: list[np.ndarray], kind: type) -> np.ndarray:
        return np.concatenate(arrays).astype(kind) if arrays else np.zeros(0, kind)

    return Placed(
        joined([p.case for p in parts], np.int64),
        joined([p.start for p in parts], np.int64),
        joined([p.end for p in parts], np.int64),
        joined([p.type for p in parts], np.int32),
        list(types),
        joined([p.score for p in parts], np.float64),
        way,
        unplaced,
        fault,
        sum(p.strays for p in parts),
    )
