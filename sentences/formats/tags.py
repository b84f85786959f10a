"""Where tags stand in text and which belong together, by columns of bytes; see `inline`."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.bounds import bounds
from ...catalogues.core.text import Flags
from ..zones import covered

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
TAG = re.compile(rb"<(/?)([A-Za-z_][\w.:-]*)((?:\s[^<>]*)?)(/?)>")
"""A tag as taggers print them, perhaps with attributes; one that closes itself marks nothing."""
BARE = r"</?[A-Za-z][A-Za-z0-9_.:-]{0,63}>"
"""A tag as corpora have them: a name alone."""
_BARE = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9_.:-]{0,63})()()>")
LESS, MORE, SLASH, _NEWLINE = b"<>/\n"
NAME_START = np.zeros(256, dtype=bool)
NAME_START[[*range(65, 91), *range(97, 123), 95]] = True


@dataclass(frozen=True)
class Found:
    """Tags in a stretch of bytes, by place.

    Attributes
    ----------
    place, size : arrays of int64
        Where each begins, and its length.
    closing : array of bool
    kind : array of int64
        Place of its name in `names`.
    names : list of str
        Those of `Tags.names`.
    """

    place: Places
    size: Places
    closing: Flags
    kind: Places
    names: list[str]


class Tags:
    """The tags that mark mentions.

    Parameters
    ----------
    names : collection of str
        Element names that mark mentions; all when empty.
    text : bytes, optional
        The text that was sent: element names that occur in it are text, not mark-up, unless they are in
        `names`.
    bare : bool
        Whether a tag is a name alone; else it may have attributes.
    """

    def __init__(self, names: Collection[str] = (), text: bytes | None = None, *, bare: bool = False) -> None:
        self._pattern = _BARE if bare else TAG
        self._wanted = frozenset(names)
        self._own = own_names(text) if text is not None and not names else frozenset()
        self._words: dict[bytes, tuple[bool, int] | None] = {}
        self._codes: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        """Element names met so far, in the order in which they were met."""
        return list(self._codes)

    def find(self, content: bytes) -> Found:
        """The tags of a stretch of bytes that ends where a line does."""
        data = np.frombuffer(content, dtype=np.uint8)
        # a tag goes from a < to the next mark, which is a >, not another < or the line's end
        marks = np.flatnonzero((data == LESS) | (data == MORE) | (data == _NEWLINE))
        sort = data[marks]
        whole = np.flatnonzero((sort[:-1] == LESS) & (sort[1:] == MORE))
        place = marks[whole]
        size = marks[whole + 1] + 1 - place
        codes, words = _distinct(data[covered(len(data), place, place + size)], size)
        meanings = [self._read(word) for word in words]
        kind = np.array([-1 if m is None else m[1] for m in meanings], dtype=np.int64)[codes]
        shut = np.array([m is not None and m[0] for m in meanings], dtype=bool)[codes]
        good = kind >= 0
        return Found(place[good], size[good], shut[good], kind[good], self.names)

    def _read(self, word: bytes) -> tuple[bool, int] | None:
        match = self._pattern.fullmatch(word)
        if match is None or match[4] or b"\n" in word:
            return None
        name = match[2].decode()
        if (self._wanted and name not in self._wanted) or name in self._own:
            return None
        return bool(match[1]), self._codes.setdefault(name, len(self._codes))


def _distinct(data: Bytes, sizes: Places) -> tuple[Places, list[bytes]]:
    """The distinct words among words that stand end to end, and which of them each is."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(bounds(sizes)), pa.py_buffer(data)]
    found = pa.Array.from_buffers(pa.large_binary(), len(sizes), buffers).dictionary_encode()
    return found.indices.to_numpy().astype(np.int64), found.dictionary.to_pylist()


def own_names(text: bytes) -> frozenset[str]:
    """Element names that occur in a text."""
    if b"<" not in text:
        return frozenset()
    return frozenset(m[2].decode() for m in TAG.finditer(text))


def without(data: Bytes, tags: Found) -> Bytes:
    """Bytes with the tags taken out."""
    if not len(tags.place):
        return data
    return data[~covered(len(data), tags.place, tags.place + tags.size)]


def pair(record: Places, found: Found) -> tuple[Places, Places, dict[int, str]]:
    """Opening and closing tags that belong together.

    Parameters
    ----------
    record : array of int64
        The line of each tag, in order; a pair stands on one line.
    found : Found

    Returns
    -------
    opens, closes : arrays of int64
        Places of tags in `found`.
    problems : dict of int to str
        Lines whose tags do not pair, which have no mentions, and what is wrong with the first of them.
    """
    count = len(record)
    nothing = np.zeros(0, np.int64)
    if not count:
        return nothing, nothing, {}
    # most mentions are an opening tag followed by its closing tag
    closing, kind = found.closing, found.kind
    next_closes = np.zeros(count, dtype=bool)
    next_closes[:-1] = ~closing[:-1] & closing[1:] & (kind[:-1] == kind[1:]) & (record[:-1] == record[1:])
    simple = np.flatnonzero(next_closes)
    used = np.zeros(count, dtype=bool)
    used[simple] = True
    used[simple + 1] = True
    left = np.flatnonzero(~used)
    if not len(left):
        return simple, simple + 1, {}
    nested, problems = _stack(left, record, found)
    pairs = np.array(nested, dtype=np.int64).reshape(-1, 2)
    first, second = np.append(simple, pairs[:, 0]), np.append(simple + 1, pairs[:, 1])
    good = ~np.isin(record[first], np.array(list(problems), dtype=np.int64))
    order = np.argsort(first[good], kind="stable")
    return first[good][order], second[good][order], problems


def _stack(left: Places, record: Places, found: Found) -> tuple[list[tuple[int, int]], dict[int, str]]:
    """Match nested tags with a stack; the few that are not simple."""
    pairs: list[tuple[int, int]] = []
    problems: dict[int, str] = {}
    stack: list[int] = []
    current = -1
    kinds = found.kind

    def note(line: int, problem: str) -> None:
        # one object for all that say the same: there may be millions
        problems.setdefault(line, sys.intern(problem))

    def unclosed() -> None:
        if stack:
            note(current, f"<{found.names[kinds[stack[-1]]]}> is not closed on its line")

    columns = (left.tolist(), record[left].tolist(), found.closing[left].tolist(), kinds[left].tolist())
    for i, line, shut, kind in zip(*columns, strict=True):
        if line != current:
            unclosed()
            stack, current = [], line
        if not shut:
            stack.append(i)
        elif stack and kinds[stack[-1]] == kind:
            pairs.append((stack.pop(), i))
        elif stack:
            due = found.names[kinds[stack[-1]]]
            note(line, f"</{found.names[kind]}> stands where </{due}> is due")
        else:
            note(line, f"</{found.names[kind]}> closes nothing")
    unclosed()
    return pairs, problems
