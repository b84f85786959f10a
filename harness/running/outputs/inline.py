"""Inline SGML or XML: ``the <gp>p53</gp> gene``. Whole columns of bytes, no loop per mention."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import numpy as np

from .parsed import Bytes, Places, Tagged, split_records

TAG = re.compile(rb"<(/?)([A-Za-z_][\w.:-]*)((?:\s[^<>]*)?)(/?)>")
DISTINCT = 64
"""Distinct tags that are looked for by columns."""
LESS, MORE, SLASH = b"</>"[0], b"</>"[2], b"</>"[1]
NAME_START = np.zeros(256, dtype=bool)
NAME_START[[*range(65, 91), *range(97, 123), 95]] = True


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
        # +1 where a tag begins, -1 where it ends: the running sum is 1 inside tags
        marks = np.zeros(len(data) + 1, dtype=np.int8)
        marks[place] = 1
        marks[end] -= 1
        bare = data[np.cumsum(marks[:-1], dtype=np.int8) == 0]
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
    less = np.flatnonzero(data == LESS)
    more = np.flatnonzero(data == MORE)
    follow = np.searchsorted(more, less)
    less, follow = less[follow < len(more)], follow[follow < len(more)]
    stop = more[follow] + 1 if len(less) else less
    # what cannot be a tag goes first: p < 0.05
    first = data[np.minimum(less + 1 + (data[np.minimum(less + 1, len(data) - 1)] == SLASH), len(data) - 1)]
    able = NAME_START[first]
    less, stop = less[able], stop[able]
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
    kind = np.full(len(less), -1, dtype=np.int64)
    shut = np.zeros(len(less), dtype=bool)
    for word, places in _distinct(data, content, less, stop - less):
        found = read(word)
        if found is not None:
            shut[places] = found[0]
            kind[places] = code.setdefault(found[1], len(code))
    good = kind >= 0
    return less[good], stop[good], shut[good], kind[good], list(code)


def _distinct(data: Bytes, content: bytes, place: Places, size: Places) -> Iterator[tuple[bytes, Places]]:
    """The distinct words at some places, each with the places where it stands.

    There are few distinct tags as a rule, and one pass over the bytes for each is fast; where there are many
    (an attribute that is never the same), the rest is read one by one.
    """
    open_ = np.arange(len(place))
    for _ in range(DISTINCT):
        if not len(open_):
            return
        i = open_[0]
        word = content[place[i] : place[i] + size[i]]
        same = open_[size[open_] == size[i]]
        for offset, byte in enumerate(word):
            same = same[data[place[same] + offset] == byte]
        yield word, same
        done = np.zeros(len(place), dtype=bool)
        done[same] = True
        open_ = open_[~done[open_]]
    for i in open_.tolist():
        yield content[place[i] : place[i] + size[i]], np.array([i])


def as_tags(text: bytes, open_: str, close: str) -> bytes:
    """Other marks as tags: ``<START:gene> p53 <END>`` as ``<gene> p53 </gene>``.

    Parameters
    ----------
    text : bytes
        UTF-8.
    open_, close : str
        Regular expressions; the group ``type`` of the first, where it has one, names the tag.
    """
    marks = re.compile(f"(?P<opens_>{open_})|(?P<closes_>{close})")
    stack: list[str] = []

    def tag(match: re.Match[str]) -> str:
        if match["opens_"] is not None:
            name = (match["type"] if "type" in marks.groupindex else None) or "mention"
            stack.append(name)
            return f"<{name}>"
        # a mark that closes nothing stays unpaired, which the parser reports
        return f"</{stack.pop() if stack else 'mention'}>"

    lines = []
    for line in text.decode().split("\n"):
        stack.clear()
        lines.append(marks.sub(tag, line))
    return "\n".join(lines).encode()


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
