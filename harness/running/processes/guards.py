"""Guards: processes that start taggers, and end them with everything that they started."""

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
"""Bytes of standard error that are kept from the beginning, and as many from the end."""
GUARD_COMMAND = [
    sys.executable, "-I", "-S", "-B", "-c",
    "import sys; sys.path.append(sys.argv.pop(1)); import guard; guard.main()",
]  # fmt: skip
"""How `guard` is started, but for its folder and socket: as a module, which is not compiled each time."""

Lasting = TypeVar("Lasting")


@dataclass
class StderrExcerpt:
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
    omitted_bytes: int = 0

    def add(self, printed: bytes) -> None:
        """Add what a process printed."""
        room = KEPT_BYTES - len(self.head)
        self.head += printed[:room]
        self.tail += printed[room:]
        more = max(len(self.tail) - KEPT_BYTES, 0)
        self.omitted_bytes += more
        self.tail = self.tail[more:]

    @property
    def content(self) -> bytes:
        """The beginning and the end of it, and between them how much is left out."""
        return self.head + (describe_gap(self.omitted_bytes) if self.omitted_bytes else b"") + self.tail


def describe_gap(count: int) -> bytes:
    """Return the line that stands for bytes that are left out."""
    return f"\n... {count} bytes left out ...\n".encode()


class StopRequest(Exception):  # noqa: N818 - no error: the run is to stop
    """Raised in a worker when the run is to stop."""


class Guard:
    """One guard process, see `guard`: it starts one tagger at a time, and ends what that leaves behind."""

    def __init__(self) -> None:
        self.pid = 0
        """The process that it has started."""
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [*GUARD_COMMAND, str(Path(program.__file__).parent), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    def send_order(self, order: Mapping[str, object], files: tuple[int, ...] = ()) -> Any:
        """Give an order; returns the answer, None where the guard has gone."""
        try:
            program.send_message(self._channel, dict(order), files)
            return program.receive_message(self._channel)[0]
        except (EOFError, OSError):
            return None

    def wait(self, seconds: float) -> bool:
        """Return True if the process has ended after some seconds."""
        if not hasattr(os, "pidfd_open"):
            return self.send_order({"do": "wait", "seconds": seconds}) is not False
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
            answer = guard.send_order(order, files)
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
        if self.is_stopping:
            self.stop()
        return guard

    def end(self, guard: Guard) -> int:
        """End a process and all that it left behind; gives its exit code."""
        # from now on its number may pass to a stranger
        with self._lock:
            self._active.discard(guard)
        code: int | None = guard.send_order({"do": "end"})
        if code is None:
            # a tagger that ends its parent ends with it
            guard.close()
            guard.kill()
            return -signal.SIGKILL
        self._free.append(guard)
        return code

    def stop(self) -> None:
        """End everything that runs; whoever waits for it wakes up."""
        self.is_stopping = True
        with self._lock:
            for guard in self._active:
                guard.kill()

    def check(self) -> None:
        """Raise Stopped when the run is to stop."""
        if self.is_stopping:
            raise StopRequest

    def get_or_make(self, make: Callable[[], Lasting]) -> Lasting:
        """Return what is made once for all shards of a run; its `close` is called in the end."""
        with self._making:
            if self._shared is None:
                self._shared = make()
            made: Lasting = self._shared
            return made

    def __exit__(self, *_: object) -> None:
        """Let the guards end what is left, and themselves."""
        for guard in (*self._free, *self._active):
            guard.close()
        if self._shared is not None:
            self._shared.close()
