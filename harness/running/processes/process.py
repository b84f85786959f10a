"""Starting a stranger's program through a guard, watching it, and ending it with all its processes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, TypeVar

from ....catalogues.core.tables import printable
from ..outcomes import Fault
from . import guard as program
from .scratch import scratch

KEPT = 32 * 1024
"""Bytes of standard error that are kept from the beginning, and as many from the end."""

LINE = 300
"""Characters of a line of it that are shown."""
EXCERPT = 4096
"""Bytes of what a process printed last that are kept for each case that failed alone."""
LOOK = 0.02
"""Seconds between two looks at the memory of a process."""
MEMORY_SIGNS = (
    b"MemoryError", b"bad_alloc", b"OutOfMemoryError", b"Cannot allocate memory",
    b"out of memory", b"Out of memory",
)  # fmt: skip
DISK_SIGNS = (b"No space left on device", b"Errno 28", b"Disk quota exceeded")
START = [
    sys.executable, "-I", "-S", "-B", "-c",
    "import sys; sys.path.append(sys.argv.pop(1)); import guard; guard.main()",
]  # fmt: skip
"""How `guard` is started, but for its folder and socket: as a module, which is not compiled each time."""

Lasting = TypeVar("Lasting")


def head_and_tail(stream: IO[bytes], start: int = 0) -> bytes:
    """What a process printed on standard error, from a place on, its middle left out when it is long."""
    file = stream.fileno()
    end = os.fstat(file).st_size
    size = max(end - start, 0)
    # the file's own position is the process's too, and some child may still be at it
    if size <= 2 * KEPT:
        return os.pread(file, size, start)
    return os.pread(file, KEPT, start) + _left_out(size - 2 * KEPT) + os.pread(file, KEPT, end - KEPT)


def readable(printed: bytes) -> str:
    """What a process printed, fit to be shown."""
    return printable(printed.decode("utf-8", "replace"))


def last_line(printed: bytes) -> str:
    """The last line that says something; empty when none does."""
    lines = [line for line in readable(printed).splitlines() if line.strip()]
    return lines[-1].strip()[:LINE] if lines else ""


@dataclass
class Heard:
    r"""What many processes printed, one after another: no more is kept of all of them than of one.

    Examples
    --------
    >>> heard = Heard()
    >>> heard.add(b"warning: no model\n")
    >>> heard.add(b"x" * 100_000)
    >>> heard.content[:18], heard.content.count(b"bytes left out"), len(heard.content) < 66_000
    (b'warning: no model\n', 1, True)
    """

    head: bytes = b""
    tail: bytes = b""
    left_out: int = 0

    def add(self, printed: bytes) -> None:
        """Add what a process printed."""
        room = KEPT - len(self.head)
        self.head += printed[:room]
        self.tail += printed[room:]
        more = max(len(self.tail) - KEPT, 0)
        self.left_out += more
        self.tail = self.tail[more:]

    @property
    def content(self) -> bytes:
        """The beginning and the end of it, and between them how much is left out."""
        return self.head + (_left_out(self.left_out) if self.left_out else b"") + self.tail


def _left_out(count: int) -> bytes:
    return f"\n... {count} bytes left out ...\n".encode()


class Stopped(Exception):  # noqa: N818 - no error: the run is to stop
    """Raised in a worker when the run is to stop."""


class Guard:
    """One guard process, see `guard`: it starts one tagger at a time, and ends what that leaves behind."""

    def __init__(self) -> None:
        self.pid = 0
        """The process that it has started."""
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [*START, str(Path(program.__file__).parent), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    def ask(self, order: Mapping[str, object], files: tuple[int, ...] = ()) -> Any:
        """Give an order; returns the answer, None where the guard has gone."""
        try:
            program.send(self._channel, dict(order), files)
            return program.receive(self._channel)[0]
        except (EOFError, OSError):
            return None

    def wait(self, seconds: float) -> bool:
        """Return True if the process has ended after some seconds."""
        if not hasattr(os, "pidfd_open"):
            return self.ask({"do": "wait", "seconds": seconds}) is not False
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

    def kill(self) -> None:
        """Send SIGKILL to the process and its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Let the guard end what is left, and itself."""
        self._channel.close()
        self._process.wait()


class Guards(contextlib.AbstractContextManager["Guards", None]):
    """The guards of a run: as many as taggers run at once; see `guard`.

    Parameters
    ----------
    home : Path, optional
        The folder of the run's finished shards, for what else is to survive when the run is killed.
    ready : bool
        Whether a process will be started soon; a guard is there by then.
    """

    def __init__(self, home: Path | None = None, *, ready: bool = True) -> None:
        self.home = home
        self.stopping = False
        self._lasting: Any = None
        self._making, self._lock = threading.Lock(), threading.Lock()
        self._active: set[Guard] = set()
        self._free = [Guard()] if ready else []

    def start(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        limits: Mapping[str, int],
        files: tuple[int, int, int],
    ) -> Guard:
        """Start a process.

        Raises
        ------
        OSError
            When it cannot be started.
        """
        order = {
            "do": "start", "command": list(command), "folder": str(folder),
            "environment": dict(environment), "limits": dict(limits),
        }  # fmt: skip
        answer = None
        while answer is None:
            try:
                guard, is_new = self._free.pop(), False
            except IndexError:
                guard, is_new = Guard(), True
            answer = guard.ask(order, files)
            if answer is None:
                # somebody ended it, perhaps while it was idle: another takes its place
                guard.close()
                if is_new:
                    raise OSError("the program that starts taggers was ended")
        if isinstance(answer, tuple):
            self._free.append(guard)
            raise OSError(*answer)
        guard.pid = answer
        with self._lock:
            self._active.add(guard)
        if self.stopping:
            self.stop()
        return guard

    def end(self, guard: Guard) -> int:
        """End a process and all that it left behind; gives its exit code."""
        # from now on its number may pass to a stranger
        with self._lock:
            self._active.discard(guard)
        code: int | None = guard.ask({"do": "end"})
        if code is None:
            # a tagger that ends its parent ends with it
            guard.close()
            guard.kill()
            return -signal.SIGKILL
        self._free.append(guard)
        return code

    def stop(self) -> None:
        """End everything that runs; whoever waits for it wakes up."""
        self.stopping = True
        with self._lock:
            for guard in self._active:
                guard.kill()

    def check(self) -> None:
        """Raise Stopped when the run is to stop."""
        if self.stopping:
            raise Stopped

    def lasting(self, make: Callable[[], Lasting]) -> Lasting:
        """Return what is made once for all shards of a run; its `close` is called in the end."""
        with self._making:
            if self._lasting is None:
                self._lasting = make()
            made: Lasting = self._lasting
            return made

    def __exit__(self, *_: object) -> None:
        """Let the guards end what is left, and themselves."""
        for guard in (*self._free, *self._active):
            guard.close()
        if self._lasting is not None:
            self._lasting.close()


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
        """Return the fault that it is for what the process was asked, with the end of what it `said`."""
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
        self.guard = guards.start(command, start.folder, start.environment, limits, (stdin, stdout, stderr))
        self.peak = 0.0

    def wait(self, seconds: float) -> bool:
        """Wait until it ends; return False if it has not after some seconds."""
        if self.start.memory_mb is None:
            return self.guard.wait(seconds)
        # the system tells how much memory a process used only while it lives: look again and again
        deadline = time.monotonic() + seconds
        while not self.guard.wait(min(max(deadline - time.monotonic(), 0), LOOK)):
            with contextlib.suppress(OSError, ValueError):
                for line in Path(f"/proc/{self.guard.pid}/status").read_bytes().splitlines():
                    if line.startswith(b"VmData:"):
                        self.peak = max(self.peak, int(line.split()[1]) / 1024)
            if time.monotonic() >= deadline:
                # on a busy machine it may have ended since we looked
                return self.guard.wait(0)
        return True

    def finish(self, *, timed_out: bool, stderr: bytes, left: bool | None = None) -> End:
        """End the whole group and all that it left behind, and say how it went.

        Unless it has `left` by itself (it has when not `timed_out`, if nothing else is said), its exit code
        is that of SIGKILL: it may leave at the very moment that it is to be ended, and its exit code would
        be now its own, now the signal's.
        """
        seconds = time.monotonic() - self.began
        code = self.guards.end(self.guard)
        if not (left if left is not None else not timed_out):
            code = -signal.SIGKILL
        fault = ""
        # what a file at the limit did not take is lost
        if any(os.fstat(stream).st_size >= self.start.output_mb * 2**20 for stream in self._streams):
            fault = "flood"
        elif timed_out:
            fault = "timeout"
        elif code not in self.start.success:
            fault = self._fault(code, stderr)
        return End(fault, code, seconds, self.peak)

    def _fault(self, code: int, stderr: bytes) -> str:
        limit = self.start.memory_mb
        if any(s in stderr for s in MEMORY_SIGNS) or (limit is not None and self.peak >= 0.9 * limit):
            return "memory"
        if code == -signal.SIGXFSZ or b"File too large" in stderr or b"Errno 27" in stderr:
            return "flood"
        return "disk_full" if any(s in stderr for s in DISK_SIGNS) else "crash"


UNREAD = 10**9
"""A time of last reading that no file of ours has by itself."""


def mark_unread(path: Path) -> None:
    """Make it possible to see later whether somebody has read a file, or listed a folder."""
    os.utime(path, ns=(UNREAD, path.stat().st_mtime_ns))


def is_unread(path: Path) -> bool:
    """Return True if it is certain that nobody has read a file since it was marked."""
    try:
        if path.stat().st_atime_ns != UNREAD:
            return False
        # some devices are mounted without times of last reading
        with scratch(path.parent, "look") as folder:
            file = folder / "file"
            file.write_bytes(b"x")
            mark_unread(file)
            mark_unread(folder)
            file.read_bytes()
            list(folder.iterdir())
            return UNREAD not in (file.stat().st_atime_ns, folder.stat().st_atime_ns)
    except OSError:
        # the tagger removed it, which is no sign of not looking
        return False


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
            process.guard.kill()
            process.wait(10)
        printed = head_and_tail(stderr)
        end = process.finish(timed_out=not ended, stderr=printed)
        # the file's position is ours and the process's
        read = os.lseek(source.fileno(), 0, os.SEEK_CUR) > 0
    if given is None:
        return end, printed
    return replace(end, unread=not read if as_stdin else is_unread(given)), printed
