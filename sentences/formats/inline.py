"""Lines with inline tags: ``<gp>…</gp>`` read, and put in, by columns of bytes.

Nothing is escaped, so a ``<`` that does not begin a known tag is text. A corpus (format `sgml`, suites) is
read strictly: a tag is a name alone, and the first line whose tags do not pair is an `InputError`. Of a
tagger's output a tag may have attributes, and lines whose tags do not pair are kept as broken.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.arrays import Bytes, bounds, inner_bytes, places_of, ranges
from ...catalogues.core.errors import InputError
from .tags import Found, Places, Tags, joined, pair, without

_STRETCH = 1 << 18
"""Bytes of lines whose tags are taken out at once, or some more: few enough for a core's cache."""


@dataclass
class Inline:
    r"""Lines of text without their mark-up, and the mentions that it marked, as byte spans.

    Attributes
    ----------
    data : array of uint8
        UTF-8 without tags, each line ended by ``\n``.
    starts : array of int64
        Where each line begins; one longer than the number of lines.
    start, end : arrays of int64
        Mentions, half-open byte offsets into `data`.
    type : array of int32
        Place in `types`.
    types : list of str
        Names of tags.
    problems : dict of int to str
        Lines, counted from 0, whose mark-up cannot be read, and what is wrong with it; they have no mentions.
    """

    data: Bytes
    starts: Places
    start: Places
    end: Places
    type: NDArray[np.int32]
    types: list[str]
    problems: dict[int, str]

    @property
    def broken(self) -> Places:
        """Lines whose mark-up cannot be read, in order."""
        return np.array(sorted(self.problems), dtype=np.int64)

    @property
    def records(self) -> int:
        """How many lines there are."""
        return len(self.starts) - 1

    def record_of(self, offset: Places) -> Places:
        """The line that holds each byte offset."""
        return np.searchsorted(self.starts, offset, side="right") - 1

    def lines(self) -> list[str]:
        r"""The lines as text; only ``\n`` ends a line."""
        return self.data.tobytes().decode().split("\n")[:-1]

    def spans(self) -> tuple[Places, Places, Places]:
        """Line of each mention, and its half-open span in code points within the line."""
        rows = self.record_of(self.start)
        # bytes that continue a character: none of them counts
        inner = inner_bytes(self.data)

        def points(offset: Places) -> Places:
            return offset - np.searchsorted(inner, offset)

        base = points(self.starts[rows])
        return rows, points(self.start) - base, points(self.end) - base


def split_records(content: bytes) -> tuple[Bytes, Places]:
    """Bytes of lines, each ended (the last too), and where each begins."""
    if content and not content.endswith(b"\n"):
        content += b"\n"
    data = np.frombuffer(content, dtype=np.uint8)
    return data, np.append(0, places_of(data, b"\n") + 1)


def parse_inline(
    content: bytes,
    tags: Collection[str] = (),
    own: Collection[str] = (),
    *,
    strict: bool = False,
    file: str | PathLike[str] | None = None,
) -> Inline:
    r"""Take the tags out of lines of text.

    Parameters
    ----------
    content : bytes
        UTF-8; lines end with ``\n``, which the last may lack.
    tags : collection of str
        Names that mark mentions, any other ``<…>`` being text; all when empty.
    own : collection of str
        Names of tags in the text that a tagger was sent: these are text, not mark-up, unless they are in
        `tags`.
    strict : bool
        Whether a tag is a name alone, and the first line whose tags do not pair is raised.
    file : path, optional
        For messages.

    Raises
    ------
    InputError
        When `strict`, with file and line.

    Examples
    --------
    >>> found = parse_inline("the <gp>β-catenin</gp> gene\n".encode())
    >>> found.lines(), [column.tolist() for column in found.spans()], found.types
    (['the β-catenin gene'], [[0], [4], [13]], ['gp'])
    """
    data, starts = split_records(content)
    found, bare_text = _taken_out(data, starts, Tags(tags, own, bare=strict))
    # bytes of tags before each tag; the first tag of each line, and the line of each tag
    before = bounds(found.size)
    ahead = np.searchsorted(found.place, starts)
    record = np.repeat(np.arange(len(starts) - 1), np.diff(ahead))
    position = found.place - before[:-1]
    opens, closes, problems = pair(record, found)
    if strict and problems:
        line = min(problems)
        shown = content.split(b"\n", line + 1)[line].decode(errors="replace")
        problem, allowed = problems[line], "tags that pair on their line"
        raise InputError(problem, file=file, line=line + 1, found=shown, allowed=allowed)
    return Inline(
        bare_text,
        starts - before[ahead],
        position[opens],
        position[closes],
        found.kind[opens].astype(np.int32),
        found.names,
        problems,
    )


def _taken_out(data: Bytes, starts: Places, tags: Tags) -> tuple[Found, Bytes]:
    """The tags of lines, and the lines without them."""
    cuts = starts[np.searchsorted(starts, np.arange(_STRETCH, len(data), _STRETCH))]
    found: list[Found] = []
    rest: list[Bytes] = []
    for low, high in pairwise([0, *np.unique(cuts).tolist(), len(data)]):
        piece = data[low:high]
        part = tags.find(piece.tobytes())
        rest.append(without(piece, part))
        found.append(replace(part, place=part.place + low))
    return joined(found), np.concatenate(rest)


def insert_tags(texts: list[str], rows: Places, starts: Places, ends: Places, types: list[str]) -> bytes:
    r"""Lines of `texts`, each ended by ``\n``, with mentions put between tags named by their type.

    The mentions must nest (see `base.nestable`); of mentions with one span the earlier stands outside.

    Examples
    --------
    >>> insert_tags(["the α gene"], np.array([0]), np.array([4]), np.array([5]), ["gp"]).decode()
    'the <gp>α</gp> gene\n'
    """
    content = ("\n".join(texts) + "\n").encode() if texts else b""
    if not len(rows):
        return content
    buffer = np.frombuffer(content, dtype=np.uint8)
    base = bounds(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1)
    begin, end = base[rows] + starts, base[rows] + ends
    if not content.isascii():
        heads = np.append(np.flatnonzero((buffer & 0xC0) != 0x80), len(buffer))
        begin_byte, end_byte = heads[begin], heads[end]
    else:
        begin_byte, end_byte = begin, end
    names = sorted(set(types))
    code = {name: i for i, name in enumerate(names)}
    kinds = np.fromiter((code[t] for t in types), dtype=np.int64, count=len(types))
    rank = np.arange(len(rows))
    closing = np.repeat([False, True], len(rows))
    place = np.concatenate([begin_byte, end_byte])
    # at one place: first what ends (the inner first), then what begins (the outer first)
    order = np.lexsort(
        (
            np.concatenate([rank, -rank]),
            np.concatenate([-end, -begin]),
            ~closing,
            place,
        )
    )
    forms = [f"<{n}>".encode() for n in names] + [f"</{n}>".encode() for n in names]
    which = (np.concatenate([kinds, kinds]) + closing * len(names))[order]
    sizes = np.array([len(f) for f in forms], dtype=np.int64)[which]
    offsets = bounds([len(f) for f in forms])
    bank = np.frombuffer(b"".join(forms), dtype=np.uint8)
    values = bank[ranges(offsets[which], sizes)]
    return np.insert(buffer, np.repeat(place[order], sizes), values).tobytes()
