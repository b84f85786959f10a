"""Texts in the encodings that taggers read and write, and the names of these."""

from __future__ import annotations

import codecs


def is_utf8(encoding: str) -> bool:
    """Whether an encoding's name is one of UTF-8's."""
    return _plain(encoding) in {"utf-8", "utf8"}


def is_wide(encoding: str) -> bool:
    """Whether a line end is more than a byte."""
    return _plain(encoding).startswith(("utf-16", "utf-32"))


def _plain(encoding: str) -> str:
    return encoding.lower().replace("_", "-")


def decodes(content: bytes, encoding: str) -> bool:
    r"""Return True if all of it is in an encoding.

    Examples
    --------
    >>> decodes("β".encode(), "utf-8"), decodes(b"\xff", "utf-8")
    (True, False)
    """
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def encoded(content: bytes, encoding: str) -> bytes:
    """What is UTF-8 in another encoding."""
    return content if is_utf8(encoding) else content.decode().encode(encoding)


def decode(content: bytes, encoding: str) -> tuple[bytes, list[int]]:
    """Output as UTF-8, and the lines that are not in the encoding that was declared.

    Wrong bytes become U+FFFD. A byte order mark is dropped.
    """
    if is_utf8(encoding) and decodes(content, encoding):
        return content.removeprefix(codecs.BOM_UTF8), []
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if is_wide(encoding):
            return content.decode(encoding, "replace").encode(), [0]
        lines = content.split(b"\n")
        wrong = [i for i, line in enumerate(lines) if not decodes(line, encoding)]
        for i in wrong:
            lines[i] = lines[i].decode(encoding, "replace").encode(encoding, "replace")
        return b"\n".join(lines).decode(encoding).removeprefix("\ufeff").encode(), wrong
    return text.removeprefix("\ufeff").encode(), []
