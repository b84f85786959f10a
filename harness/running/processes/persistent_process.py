"""Process that receives requests and returns answers over pipes."""

from __future__ import annotations

import array
import contextlib
import fcntl
import math
import os
import select
import tempfile
import termios
import time
from collections.abc import Callable, Iterator

from ..specification import PersistentSettings, Specification
from .guards import Guards
from .process import LaunchSettings, Process, ProcessEnd, read_head_and_tail
from .scratch import remove_folder

CHUNK_BYTES = 1 << 16
POLL_SECONDS = 1.0
"""Seconds between two checks of whether a silent process is still running."""
EXIT_SECONDS = 5.0
"""Seconds to wait for a process to exit by itself after its last request."""
EXIT_POLL_SECONDS = 0.02
"""Seconds between two reads of the output of an exiting process."""
MAX_EXIT_BYTES = 1 << 20
"""Maximum number of bytes that an exiting process may print before it is killed."""


class ExchangeFault(Exception):  # noqa: N818 - a signal to the conversation
    """Error for a process that does not answer requests; the argument is the outcome of the case.

    The outcome is ``timeout`` if the process did not answer in time, ``crash`` if it closed its standard
    output, and ``flood`` if an answer is larger than the output limit.
    """


class PersistentProcess:
    """Running process, with its pipes and the output that has not been parsed yet."""

    def __init__(self, start: LaunchSettings, spec: Specification, guards: Guards) -> None:
        self.spec = spec
        # an earlier process may have left files in the folder, or removed it
        remove_folder(start.scratch)
        start.scratch.mkdir(parents=True)
        self._open = contextlib.ExitStack()
        with contextlib.ExitStack() as process_ends:
            process_stdin, stdin = os.pipe()
            process_ends.callback(os.close, process_stdin)
            self.stdin = self._open.enter_context(os.fdopen(stdin, "wb", buffering=0))
            stdout, process_stdout = os.pipe()
            process_ends.callback(os.close, process_stdout)
            self.stdout = self._open.enter_context(os.fdopen(stdout, "rb", buffering=0))
            self.stderr = self._open.enter_context(tempfile.TemporaryFile(dir=start.scratch))
            try:
                self.process = Process(start, guards, process_stdin, process_stdout, self.stderr.fileno())
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
        """Read lines until one contains the ready text of the specification."""
        ready_text = self.spec.persistent.ready.encode()
        deadline, is_over = time.monotonic() + seconds, False
        while ready_text:
            line_end = self.buffer.find(b"\n")
            if line_end >= 0:
                line = bytes(self.buffer[:line_end])
                del self.buffer[: line_end + 1]
                if ready_text in line:
                    return
                continue
            is_over = self._check_time(deadline, is_over=is_over)
            self._exchange(memoryview(b""), deadline)

    def send_requests(
        self, requests: bytes, count: int, seconds: float, fits: Callable[[int, bytes], bool] | None = None
    ) -> Iterator[bytes]:
        """Send several requests together; yield their answers in order.

        Writing and reading alternate, so that large requests and answers cannot block each other. If `fits`
        is given, answers for which it returns False are skipped.
        """
        self.asked_count += count
        deadline, is_over = time.monotonic() + seconds, False
        rest = memoryview(requests)
        searched = 0
        place = 0
        while place < count:
            # the last answer counts only after all requests are written
            while (ends := _find_end(self.buffer, self.spec.persistent, searched)) is None or (
                place == count - 1 and rest
            ):
                if ends is None:
                    searched = max(len(self.buffer) - len(self.spec.persistent.marker) - 2, 0)
                is_over = self._check_time(deadline, is_over=is_over)
                rest = self._exchange(rest, deadline)
            # the view avoids a second copy
            answer = bytes(memoryview(self.buffer)[: ends[0]])
            del self.buffer[: ends[1]]
            searched = 0
            if fits is None or fits(place, answer):
                yield answer
                place += 1

    def _check_time(self, deadline: float, *, is_over: bool) -> bool:
        """Return True if the deadline has passed; raise ExchangeFault if `is_over` is already True."""
        if is_over:
            raise ExchangeFault("timeout")
        return time.monotonic() >= deadline

    def _exchange(self, rest: memoryview, deadline: float) -> memoryview:
        """Wait for the pipes; write the next part of the requests and read the available output."""
        seconds_left = max(deadline - time.monotonic(), 0.0)
        if rest:
            try:
                count = os.write(self.stdin.fileno(), rest[:CHUNK_BYTES])
                self.written_bytes += count
                rest = rest[count:]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                # it has closed its input; its further output or its end shows why
                rest = rest[:0]
        ready = self._poll_pipes(min(seconds_left, POLL_SECONDS), writing=bool(rest))
        if not ready and self.process.wait(0) and not self._poll_pipes(0, writing=bool(rest)):
            # a child process may keep its output open after its end
            raise ExchangeFault("crash")
        if self.stdout.fileno() in ready:
            content = os.read(self.stdout.fileno(), CHUNK_BYTES)
            if not content:
                raise ExchangeFault("crash")
            self.buffer += content
            if len(self.buffer) > self.max_bytes:
                raise ExchangeFault("flood")
        return rest

    def _poll_pipes(self, seconds: float, *, writing: bool = False) -> set[int]:
        """Wait for pipes that can be read (or written to, if `writing`); return their file descriptors."""
        poll = select.poll()
        poll.register(self.stdout, select.POLLIN)
        if writing:
            poll.register(self.stdin, select.POLLOUT)
        return {handle for handle, _ in poll.poll(math.ceil(seconds * 1000))}

    def is_unread(self) -> bool:
        """Return True if it is certain that the process has not read any input."""
        waiting = array.array("i", [0])
        try:
            fcntl.ioctl(self.stdin.fileno(), termios.FIONREAD, waiting)
        except OSError:
            # some systems report this only at the reading end
            return self.written_bytes == 0
        return waiting[0] == self.written_bytes

    def is_quiet(self) -> bool:
        """Return True if the process is alive and has sent no unsolicited output."""
        return not (self.buffer or self._poll_pipes(0) or self.process.wait(0))

    def read_stderr(self) -> bytes:
        """Return what the process has printed on standard error since the last call."""
        printed = read_head_and_tail(self.stderr, self._stderr_position)
        self._stderr_position = os.fstat(self.stderr.fileno()).st_size
        return printed

    def finish(self, *, timed_out: bool, patient: bool) -> tuple[ProcessEnd, bytes]:
        """End the process and its group; return a description of its end, and its last standard error output.

        If `patient` is True, the input of the process is closed first, and the process has `EXIT_SECONDS` to
        exit by itself. Otherwise its input stays open until the process has ended, because some programs
        begin long computations at the end of their input.
        """
        has_left = False
        if patient:
            with contextlib.suppress(BrokenPipeError):
                self.stdin.close()
            has_left = self._has_left(EXIT_SECONDS)
        printed, last = read_head_and_tail(self.stderr), self.read_stderr()
        end = self.process.finish(timed_out=timed_out, stderr=printed, has_left=has_left)
        self._open.close()
        return end, last

    def _has_left(self, seconds: float) -> bool:
        """Read remaining output until the process exits; return True if it exits within `seconds`."""
        deadline = time.monotonic() + seconds
        printed = len(self.buffer)
        while not self.process.wait(min(max(deadline - time.monotonic(), 0), EXIT_POLL_SECONDS)):
            printed += self._drain_output(MAX_EXIT_BYTES - printed)
            if printed > MAX_EXIT_BYTES:
                return False
            if time.monotonic() >= deadline:
                return self.process.wait(0)
        # the total output decides, including what is read only after its exit
        return printed + self._drain_output(MAX_EXIT_BYTES - printed) <= MAX_EXIT_BYTES

    def _drain_output(self, most: int) -> int:
        """Read and discard up to about `most` bytes of available output; return their number."""
        count = 0
        with contextlib.suppress(BlockingIOError):
            while count <= most and (content := os.read(self.stdout.fileno(), CHUNK_BYTES)):
                count += len(content)
        return count


def _find_end(buffer: bytearray, form: PersistentSettings, searched: int) -> tuple[int, int] | None:
    """Return the end of the buffer's first answer and the start of the next; None if it is incomplete."""
    if form.end == "line":
        line_end = buffer.find(b"\n", searched)
        return None if line_end < 0 else (line_end + 1, line_end + 1)
    mark = (form.marker.encode() if form.end == "marker" else b"") + b"\n"
    if buffer.startswith(mark):
        return 0, len(mark)
    line_end = buffer.find(b"\n" + mark, searched)
    return None if line_end < 0 else (line_end + 1, line_end + 1 + len(mark))
