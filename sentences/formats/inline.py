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
from itertools import count, groupby
from operator import itemgetter
from os import PathLike

import numpy as np

from ...catalogues.core.arrays import bounds_from_lengths
from ...catalogues.core.errors import InputError
from ...catalogues.core.text import Ints

TAG = re.compile(r"<(/?)([A-Za-z_][\w.:-]*)((?:[^\S\n][^<>\n]*)?)(/?)>", re.ASCII)
"""A tag as taggers print them, perhaps with attributes; one that closes itself marks nothing."""
_NAME = "[A-Za-z][A-Za-z0-9_.:-]{0,63}"
BARE_TAG = f"</?{_NAME}>"
"""A tag as corpora have them: a name alone."""
_BARE = re.compile(f"<(/?)({_NAME})()()>")
_ANY = re.compile(r"(<[^<>\n]*>)")


@dataclass(frozen=True)
class InlineText:
    r"""Lines of text without their mark-up, and the mentions that it marked.

    Attributes
    ----------
    lines : list of str
        Only ``\n`` ends a line.
    rows, starts, ends : arrays of int64
        Line of each mention, and its half-open span in code points within the line.
    type_codes : array of int64
        Place in `types`.
    types : list of str
        Names of tags.
    problems : dict of int to str
        Lines, counted from 0, whose mark-up cannot be read, and what is wrong with it; they have no mentions.
    """

    lines: list[str]
    rows: Ints
    starts: Ints
    ends: Ints
    type_codes: Ints
    types: list[str]
    problems: dict[int, str]


def find_element_names(text: str) -> frozenset[str]:
    """Element names that occur in a text."""
    return frozenset(match[2] for match in TAG.finditer(text))


def parse_inline(
    text: str,
    tags: Collection[str] = (),
    literal_tags: Collection[str] = (),
    *,
    strict: bool = False,
    file: str | PathLike[str] | None = None,
) -> InlineText:
    r"""Take the tags out of lines of text.

    Parameters
    ----------
    text : str
        Lines that end with ``\n``, which the last may lack.
    tags : collection of str
        Names that mark mentions, any other ``<…>`` being text; all when empty.
    literal_tags : collection of str
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
    >>> found = parse_inline("the <gp>β-catenin</gp> gene\n")
    >>> found.lines, found.rows.tolist(), found.starts.tolist(), found.ends.tolist(), found.types
    (['the β-catenin gene'], [0], [4], [13], ['gp'])
    """
    parts = _ANY.split(text.removesuffix("\n"))
    words = parts[1::2]
    types: dict[str, int] = {}
    # opening and closing tags of one name have codes that differ by 1; what is text has -1
    code_of = dict.fromkeys(words, -1)
    for word in code_of:
        match = (_BARE if strict else TAG).fullmatch(word)
        if match and not match[4] and (match[2] in tags if tags else match[2] not in literal_tags):
            code_of[word] = 2 * types.setdefault(match[2], len(types)) + bool(match[1])
    codes = np.array([code_of[word] for word in words], dtype=np.int64)
    parts[1::2] = [word if code_of[word] < 0 else "" for word in words]
    # where each tag stands in the text without tags
    places = bounds_from_lengths(np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)))[1:-1:2]
    places, codes = places[codes >= 0], codes[codes >= 0]
    lines = "".join(parts).split("\n") if text else []
    heads = bounds_from_lengths(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)) + 1)
    rows = np.searchsorted(heads, places, side="right") - 1
    pairs, problems = _pair(rows.tolist(), codes.tolist(), list(types))
    if strict and problems:
        line = min(problems)
        shown, allowed = text.split("\n", line + 1)[line], "tags that pair on their line"
        raise InputError(problems[line], file=file, line=line + 1, found=shown, allowed=allowed)
    first, last = pairs.T
    base = heads[rows[first]]
    starts, ends = places[first] - base, places[last] - base
    return InlineText(lines, rows[first], starts, ends, codes[first] // 2, list(types), problems)


def _pair(lines: list[int], codes: list[int], types: list[str]) -> tuple[Ints, dict[int, str]]:
    """Pair tags, given by line and code: (mentions, 2), and what is wrong with lines.

    Lines whose tags do not pair have no mentions.
    """
    pairs: list[tuple[int, int]] = []
    problems: dict[int, str] = {}
    for line, tags in groupby(zip(lines, count(), codes, strict=False), key=itemgetter(0)):
        stack: list[tuple[int, int]] = []
        own: list[tuple[int, int]] = []
        problem = ""
        for _, number, code in tags:
            if not code % 2:
                stack.append((number, code))
            elif stack and stack[-1][1] == code - 1:
                own.append((stack.pop()[0], number))
            elif stack:
                due = types[stack[-1][1] // 2]
                problem = problem or f"</{types[code // 2]}> stands where </{due}> is due"
            else:
                problem = problem or f"</{types[code // 2]}> closes nothing"
        if stack:
            problem = problem or f"<{types[stack[-1][1] // 2]}> is not closed on its line"
        if problem:
            # one object for all that say the same: there may be millions
            problems[line] = sys.intern(problem)
        else:
            pairs += sorted(own)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2), problems


def insert_tags(texts: list[str], rows: Ints, starts: Ints, ends: Ints, types: list[str]) -> str:
    r"""Lines of `texts`, each ended by ``\n``, with mentions put between tags named by their type.

    The mentions must nest (see `base.nestable`); of mentions with one span the earlier stands outside.

    Examples
    --------
    >>> insert_tags(["the α gene"], np.array([0]), np.array([4]), np.array([5]), ["gp"])
    'the <gp>α</gp> gene\n'
    """
    mentions: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for i in np.lexsort((-ends, starts)).tolist():
        mentions[int(rows[i])].append((int(starts[i]), int(ends[i]), types[i]))
    return "".join([f"{_insert_line_tags(text, mentions.get(i, ()))}\n" for i, text in enumerate(texts)])


def _insert_line_tags(text: str, mentions: Collection[tuple[int, int, str]]) -> str:
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
