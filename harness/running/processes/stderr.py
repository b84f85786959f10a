"""What taggers say on standard error: the beginning and the end of it are kept, however much it is."""

from __future__ import annotations

import os
from typing import IO

from ....catalogues.core.tables import printable

KEPT = 32 * 1024
"""Bytes of standard error that are kept from the beginning, and as many from the end."""

LINE = 300
"""Characters of a line of it that are shown."""
EXCERPT = 4096
"""Bytes of what a process printed last that are kept for each case that failed alone."""


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

    def __init__(self) -> None:
        self._head = self._tail = b""
        self._gone = 0

    def add(self, printed: bytes) -> None:
        """Add what a process printed."""
        room = KEPT - len(self._head)
        self._head += printed[:room]
        self._tail += printed[room:]
        more = max(len(self._tail) - KEPT, 0)
        self._gone += more
        self._tail = self._tail[more:]

    @property
    def content(self) -> bytes:
        """The beginning and the end of it, and between them how much is left out."""
        return self._head + (_left_out(self._gone) if self._gone else b"") + self._tail


def _left_out(count: int) -> bytes:
    return f"\n... {count} bytes left out ...\n".encode()
