"""The text that a tagger gave back, with mentions in it; and how bytes become text."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ....sentences.formats.inline import Inline
from ....sentences.formats.tags import Places
from ..inputs.cases import Batch
from ..inputs.encodings import is_utf8
from .settings import Output

STRETCH = 1 << 20
"""Bytes that are decoded at once where only their validity counts."""


@dataclass
class Tagged(Inline):
    """The text that a tagger gave back, a record a line, its mentions as byte spans.

    Broken are also records whose columns are not what the specification says.

    Attributes
    ----------
    names : list of str or None
        Identifiers of the records, where the output has them.
    damaged : array of int64
        Records that could not be read: bytes of another encoding.
    """

    names: list[str] | None = None
    damaged: Places = field(default_factory=lambda: np.zeros(0, np.int64))


@dataclass
class Printed:
    """What a tagger printed, as text; what reads a form is given.

    Attributes
    ----------
    text : bytes
        UTF-8.
    form : Output
        How it is to be read.
    sent : Batch
        The texts as the tagger saw them.
    wrong : list of int
        Lines that are in another encoding than the declared one.
    long : set of int
        Lines that were cut off, for they are too long to be read.
    whole_case : bool
        Whether all of it is about the one case of `sent`.
    """

    text: bytes
    form: Output
    sent: Batch
    wrong: list[int]
    long: set[int]
    whole_case: bool = False

    @property
    def name(self) -> str | None:
        """The identifier of the case that all of it is about; None where it has several."""
        return self.sent.names[0] if self.whole_case else None


def decode(content: bytes, encoding: str) -> tuple[bytes, list[int]]:
    """Output as UTF-8, and the lines that are not in the encoding that was declared.

    Wrong bytes become U+FFFD. A byte order mark is dropped.
    """
    if is_utf8(encoding) and decodes(content, encoding):
        # as it is: the text of a gigabyte takes up to four
        return content.removeprefix(codecs.BOM_UTF8), []
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if encoding.lower().startswith(("utf-16", "utf-32")):
            return content.decode(encoding, "replace").encode(), [0]
        lines = content.split(b"\n")
        wrong = [i for i, line in enumerate(lines) if not decodes(line, encoding)]
        for i in wrong:
            lines[i] = lines[i].decode(encoding, "replace").encode(encoding, "replace")
        return b"\n".join(lines).decode(encoding).removeprefix("\ufeff").encode(), wrong
    return text.removeprefix("\ufeff").encode(), []


def decodes(content: bytes, encoding: str) -> bool:
    """Whether all of it is in an encoding, looked at piece by piece."""
    decoder = codecs.getincrementaldecoder(encoding)()
    view = memoryview(content)
    try:
        for low in range(0, len(content), STRETCH):
            decoder.decode(view[low : low + STRETCH])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def index(names: Sequence[str]) -> dict[str, int]:
    """Place of each name in a sequence."""
    return {name: i for i, name in enumerate(names)}
