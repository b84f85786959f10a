"""Output by tokens: ``IL-2/NN gene/NN`` lines, and CoNLL columns with IOB tags."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ....sentences.formats.iob import INSIDE, OUT, decode, parse_tags
from ..specification import Output
from .parsed import Places, Tagged

LETTERS = {"M": "I"}
"""Prefixes that the corpus formats do not know, and theirs: BMEWO's M is an I."""


class _Tokens:
    """Tokens and tags of all records, one after the other."""

    def __init__(self, form: Output) -> None:
        self.form = form
        self.tokens: list[bytes] = []
        self.tags: list[bytes] = []
        self.bounds = [0]
        self.broken: set[int] = set()
        self.damaged: set[int] = set()

    @property
    def record(self) -> int:
        """The record that is being read."""
        return len(self.bounds) - 1

    def end(self) -> None:
        """End the record."""
        self.bounds.append(len(self.tokens))

    def tagged(self) -> Tagged:
        """The records as lines of tokens with a blank between them, with the mentions that the tags mark."""
        bounds = np.array(self.bounds, dtype=np.int64)
        prefix, kind, types, bad = self._tags()
        self.broken |= set((np.searchsorted(bounds, bad, side="right") - 1).tolist())
        first, last, kinds = decode(prefix, kind, bounds)
        size = np.fromiter(map(len, self.tokens), dtype=np.int64, count=len(self.tokens)) + 1
        edges = np.concatenate((np.zeros(1, np.int64), np.cumsum(size)))
        # a record without tokens is an empty line: one byte, for its end, that no token brings
        empty = np.concatenate((np.zeros(1, np.int64), np.cumsum(bounds[1:] == bounds[:-1])))
        shift = empty[np.searchsorted(bounds[1:], first, side="right")]
        lines = [
            b" ".join(self.tokens[a:b]) + b"\n" for a, b in zip(self.bounds, self.bounds[1:], strict=False)
        ]
        return Tagged(
            np.frombuffer(b"".join(lines), dtype=np.uint8),
            edges[bounds] + empty,
            edges[first] + shift,
            edges[last] - 1 + shift,
            kinds.astype(np.int32),
            types,
            damaged=np.array(sorted(self.damaged), dtype=np.int64),
            broken=np.array(sorted(self.broken), dtype=np.int64),
        )

    def _tags(self) -> tuple[NDArray[np.int8], Places, list[str], Places]:
        """Prefix and type of each token, the types, and the tokens whose tag no scheme knows."""
        codes, distinct = pd.factorize(np.array(self.tags, dtype=object))
        words = [tag.decode() for tag in distinct]
        outside = set(self.form.outside)
        if self.form.scheme == "io":
            types = sorted({w for w in words if w not in outside})
            place = {t: i for i, t in enumerate(types)}
            prefix = np.array([OUT if w in outside else INSIDE for w in words], dtype=np.int8)
            kind = np.array([place.get(w, 0) for w in words], dtype=np.int64)
            return prefix[codes], kind[codes], types, np.zeros(0, np.int64)
        read = [("O", True) if w in outside else _standard(w) for w in words]
        prefix, kind, types, _ = parse_tags(pd.Series([w for w, _ in read], dtype=str))
        good = np.array([g for _, g in read], dtype=bool)
        return prefix[codes], kind[codes], types, np.flatnonzero(~good[codes])


def _standard(tag: str) -> tuple[str, bool]:
    """A tag as the corpus formats write it (``B-GENE``), and whether it is one at all."""
    letter, mark, name = tag.partition("-")
    if not mark and "_" in tag:
        letter, mark, name = tag.partition("_")
    letter = LETTERS.get(letter, letter)
    if letter not in set("BIELSUW") or (mark and not name):
        return "O", tag == "O"
    return (f"{letter}-{name}" if name else letter), True


def parse_words(text: bytes, form: Output, wrong: Sequence[int]) -> Tagged:
    """Lines of ``token/TAG``; the tag is what follows the last slash."""
    found = _Tokens(form)
    found.damaged = set(wrong)
    for number, line in enumerate(_lines(text)):
        for word in line.split():
            token, slash, tag = word.rpartition(b"/")
            if not slash or not token:
                found.broken.add(number)
                token, tag = word, b"O"
            found.tokens.append(token)
            found.tags.append(tag)
        found.end()
    return found.tagged()


def parse_columns(text: bytes, form: Output, wrong: Sequence[int], long: Collection[int] = ()) -> Tagged:
    """CoNLL: a token a line, columns by tab (or white space), a blank line after each record.

    Lines of `wrong` are in another encoding, those of `long` were cut off. Two blank lines in succession are
    a record without tokens between them.
    """
    found = _Tokens(form)
    bad = set(wrong)
    needed = max(c + 1 if c >= 0 else -c for c in (form.token_column, form.tag_column))
    lines = _lines(text)
    tokens, tags = found.tokens, found.tags
    filled = heading = False
    for number, line in enumerate(lines):
        if number in bad:
            found.damaged.add(found.record)
        if number in long:
            found.broken.add(found.record)
        columns = line.split(b"\t") if b"\t" in line else line.split()
        if columns and columns[0] == b"-DOCSTART-":
            # a line of its own, with its own blank line
            heading = True
            continue
        if columns and len(columns) >= needed:
            tokens.append(columns[form.token_column])
            tags.append(columns[form.tag_column].strip())
            filled = True
        elif line.strip():
            found.broken.add(found.record)
            filled = True
        else:
            if (filled or number > 0) and not heading:
                found.end()
            filled = heading = False
    if filled:
        found.end()
    return found.tagged()


def _lines(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines
