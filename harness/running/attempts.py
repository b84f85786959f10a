"""One attempt: a batch goes to the tagger in the mode that its specification asks for, and is placed."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import inputs
from .cases import Batch, Places
from .placed import Placed
from .processes import End, Guard, run_once
from .room import check_room
from .slots import Slots
from .specification import TEXT_FORMS, Output
from .tagger import Tagger


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


def _content(tagger: Tagger, places: dict[str, str], folder: Path) -> bytes | None:
    """The one output of a process; None when the file that should hold it is not there."""
    from .tagger import expand

    form = tagger.spec.output
    path = folder / "stdout"
    if form.via == "path":
        path = Path(expand(form.path, places, tagger.options, tagger.path))
        if not path.is_absolute():
            path = folder / path
    return path.read_bytes() if path.is_file() else None


def _parse(content: bytes, form: Output, sent: Batch, *, whole_case: bool = False) -> Placed:
    # the parsers are loaded when there is something to parse: by then the next tagger runs
    from .outputs.parse import parse

    return parse(content, form, sent, whole_case=whole_case)


def _batch(tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path) -> Attempt:
    end, said, places = _process(tagger, sent, guard, slots, folder, "{number}")
    if end.fault:
        return Attempt(end.fault, end.said, None, [end], said)
    form = tagger.spec.output
    if form.via == "path" and "{number}" in form.path:
        found: list[Placed | None] = []
        for i in range(len(sent)):
            content = _content(tagger, {**places, "number": sent.names[i]}, folder)
            found.append(
                None if content is None else _parse(content, form, sent.take_one(i), whole_case=True)
            )
        return Attempt("", end.said, merge(found, len(sent)), [end], said)
    content = _content(tagger, places, folder)
    if content is None:
        return Attempt("short", f"{end.said}, and no output file", None, [end], said)
    return Attempt("", end.said, _parse(content, form, sent), [end], said)


def _documents(tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path) -> Attempt:
    result = Attempt()
    found: list[Placed | None] = []
    for i in range(len(sent)):
        own = folder / str(i)
        own.mkdir()
        one = sent.take_one(i)
        end, said, places = _process(tagger, one, guard, slots, own, sent.names[i])
        result.ends.append(end)
        result.stderr += said
        content = None if end.fault else _content(tagger, places, own)
        if end.fault:
            result.case_fault[i] = (end.fault, end.said)
        elif content is None:
            result.case_fault[i] = ("short", f"{end.said}, and no output file")
        found.append(None if content is None else _parse(content, tagger.spec.output, one, whole_case=True))
        shutil.rmtree(own)
        if end.fault == "no_program":
            return Attempt(end.fault, end.said, None, result.ends, result.stderr)
    result.placed = merge(found, len(sent))
    return result


def _persistent(tagger: Tagger, sent: Batch, guard: Guard, slots: Slots, folder: Path) -> Attempt:
    from .persistent import converse

    result = Attempt()
    start = tagger.start({"work": str(folder)}, folder)
    with slots.running():
        talk = converse(start, tagger.spec, sent, guard, folder)
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
