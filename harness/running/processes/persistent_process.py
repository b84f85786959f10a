"""One process that answers request after request, over pipes."""

from __future__ import annotations

import array
import contextlib
import fcntl
import math
import os
import select
import termios
import time
from collections.abc import Callable, Iterator

from ..specification import PersistentSettings, Specification
from .guards import Guards
from .process import LaunchSettings, Process, ProcessEnd, read_head_and_tail
from .scratch import open_nameless_file, remove_folder

CHUNK_BYTES = 1 << 16
POLL_SECONDS = 1.0
"""Seconds after which we look whether a silent process is still there."""
EXIT_SECONDS = 5.0
"""Seconds that a process has to leave by itself when there is nothing more to ask."""
EXIT_POLL_SECONDS = 0.02
"""Seconds between two looks at what a process says that is to leave."""
MAX_EXIT_BYTES = 1 << 20
"""Bytes that it may still say meanwhile: one that says more talks for ever, and is not waited for."""


class AnswerTimeout(Exception):  # noqa: N818 - a signal to who converses with it
    """No answer in time."""


class OutputEnd(Exception):  # noqa: N818 - a signal to who converses with it
    """The process closed its output."""


class OutputFlood(Exception):  # noqa: N818 - a signal to who converses with it
    """An answer is larger than the limit."""


class PersistentProcess:
    """A live process and what it has printed but nobody has read."""

    def __init__(self, start: LaunchSettings, spec: Specification, guards: Guards) -> None:
        self.spec = spec
        # one before it may have left something in the folder that it was started in, or removed it
        remove_folder(start.scratch)
        start.scratch.mkdir(parents=True)
        self._open = contextlib.ExitStack()
        with contextlib.ExitStack() as theirs:
            their_stdin, stdin = os.pipe()
            theirs.callback(os.close, their_stdin)
            self.stdin = self._open.enter_context(os.fdopen(stdin, "wb", buffering=0))
            stdout, their_stdout = os.pipe()
            theirs.callback(os.close, their_stdout)
            self.stdout = self._open.enter_context(os.fdopen(stdout, "rb", buffering=0))
            self.stderr = self._open.enter_context(open_nameless_file(start.scratch))
            try:
                self.process = Process(start, guards, their_stdin, their_stdout, self.stderr.fileno())
            except OSError:
                self._open.close()
                raise
        self.buffer = bytearray()
        self.asked_count = 0
        self._stderr_position = 0
        self.written_bytes = 0
        self.max_bytes = spec.limits.output_bytes
        os.set_blocking(self.stdin.fileno(), False)
        os.set_blocking(self.stdout.fileno(), False)

    def await_ready(self, seconds: float) -> None:
        """Read lines until one says that it is ready."""
        sign = self.spec.persistent.ready.encode()
        deadline, is_over = time.monotonic() + seconds, False
        while sign:
            at = self.buffer.find(b"\n")
            if at >= 0:
                line = bytes(self.buffer[:at])
                del self.buffer[: at + 1]
                if sign in line:
                    return
                continue
            is_over = self._check_time(deadline, is_over=is_over)
            self._exchange(memoryview(b""), deadline)

    def send_requests(
        self,
        requests: bytes,
        count: int,
        seconds: float,
        fits: Callable[[int, bytes], bool] | None = None,
    ) -> Iterator[bytes]:
        """Send some requests at once; gives their answers one by one, in order.

        What can be written is written and what can be read is read: however large both are, neither side
        waits for the other for ever. What does not fit the request whose turn it is, is passed over.
        """
        self.asked_count += count
        deadline, is_over = time.monotonic() + seconds, False
        rest = memoryview(requests)
        searched = 0
        place = 0
        while place < count:
            # the last answer is one only when all is asked
            while (found := _find_end(self.buffer, self.spec.persistent, searched)) is None or (
                place == count - 1 and rest
            ):
                if found is None:
                    searched = max(len(self.buffer) - len(self.spec.persistent.marker) - 2, 0)
                is_over = self._check_time(deadline, is_over=is_over)
                rest = self._exchange(rest, deadline)
            # through a view: one copy, not two
            answer = bytes(memoryview(self.buffer)[: found[0]])
            del self.buffer[: found[1]]
            searched = 0
            if fits is None or fits(place, answer):
                yield answer
                place += 1

    def _check_time(self, deadline: float, *, is_over: bool) -> bool:
        """Return True if the time is up, and raise Late once that is known: what has come by then counts."""
        if is_over:
            raise AnswerTimeout
        return time.monotonic() >= deadline

    def _exchange(self, rest: memoryview, deadline: float) -> memoryview:
        """Write what can be written, read what can be read; wait for either."""
        left = max(deadline - time.monotonic(), 0.0)
        if rest:
            try:
                count = os.write(self.stdin.fileno(), rest[:CHUNK_BYTES])
                self.written_bytes += count
                rest = rest[count:]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                # it reads no more; what it still says, or its end, tells the rest
                rest = rest[:0]
        ready = self._poll_pipes(min(left, POLL_SECONDS), writing=bool(rest))
        if not ready and self.process.wait(0) and not self._poll_pipes(0, writing=bool(rest)):
            # a child that outlives it may hold its output open
            raise OutputEnd
        if self.stdout.fileno() in ready:
            content = os.read(self.stdout.fileno(), CHUNK_BYTES)
            if not content:
                raise OutputEnd
            self.buffer += content
            if len(self.buffer) > self.max_bytes:
                raise OutputFlood
        return rest

    def _poll_pipes(self, seconds: float, *, writing: bool = False) -> set[int]:
        """Which of its pipes can be read from, or where we are `writing` written to, after some seconds."""
        poll = select.poll()
        poll.register(self.stdout, select.POLLIN)
        if writing:
            poll.register(self.stdin, select.POLLOUT)
        return {handle for handle, _ in poll.poll(math.ceil(seconds * 1000))}

    def is_unread(self) -> bool:
        """Whether it is certain that it read nothing of what was written."""
        waiting = array.array("i", [0])
        try:
            fcntl.ioctl(self.stdin.fileno(), termios.FIONREAD, waiting)
        except OSError:
            # some systems tell only the reading end
            return self.written_bytes == 0
        return waiting[0] == self.written_bytes

    def is_quiet(self) -> bool:
        """Whether it is there and has said nothing that nobody asked for."""
        return not (self.buffer or self._poll_pipes(0) or self.process.wait(0))

    def read_stderr(self) -> bytes:
        """What it has printed on standard error since this was asked last."""
        printed = read_head_and_tail(self.stderr, self._stderr_position)
        self._stderr_position = os.fstat(self.stderr.fileno()).st_size
        return printed

    def finish(self, *, timed_out: bool, patient: bool) -> tuple[ProcessEnd, bytes]:
        """Close its input and give it a moment to leave by itself, where there is patience; end its group.

        Without patience its input stays open until it has ended, since the end of its input may do much.
        Gives how it ended, and what of its words nobody has heard yet.
        """
        left = False
        if patient:
            with contextlib.suppress(BrokenPipeError):
                self.stdin.close()
            left = self._has_left(EXIT_SECONDS)
        printed, last = read_head_and_tail(self.stderr), self.read_stderr()
        end = self.process.finish(timed_out=timed_out, stderr=printed, has_left=left)
        self._open.close()
        return end, last

    def _has_left(self, patience: float) -> bool:
        """Whether it leaves by itself; what it still says is nobody's, but with a full pipe it could not."""
        deadline = time.monotonic() + patience
        printed = len(self.buffer)
        while not self.process.wait(min(max(deadline - time.monotonic(), 0), EXIT_POLL_SECONDS)):
            printed += self._drain_output(MAX_EXIT_BYTES - printed)
            if printed > MAX_EXIT_BYTES:
                return False
            if time.monotonic() >= deadline:
                return self.process.wait(0)
        # what it says decides, and not how much of that was read before it had left
        return printed + self._drain_output(MAX_EXIT_BYTES - printed) <= MAX_EXIT_BYTES

    def _drain_output(self, most: int) -> int:
        """Read what it has printed, until there is nothing or somewhat more than `most`; gives its length."""
        count = 0
        with contextlib.suppress(BlockingIOError):
            while count <= most and (content := os.read(self.stdout.fileno(), CHUNK_BYTES)):
                count += len(content)
        return count


def _find_end(buffer: bytearray, form: PersistentSettings, searched: int) -> tuple[int, int] | None:
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
