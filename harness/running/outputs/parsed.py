"""What a parser of output gives: the text again with mentions in it, or places by identifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..specification import is_utf8

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]


@dataclass
class Tagged:
    r"""The text that a tagger gave back, its mentions as byte spans.

    Attributes
    ----------
    data : array of uint8
        UTF-8 without tags, each record ended by ``\n``.
    starts : array of int64
        Where each record begins; one longer than the number of records.
    start, end : arrays of int64
        Mentions, half-open byte offsets into `data`.
    type : array of int32
        Place in `types`.
    types : list of str
        The tagger's own types.
    names : list of str or None
        Identifiers of the records, where the output has them.
    damaged : array of int64
        Records that could not be read: bytes of another encoding.
    broken : array of int64
        Records whose mark-up does not balance, or whose columns are not what the specification says.
    """

    data: Bytes
    starts: Places
    start: Places
    end: Places
    type: NDArray[np.int32]
    types: list[str]
    names: list[str] | None = None
    damaged: Places = field(default_factory=lambda: np.zeros(0, np.int64))
    broken: Places = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.starts) - 1

    def record_of(self, offset: Places) -> Places:
        """The record that holds each byte offset."""
        return np.searchsorted(self.starts, offset, side="right") - 1


@dataclass
class Located:
    """Mentions by identifier and offset, as the tagger counts them.

    Attributes
    ----------
    names : list of str
        The identifier of each mention's case (empty when offsets run over the whole input).
    start, end : arrays of int64
        Offsets in the unit, base and inclusiveness that the specification declares.
    type : list of str
    score : array of float64
    text : list of str or None
        The mention's text as the tagger gives it, None where it does not.
    seen : list of str or None
        All identifiers that the output has a record for, with or without mentions; None when a case
        without mentions leaves no trace.
    broken : int
        Lines or records that could not be read.
    broken_names : list of str
        Identifiers of such records, where they are known.
    """

    names: list[str] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    type: list[str] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    text: list[str | None] = field(default_factory=list)
    seen: list[str] | None = None
    broken: int = 0
    broken_names: list[str] = field(default_factory=list)

    def add(
        self, name: str, start: int, end: int, kind: str, score: float = float("nan"), text: str | None = None
    ) -> None:
        """Add a mention."""
        self.names.append(name)
        self.start.append(start)
        self.end.append(end)
        self.type.append(kind)
        self.score.append(score)
        self.text.append(text)


def split_records(content: bytes) -> tuple[Bytes, Places]:
    """Bytes of lines, each ended (the last too), and where each begins."""
    if content and not content.endswith(b"\n"):
        content += b"\n"
    data = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(data == 10)
    return data, np.concatenate((np.zeros(1, np.int64), ends + 1))


def decode(content: bytes, encoding: str) -> tuple[bytes, list[int]]:
    """Output as UTF-8, and the lines that are not in the encoding that was declared.

    Wrong bytes become U+FFFD. A byte order mark is dropped.
    """
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if encoding.lower().startswith(("utf-16", "utf-32")):
            return content.decode(encoding, "replace").encode(), [0]
        lines = content.split(b"\n")
        wrong = [i for i, line in enumerate(lines) if not _decodes(line, encoding)]
        for i in wrong:
            lines[i] = lines[i].decode(encoding, "replace").encode(encoding, "replace")
        return b"\n".join(lines).decode(encoding).removeprefix("\ufeff").encode(), wrong
    if text.startswith("\ufeff"):
        return text[1:].encode(), []
    return (content if is_utf8(encoding) else text.encode()), []


def _decodes(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def index(names: Sequence[str]) -> dict[str, int]:
    """Place of each name in a sequence."""
    return {name: i for i, name in enumerate(names)}
