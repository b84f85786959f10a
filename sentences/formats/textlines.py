r"""Files of lines: read with ``\n`` (or ``\r\n`` throughout) as the only line end."""

from __future__ import annotations

from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import read_text, read_utf8


def read_lines_text(path: Path, what: str) -> str:
    """Read a UTF-8 file of lines; an empty one is refused, naming `what` it should hold."""
    text = read_text(path)
    if not text:
        raise InputError("the file is empty", file=path, allowed=what)
    pairs = text.count("\r\n")
    return text.replace("\r\n", "\n") if pairs and pairs == text.count("\n") else text


def read_lines_bytes(path: Path, what: str) -> bytes:
    """Like `read_lines_text`, as checked UTF-8 bytes without a byte order mark."""
    content = read_utf8(path)
    if not content:
        raise InputError("the file is empty", file=path, allowed=what)
    pairs = content.count(b"\r\n")
    return content.replace(b"\r\n", b"\n") if pairs and pairs == content.count(b"\n") else content


def split_lines(text: str) -> list[str]:
    r"""Lines at ``\n`` alone (a text may hold other separators); the last line's end is optional."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines
