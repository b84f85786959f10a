"""Starting a stranger's program, watching it, and ending it whole."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from . import guard as guard_program
from .guard import TOKEN

KEPT = 32 * 1024
"""Bytes of standard error that are kept from the beginning, and as many from the end."""

LOOK = 0.02
"""Seconds between two looks at a process whose limits the system does not watch for us."""

CAN_LIMIT = hasattr(resource, "prlimit")
"""Whether the system holds a running process to limits: Linux does. Elsewhere its files are looked at."""

MEMORY_SIGNS = (
    b"MemoryError", b"bad_alloc", b"OutOfMemoryError", b"Cannot allocate memory",
    b"out of memory", b"Out of memory",
)  # fmt: skip
DISK_SIGNS = (b"No space left on device", b"Errno 28", b"Disk quota exceeded")


class Stopped(Exception):  # noqa: N818 - no error: the run was told to stop
    """Raised in a worker when the run was told to stop."""


class Guard:
    """The program that ends our process groups when we no longer can; see `guard`."""

    def __init__(self) -> None:
        self.token = uuid.uuid4().hex
        self.stopping = False
        self._active: set[int] = set()
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(guard_program.__file__)), self.token],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def note(self, sign: str, pid: int) -> None:
        """Say that a group begins (``+``) or has ended (``-``)."""
        stream = self._process.stdin
        # if somebody ended the guard the run goes on without its help
        with self._lock, contextlib.suppress(BrokenPipeError, ValueError):
            (self._active.add if sign == "+" else self._active.discard)(pid)
            if stream is not None:
                os.write(stream.fileno(), f"{sign}{pid}\n".encode())
        if sign == "+" and self.stopping:
            self.stop()

    def stop(self) -> None:
        """End everything that runs; whoever waits for it wakes up."""
        self.stopping = True
        with self._lock:
            for pid in self._active:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)

    def check(self) -> None:
        """Raise Stopped when the run was told to stop."""
        if self.stopping:
            raise Stopped

    def close(self) -> None:
        """Let the guard end what is left, and end itself."""
        with contextlib.suppress(BrokenPipeError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait()


@dataclass(frozen=True)
class Start:
    """How a process is started: everything resolved, nothing left to look up."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    shell: bool = False
    memory_mb: int | None = None
    output_mb: int = 1024


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
    """

    fault: str
    code: int
    seconds: float
    peak_mb: float

    @property
    def said(self) -> str:
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


class Process:
    """One started process in a group of its own.

    Raises
    ------
    OSError
        When the program cannot be started.
    """

    def __init__(
        self,
        start: Start,
        guard: Guard,
        stdin: IO[bytes] | int,
        stdout: IO[bytes] | int,
        stderr: IO[bytes],
    ) -> None:
        self.start = start
        self.guard = guard
        self.flooded = False
        # one attempt has one folder: its input is there already, and what is added is output
        self._folder = Path(stderr.name).parent
        self._streams = {s.name for s in (stdout, stderr) if not isinstance(s, int)}
        self._given = set() if CAN_LIMIT else set(_files(self._folder)) - self._streams
        self.began = time.monotonic()
        command: Sequence[str] | str = " ".join(start.command) if start.shell else start.command
        self.popen = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=start.folder,
            env={**start.environment, TOKEN: guard.token},
            shell=start.shell,
            start_new_session=True,
            bufsize=0,
        )
        self.pid = self.popen.pid
        self.peak = 0.0
        guard.note("+", self.pid)
        self._limit()

    def _limit(self) -> None:
        # set from outside: code between fork and exec is unsafe beside threads
        if not CAN_LIMIT:
            return
        with contextlib.suppress(ProcessLookupError):
            if self.start.memory_mb is not None:
                size = self.start.memory_mb * 2**20
                # private writable memory: unlike the address space it leaves Java's reservations alone
                resource.prlimit(self.pid, resource.RLIMIT_DATA, (size, size))
            size = self.start.output_mb * 2**20
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (size, size))
            resource.prlimit(self.pid, resource.RLIMIT_CORE, (0, 0))

    def wait(self, seconds: float) -> bool:
        """Wait until it ends; False when it has not after some seconds."""
        if self.start.memory_mb is None and CAN_LIMIT:
            return self._wait(seconds)
        # the system tells how much memory a process used only while it lives: look again and again
        deadline = time.monotonic() + seconds
        while not self._wait(min(max(deadline - time.monotonic(), 0), LOOK)):
            if self.start.memory_mb is not None:
                self._look()
            if self._floods():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            if time.monotonic() >= deadline:
                return False
        return True

    def _look(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            status = Path(f"/proc/{self.pid}/status").read_bytes().decode("ascii", "replace")
            for line in status.splitlines():
                if line.startswith("VmData:"):
                    self.peak = max(self.peak, int(line.split()[1]) / 1024)

    def _floods(self) -> bool:
        """Whether some file that the process writes is larger than the limit, where nothing else says so."""
        if CAN_LIMIT:
            return False
        size = self.start.output_mb * 2**20
        found = _files(self._folder).items()
        self.flooded |= any(n > size for path, n in found if path not in self._given)
        return self.flooded

    def _wait(self, seconds: float) -> bool:
        if hasattr(os, "pidfd_open"):
            handle = os.pidfd_open(self.pid)
            try:
                poll = select.poll()
                poll.register(handle, select.POLLIN)
                return bool(poll.poll(max(seconds, 0) * 1000))
            finally:
                os.close(handle)
        try:
            self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def finish(self, success: Sequence[int], *, timed_out: bool, stderr: bytes) -> End:
        """End the whole group and say how it went."""
        # the leader is not reaped yet, so its number cannot have passed to a stranger
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        seconds = time.monotonic() - self.began
        code = self.popen.wait()
        self.guard.note("-", self.pid)
        self._floods()
        fault = ""
        if self.flooded:
            fault = "flood"
        elif timed_out:
            fault = "timeout"
        elif code not in success:
            fault = self._name(code, stderr)
        return End(fault, code, seconds, self.peak)

    def _name(self, code: int, stderr: bytes) -> str:
        limit = self.start.memory_mb
        if any(s in stderr for s in MEMORY_SIGNS) or (limit is not None and self.peak >= 0.9 * limit):
            return "memory"
        if code == -signal.SIGXFSZ or b"File too large" in stderr or b"Errno 27" in stderr:
            return "flood"
        if any(s in stderr for s in DISK_SIGNS):
            return "disk_full"
        return "crash"


def _files(folder: Path) -> dict[str, int]:
    """Files below a folder and their sizes."""
    found: dict[str, int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place) / name
            # one that has just gone is no output
            with contextlib.suppress(OSError):
                found[str(path)] = path.stat().st_size
    return found


def head_and_tail(path: Path) -> bytes:
    """What a process printed on standard error, its middle left out when it is long."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        if size <= 2 * KEPT:
            return stream.read()
        head = stream.read(KEPT)
        stream.seek(size - KEPT)
        return head + f"\n... {size - 2 * KEPT} bytes left out ...\n".encode() + stream.read()


def run_once(
    start: Start,
    guard: Guard,
    stdin: Path | None,
    stdout: Path,
    stderr: Path,
    seconds: float,
    success: Sequence[int],
) -> tuple[End, bytes]:
    """Run a program from file to files; give how it ended and what it said on standard error.

    Input and output are files, not pipes: the program runs at its own speed, nothing can block, and a
    fork that keeps the stream open holds up nobody.
    """
    with contextlib.ExitStack() as stack:
        source: IO[bytes] | int = (
            subprocess.DEVNULL if stdin is None else stack.enter_context(stdin.open("rb"))
        )
        out = stack.enter_context(stdout.open("wb"))
        err = stack.enter_context(stderr.open("wb"))
        try:
            process = Process(start, guard, source, out, err)
        except OSError as error:
            return End("no_program", 127, 0.0, 0.0), f"{error}\n".encode()
        try:
            ended = process.wait(seconds)
        except BaseException:
            process.finish(success, timed_out=True, stderr=b"")
            raise
    said = b""
    if not ended:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
    said = head_and_tail(stderr)
    return process.finish(success, timed_out=not ended, stderr=said), said
