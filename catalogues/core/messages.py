"""Functions that print messages on standard error and remove control characters from output."""

from __future__ import annotations

import contextlib
import io
import os
import re
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

ESCAPE_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]",
    re.DOTALL,
)
"""Pattern for escape sequences, which set the colours, title or cursor position of a terminal."""
CONTROL_REPLACEMENTS: dict[int, str | None] = {
    **dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)], "\ufffd"),
    # marks that change the order in which a terminal shows text
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
    13: "\n",
}
"""Replacement of each control character, except tab and line feed."""


def make_printable(text: str) -> str:
    """Remove escape sequences and control characters from a text that is printed on a terminal."""
    return (
        text
        if text.isascii() and text.isprintable()
        else ESCAPE_SEQUENCES.sub("", text).translate(CONTROL_REPLACEMENTS)
    )


def _discard(stream: TextIO) -> None:
    """Discard the buffered text of a stream and everything written to it from now on."""
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
    """Set up the output streams so that a closed stream or an unsupported character causes no error."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open until the program ends
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and (
            stream.errors == "strict" or "utf" not in stream.encoding.lower()
        ):
            stream.reconfigure(errors="backslashreplace")


def flush_streams() -> OSError | None:
    """Flush standard output and standard error; return the error raised by standard output, or None.

    Text that cannot be written is dropped. A pipe closed by its reader is not an error.
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
"""Function that is called with each message for the user."""


def say(message: str) -> None:
    """Print a message on standard error."""
    try:
        sys.stderr.write(make_printable(message) + "\n")
    except OSError:
        # closed pipe or full disk: the message cannot be shown anywhere
        _discard(sys.stderr)


def say_nothing(message: str) -> None:
    """Ignore a message."""


def choose_message_function(quiet: bool) -> MessageFunction:
    """Return `say_nothing` if `quiet` is true, else `say`."""
    return say_nothing if quiet else say
