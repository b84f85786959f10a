"""Starting, observing and ending a tagger's program, with a guard that also ends its descendants."""

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
"""Maximum number of characters of an output line in messages."""
EXCERPT_BYTES = 4096
"""Number of bytes of standard error that are stored for each failed case."""
POLL_SECONDS = 0.02
"""Seconds between two checks of the memory of a process."""
MEMORY_SIGNS = (
    b"MemoryError", b"bad_alloc", b"OutOfMemoryError", b"Cannot allocate memory",
    b"out of memory", b"Out of memory",
)  # fmt: skip
DISK_SIGNS = (b"No space left on device", b"Errno 28", b"Disk quota exceeded")


def read_head_and_tail(stream: IO[bytes], start: int = 0) -> bytes:
    """Return the standard error of a process from byte `start`; if it is long, the middle is left out."""
    file = stream.fileno()
    end = os.fstat(file).st_size
    size = max(end - start, 0)
    # pread, because the file position is shared with the process and its children
    if size <= 2 * KEPT_BYTES:
        return os.pread(file, size, start)
    head, tail = os.pread(file, KEPT_BYTES, start), os.pread(file, KEPT_BYTES, end - KEPT_BYTES)
    return head + describe_gap(size - 2 * KEPT_BYTES) + tail


def decode_printed(printed: bytes) -> str:
    """Return the output of a process as printable text."""
    return make_printable(printed.decode("utf-8", "replace"))


def get_last_line(printed: bytes) -> str:
    """Return the last line of output that is not blank; empty if there is none."""
    lines = [line for line in decode_printed(printed).splitlines() if line.strip()]
    return lines[-1].strip()[:MAX_LINE_LENGTH] if lines else ""


@dataclass(frozen=True)
class LaunchSettings:
    """Command, environment and limits with which a process is started.

    `success` contains the exit codes that mean success.
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
    """Description of the end of a process.

    Attributes
    ----------
    fault : str
        Outcome (``crash``, ``timeout``, ``memory``, ``flood``, ``disk_full``, ``no_program``), or empty.
    code : int
        Exit code, or the negative number of the signal that ended the process.
    seconds : float
        Seconds from the start to the end of the process.
    peak_mb : float
        Maximum private memory that was observed, in MiB; 0 if there is no memory limit.
    unread : bool
        True if it is certain that the process read none of its input.
    """

    fault: str
    code: int
    seconds: float
    peak_mb: float
    unread: bool = False

    def make_fault(self, stderr: bytes) -> Fault:
        """Return the fault for the cases on which the process failed, with the end of `stderr`."""
        return Fault(self.fault, self.message, stderr[-EXCERPT_BYTES:])

    @property
    def message(self) -> str:
        """Description of how the process ended."""
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
"""`ProcessEnd` for a program that could not be started, with the exit code that a shell would return."""


class Process:
    """Running process in a separate process group.

    Parameters
    ----------
    start : LaunchSettings
    guards : Guards
    stdin, stdout, stderr : int
        File descriptors. If `stdout` and `stderr` are regular files, the output limit applies to them.

    Raises
    ------
    OSError
        If the program cannot be started.
    """

    def __init__(self, start: LaunchSettings, guards: Guards, stdin: int, stdout: int, stderr: int) -> None:
        self.settings = start
        self.guards = guards
        self._streams = [s for s in (stdout, stderr) if stat.S_ISREG(os.fstat(s).st_mode)]
        self.start_time = time.monotonic()
        command = ["/bin/sh", "-c", " ".join(start.command)] if start.shell else list(start.command)
        limits = {"RLIMIT_FSIZE": start.output_mb * 2**20, "RLIMIT_CORE": 0}
        if start.memory_mb is not None:
            # limits private writable memory; a limit of the address space would include Java's reservations
            limits["RLIMIT_DATA"] = start.memory_mb * 2**20
        self.guard = guards.start(command, start.folder, start.environment, limits, (stdin, stdout, stderr))
        self.peak_mb = 0.0

    def wait(self, seconds: float) -> bool:
        """Return True if the process ends within `seconds`."""
        if self.settings.memory_mb is None:
            return self.guard.wait(seconds)
        # the memory of a process is known only while it runs, so it is checked repeatedly
        deadline = time.monotonic() + seconds
        while not self.guard.wait(min(max(deadline - time.monotonic(), 0), POLL_SECONDS)):
            with contextlib.suppress(OSError, ValueError):
                for line in Path(f"/proc/{self.guard.pid}/status").read_bytes().splitlines():
                    if line.startswith(b"VmData:"):
                        self.peak_mb = max(self.peak_mb, int(line.split()[1]) / 1024)
            if time.monotonic() >= deadline:
                # on a busy machine, it may have ended since the last check
                return self.guard.wait(0)
        return True

    def finish(self, *, timed_out: bool, stderr: bytes, has_left: bool | None = None) -> ProcessEnd:
        """End the process group and all descendants; return the description of the process's end.

        `has_left` is True if the process exited by itself; if it is None, a process that has not timed out
        counts as exited. A process that did not exit by itself gets the exit code of SIGKILL, so that the
        result does not depend on timing.
        """
        seconds = time.monotonic() - self.start_time
        code = self.guards.end(self.guard)
        if not (has_left if has_left is not None else not timed_out):
            code = -signal.SIGKILL
        fault = ""
        # a file at the size limit may be incomplete
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
"""Access time that marks a file as unread; no other file has this time."""


def mark_unread(path: Path) -> None:
    """Mark a file or folder as unread, so that `is_unread` can detect a later read."""
    os.utime(path, ns=(UNREAD_TIME, path.stat().st_mtime_ns))


def is_unread(path: Path) -> bool:
    """Return True if it is certain that a file was not read after `mark_unread` marked it."""
    try:
        if path.stat().st_atime_ns != UNREAD_TIME:
            return False
        # some devices are mounted without access times
        with make_scratch_folder(path.parent, "look") as folder:
            file = folder / "file"
            file.write_bytes(b"x")
            mark_unread(file)
            mark_unread(folder)
            file.read_bytes()
            list(folder.iterdir())
            return UNREAD_TIME not in (file.stat().st_atime_ns, folder.stat().st_atime_ns)
    except OSError:
        # the tagger removed the file, so it may have read it
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
    """Run a program with files as input and output; return its `ProcessEnd` and its standard error.

    With files instead of pipes, the program cannot block, and child processes that keep a stream open cause
    no delay. `input_path` is the program's standard input if `as_stdin` is True, otherwise a file or folder
    named in its command.
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
        # the file position is shared with the process
        read = os.lseek(source.fileno(), 0, os.SEEK_CUR) > 0
    if input_path is None:
        return end, printed
    return replace(end, unread=not read if as_stdin else is_unread(input_path)), printed
