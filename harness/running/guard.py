"""A small program that outlives the harness by a moment and ends what the harness left running.

It is started by the harness and reads ``+PID`` and ``-PID`` lines: process groups that begin and end. When
its input ends, be it that the harness closed it or that the harness was killed, every group that is still
on the list is ended, and, where /proc tells, every process that carries the run's token in its environment
(a fork that left its group). It needs nothing but the Python standard library.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

TOKEN = "TAGSUITE_RUN_TOKEN"  # noqa: S105 - a mark, not a secret


def carriers(token: str) -> list[int]:
    """Processes of ours that carry the token in their environment."""
    mark = f"{TOKEN}={token}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        # another's process, or one that has just ended
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]


def main() -> None:
    """Follow the list until the input ends; then end what is on it."""
    token = sys.argv[1]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for pid in carriers(token):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
