"""Inline SGML or XML: ``the <gp>p53</gp> gene``. Whole columns of bytes, no loop per mention."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from .parsed import Bytes, Places, Tagged, split_records

TAG = re.compile(rb"<(/?)([A-Za-z_][\w.:-]*)((?:\s[^<>]*)?)(/?)>")
WIDTH = 64
"""Bytes of a tag that are looked at; longer ones are looked at one by one."""


def parse_inline(
    content: bytes, tags: Collection[str] = (), text: bytes | None = None, damaged: Collection[int] = ()
) -> Tagged:
    """Take the tags out of lines of text.

    Parameters
    ----------
    content : bytes
        UTF-8.
    tags : collection of str
        Element names that mark mentions; all when empty.
    text : bytes, optional
        The text that was sent: element names that occur in it are text, not mark-up, unless they are in
        `tags`.
    damaged : collection of int
        Lines known to be of another encoding.
    """
    data, starts = split_records(content)
    place, end, closing, kind, names = _tags(data, content, tags, text)
    gone = end - place
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(gone)))
    if len(place):
        keep = np.ones(len(data) + 1, dtype=np.int8)
        # +1 where a tag begins, -1 where it ends: the running sum is 1 inside tags
        marks = np.zeros(len(data) + 1, dtype=np.int8)
        np.add.at(marks, place, 1)
        np.add.at(marks, end, -1)
        keep = np.cumsum(marks, dtype=np.int8)[:-1] == 0
        bare = data[keep]
        record = np.searchsorted(starts, place, side="right") - 1
        bare_starts = starts - before[np.searchsorted(place, starts, side="left")]
    else:
        bare, bare_starts = data, starts
        record = np.zeros(0, np.int64)
    position = place - before[:-1]
    opens, closes, broken = _pair(record, closing, kind)
    return Tagged(
        bare,
        bare_starts,
        position[opens],
        position[closes],
        kind[opens].astype(np.int32),
        names,
        damaged=np.array(sorted(damaged), dtype=np.int64),
        broken=broken,
    )


def _tags(
    data: Bytes, content: bytes, tags: Collection[str], text: bytes | None
) -> tuple[Places, Places, np.ndarray, Places, list[str]]:
    """Where tags begin and end, whether each closes, and what it marks."""
    less = np.flatnonzero(data == ord("<"))
    more = np.flatnonzero(data == ord(">"))
    follow = np.searchsorted(more, less)
    less, follow = less[follow < len(more)], follow[follow < len(more)]
    size = more[follow] + 1 - less if len(less) else np.zeros(0, np.int64)
    # a tag lies in one line; between < and > stands no other <
    short = size <= WIDTH
    words: dict[bytes, tuple[bool, str] | None] = {}
    result: list[tuple[Places, Places, np.ndarray, np.ndarray]] = []
    own = _own_names(text) if text is not None and not tags else frozenset()

    def read(word: bytes) -> tuple[bool, str] | None:
        match = TAG.fullmatch(word)
        if match is None or match[4] or b"\n" in word:
            return None
        name = match[2].decode()
        if (tags and name not in tags) or name in own:
            return None
        return bool(match[1]), name

    code: dict[str, int] = {}
    if short.any():
        where, length = less[short], size[short]
        width = int(length.max())
        padded = np.concatenate((data, np.zeros(width, np.uint8)))
        windows = padded[where[:, None] + np.arange(width)]
        windows[np.arange(width) >= length[:, None]] = 0
        # a NUL is the filling: a word that holds one is no tag
        distinct, which = np.unique(
            np.ascontiguousarray(windows).view(f"S{width}").ravel(), return_inverse=True
        )
        for word in distinct.tolist():
            words[word] = read(word)
        found = [words[w] for w in distinct.tolist()]
        good = np.array([f is not None for f in found], dtype=bool)[which]
        shut = np.array([f is not None and f[0] for f in found], dtype=bool)[which]
        kinds = np.array([-1 if f is None else code.setdefault(f[1], len(code)) for f in found])[which]
        result.append((where[good], (where + length)[good], shut[good], kinds[good]))
    for at, length in zip(less[~short].tolist(), size[~short].tolist(), strict=True):
        entry = read(content[at : at + length])
        if entry is not None:
            kind = code.setdefault(entry[1], len(code))
            result.append((np.array([at]), np.array([at + length]), np.array([entry[0]]), np.array([kind])))
    if not result:
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, np.zeros(0, bool), nothing, []
    place, end, shut, kinds = (np.concatenate(part) for part in zip(*result, strict=True))
    order = np.argsort(place, kind="stable")
    return place[order], end[order], shut[order], kinds[order].astype(np.int64), list(code)


def _own_names(text: bytes) -> frozenset[str]:
    if b"<" not in text:
        return frozenset()
    return frozenset(m[2].decode() for m in TAG.finditer(text))


def _pair(record: Places, closing: np.ndarray, kind: Places) -> tuple[Places, Places, Places]:
    """Opening and closing tags that belong together, and the records whose tags do not balance."""
    count = len(record)
    nothing = np.zeros(0, np.int64)
    if not count:
        return nothing, nothing, nothing
    # most mentions are an opening tag followed by its closing tag
    next_closes = np.zeros(count, dtype=bool)
    next_closes[:-1] = ~closing[:-1] & closing[1:] & (kind[:-1] == kind[1:]) & (record[:-1] == record[1:])
    simple = np.flatnonzero(next_closes)
    used = np.zeros(count, dtype=bool)
    used[simple] = True
    used[simple + 1] = True
    left = np.flatnonzero(~used)
    if not len(left):
        return simple, simple + 1, nothing
    opens, closes = [simple], [simple + 1]
    nested, broken = _stack(left, record, closing, kind)
    if nested:
        pairs = np.array(nested, dtype=np.int64)
        opens.append(pairs[:, 0])
        closes.append(pairs[:, 1])
    first, second = np.concatenate(opens), np.concatenate(closes)
    bad = np.array(sorted(broken), dtype=np.int64)
    good = ~np.isin(record[first], bad)
    order = np.argsort(first[good], kind="stable")
    return first[good][order], second[good][order], bad


def _stack(
    left: Places, record: Places, closing: np.ndarray, kind: Places
) -> tuple[list[tuple[int, int]], set[int]]:
    """Match nested tags with a stack; the few that are not simple."""
    pairs: list[tuple[int, int]] = []
    broken: set[int] = set()
    stack: list[int] = []
    current = -1
    for i, r, shut, k in zip(
        left.tolist(), record[left].tolist(), closing[left].tolist(), kind[left].tolist(), strict=True
    ):
        if r != current:
            if stack:
                broken.add(current)
            stack, current = [], r
        if not shut:
            stack.append(i)
        elif stack and kind[stack[-1]] == k:
            pairs.append((stack.pop(), i))
        else:
            broken.add(r)
    if stack:
        broken.add(current)
    return pairs, broken
