r"""Files of lines: read with ``\n`` (or ``\r\n`` throughout) as the only line end."""

from __future__ import annotations

from pathlib import Path
from typing import AnyStr

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import read_utf8


def read_lines_bytes(path: Path, what: str) -> bytes:
    """Read a file of lines as checked UTF-8; an empty one is refused, naming `what` it should hold."""
    content = read_utf8(path)
    if not content:
        raise InputError("the file is empty", file=path, allowed=what)
    pairs = content.count(b"\r\n")
    return content.replace(b"\r\n", b"\n") if pairs and pairs == content.count(b"\n") else content


def read_lines_text(path: Path, what: str) -> str:
    """As `read_lines_bytes`, as text."""
    return read_lines_bytes(path, what).decode()


def split_lines(content: AnyStr) -> list[AnyStr]:
    r"""Lines at ``\n`` alone (a text may hold other separators); the last line's end is optional."""
    lines = content.split(b"\n" if isinstance(content, bytes) else "\n")
    if not lines[-1]:
        lines.pop()
    return lines
