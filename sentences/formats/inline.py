"""Lines with inline tags: ``<gp>…</gp>`` read, and put in.

Nothing is escaped, so a ``<`` that does not begin a known tag is text. A corpus (format `sgml`, suites) is
read strictly: a tag is a name alone, and the first line whose tags do not pair is an `InputError`. In a
tagger's output a tag may have attributes, and lines whose tags do not pair are kept as broken.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.arrays import Bytes, bounds, inner_bytes, places_of
from ...catalogues.core.errors import InputError

Places = NDArray[np.int64]
TAG = re.compile(rb"<(/?)([A-Za-z_][\w.:-]*)((?:[^\S\n][^<>\n]*)?)(/?)>")
"""A tag as taggers print them, perhaps with attributes; one that closes itself marks nothing."""
_NAME = "[A-Za-z][A-Za-z0-9_.:-]{0,63}"
BARE = f"</?{_NAME}>"
"""A tag as corpora have them: a name alone."""
_ANY = re.compile(rb"(<[^<>\n]*>)")
_BARE = re.compile(f"<(/?)({_NAME})()()>".encode())


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


def own_names(text: bytes) -> frozenset[str]:
    """Element names that occur in a text."""
    return frozenset(m[2].decode() for m in TAG.finditer(text))


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
    if content and not content.endswith(b"\n"):
        content += b"\n"
    parts = _ANY.split(content)
    words = parts[1::2]
    types: dict[str, int] = {}
    # opening and closing tags of one name have codes that differ by 1; what is text has -1
    code_of = dict.fromkeys(words, -1)
    for word in code_of:
        match = (_BARE if strict else TAG).fullmatch(word)
        name = match[2].decode() if match else ""
        if match and not match[4] and (name in tags if tags else name not in own):
            code_of[word] = 2 * types.setdefault(name, len(types)) + bool(match[1])
    codes = np.array([code_of[word] for word in words], dtype=np.int64)
    edges = bounds(np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)))
    is_tag = codes >= 0
    codes, first, last = codes[is_tag], edges[1:-1:2][is_tag], edges[2::2][is_tag]
    parts[1::2] = [b"" if tag else word for tag, word in zip(is_tag.tolist(), words, strict=True)]
    starts = np.append(0, places_of(np.frombuffer(content, dtype=np.uint8), b"\n") + 1)
    lines = np.searchsorted(starts, first, side="right") - 1
    pairs, problems = _pair(lines.tolist(), codes.tolist(), list(types))
    if strict and problems:
        line = min(problems)
        shown = content.split(b"\n", line + 1)[line].decode(errors="replace")
        allowed = "tags that pair on their line"
        raise InputError(problems[line], file=file, line=line + 1, found=shown, allowed=allowed)
    # bytes of tags before each tag and each line
    before = bounds(last - first)
    position = first - before[:-1]
    return Inline(
        np.frombuffer(b"".join(parts), dtype=np.uint8),
        starts - before[np.searchsorted(first, starts)],
        position[pairs[:, 0]],
        position[pairs[:, 1]],
        (codes[pairs[:, 0]] // 2).astype(np.int32),
        list(types),
        problems,
    )


def _pair(lines: list[int], codes: list[int], types: list[str]) -> tuple[Places, dict[int, str]]:
    """Pair tags, given by line and code: (mentions, 2), and what is wrong with lines.

    Lines whose tags do not pair have no mentions.
    """
    pairs: list[tuple[int, int, int]] = []
    problems: dict[int, str] = {}
    stack: list[tuple[int, int]] = []
    current = -1

    def note(line: int, problem: str) -> None:
        # one object for all that say the same: there may be millions
        problems.setdefault(line, sys.intern(problem))

    def end_line() -> None:
        if stack:
            note(current, f"<{types[stack[-1][1] // 2]}> is not closed on its line")
            stack.clear()

    for number, (line, code) in enumerate(zip(lines, codes, strict=True)):
        if line != current:
            end_line()
            current = line
        if not code % 2:
            stack.append((number, code))
        elif stack and stack[-1][1] == code - 1:
            pairs.append((stack.pop()[0], number, line))
        elif stack:
            note(line, f"</{types[code // 2]}> stands where </{types[stack[-1][1] // 2]}> is due")
        else:
            note(line, f"</{types[code // 2]}> closes nothing")
    end_line()
    good = sorted(pair[:2] for pair in pairs if pair[2] not in problems)
    return np.array(good, dtype=np.int64).reshape(-1, 2), problems


def insert_tags(texts: list[str], rows: Places, starts: Places, ends: Places, types: list[str]) -> bytes:
    r"""Lines of `texts`, each ended by ``\n``, with mentions put between tags named by their type.

    The mentions must nest (see `base.nestable`); of mentions with one span the earlier stands outside.

    Examples
    --------
    >>> insert_tags(["the α gene"], np.array([0]), np.array([4]), np.array([5]), ["gp"]).decode()
    'the <gp>α</gp> gene\n'
    """
    mentions: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for i in np.lexsort((-ends, starts)).tolist():
        mentions[int(rows[i])].append((int(starts[i]), int(ends[i]), types[i]))
    return "".join([f"{_tagged(text, mentions.get(i, ()))}\n" for i, text in enumerate(texts)]).encode()


def _tagged(text: str, mentions: Collection[tuple[int, int, str]]) -> str:
    """A text with tags around its mentions, which are sorted by start, the longer first."""
    marks: list[tuple[int, str]] = []
    waiting: list[tuple[int, str]] = []
    for start, end, kind in mentions:
        while waiting and waiting[-1][0] <= start:
            marks.append(waiting.pop())
        marks.append((start, f"<{kind}>"))
        waiting.append((end, f"</{kind}>"))
    pieces, done = [], 0
    for place, mark in [*marks, *reversed(waiting)]:
        pieces += [text[done:place], mark]
        done = place
    return "".join([*pieces, text[done:]])
