"""One process that answers request after request, over pipes."""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import selectors
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ..inputs import forms as inputs
from ..inputs.cases import Batch
from ..inputs.encodings import is_utf8
from ..processes.process import End, Guard, Process, Start, nameless
from ..processes.slots import Slots
from ..processes.stderr import EXCERPT, Heard, head_and_tail
from ..processes.trees import remove
from ..specification import Persistent, Specification

CHUNK = 1 << 16
LOOK = 1.0
"""Seconds after which we look whether a silent process is still there."""
PATIENCE = 5.0
"""Seconds that a process has to leave by itself when there is nothing more to ask."""
STEP = 0.02
"""Seconds between two looks at what a process says that is to leave."""
FAREWELL = 1 << 20
"""Bytes that it may still say meanwhile: one that says more talks for ever, and is not waited for."""


@dataclass
class Talk:
    """What was asked and answered.

    Attributes
    ----------
    faults : dict
        Cases without an answer: outcome, how the process ended, and the end of what it printed.
    seconds : dict
        From each case's request to its answer.
    ends : list of End
        One for each process that was started.
    heard : Heard
        What they printed on standard error.
    """

    faults: dict[int, tuple[str, str, bytes]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    ends: list[End] = field(default_factory=list)
    heard: Heard = field(default_factory=Heard)

    def note(self, end: End, printed: bytes) -> None:
        """Add how a process ended."""
        self.ends.append(end)
        self.heard.add(printed)


class _Late(Exception):  # noqa: N818 - a signal inside this module
    """No answer in time."""


class _Gone(Exception):  # noqa: N818 - a signal inside this module
    """The process closed its output."""


class _Flood(Exception):  # noqa: N818 - a signal inside this module
    """An answer is larger than the limit."""


class _Deadline:
    """The time that is left for something."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._over = False

    def left(self) -> float:
        """Seconds that may be waited; 0 once when the time is up.

        On a busy machine it is over now and then before anybody looked: what has come by then came in time.

        Raises
        ------
        _Late
            When the last look has been taken.
        """
        if self._over:
            raise _Late
        left = self._end - time.monotonic()
        self._over = left <= 0
        return max(left, 0.0)


class _Partner:
    """A live process and what it has printed but nobody has read."""

    def __init__(self, start: Start, spec: Specification, guard: Guard) -> None:
        self.spec = spec
        # one before it may have left something in the folder that it was started in, or removed it
        remove(start.scratch)
        start.scratch.mkdir(parents=True)
        self._open = contextlib.ExitStack()
        with contextlib.ExitStack() as theirs:
            their_stdin, stdin = os.pipe()
            theirs.callback(os.close, their_stdin)
            self.stdin = self._open.enter_context(os.fdopen(stdin, "wb", buffering=0))
            stdout, their_stdout = os.pipe()
            theirs.callback(os.close, their_stdout)
            self.stdout = self._open.enter_context(os.fdopen(stdout, "rb", buffering=0))
            self.errors = self._open.enter_context(nameless(start.scratch))
            try:
                self.process = Process(start, guard, their_stdin, their_stdout, self.errors.fileno())
            except OSError:
                self._open.close()
                raise
        self.buffer = bytearray()
        self.asked = 0
        self.written = 0
        self.limit = spec.limits.output_mb * 2**20
        os.set_blocking(self.stdin.fileno(), False)
        os.set_blocking(self.stdout.fileno(), False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.stdout, selectors.EVENT_READ)

    def await_ready(self, seconds: float) -> None:
        """Read lines until one says that it is ready."""
        sign = self.spec.persistent.ready.encode()
        deadline = _Deadline(seconds)
        while sign:
            at = self.buffer.find(b"\n")
            if at >= 0:
                line = bytes(self.buffer[:at])
                del self.buffer[: at + 1]
                if sign in line:
                    return
                continue
            self._exchange(b"", deadline)

    def ask(self, request: bytes, seconds: float) -> bytes:
        """Send a request and read its answer."""
        self.asked += 1
        deadline = _Deadline(seconds)
        rest = request
        searched = 0
        while True:
            found = _end(self.buffer, self.spec.persistent, searched)
            if found is not None and not rest:
                # through a view: one copy, not two
                answer = bytes(memoryview(self.buffer)[: found[0]])
                del self.buffer[: found[1]]
                return answer
            if found is None:
                searched = max(len(self.buffer) - len(self.spec.persistent.marker) - 2, 0)
            rest = self._exchange(rest, deadline)

    def _exchange(self, rest: bytes, deadline: _Deadline) -> bytes:
        """Write what can be written, read what can be read; wait for either."""
        left = deadline.left()
        if rest:
            try:
                count = os.write(self.stdin.fileno(), rest[:CHUNK])
                self.written += count
                rest = rest[count:]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                # it reads no more; what it still says, or its end, tells the rest
                rest = b""
        events = selectors.EVENT_WRITE if rest else 0
        self._watch_stdin(events)
        ready = self.selector.select(min(left, LOOK))
        if not ready and self.process.wait(0) and not self.selector.select(0):
            # a child that outlives it may hold its output open
            raise _Gone
        for key, _ in ready:
            if key.fileobj is self.stdout:
                content = os.read(self.stdout.fileno(), CHUNK)
                if not content:
                    raise _Gone
                self.buffer += content
                if len(self.buffer) > self.limit:
                    raise _Flood
        return rest

    def is_unread(self) -> bool:
        """Whether it is certain that it read nothing of what was written."""
        waiting = array.array("i", [0])
        try:
            fcntl.ioctl(self.stdin.fileno(), termios.FIONREAD, waiting)
        except OSError:
            # some systems tell only the reading end
            return self.written == 0
        return waiting[0] == self.written

    def _watch_stdin(self, events: int) -> None:
        watched = self.stdin in self.selector.get_map()
        if events and not watched:
            self.selector.register(self.stdin, events)
        elif not events and watched:
            self.selector.unregister(self.stdin)

    def finish(self, *, timed_out: bool, patience: float) -> tuple[End, bytes]:
        """Close its input and give it a moment to leave by itself, where there is patience; end its group.

        Without patience its input stays open until it has ended, since the end of its input may do much.
        """
        self.selector.close()
        left = False
        if patience > 0:
            with contextlib.suppress(BrokenPipeError):
                self.stdin.close()
            left = self._leaves(patience)
        printed = head_and_tail(self.errors)
        end = self.process.finish(self.spec.success, timed_out=timed_out, stderr=printed, left=left)
        self._open.close()
        return end, printed

    def _leaves(self, patience: float) -> bool:
        """Whether it leaves by itself; what it still says is nobody's, but with a full pipe it could not."""
        deadline = time.monotonic() + patience
        printed = len(self.buffer)
        while not self.process.wait(min(max(deadline - time.monotonic(), 0), STEP)):
            printed += self._overheard(FAREWELL - printed)
            if printed > FAREWELL:
                return False
            if time.monotonic() >= deadline:
                return self.process.wait(0)
        # what it says decides, and not how much of that was read before it had left
        return printed + self._overheard(FAREWELL - printed) <= FAREWELL

    def _overheard(self, most: int) -> int:
        """Read what it has printed, until there is nothing or somewhat more than `most`; gives its length."""
        count = 0
        with contextlib.suppress(BlockingIOError):
            while count <= most and (content := os.read(self.stdout.fileno(), CHUNK)):
                count += len(content)
        return count


def _end(buffer: bytearray, form: Persistent, searched: int) -> tuple[int, int] | None:
    """Where the first answer in the buffer ends, and where the next begins."""
    if form.end == "line":
        at = buffer.find(b"\n", searched)
        return None if at < 0 else (at + 1, at + 1)
    if form.end == "blank":
        if buffer.startswith(b"\n"):
            return 0, 1
        at = buffer.find(b"\n\n", searched)
        return None if at < 0 else (at + 1, at + 2)
    mark = form.marker.encode() + b"\n"
    if buffer.startswith(mark):
        return 0, len(mark)
    at = buffer.find(b"\n" + mark, searched)
    return None if at < 0 else (at + 1, at + 1 + len(mark))


def converse(
    start: Start,
    spec: Specification,
    sent: Batch,
    guard: Guard,
    slots: Slots,
    answered: Callable[[int, bytes], None],
    patience: int | None = None,
) -> Talk:
    """Ask for every case of a batch; a process that dies or hangs is replaced.

    `answered` gets the place of each case that is answered, and its answer without the end mark.

    The case at which it did is asked once more of a fresh process: only a case that fails as the first of its
    process is the guilty one. After `patience` of these, and no answer to any other, the rest is not asked.

    Raises
    ------
    CannotStart
        When it has turned out that the tagger cannot start.
    """
    talk = Talk()
    partner: _Partner | None = None
    case = first = 0
    # answers, from the first case on, of a process that has read nothing: it may be talking of itself
    held: list[bytes] = []
    heard = False

    def give() -> None:
        for place, printed in enumerate(held, first):
            answered(place, printed)
        held.clear()

    try:
        while case < len(sent):
            guard.check()
            if patience is not None and len(talk.faults) >= patience and len(talk.faults) == case:
                break
            if partner is None:
                try:
                    partner = _Partner(start, spec, guard)
                    first = case
                except OSError as error:
                    talk.ends.insert(0, End("no_program", 127, 0.0, 0.0))
                    talk.heard.add(f"{error}\n".encode())
                    return talk
            request = inputs.serialise(sent.take_one(case), spec.input)
            if not is_utf8(spec.input.encoding):
                request = request.decode().encode(spec.input.encoding)
            fresh = partner.asked == 0
            fault = ""
            try:
                if fresh:
                    partner.await_ready(spec.limits.start)
                seconds = spec.limits.case + (spec.limits.start if fresh and not spec.persistent.ready else 0)
                began = time.monotonic()
                answer = partner.ask(request, seconds)
                talk.seconds[case] = time.monotonic() - began
                if partner.is_unread():
                    if sum(map(len, held)) + len(answer) > partner.limit:
                        raise _Flood
                    held.append(answer)
                else:
                    if not heard:
                        slots.note("", "", b"", unread=False)
                        heard = True
                    give()
                    answered(case, answer)
                case += 1
                continue
            except _Late:
                fault = "timeout"
            except _Flood:
                fault = "flood"
            except _Gone:
                fault = "crash"
            unread = partner.is_unread()
            if unread and not fresh:
                # it printed something about itself: what came before it had read anything is no answer
                case, fresh = first, True
                held.clear()
            give()
            patient = PATIENCE if fault == "crash" else 0.0
            end, printed = partner.finish(timed_out=fault == "timeout", patience=patient)
            partner = None
            # it may have been ended because the run is to stop
            guard.check()
            talk.note(replace(end, unread=unread, fault=end.fault or fault), printed)
            if not (unread or heard):
                # now it has read, also where that could not be seen yet when it answered
                slots.note("", "", b"", unread=False)
                heard = True
            if fresh:
                name = fault if fault != "crash" else end.fault or "crash"
                slots.note(name, end.message, printed[-EXCERPT:], unread=unread)
                slots.check()
                talk.faults[case] = (name, end.message, printed[-EXCERPT:])
                case += 1
        give()
    finally:
        if partner is not None:
            end, printed = partner.finish(timed_out=False, patience=0.0 if guard.stopping else PATIENCE)
            talk.note(end, printed)
    return talk
