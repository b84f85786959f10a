"""Messages on standard error, and what a terminal may be shown."""

from __future__ import annotations

import contextlib
import io
import os
import re
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    pass


ESCAPE_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]",
    re.DOTALL,
)
"""Sequences that terminals obey: colours, titles, the cursor's place."""
CONTROL_REPLACEMENTS: dict[int, str | None] = {
    **dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)], "\ufffd"),
    # marks that make a terminal show text in another order
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
    13: "\n",
}
"""All other characters that are not shown, but tab and line end."""


def make_printable(text: str) -> str:
    """A text of a stranger's without what a terminal would obey instead of showing it."""
    return (
        text
        if text.isascii() and text.isprintable()
        else ESCAPE_SEQUENCES.sub("", text).translate(CONTROL_REPLACEMENTS)
    )


def _discard(stream: TextIO) -> None:
    """Let what is written to a stream from now on, and what it still holds back, go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def is_reader_gone() -> bool:
    """Return True if standard output or standard error is a pipe that its reader has closed."""
    gone = False
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            poll = select.poll()
            poll.register(stream.fileno(), 0)
            if any(event & select.POLLERR for _, event in poll.poll(0)):
                _discard(stream)
                gone = True
    return gone


def prepare_streams() -> None:
    """Let no message end a command because the terminal lacks a character, or is closed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and (
            stream.errors == "strict" or "utf" not in stream.encoding.lower()
        ):
            stream.reconfigure(errors="backslashreplace")


def flush_streams() -> OSError | None:
    """Flush standard output and standard error; return what went wrong with standard output, if anything.

    What cannot be written is dropped. A pipe that its reader has closed is no error.
    """
    problem = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            _discard(stream)
            if stream is sys.stdout and not isinstance(error, BrokenPipeError):
                problem = error
    return problem


MessageFunction = Callable[[str], None]
"""Called with a line about what is done."""


def say(message: str) -> None:
    """Print a message on standard error, where it does not mix with results."""
    try:
        sys.stderr.write(make_printable(message) + "\n")
    except OSError:
        # closed by its reader, or a full disk: there is nowhere to say so
        _discard(sys.stderr)


def say_nothing(message: str) -> None:
    """Print no message."""


def choose_message_function(quiet: bool) -> MessageFunction:
    """What prints messages, or none where a command is to be quiet."""
    return say_nothing if quiet else say
