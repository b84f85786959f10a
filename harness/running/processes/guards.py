"""Guards: processes that start taggers, and end them with all their child processes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from . import guard as program

KEPT_BYTES = 32 * 1024
"""Number of bytes of standard error that are stored at each end (beginning and end)."""
GUARD_COMMAND = [
    sys.executable, "-I", "-S", "-B", "-c",
    "import sys; sys.path.append(sys.argv.pop(1)); import guard; guard.main()",
]  # fmt: skip
"""Command that starts the program `guard`; a folder and the number of a socket are appended."""

Lasting = TypeVar("Lasting")


@dataclass
class StderrExcerpt:
    r"""Standard error of several processes, of which only the beginning and the end are stored.

    Examples
    --------
    >>> excerpt = StderrExcerpt()
    >>> excerpt.add(b"warning: no model\n")
    >>> excerpt.add(b"x" * 100_000)
    >>> excerpt.content[:18], excerpt.content.count(b"bytes left out"), len(excerpt.content) < 66_000
    (b'warning: no model\n', 1, True)
    """

    head: bytes = b""
    tail: bytes = b""
    omitted_bytes: int = 0

    def add(self, printed: bytes) -> None:
        """Add the output of a process."""
        room = KEPT_BYTES - len(self.head)
        self.head += printed[:room]
        self.tail += printed[room:]
        surplus = max(len(self.tail) - KEPT_BYTES, 0)
        self.omitted_bytes += surplus
        self.tail = self.tail[surplus:]

    @property
    def content(self) -> bytes:
        """Beginning and end of the output; a line between them gives the number of omitted bytes."""
        return self.head + (describe_gap(self.omitted_bytes) if self.omitted_bytes else b"") + self.tail


def describe_gap(count: int) -> bytes:
    """Return the line that is shown in place of `count` omitted bytes."""
    return f"\n... {count} bytes left out ...\n".encode()


class StopRequest(Exception):  # noqa: N818 - not an error
    """Exception raised in worker threads when the run must stop."""


class Guard:
    """Guard process (see `guard`) that runs one tagger at a time, and ends it with its child processes."""

    def __init__(self) -> None:
        self.pid = 0
        """Identifier of the process that the guard has started."""
        self._channel, guard_channel = socket.socketpair()
        with guard_channel:
            self._process = subprocess.Popen(
                [*GUARD_COMMAND, str(Path(program.__file__).parent), str(guard_channel.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[guard_channel.fileno()],
                start_new_session=True,
            )

    def send_order(self, order: Mapping[str, object], files: tuple[int, ...] = ()) -> Any:
        """Send a command to the guard process; return its reply, or None if the process has exited."""
        try:
            program.send_message(self._channel, dict(order), files)
            return program.receive_message(self._channel)[0]
        except (EOFError, OSError):
            return None

    def wait(self, seconds: float) -> bool:
        """Return True if the process ends within `seconds`."""
        if not hasattr(os, "pidfd_open"):
            return self.send_order({"do": "wait", "seconds": seconds}) is not False
        try:
            handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            # the guard was killed, and the tagger with it
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
        """Close the socket, so that the guard ends its processes and exits."""
        self._channel.close()
        self._process.wait()


class Guards(contextlib.AbstractContextManager["Guards", None]):
    """Guards of a run (see `guard`), one for each tagger process that runs in parallel.

    Parameters
    ----------
    home : Path, optional
        Folder of the run's finished shards and of other data that must not be lost if the run is killed.
    ready : bool
        Start a guard immediately, because a process will be started soon.
    """

    def __init__(self, home: Path | None = None, *, ready: bool = True) -> None:
        self.home = home
        self.is_stopping = False
        self._shared: Any = None
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
        """Start a process; return its guard.

        Raises
        ------
        OSError
            If the process cannot be started.
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
            answer = guard.send_order(order, files)
            if answer is None:
                # this guard was killed, maybe while it was idle: use another one
                guard.close()
                if is_new:
                    raise OSError("the guard process that starts taggers was killed")
        if isinstance(answer, tuple):
            self._free.append(guard)
            raise OSError(*answer)
        guard.pid = answer
        with self._lock:
            self._active.add(guard)
        if self.is_stopping:
            self.stop()
        return guard

    def end(self, guard: Guard) -> int:
        """End a process and all its descendants; return its exit code."""
        # from now on, another process may get its number
        with self._lock:
            self._active.discard(guard)
        code: int | None = guard.send_order({"do": "end"})
        if code is None:
            # the tagger has killed its guard, so it is killed, too
            guard.close()
            guard.kill()
            return -signal.SIGKILL
        self._free.append(guard)
        return code

    def stop(self) -> None:
        """Kill all running processes, so that the threads that wait for them continue."""
        self.is_stopping = True
        with self._lock:
            for guard in self._active:
                guard.kill()

    def check(self) -> None:
        """Raise StopRequest if the run must stop."""
        if self.is_stopping:
            raise StopRequest

    def get_or_make(self, make: Callable[[], Lasting]) -> Lasting:
        """Return the object that all shards of a run share; the first call creates it with `make`."""
        with self._making:
            if self._shared is None:
                self._shared = make()
            shared: Lasting = self._shared
            return shared

    def __exit__(self, *_: object) -> None:
        """Close all guards and the shared object."""
        for guard in (*self._free, *self._active):
            guard.close()
        if self._shared is not None:
            self._shared.close()
