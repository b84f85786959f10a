"""Inline tags on bytes: ``<gp>…</gp>`` found, checked, removed and put in, by columns.

Nothing is escaped, so a ``<`` that does not begin a known tag is text. The functions work on UTF-8 bytes and
give spans in code points; they serve the corpus format `sgml`, suites, and taggers that print tags.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.core.text import Ints as Integers

LONGEST_NAME = 64
_NAME = np.zeros(256, dtype=bool)
_NAME[[*range(48, 58), *range(65, 91), *range(97, 123), *b"_.-:"]] = True
_LETTER = np.zeros(256, dtype=bool)
_LETTER[[*range(65, 91), *range(97, 123)]] = True
_NEWLINE, _LESS, _GREATER, _SLASH = 10, 60, 62, 47
TAG_PATTERN = r"</?[A-Za-z][A-Za-z0-9_.:-]{0,63}>"


@dataclass(frozen=True)
class Inline:
    r"""Lines without their tags, and the mentions that the tags marked.

    Attributes
    ----------
    raw : bytes
        The content with the tags removed.
    names : tuple of str
        The tag names met.
    rows : array of int64
        Zero-based line of each mention.
    starts, ends : array of int64
        Half-open span in code points within the line.
    types : array of int64
        Index into `names`.
    problems : tuple of (int, str)
        One-based lines whose tags do not pair, and why; the mentions of such a line are left out.
    """

    raw: bytes
    names: tuple[str, ...]
    rows: Integers
    starts: Integers
    ends: Integers
    types: Integers
    problems: tuple[tuple[int, str], ...]

    def lines(self) -> list[str]:
        r"""The lines as text; only ``\n`` ends a line, and the last line's end is optional."""
        listed = self.raw.decode().split("\n")
        if listed and listed[-1] == "":
            listed.pop()
        return listed


@dataclass(frozen=True)
class _Tags:
    begin: Integers  # of the "<"
    stop: Integers  # one past the ">"
    close: NDArray[np.bool_]
    name: Integers
    names: tuple[str, ...]


def _find(content: bytes, buffer: NDArray[np.uint8], wanted: Collection[str] | None) -> _Tags:
    less = np.flatnonzero(buffer == _LESS)
    greater = np.flatnonzero(buffer == _GREATER)
    place = np.searchsorted(greater, less)
    less, place = less[place < len(greater)], place[place < len(greater)]
    stop = greater[place] + 1
    close = buffer[less + 1] == _SLASH
    first = less + 1 + close
    length = stop - 1 - first
    fits = (length >= 1) & (length <= LONGEST_NAME)
    fits[fits] = _LETTER[buffer[first[fits]]]
    less, stop, close, first, length = less[fits], stop[fits], close[fits], first[fits], length[fits]
    name = np.full(len(less), -1, dtype=np.int64)
    names: list[str] = []
    undecided = np.ones(len(less), dtype=bool)
    # one pass for each distinct name: there are few
    while undecided.any():
        i = int(np.argmax(undecided))
        shown = content[first[i] : first[i] + length[i]]
        same = undecided & (length == length[i])
        candidates = np.flatnonzero(same)
        for offset, byte in enumerate(shown):
            candidates = candidates[buffer[first[candidates] + offset] == byte]
        undecided[candidates] = False
        legal = _NAME[np.frombuffer(shown, dtype=np.uint8)].all()
        if legal and (wanted is None or shown.decode() in wanted):
            name[candidates] = len(names)
            names.append(shown.decode())
    known = name >= 0
    return _Tags(less[known], stop[known], close[known], name[known], tuple(names))


def parse_inline(content: bytes, tags: Collection[str] | None = None) -> Inline:
    r"""Parse lines with inline tags.

    Parameters
    ----------
    content : bytes
        UTF-8; lines end with ``\n``.
    tags : collection of str, optional
        The tag names that count; any other ``<…>`` is text. None: every ``<name>`` and ``</name>`` counts.

    Examples
    --------
    >>> found = parse_inline("the <gp>β-catenin</gp> gene\n".encode())
    >>> found.lines(), found.starts.tolist(), found.ends.tolist(), found.names
    (['the β-catenin gene'], [4], [13], ('gp',))
    """
    buffer = np.frombuffer(content, dtype=np.uint8)
    found = _find(content, buffer, tags)
    count = len(found.begin)
    if not count:
        none = np.zeros(0, dtype=np.int64)
        return Inline(content, found.names, none, none, none, none, ())
    newlines = np.flatnonzero(buffer == _NEWLINE)
    line = np.searchsorted(newlines, found.begin)
    first, last, kept_problems = _pair(found, line)
    # bytes that go, and how many went before each tag
    size = found.stop - found.begin
    gone = np.cumsum(size) - size
    raw_place = found.begin - gone
    delta = np.zeros(len(buffer) + 1, dtype=np.int8)
    delta[found.begin] = 1
    delta[found.stop] -= 1
    raw = buffer[np.cumsum(delta[:-1], dtype=np.int8) == 0]
    line_start = np.concatenate([[0], np.flatnonzero(raw == _NEWLINE) + 1])
    if not content.isascii():
        points = np.concatenate([[0], np.cumsum((raw & 0xC0) != 0x80)])
        raw_place, line_start = points[raw_place], points[line_start]
    rows = line[first]
    starts, ends = raw_place[first] - line_start[rows], raw_place[last] - line_start[rows]
    return Inline(
        raw.tobytes(),
        found.names,
        rows.astype(np.int64),
        starts.astype(np.int64),
        ends.astype(np.int64),
        found.name[first],
        kept_problems,
    )


def _pair(found: _Tags, line: Integers) -> tuple[Integers, Integers, tuple[tuple[int, str], ...]]:
    """Indexes of opening and closing tags that belong together, and the lines where they do not pair."""
    count = len(found.begin)
    fresh = np.concatenate([[True], line[1:] != line[:-1]])
    group = np.cumsum(fresh) - 1
    within = np.arange(count) - np.flatnonzero(fresh)[group]
    # flat: open, close, open, close, … of equal names
    wrong = found.close != (within % 2 == 1)
    partner = np.minimum(np.arange(count) + 1, count - 1)
    opens = within % 2 == 0
    wrong |= opens & (
        (group[partner] != group) | (found.name[partner] != found.name) | (partner == np.arange(count))
    )
    odd = np.zeros(int(group[-1]) + 1, dtype=bool)
    odd[group[wrong]] = True
    flat = ~odd[group]
    first = np.flatnonzero(flat & opens)
    if not odd.any():
        return first, first + 1, ()
    pairs: list[tuple[int, int]] = []
    problems: list[tuple[int, str]] = []
    edges = np.append(np.flatnonzero(fresh), count)
    for g in np.flatnonzero(odd).tolist():
        result = _stack(found, int(edges[g]), int(edges[g + 1]))
        if isinstance(result, str):
            problems.append((int(line[edges[g]]) + 1, result))
        else:
            pairs += result
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return np.concatenate([first, table[:, 0]]), np.concatenate([first + 1, table[:, 1]]), tuple(problems)


def _stack(found: _Tags, start: int, stop: int) -> list[tuple[int, int]] | str:
    """Pair the tags of one line that nests, or say what is wrong with it."""
    pairs: list[tuple[int, int]] = []
    waiting: list[int] = []
    for i in range(start, stop):
        shown = found.names[found.name[i]]
        if not found.close[i]:
            waiting.append(i)
        elif not waiting:
            return f"</{shown}> closes nothing"
        elif found.name[waiting[-1]] != found.name[i]:
            return f"</{shown}> stands where </{found.names[found.name[waiting[-1]]]}> is due"
        else:
            pairs.append((waiting.pop(), i))
    if waiting:
        return f"<{found.names[found.name[waiting[-1]]]}> is not closed on its line"
    return pairs


def insert_tags(
    texts: list[str], rows: Integers, starts: Integers, ends: Integers, types: list[str]
) -> bytes:
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
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1
    base = np.cumsum(lengths) - lengths
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
    offsets = np.cumsum([0, *(len(f) for f in forms)])
    bank = np.frombuffer(b"".join(forms), dtype=np.uint8)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    values = bank[np.repeat(offsets[which], sizes) + within]
    return np.insert(buffer, np.repeat(place[order], sizes), values).tobytes()


def first_problem(found: Inline, file: object, content: bytes) -> None:
    """Raise for the first line whose tags do not pair."""
    if found.problems:
        number, problem = min(found.problems)
        shown = content.split(b"\n")[number - 1].decode(errors="replace")
        raise InputError(
            problem, file=str(file), line=number, found=shown, allowed="tags that pair on their line"
        )
