"""The most frequent answer by the shortest way: lines that are the texts, byte for byte, but for the tags.

`parse_inline` and `place` say the same of such output, and more of any other; but they hold it whole several
times over. Here it passes through the processor's cache in blocks, and its bytes need not be decoded, for
they are compared with bytes that are known. Whatever is unusual in the least is left to the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....sentences.formats.tags import LESS, NAME_START, SLASH, Places, Tags, pair, without
from ..inputs.cases import NEWLINE, Batch
from ..specification.output import Output
from .placed import IDENTICAL, Placed

BLOCK = 1 << 19
"""Bytes of output that are read at once; with all that is made of them they fit into a core's cache."""


def read_exact(content: bytes, form: Output, sent: Batch) -> Placed | None:
    """Mentions of inline mark-up whose text is what was sent; None when it is not, in whatever way.

    Parameters
    ----------
    content : bytes
        What the tagger gave.
    form : Output
        A form of tags, without other marks and without identifiers, in UTF-8.
    sent : Batch
        The texts as the tagger saw them.
    """
    if not content or (not form.tags and _has_tags(sent)):
        return None
    if np.count_nonzero(sent.data == NEWLINE) != len(sent):
        # a case of several lines
        return None
    tags = Tags(form.tags)
    parts: list[tuple[Places, Places, Places, NDArray[np.int32]]] = []
    low = case = at = 0
    while low < len(content):
        high = _cut(content, low)
        block = content[low:high] if high <= len(content) else content[low:] + b"\n"
        low = high
        data = np.frombuffer(block, dtype=np.uint8)
        found = tags.find(block)
        size = len(block) - int(found.size.sum())
        if not np.array_equal(without(data, found), sent.data[at : at + size]):
            return None
        position = found.place - (np.cumsum(found.size) - found.size) + at
        # tags hold no line end: the block ends where one of the cases does
        last = int(np.searchsorted(sent.starts, at + size))
        ahead = np.searchsorted(position, sent.starts[case + 1 : last + 1])
        record = np.repeat(np.arange(case, last), np.diff(ahead, prepend=0))
        opens, closes, problems = pair(record, found)
        start, end = position[opens], position[closes]
        if problems or not bool((end > start).all()):
            return None
        parts.append((record[opens], start, end, found.kind[opens].astype(np.int32)))
        case, at = last, at + size
    if case != len(sent):
        return None
    places, start, end, kind = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Placed(
        places,
        sent.to_points(places, start),
        sent.to_points(places, end),
        kind,
        tags.names,
        np.full(len(places), np.nan),
        np.full(len(sent), IDENTICAL, dtype=np.int8),
        np.zeros(len(sent), dtype=np.int32),
    )


def _cut(content: bytes, low: int) -> int:
    """Where the block that begins at `low` ends: after a line end, or one beyond the last byte."""
    high = content.rfind(b"\n", low, low + BLOCK) + 1
    if high:
        return high
    end = content.find(b"\n", low)
    return end + 1 if end >= 0 else len(content) + 1


def _has_tags(sent: Batch) -> bool:
    """Whether some text has what might be a tag of its own."""
    less = np.flatnonzero(sent.data == LESS)
    # each text is followed by a line end, so there is always a next byte, and one after a slash
    after = sent.data[less + 1]
    slash = after == SLASH
    after[slash] = sent.data[less[slash] + 2]
    return bool(NAME_START[after].any())
