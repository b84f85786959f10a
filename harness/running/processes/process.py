"""Starting a stranger's program through a guard, watching it, and ending it with all its processes."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from ....catalogues.core.messages import make_printable
from ..outcomes import Fault
from .guards import KEPT_BYTES, Guards, describe_gap
from .scratch import make_scratch_folder

MAX_LINE_LENGTH = 300
"""Characters of a line of it that are shown."""
EXCERPT_BYTES = 4096
"""Bytes of what a process printed last that are kept for each case that failed alone."""
POLL_SECONDS = 0.02
"""Seconds between two looks at the memory of a process."""
MEMORY_SIGNS = (
    b"MemoryError", b"bad_alloc", b"OutOfMemoryError", b"Cannot allocate memory",
    b"out of memory", b"Out of memory",
)  # fmt: skip
DISK_SIGNS = (b"No space left on device", b"Errno 28", b"Disk quota exceeded")


def read_head_and_tail(stream: IO[bytes], start: int = 0) -> bytes:
    """What a process printed on standard error, from a place on, its middle left out when it is long."""
    file = stream.fileno()
    end = os.fstat(file).st_size
    size = max(end - start, 0)
    # the file's own position is the process's too, and some child may still be at it
    if size <= 2 * KEPT_BYTES:
        return os.pread(file, size, start)
    return (
        os.pread(file, KEPT_BYTES, start)
        + describe_gap(size - 2 * KEPT_BYTES)
        + os.pread(file, KEPT_BYTES, end - KEPT_BYTES)
    )


def decode_printed(printed: bytes) -> str:
    """What a process printed, fit to be shown."""
    return make_printable(printed.decode("utf-8", "replace"))


def get_last_line(printed: bytes) -> str:
    """The last line that says something; empty when none does."""
    lines = [line for line in decode_printed(printed).splitlines() if line.strip()]
    return lines[-1].strip()[:MAX_LINE_LENGTH] if lines else ""


@dataclass(frozen=True)
class LaunchSettings:
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
class ProcessEnd:
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

    def make_fault(self, stderr: bytes) -> Fault:
        """Return the fault that it is for what the process was asked, with the end of what it `stderr`."""
        return Fault(self.fault, self.message, stderr[-EXCERPT_BYTES:])

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


NOT_STARTED = ProcessEnd("no_program", 127, 0.0, 0.0)
"""How a program ended that could not be started, with the exit code that a shell gives there."""


class Process:
    """One started process in a group of its own.

    Parameters
    ----------
    settings : Start
    guards : Guards
    stdin, stdout, stderr : int
        Open files. Where `stdout` and `stderr` are regular files they are held to the limit.

    Raises
    ------
    OSError
        When the program cannot be started.
    """

    def __init__(self, start: LaunchSettings, guards: Guards, stdin: int, stdout: int, stderr: int) -> None:
        self.settings = start
        self.guards = guards
        self._streams = [s for s in (stdout, stderr) if stat.S_ISREG(os.fstat(s).st_mode)]
        self.start_time = time.monotonic()
        command = ["/bin/sh", "-c", " ".join(start.command)] if start.shell else list(start.command)
        limits = {"RLIMIT_FSIZE": start.output_mb * 2**20, "RLIMIT_CORE": 0}
        if start.memory_mb is not None:
            # private writable memory: unlike the address space it leaves Java's reservations alone
            limits["RLIMIT_DATA"] = start.memory_mb * 2**20
        self.guard = guards.start(command, start.folder, start.environment, limits, (stdin, stdout, stderr))
        self.peak_mb = 0.0

    def wait(self, seconds: float) -> bool:
        """Wait until it ends; return False if it has not after some seconds."""
        if self.settings.memory_mb is None:
            return self.guard.wait(seconds)
        # the system tells how much memory a process used only while it lives: look again and again
        deadline = time.monotonic() + seconds
        while not self.guard.wait(min(max(deadline - time.monotonic(), 0), POLL_SECONDS)):
            with contextlib.suppress(OSError, ValueError):
                for line in Path(f"/proc/{self.guard.pid}/status").read_bytes().splitlines():
                    if line.startswith(b"VmData:"):
                        self.peak_mb = max(self.peak_mb, int(line.split()[1]) / 1024)
            if time.monotonic() >= deadline:
                # on a busy machine it may have ended since we looked
                return self.guard.wait(0)
        return True

    def finish(self, *, timed_out: bool, stderr: bytes, has_left: bool | None = None) -> ProcessEnd:
        """End the whole group and all that it left behind, and say how it went.

        Unless it has `has_left` by itself (it has when not `timed_out`, if nothing else is said), its exit
        code
        is that of SIGKILL: it may leave at the very moment that it is to be ended, and its exit code would
        be now its own, now the signal's.
        """
        seconds = time.monotonic() - self.start_time
        code = self.guards.end(self.guard)
        if not (has_left if has_left is not None else not timed_out):
            code = -signal.SIGKILL
        fault = ""
        # what a file at the limit did not take is lost
        if any(os.fstat(stream).st_size >= self.settings.output_mb * 2**20 for stream in self._streams):
            fault = "flood"
        elif timed_out:
            fault = "timeout"
        elif code not in self.settings.success:
            fault = self._classify_fault(code, stderr)
        return ProcessEnd(fault, code, seconds, self.peak_mb)

    def _classify_fault(self, code: int, stderr: bytes) -> str:
        limit = self.settings.memory_mb
        if any(s in stderr for s in MEMORY_SIGNS) or (limit is not None and self.peak_mb >= 0.9 * limit):
            return "memory"
        if code == -signal.SIGXFSZ or b"File too large" in stderr or b"Errno 27" in stderr:
            return "flood"
        return "disk_full" if any(s in stderr for s in DISK_SIGNS) else "crash"


UNREAD_TIME = 10**9
"""A time of last reading that no file of ours has by itself."""


def mark_unread(path: Path) -> None:
    """Make it possible to see later whether somebody has read a file, or listed a folder."""
    os.utime(path, ns=(UNREAD_TIME, path.stat().st_mtime_ns))


def is_unread(path: Path) -> bool:
    """Return True if it is certain that nobody has read a file since it was marked."""
    try:
        if path.stat().st_atime_ns != UNREAD_TIME:
            return False
        # some devices are mounted without times of last reading
        with make_scratch_folder(path.parent, "look") as folder:
            file = folder / "file"
            file.write_bytes(b"x")
            mark_unread(file)
            mark_unread(folder)
            file.read_bytes()
            list(folder.iterdir())
            return UNREAD_TIME not in (file.stat().st_atime_ns, folder.stat().st_atime_ns)
    except OSError:
        # the tagger removed it, which is no sign of not looking
        return False


def run_program(
    start: LaunchSettings,
    guards: Guards,
    input_path: Path | None,
    stdout: IO[bytes],
    stderr: IO[bytes],
    seconds: float,
    *,
    as_stdin: bool = False,
) -> tuple[ProcessEnd, bytes]:
    """Run a program from file to files; give how it ended and what it printed on standard error.

    Input and output are files, not pipes: the program runs at its own speed, nothing can block, and
    a fork that keeps the stream open delays nothing. `input_path` is its standard input, or a file or folder
    that its command names.
    """
    if input_path is not None and not as_stdin:
        mark_unread(input_path)
    with Path(input_path if input_path is not None and as_stdin else os.devnull).open("rb") as source:
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
            process.guard.kill()
            process.wait(10)
        printed = read_head_and_tail(stderr)
        end = process.finish(timed_out=not ended, stderr=printed)
        # the file's position is ours and the process's
        read = os.lseek(source.fileno(), 0, os.SEEK_CUR) > 0
    if input_path is None:
        return end, printed
    return replace(end, unread=not read if as_stdin else is_unread(input_path)), printed
