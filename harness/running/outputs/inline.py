"""Inline SGML or XML: ``the <gp>p53</gp> gene``. Whole columns of bytes, no loop per mention."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from ....catalogues.core.patterns import searched
from ..specification import marks
from .parsed import Places, Tagged, split_records
from .tags import Tags, without


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
    known = Tags(tags, text)
    found = known.find(data.tobytes() if len(data) > len(content) else content)
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(found.size)))
    ahead = np.searchsorted(found.place, starts)
    record = np.repeat(np.arange(len(starts) - 1), np.diff(ahead))
    position = found.place - before[:-1]
    opens, closes, broken = pair(record, found.closing, found.kind)
    return Tagged(
        without(data, found),
        starts - before[ahead],
        position[opens],
        position[closes],
        found.kind[opens].astype(np.int32),
        known.names,
        damaged=np.array(sorted(damaged), dtype=np.int64),
        broken=broken,
    )


def as_tags(text: bytes, open_: str, close: str) -> bytes:
    """Other marks as tags: ``<START:gene> p53 <END>`` as ``<gene> p53 </gene>``.

    Parameters
    ----------
    text : bytes
        UTF-8.
    open_, close : str
        Regular expressions; the group ``type`` of the first, where it has one, names the tag.
    """
    pattern = marks(open_, close)
    groups = re.compile(pattern).groupindex
    opens, kind = groups["opens_"] - 1, groups.get("type", 0) - 1
    text_lines = text.decode().split("\n")
    lines = []
    for line, found in zip(text_lines, searched(pattern, text_lines, every=True), strict=True):
        stack: list[str] = []
        at = 0
        parts: list[str] = []
        for match in found:
            if match.groups[opens] is not None:
                stack.append((match.groups[kind] if kind >= 0 else None) or "mention")
                tag = f"<{stack[-1]}>"
            else:
                # a mark that closes nothing stays unpaired, which the parser reports
                tag = f"</{stack.pop() if stack else 'mention'}>"
            parts += [line[at : match.start], tag]
            at = match.end
        lines.append("".join([*parts, line[at:]]))
    return "\n".join(lines).encode()


def pair(record: Places, closing: np.ndarray, kind: Places) -> tuple[Places, Places, Places]:
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
