"""Program that starts taggers for the harness, and ends them with all their child processes.

The harness starts one guard for each tagger that runs in parallel, and sends it orders over a socket: *start*
(a command, its folder, environment, limits and three open files), *wait*, and *end*. A guard runs one tagger
at a time. It is a subreaper: processes that a tagger leaves running become children of the guard,
even in another session, so the guard can end them after the tagger. If the harness ends, even by SIGKILL,
the socket closes, and the guard ends all processes and itself. It imports little of the Python standard
library, because a run waits until the guard has started.
"""

# no pathlib, which takes longer to load than all the rest; assertions check the harness's own orders
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
"""Maximum number of seconds for ending the processes that a tagger has left running."""
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
        If the other process has closed the socket.
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
    """Set an attribute of this process with prctl; return True if the system supports it."""
    if sys.platform != "linux":
        return False
    import ctypes

    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def _find_descendants() -> list[int]:
    """Return the process identifiers of all descendants of this process, from /proc."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        # the process may have just ended
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{int(name)}/stat", "rb") as stream:
                # the process name before it may contain brackets
                parent = int(stream.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    descendants: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        children_here = children.get(waiting.pop(), [])
        descendants += children_here
        waiting += children_here
    return descendants


def end_descendants() -> None:
    """End all descendants of this process, and wait until they have ended."""
    deadline = time.monotonic() + SWEEP_SECONDS
    stopped: set[int] = set()
    refused: set[int] = set()
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            # no process is left, as in most cases
            return
        descendants = set(_find_descendants())
        if descendants <= refused:
            return
        # all are stopped before any is ended, so that none can start new processes
        for pid in descendants - stopped - refused:
            _send_signal(pid, signal.SIGSTOP, refused)
        if descendants <= stopped | refused:
            for pid in descendants:
                _send_signal(pid, signal.SIGKILL, refused)
            time.sleep(0.002)
        stopped |= descendants


def _send_signal(pid: int, number: signal.Signals, refused: set[int]) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
    except PermissionError:
        # the process belongs to another user
        refused.add(pid)


def _start(order: dict[str, object], files: list[int]) -> int:
    """Start the process that an order describes; return its process identifier.

    Raises
    ------
    OSError
        If the process cannot be started.
    """
    sent, back = os.pipe()
    own_pid = os.getpid()
    pid = os.fork()
    if pid == 0:
        # the guard has one thread, so code between fork and exec is safe
        try:
            os.setsid()
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            _set_attribute(DEATH_SIGNAL, signal.SIGKILL)
            if os.getppid() != own_pid:
                # the guard ended before the death signal was set
                os._exit(127)
            for place, file in enumerate(files):
                os.dup2(file, place)
            os.chdir(str(order["folder"]))
            for kind, size in _read_limits(order):
                resource.setrlimit(kind, (size, size))
            command, environment = order["command"], order["environment"]
            assert isinstance(command, list)
            assert isinstance(environment, dict)
            os.execvpe(command[0], command, environment)  # noqa: S606 - the purpose of this program
        except OSError as error:
            os.write(back, marshal.dumps((error.errno or 0, error.strerror or str(error))))
        except BaseException as error:
            # the child must not continue in the parent's code
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
        # a lower limit set by the caller remains
        hard = resource.getrlimit(kind)[1]
        yield kind, size if hard == resource.RLIM_INFINITY else min(size, hard)


class _Leader:
    """Process that the guard has started, with its exit status."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.status: int | None = None

    def wait(self, seconds: float) -> bool:
        """Wait for the process if the system has no pidfd; return True if it ends within `seconds`."""
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
        """End the process, its group and all its descendants; return the exit code of the process."""
        # it is not reaped yet, so no other process can have its number
        if self.status is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]
        end_descendants()
        return os.waitstatus_to_exitcode(self.status)


def main() -> None:
    """Execute the orders of the harness until the harness closes the socket, then end all processes."""
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
        # the harness has closed the socket
        pass
    finally:
        if leader is not None:
            leader.end()
        end_descendants()
    # exit fast, because the harness waits, and there is nothing to clean up
    os._exit(0)


if __name__ == "__main__":
    main()
