"""The harness's side of `guard`: guards that are started, spoken with, and used again."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from . import guard as program


class Stopped(Exception):  # noqa: N818 - no error: the run is to stop
    """Raised in a worker when the run is to stop."""


Lasting = TypeVar("Lasting")

START = [
    sys.executable, "-I", "-S", "-B", "-c",
    "import sys; sys.path.append(sys.argv.pop(1)); import guard; guard.main()",
]  # fmt: skip
"""How `guard` is started, but for its folder and its socket: as a module, which is not compiled each time."""


class Guard:
    """One guard process: it starts one tagger at a time, and ends what that leaves behind."""

    def __init__(self) -> None:
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

    def _ask(self, message: Mapping[str, object], files: tuple[int, ...] = ()) -> object:
        program.send(self._channel, dict(message), files)
        return program.receive(self._channel)[0]

    def start(self, order: Mapping[str, object], files: tuple[int, ...]) -> int:
        """Start a process; gives its number.

        Raises
        ------
        OSError
            When it cannot be started.
        EOFError
            When the guard has gone.
        """
        try:
            answer = self._ask({"do": "start", **order}, files)
        except (BrokenPipeError, ConnectionResetError):
            raise EOFError from None
        if isinstance(answer, tuple):
            raise OSError(*answer)
        assert isinstance(answer, int)  # noqa: S101 - the guard's own form
        return answer

    def wait(self, seconds: float) -> bool:
        """Whether the process has ended after some seconds."""
        try:
            return bool(self._ask({"do": "wait", "seconds": seconds}))
        except (EOFError, OSError):
            return True

    def end(self) -> int | None:
        """End the process and all that it left behind; gives its exit code, None when the guard has gone."""
        try:
            code = self._ask({"do": "end"})
        except (EOFError, OSError):
            return None
        assert isinstance(code, int)  # noqa: S101 - the guard's own form
        return code

    def close(self) -> None:
        """Let the guard end what is left, and itself."""
        self._channel.close()
        self._process.wait()


class Guards:
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
        self._making = threading.Lock()
        self._active: set[int] = set()
        self._lock = threading.Lock()
        self._all = [Guard()] if ready else []
        self._free = list(self._all)

    def start(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        limits: Mapping[str, int],
        files: tuple[int, int, int],
    ) -> tuple[Guard, int]:
        """Start a process; gives its guard and its number.

        Raises
        ------
        OSError
            When it cannot be started.
        """
        order = {
            "command": list(command), "folder": str(folder), "environment": dict(environment),
            "limits": dict(limits),
        }  # fmt: skip
        while True:
            guard, fresh = self._take()
            try:
                pid = guard.start(order, files)
            except EOFError:
                # somebody ended it while it was idle: another takes its place
                self._drop(guard)
                if fresh:
                    raise OSError("the program that starts taggers was ended") from None
                continue
            except OSError:
                self._give_back(guard)
                raise
            with self._lock:
                self._active.add(pid)
            if self.stopping:
                self.stop()
            return guard, pid

    def _take(self) -> tuple[Guard, bool]:
        with self._lock:
            if self._free:
                return self._free.pop(), False
            guard = Guard()
            self._all.append(guard)
            return guard, True

    def _give_back(self, guard: Guard) -> None:
        with self._lock:
            self._free.append(guard)

    def _drop(self, guard: Guard) -> None:
        with self._lock:
            self._all.remove(guard)
        guard.close()

    def end(self, guard: Guard, pid: int) -> int:
        """End a process and all that it left behind; gives its exit code."""
        with self._lock:
            self._active.discard(pid)
        code = guard.end()
        if code is None:
            # a tagger that ends its parent ends with it
            self._drop(guard)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            return -signal.SIGKILL
        self._give_back(guard)
        return code

    def stop(self) -> None:
        """End everything that runs; whoever waits for it wakes up."""
        self.stopping = True
        with self._lock:
            for pid in self._active:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)

    def check(self) -> None:
        """Raise Stopped when the run is to stop."""
        if self.stopping:
            raise Stopped

    def lasting(self, make: Callable[[], Lasting]) -> Lasting:
        """What is made once for all shards of a run; its `close` is called in the end."""
        with self._making:
            if self._lasting is None:
                self._lasting = make()
            made: Lasting = self._lasting
            return made

    def __enter__(self) -> Guards:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let the guards end what is left, and themselves."""
        with self._lock:
            guards, self._all, self._free = self._all, [], []
        for guard in guards:
            guard.close()
        if self._lasting is not None:
            self._lasting.close()
