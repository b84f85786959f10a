"""Whether bytes are text, looked at piece by piece: the text of a gigabyte takes up to four."""

from __future__ import annotations

import codecs

STRETCH = 1 << 15
"""Bytes that are decoded at once."""


def decodes(content: bytes, encoding: str = "utf-8") -> bool:
    r"""Whether all of it is in an encoding.

    Examples
    --------
    >>> decodes("β".encode()), decodes(b"\xff")
    (True, False)
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    view = memoryview(content)
    try:
        for low in range(0, len(content), STRETCH):
            decoder.decode(view[low : low + STRETCH])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
