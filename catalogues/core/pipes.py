"""Pipes as inputs: read to their end once, and kept, since readers look at a file more than once."""

from __future__ import annotations

import os
import select
import time
from pathlib import Path

from .errors import InputError
from .limits import input_limit, too_large

PATIENCE = 30.0
"""Seconds to wait for somebody to open a named pipe for writing."""

_BLOCK = 1 << 20
# content by device, inode and time of the last write: what is written anew is read anew
_read: dict[tuple[int, int, int], bytes] = {}


def piped(path: Path) -> bytes:
    """All that comes through a pipe.

    Raises
    ------
    InputError
        When it is more than the limit on input, or nobody opens a named pipe for writing in `PATIENCE`
        seconds. A writer that is slow is waited for.
    """
    key = _key(path)
    if key not in _read:
        content = _drain(path)
        key = _key(path)
        _read[key] = content
    return _read[key]


def _key(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _drain(path: Path) -> bytes:
    limit = input_limit()
    parts: list[bytes] = []
    total = 0
    until = time.monotonic() + PATIENCE
    # a plain open of a named pipe waits for a writer for ever
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        while True:
            try:
                part = os.read(handle, _BLOCK)
            except BlockingIOError:
                poll.poll()
                continue
            if part:
                parts.append(part)
                total += len(part)
                if total > limit:
                    raise too_large(path, limit)
            elif parts or any(event & select.POLLHUP for _, event in poll.poll(0)):
                return b"".join(parts)
            elif time.monotonic() > until:
                raise InputError(f"nobody wrote into the pipe for {PATIENCE:.0f} s", file=path)
            else:
                time.sleep(0.01)
    finally:
        os.close(handle)
