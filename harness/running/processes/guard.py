"""A small program that starts taggers for the harness, and ends all that they leave behind.

The harness starts one for each tagger that runs at once and speaks with it over a socket: *start* (a
command, its folder, environment and limits, and three open files), *wait*, and *end*. One guard has one
tagger at a time. Processes that a tagger started and left behind become the guard's own children (it is a
subreaper), be they in another session and without any environment. So whatever is still there when a tagger
has ended is a tagger's, and it is ended. When the
harness goes, be it by SIGKILL, the socket closes and the guard ends everything and itself. It needs nothing
but the Python standard library, and imports little of it: a run waits for it.
"""

# pathlib takes longer to load than all the rest; what is asserted is the form of the harness's own orders
# ruff: noqa: PTH112, PTH123, PTH208, S101

from __future__ import annotations

import contextlib
import marshal
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Iterator

SUBREAPER, DEATH_SIGNAL = 36, 1
SWEEP_SECONDS = 10.0
"""Seconds in which processes that a tagger left behind must have gone."""
HEADER_BYTES = 8


def send_message(channel: socket.socket, message: object, files: tuple[int, ...] = ()) -> None:
    """Send a message and open files."""
    content = marshal.dumps(message)  # type: ignore[arg-type]
    content = len(content).to_bytes(HEADER_BYTES, "little") + content
    sent = socket.send_fds(channel, [content], list(files)) if files else channel.send(content)
    if sent < len(content):
        channel.sendall(content[sent:])


def receive_message(channel: socket.socket) -> tuple[object, list[int]]:
    """Receive a message and open files.

    Raises
    ------
    EOFError
        When the other side has gone.
    """
    content, files, _, _ = socket.recv_fds(channel, HEADER_BYTES, 3)
    while len(content) < HEADER_BYTES or len(content) < HEADER_BYTES + int.from_bytes(
        content[:HEADER_BYTES], "little"
    ):
        more = channel.recv(1 << 20 if len(content) >= HEADER_BYTES else HEADER_BYTES - len(content))
        if not content or not more:
            raise EOFError
        content += more
    return marshal.loads(content[HEADER_BYTES:]), files  # noqa: S302 - from the program that started this one


def _set_attribute(option: int, value: int) -> bool:
    """Set an attribute of this process, where the system knows it."""
    if sys.platform != "linux":
        return False
    import ctypes

    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def _find_descendants() -> list[int]:
    """All processes below this one, where /proc tells."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        # one that has just ended
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{int(name)}/stat", "rb") as stream:
                # the name before it may hold anything, brackets too
                parent = int(stream.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def end_descendants() -> None:
    """End all processes below this one, and wait until they have gone."""
    deadline = time.monotonic() + SWEEP_SECONDS
    stopped: set[int] = set()
    refused: set[int] = set()
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            # nothing is left, as nearly always
            return
        found = set(_find_descendants())
        if found <= refused:
            return
        # those that start others are stopped before any is ended, or they would outrun us
        for pid in found - stopped - refused:
            _send_signal(pid, signal.SIGSTOP, refused)
        if found <= stopped | refused:
            for pid in found:
                _send_signal(pid, signal.SIGKILL, refused)
            time.sleep(0.002)
        stopped |= found


def _send_signal(pid: int, number: signal.Signals, refused: set[int]) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
    except PermissionError:
        # it runs as somebody else
        refused.add(pid)


def _start(order: dict[str, object], files: list[int]) -> int:
    """Start a process; gives its number.

    Raises
    ------
    OSError
        When it cannot be started.
    """
    sent, back = os.pipe()
    own_pid = os.getpid()
    pid = os.fork()
    if pid == 0:
        # this process has one thread: code between fork and exec is safe
        try:
            os.setsid()
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            _set_attribute(DEATH_SIGNAL, signal.SIGKILL)
            if os.getppid() != own_pid:
                # the guard went before the system knew that this is to go with it
                os._exit(127)
            for place, file in enumerate(files):
                os.dup2(file, place)
            os.chdir(str(order["folder"]))
            for kind, size in _read_limits(order):
                resource.setrlimit(kind, (size, size))
            command, environment = order["command"], order["environment"]
            assert isinstance(command, list)
            assert isinstance(environment, dict)
            os.execvpe(command[0], command, environment)  # noqa: S606 - it is what we are for
        except OSError as error:
            os.write(back, marshal.dumps((error.errno or 0, error.strerror or str(error))))
        except BaseException as error:
            # it must not come back into the parent's code
            os.write(back, marshal.dumps((0, str(error))))
        finally:
            os._exit(127)
    os.close(back)
    with open(sent, "rb") as stream:
        failure = stream.read()
    if failure:
        os.waitpid(pid, 0)
        raise OSError(*marshal.loads(failure))  # noqa: S302 - from our own child
    return pid


def _read_limits(order: dict[str, object]) -> Iterator[tuple[int, int]]:
    limits = order["limits"]
    assert isinstance(limits, dict)
    for name, size in limits.items():
        kind = getattr(resource, name)
        # a limit that the caller has set lower already stays
        hard = resource.getrlimit(kind)[1]
        yield kind, size if hard == resource.RLIM_INFINITY else min(size, hard)


class _Leader:
    """The one process that was started, and how it ended."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.status: int | None = None

    def wait(self, seconds: float) -> bool:
        """Whether it has ended; for systems that cannot tell the harness."""
        deadline = time.monotonic() + seconds
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
            elif time.monotonic() >= deadline:
                return False
            else:
                time.sleep(0.01)
        return True

    def end(self) -> int:
        """End its group and all that it left behind; gives its exit code."""
        # it is not reaped yet, so its number cannot have passed to a stranger
        if self.status is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]
        end_descendants()
        return os.waitstatus_to_exitcode(self.status)


def main() -> None:
    """Do what the harness asks until it goes; then end what is left."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    channel.set_inheritable(False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _set_attribute(SUBREAPER, 1)
    leader: _Leader | None = None
    try:
        while True:
            order, files = receive_message(channel)
            for file in files:
                os.set_inheritable(file, False)
            assert isinstance(order, dict)
            if order["do"] == "start":
                try:
                    leader = _Leader(_start(order, files))
                    send_message(channel, leader.pid)
                except OSError as error:
                    send_message(channel, (error.errno or 0, error.strerror or str(error)))
            elif leader is None:
                send_message(channel, None)
            elif order["do"] == "wait":
                send_message(channel, leader.wait(float(order["seconds"])))
            else:
                send_message(channel, leader.end())
                leader = None
            for file in files:
                os.close(file)
    except (EOFError, OSError):
        # the harness has gone
        pass
    finally:
        if leader is not None:
            leader.end()
        end_descendants()
    # the harness waits for this end, and there is nothing to tidy up
    os._exit(0)


if __name__ == "__main__":
    main()
