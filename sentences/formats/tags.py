"""Where tags stand in text and which belong together, by columns of bytes; see `inline`."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.arrays import Bytes, places_of
from ...catalogues.core.text import Flags

Places = NDArray[np.int64]
TAG = re.compile(rb"<(/?)([A-Za-z_][\w.:-]*)((?:\s[^<>]*)?)(/?)>")
"""A tag as taggers print them, perhaps with attributes; one that closes itself marks nothing."""
_NAME = "[A-Za-z][A-Za-z0-9_.:-]{0,63}"
BARE = f"</?{_NAME}>"
"""A tag as corpora have them: a name alone."""
_BARE = re.compile(f"<(/?)({_NAME})()()>".encode())
DISTINCT = 64
"""Distinct tags that are looked for by columns; those beyond are read one by one."""
SLASH = b"/"[0]
NAME_START = np.zeros(256, dtype=bool)
NAME_START[[*range(65, 91), *range(97, 123), 95]] = True
WIDE = 8
"""Bytes that are compared at once."""


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
    own : collection of str
        Element names in the text that was sent: these are text, not mark-up, unless they are in `names`.
    bare : bool
        Whether a tag is a name alone; else it may have attributes.
    """

    def __init__(
        self,
        names: Collection[str] = (),
        own: Collection[str] = (),
        *,
        bare: bool = False,
    ) -> None:
        self._pattern = _BARE if bare else TAG
        self._wanted = frozenset(names)
        self._own = frozenset(own) if not names else frozenset()
        self._words: dict[bytes, tuple[bool, int] | None] = {}
        self._codes: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        """Element names met so far, in the order in which they were met."""
        return list(self._codes)

    def find(self, content: bytes) -> Found:
        """The tags of a stretch of bytes that ends where a line does."""
        # some bytes more, so that a whole word may be read at every place
        room = np.zeros(len(content) + WIDE, dtype=np.uint8)
        data = room[: len(content)]
        data[:] = np.frombuffer(content, dtype=np.uint8)
        less = places_of(data, b"<")
        size = np.zeros(len(less), dtype=np.int64)
        kind = np.full(len(less), -1, dtype=np.int64)
        shut = np.zeros(len(less), dtype=bool)
        heads = np.ndarray((len(content),), dtype="<u8", buffer=room, strides=(1,))
        head = heads[less]

        def settle(word: bytes, left: Places) -> Places:
            """Note where a word stands; gives what is left."""
            fits = _begins(word, head[left], heads, less[left])
            meaning = self._words[word]
            if meaning is not None:
                same = left[fits]
                size[same] = len(word)
                shut[same], kind[same] = meaning
            return left[~fits]

        left = np.arange(len(less))
        for word in self._words:
            left = settle(word, left) if len(left) else left
        # what cannot be a tag, as in "p < 0.05", is no word to look for
        first = (head[left] >> np.uint64(8)).astype(np.uint8)
        second = (head[left] >> np.uint64(16)).astype(np.uint8)
        left = left[NAME_START[np.where(first == SLASH, second, first)]]
        while len(left) and len(self._words) < DISTINCT:
            word = _word(content, int(less[left[0]]))
            self._words[word] = self._read(word)
            left = settle(word, left)
        for i in left.tolist():
            word = _word(content, int(less[i]))
            meaning = self._read(word)
            if meaning is not None:
                size[i] = len(word)
                shut[i], kind[i] = meaning
        good = kind >= 0
        if not good.all():
            less, size, shut, kind = less[good], size[good], shut[good], kind[good]
        return Found(less, size, shut, kind, self.names)

    def _read(self, word: bytes) -> tuple[bool, int] | None:
        match = self._pattern.fullmatch(word)
        if match is None or match[4] or b"\n" in word:
            return None
        name = match[2].decode()
        if (self._wanted and name not in self._wanted) or name in self._own:
            return None
        return bool(match[1]), self._codes.setdefault(name, len(self._codes))


def _word(content: bytes, place: int) -> bytes:
    """What stands from a ``<`` to the next ``>``, or to the line's end where that comes first."""
    line = content.find(b"\n", place)
    line = len(content) - 1 if line < 0 else line
    more = content.find(b">", place, line)
    return content[place : more + 1] if more >= 0 else content[place : line + 1]


def _begins(word: bytes, head: NDArray[np.uint64], heads: NDArray[np.uint64], places: Places) -> Flags:
    """Where a word stands. It ends with the first ``>`` or line end in it, so its beginning is enough."""
    same = _equals(word[:WIDE], head)
    for low in range(WIDE, len(word), WIDE):
        at = np.flatnonzero(same)
        if not len(at):
            break
        # the room after the last byte holds no word that goes so far
        inside = places[at] + low < len(heads)
        same[at[~inside]] = False
        at = at[inside]
        same[at] = _equals(word[low : low + WIDE], heads[places[at] + low])
    return same


def _equals(part: bytes, found: NDArray[np.uint64]) -> Flags:
    mask = np.uint64(256 ** len(part) - 1)
    result: Flags = (found & mask) == np.uint64(int.from_bytes(part, "little"))
    return result


def joined(parts: Sequence[Found]) -> Found:
    """The tags of stretches, one after another, as those of one; its names are those of the last."""
    place, size, kind = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("place", "size", "kind")
    )
    closing = np.concatenate([part.closing for part in parts])
    return Found(place, size, closing, kind, parts[-1].names)


def own_names(text: bytes) -> frozenset[str]:
    """Element names that occur in a text."""
    if b"<" not in text:
        return frozenset()
    return frozenset(m[2].decode() for m in TAG.finditer(text))


def without(data: Bytes, tags: Found) -> Bytes:
    """Bytes with the tags taken out."""
    if not len(tags.place):
        return data
    room = np.ones(len(data) + WIDE, dtype=bool)
    keep, four = room[: len(data)], np.ndarray((len(data),), dtype="<u4", buffer=room, strides=(1,))
    for size in np.flatnonzero(np.bincount(tags.size)).tolist():
        place = tags.place[tags.size == size]
        for step in range(0, size - 3, 4):
            four[place + step] = 0
        for step in range(size // 4 * 4, size):
            keep[place + step] = False
    return data[keep]


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
