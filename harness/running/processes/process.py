"""Starting a stranger's program, watching it, and ending it whole."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import stat
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from ..outcomes import Fault
from .guards import Guards
from .stderr import EXCERPT, head_and_tail
from .trees import scratch

LOOK = 0.02
"""Seconds between two looks at the memory of a process."""

MEMORY_SIGNS = (
    b"MemoryError", b"bad_alloc", b"OutOfMemoryError", b"Cannot allocate memory",
    b"out of memory", b"Out of memory",
)  # fmt: skip
DISK_SIGNS = (b"No space left on device", b"Errno 28", b"Disk quota exceeded")


@dataclass(frozen=True)
class Start:
    """How a process is started and held: everything resolved, nothing left to look up.

    `success` are the exit codes that are none of a failure.
    """

    command: Sequence[str]
    folder: Path
    scratch: Path
    environment: Mapping[str, str]
    shell: bool = False
    memory_mb: int | None = None
    output_mb: int = 1024
    success: Sequence[int] = (0,)


@dataclass(frozen=True)
class End:
    """How a process ended.

    Attributes
    ----------
    fault : str
        Empty, or the outcome's name: ``crash``, ``timeout``, ``memory``, ``flood``, ``disk_full``,
        ``no_program``.
    code : int
        Exit code; minus the signal's number when a signal ended it.
    seconds : float
        From start to end.
    peak_mb : float
        Largest size of its private memory that was seen; 0 where no memory limit is set.
    unread : bool
        Whether it is certain that it read nothing of its input.
    """

    fault: str
    code: int
    seconds: float
    peak_mb: float
    unread: bool = False

    def blamed(self, said: bytes) -> Fault:
        """The fault that it is for what the process was asked, with the end of what it `said`."""
        return Fault(self.fault, self.message, said[-EXCERPT:])

    @property
    def message(self) -> str:
        """The exit in words."""
        if self.fault == "no_program":
            return "the program could not be started"
        if self.code < 0:
            try:
                name = signal.Signals(-self.code).name
            except ValueError:
                name = "unknown"
            return f"signal {-self.code} ({name})"
        return f"exit code {self.code}"


NOT_STARTED = End("no_program", 127, 0.0, 0.0)
"""How a program ended that could not be started, with the exit code that a shell gives there."""


class Process:
    """One started process in a group of its own.

    Parameters
    ----------
    start : Start
    guards : Guards
    stdin, stdout, stderr : int
        Open files. Where `stdout` and `stderr` are regular files they are held to the limit.

    Raises
    ------
    OSError
        When the program cannot be started.
    """

    def __init__(self, start: Start, guards: Guards, stdin: int, stdout: int, stderr: int) -> None:
        self.start = start
        self.guards = guards
        self._streams = [s for s in (stdout, stderr) if stat.S_ISREG(os.fstat(s).st_mode)]
        self.began = time.monotonic()
        command = ["/bin/sh", "-c", " ".join(start.command)] if start.shell else list(start.command)
        limits = {"RLIMIT_FSIZE": start.output_mb * 2**20, "RLIMIT_CORE": 0}
        if start.memory_mb is not None:
            # private writable memory: unlike the address space it leaves Java's reservations alone
            limits["RLIMIT_DATA"] = start.memory_mb * 2**20
        self._guard, self.pid = guards.start(
            command, start.folder, start.environment, limits, (stdin, stdout, stderr)
        )
        self.peak = 0.0

    def wait(self, seconds: float) -> bool:
        """Wait until it ends; return False if it has not after some seconds."""
        if self.start.memory_mb is None:
            return self._wait(seconds)
        # the system tells how much memory a process used only while it lives: look again and again
        deadline = time.monotonic() + seconds
        while not self._wait(min(max(deadline - time.monotonic(), 0), LOOK)):
            self._look()
            if time.monotonic() >= deadline:
                # on a busy machine it may have ended since we looked
                return self._wait(0)
        return True

    def _look(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            status = Path(f"/proc/{self.pid}/status").read_bytes().decode("ascii", "replace")
            for line in status.splitlines():
                if line.startswith("VmData:"):
                    self.peak = max(self.peak, int(line.split()[1]) / 1024)

    def _wait(self, seconds: float) -> bool:
        if not hasattr(os, "pidfd_open"):
            return self._guard.wait(seconds)
        try:
            handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            # somebody ended the guard, and with it the tagger
            return True
        try:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            return bool(poll.poll(max(seconds, 0) * 1000))
        finally:
            os.close(handle)

    def finish(self, *, timed_out: bool, stderr: bytes, left: bool | None = None) -> End:
        """End the whole group and all that it left behind, and say how it went.

        Unless it has `left` by itself (it has when not `timed_out`, if nothing else is said), its exit code
        is that of SIGKILL: it may leave at the very moment that it is to be ended, and its exit code would
        be now its own, now the signal's.
        """
        seconds = time.monotonic() - self.began
        code = self.guards.end(self._guard, self.pid)
        if not (left if left is not None else not timed_out):
            code = -signal.SIGKILL
        fault = ""
        if any(map(self._is_full, self._streams)):
            fault = "flood"
        elif timed_out:
            fault = "timeout"
        elif code not in self.start.success:
            fault = self._name(code, stderr)
        return End(fault, code, seconds, self.peak)

    def _is_full(self, stream: int) -> bool:
        """Whether a stream's file has reached the limit: what came after was lost."""
        return os.fstat(stream).st_size >= self.start.output_mb * 2**20

    def _name(self, code: int, stderr: bytes) -> str:
        limit = self.start.memory_mb
        if any(s in stderr for s in MEMORY_SIGNS) or (limit is not None and self.peak >= 0.9 * limit):
            return "memory"
        if code == -signal.SIGXFSZ or b"File too large" in stderr or b"Errno 27" in stderr:
            return "flood"
        if any(s in stderr for s in DISK_SIGNS):
            return "disk_full"
        return "crash"


def nameless(folder: Path) -> IO[bytes]:
    """A file on a folder's device that has no name: no tagger can remove it."""
    return tempfile.TemporaryFile(dir=folder, buffering=0)


UNREAD = 10**9
"""A time of last reading that no file of ours has by itself."""


def mark_unread(path: Path) -> None:
    """Make it possible to see later whether somebody has read a file, or listed a folder."""
    os.utime(path, ns=(UNREAD, path.stat().st_mtime_ns))


def is_unread(path: Path) -> bool:
    """Whether it is certain that nobody has read it since."""
    try:
        return path.stat().st_atime_ns == UNREAD and _shows_reading(path.parent)
    except OSError:
        # the tagger removed it, which is no sign of not looking
        return False


def _shows_reading(place: Path) -> bool:
    """Whether a folder's device keeps the times of last reading; some are mounted without."""
    with scratch(place, "look") as folder:
        file = folder / "file"
        file.write_bytes(b"x")
        mark_unread(file)
        mark_unread(folder)
        file.read_bytes()
        list(folder.iterdir())
        return UNREAD not in (file.stat().st_atime_ns, folder.stat().st_atime_ns)


def run_once(
    start: Start,
    guards: Guards,
    given: Path | None,
    stdout: IO[bytes],
    stderr: IO[bytes],
    seconds: float,
    *,
    as_stdin: bool = False,
) -> tuple[End, bytes]:
    """Run a program from file to files; give how it ended and what it printed on standard error.

    Input and output are files, not pipes: the program runs at its own speed, nothing can block, and a
    fork that keeps the stream open holds up nobody. What it is `given` is its standard input, or a file or
    folder that its command names.
    """
    if given is not None and not as_stdin:
        mark_unread(given)
    with Path(given if given is not None and as_stdin else os.devnull).open("rb") as source:
        try:
            process = Process(start, guards, source.fileno(), stdout.fileno(), stderr.fileno())
        except OSError as error:
            return NOT_STARTED, f"{error}\n".encode()
        try:
            ended = process.wait(seconds)
        except BaseException:
            process.finish(timed_out=True, stderr=b"")
            raise
        if not ended:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)
        printed = head_and_tail(stderr)
        end = process.finish(timed_out=not ended, stderr=printed)
        # the file's position is ours and the process's
        read = os.lseek(source.fileno(), 0, os.SEEK_CUR) > 0
    if given is None:
        return end, printed
    return replace(end, unread=not read if as_stdin else is_unread(given)), printed
