"""What a parser of output gives: the text again with mentions in it, or places by identifier."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..specification import is_utf8

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
STRETCH = 1 << 20
"""Bytes that are decoded at once where only their validity counts."""


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


NUMBER = re.compile(r"[+-]?[0-9]+")
DIGITS = 15
"""Beyond these text is not made a number: no text is so long, and thousands of digits are refused."""
LARGEST = 2**31 - 1
"""The largest offset that is one at all: no text is longer."""
TOO_LONG = "a line that is too long for any answer"
SHOWN = 60
"""Characters of what was found that are told."""


@dataclass
class Located:
    """Mentions by identifier and offset, as the tagger counts them.

    What a record must be to become a mention is said here alone, in `add`; parsers only say where in their
    form each of its fields stands.

    Attributes
    ----------
    names : list of str
        The identifier of each mention's case (empty when offsets run over the whole input).
    start, end : list of int
        Offsets in the unit, base and inclusiveness that the specification declares; of a discontinuous
        mention those of all its fragments together.
    parts : list of (int, int, int)
        Place of a discontinuous mention, start and end of each of its fragments.
    type : list of str
        Empty where the tagger gives none.
    score : list of float
    text : list of str or None
        The mention's text as the tagger gives it, None where it does not.
    seen : list of str or None
        All identifiers that the output has a record for, with or without mentions; None when a case
        without mentions leaves no trace.
    broken : int
        Lines or records that could not be read.
    broken_names : list of str
        Identifiers of such records, where they are known.
    what : dict of str to str
        What was found in the first broken record of each identifier; under the empty one, in the first
        whose identifier is not known.
    """

    names: list[str] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    parts: list[tuple[int, int, int]] = field(default_factory=list)
    type: list[str] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    text: list[str | None] = field(default_factory=list)
    seen: list[str] | None = None
    broken: int = 0
    broken_names: list[str] = field(default_factory=list)
    what: dict[str, str] = field(default_factory=dict)

    def add(
        self,
        name: Any,
        spans: Sequence[tuple[Any, Any]],
        kind: Any = None,
        score: Any = None,
        text: Any = None,
    ) -> bool:
        """Add a mention, or note what is wrong with it; fields are as the tagger's form has them.

        Parameters
        ----------
        name : text or whole number
            The case's identifier.
        spans : sequence of (start, end)
            Whole numbers, or text that spells them; a `Length` may stand for the end. Several are fragments.
        kind : text, whole number or None
        score : number, text that spells one, or None
        text : text or None
            Of a contiguous mention.

        Returns
        -------
        bool
            Whether it was added.
        """
        try:
            own = _word(name, "identifier", absent="")
            edges = sorted(_span(start, end) for start, end in spans)
            if not edges:
                raise _Wrong("a mention without a place")
            told = None if text is None else _word(text, "text", absent="")
            row = (
                own,
                edges[0][0],
                max(end for _, end in edges),
                _word(kind, "type", absent=""),
                _score(score),
            )
        except _Wrong as wrong:
            self.refuse(name, str(wrong))
            return False
        if len(edges) > 1:
            self.parts += [(len(self.names), start, end) for start, end in edges]
        for column, value in zip((self.names, self.start, self.end, self.type, self.score), row, strict=True):
            column.append(value)  # type: ignore[attr-defined]
        # the text of several fragments is not one stretch of the case
        self.text.append(told if len(edges) == 1 else None)
        return True

    def refuse(self, name: Any, what: str) -> None:
        """Note a record that cannot be read; `name` is its case's identifier, None when that is not known."""
        self.broken += 1
        known = isinstance(name, (str, int)) and not isinstance(name, bool)
        if known:
            self.broken_names.append(str(name))
        self.what.setdefault(str(name) if known else "", what)

    def see(self, name: str) -> None:
        """Note that the output has a record for a case."""
        if self.seen is None:
            self.seen = []
        self.seen.append(name)


class Length(NamedTuple):
    """What stands for a mention's end where the form has its length."""

    value: Any


class _Wrong(Exception):  # noqa: N818 - a signal inside this module
    """A field is not what it must be."""


def found_in(value: Any) -> str:
    """What was found, short enough to be told."""
    text = value if isinstance(value, str) else repr(value)[: 4 * SHOWN]
    return (
        repr(text if len(text) <= SHOWN else text[:SHOWN] + "…") if isinstance(value, str) else text[:SHOWN]
    )


def _span(start: Any, end: Any) -> tuple[int, int]:
    first = _offset(start, "start")
    if isinstance(end, Length):
        return first, first + _offset(end.value, "length")
    return first, _offset(end, "end")


def _offset(value: Any, what: str) -> int:
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        if len(value.strip()) > DIGITS:
            raise _Wrong(f"{what} lies beyond every text: {found_in(value)}")
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _Wrong(f"{what} is no whole number: {found_in(value)}")
    if abs(value) > LARGEST:
        raise _Wrong(f"{what} lies beyond every text: {found_in(value)}")
    return value


def _score(value: Any) -> float:
    if value is None or value == "":
        return float("nan")
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            return float(value)
        except (ValueError, OverflowError):
            pass
    raise _Wrong(f"score is no number: {found_in(value)}")


def _word(value: Any, what: str, *, absent: str) -> str:
    if value is None:
        return absent
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise _Wrong(f"{what} is no text: {found_in(value)}")


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
