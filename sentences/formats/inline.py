"""Reader and writer of lines with inline tags such as ``<gp>…</gp>``.

Special characters are not escaped: a ``<`` that does not begin a known tag is part of the text. Corpora
(format `sgml`, suites) are read strictly: tags have no attributes, and the first line with unmatched tags
raises an InputError. In tagger output, tags can have attributes, and lines with unmatched tags are reported
as problems.
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
"""Pattern of a tag in tagger output, with optional attributes; a self-closing tag marks no mention."""
_NAME = "[A-Za-z][A-Za-z0-9_.:-]{0,63}"
BARE_TAG = f"</?{_NAME}>"
"""Pattern of a tag in a corpus, without attributes."""
_BARE = re.compile(f"<(/?)({_NAME})()()>")
_ANY = re.compile(r"(<[^<>\n]*>)")


@dataclass(frozen=True)
class InlineText:
    r"""Lines of text with the tags removed, and the mentions that the tags marked.

    Attributes
    ----------
    lines : list of str
        Lines, split at ``\n`` only.
    rows, starts, ends : arrays of int64
        Line index (from 0) of each mention, and its half-open character span in the line without tags.
    type_codes : array of int64
        Index into `types` for each mention.
    types : list of str
        Names of the tags.
    problems : dict of int to str
        Problem of each line with unmatched tags, keyed by line index. Such a line has no mentions.
    """

    lines: list[str]
    rows: Ints
    starts: Ints
    ends: Ints
    type_codes: Ints
    types: list[str]
    problems: dict[int, str]


def find_element_names(text: str) -> frozenset[str]:
    """Return the names of all tags that occur in a text."""
    return frozenset(match[2] for match in TAG.finditer(text))


def parse_inline(
    text: str,
    tags: Collection[str] = (),
    literal_tags: Collection[str] = (),
    *,
    strict: bool = False,
    file: str | PathLike[str] | None = None,
) -> InlineText:
    r"""Remove the tags from lines of text and return the lines and mentions.

    Parameters
    ----------
    text : str
        Lines that end with ``\n`` (optional in the last line).
    tags : collection of str
        Tag names that mark mentions; any other ``<…>`` is text. If empty, all tags mark mentions.
    literal_tags : collection of str
        Names of tags that occur in the text sent to the tagger; these tags mark no mentions. This argument is
        ignored if `tags` is given.
    strict : bool
        Whether to disallow attributes, and to raise an error for the first line with unmatched tags.
    file : path, optional
        File that was read, for messages.

    Raises
    ------
    InputError
        If `strict` is true and the tags on a line do not match.

    Examples
    --------
    >>> inline = parse_inline("the <gp>β-catenin</gp> gene\n")
    >>> inline.lines, inline.rows.tolist(), inline.starts.tolist(), inline.ends.tolist(), inline.types
    (['the β-catenin gene'], [0], [4], [13], ['gp'])
    """
    parts = _ANY.split(text.removesuffix("\n"))
    words = parts[1::2]
    types: dict[str, int] = {}
    # even codes are opening tags, the next odd code is the closing tag; -1 is text
    code_of = dict.fromkeys(words, -1)
    for word in code_of:
        match = (_BARE if strict else TAG).fullmatch(word)
        if match and not match[4] and (match[2] in tags if tags else match[2] not in literal_tags):
            code_of[word] = 2 * types.setdefault(match[2], len(types)) + bool(match[1])
    codes = np.array([code_of[word] for word in words], dtype=np.int64)
    parts[1::2] = [word if code_of[word] < 0 else "" for word in words]
    # offset of each tag in the text without tags
    places = bounds_from_lengths(np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)))[1:-1:2]
    places, codes = places[codes >= 0], codes[codes >= 0]
    lines = "".join(parts).split("\n") if text else []
    heads = bounds_from_lengths(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)) + 1)
    rows = np.searchsorted(heads, places, side="right") - 1
    pairs, problems = _pair(rows.tolist(), codes.tolist(), list(types))
    if strict and problems:
        line = min(problems)
        shown, allowed = text.split("\n", line + 1)[line], "opening and closing tags on the same line"
        raise InputError(problems[line], file=file, line=line + 1, found=shown, allowed=allowed)
    first, last = pairs.T
    base = heads[rows[first]]
    starts, ends = places[first] - base, places[last] - base
    return InlineText(lines, rows[first], starts, ends, codes[first] // 2, list(types), problems)


def _pair(lines: list[int], codes: list[int], types: list[str]) -> tuple[Ints, dict[int, str]]:
    """Match opening and closing tags, given the line number and the code of each tag.

    The code is twice the index of the tag name in `types`, plus 1 for a closing tag. The result consists of
    an array of shape (mentions, 2) with the indexes of the opening and closing tags, and a dictionary with
    the problem of each line that has unmatched tags. Such a line has no mentions.
    """
    pairs: list[tuple[int, int]] = []
    problems: dict[int, str] = {}
    for line, tags in groupby(zip(lines, count(), codes, strict=False), key=itemgetter(0)):
        stack: list[tuple[int, int]] = []
        line_pairs: list[tuple[int, int]] = []
        problem = ""
        for _, number, code in tags:
            if not code % 2:
                stack.append((number, code))
            elif stack and stack[-1][1] == code - 1:
                line_pairs.append((stack.pop()[0], number))
            elif stack:
                expected = types[stack[-1][1] // 2]
                problem = problem or f"found </{types[code // 2]}> where </{expected}> is expected"
            else:
                problem = problem or f"</{types[code // 2]}> has no opening tag"
        if stack:
            problem = problem or f"<{types[stack[-1][1] // 2]}> is not closed on its line"
        if problem:
            # share equal messages: there may be millions
            problems[line] = sys.intern(problem)
        else:
            pairs += sorted(line_pairs)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2), problems


def insert_tags(texts: list[str], rows: Ints, starts: Ints, ends: Ints, types: list[str]) -> str:
    r"""Return the texts as lines, with each mention enclosed in tags named after its type.

    Mentions can be nested, but must not cross (see `base.mark_nestable`). If several mentions have the same
    span, the first is the outermost.

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
    """Insert tags around the mentions of a text; mentions must be sorted by start, longer ones first."""
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
