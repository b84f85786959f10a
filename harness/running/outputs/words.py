"""Output by tokens: ``IL-2/NN gene/NN`` lines, and CoNLL columns with IOB tags."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ....sentences.formats.conll import Columns, TokenLines, parse
from ..specification import Output
from .parsed import Tagged


def parse_words(text: bytes, form: Output, wrong: Sequence[int]) -> Tagged:
    """Lines of ``token/TAG``; the tag is what follows the last slash."""
    found = TokenLines(damaged=set(wrong))
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines):
        for word in line.split():
            token, slash, tag = word.rpartition(b"/")
            if not slash or not token:
                found.broken.add(number)
                token, tag = word, b"O"
            found.tokens.append(token)
            found.tags.append(tag)
        found.end()
    return _tagged(found, _columns(form))


def parse_columns(text: bytes, form: Output, wrong: Sequence[int], long: Collection[int] = ()) -> Tagged:
    """CoNLL: a token a line. Lines of `wrong` are in another encoding, those of `long` were cut off."""
    columns = _columns(form)
    return _tagged(parse(text, columns, strict=False, cut=long, wrong=set(wrong)), columns)


def _columns(form: Output) -> Columns:
    return Columns(form.token_column, form.tag_column, form.scheme, form.outside)


def _tagged(found: TokenLines, columns: Columns) -> Tagged:
    """The texts as lines of tokens with a blank between them, with the mentions that the tags mark."""
    first, last, kinds, types, _ = found.mentions(columns)
    bounds = np.array(found.bounds, dtype=np.int64)
    size = np.fromiter(map(len, found.tokens), dtype=np.int64, count=len(found.tokens)) + 1
    edges = np.concatenate((np.zeros(1, np.int64), np.cumsum(size)))
    # a text without tokens is an empty line: one byte, for its end, that no token brings
    empty = np.concatenate((np.zeros(1, np.int64), np.cumsum(bounds[1:] == bounds[:-1])))
    shift = empty[np.searchsorted(bounds[1:], first, side="right")]
    lines = [
        b" ".join(found.tokens[a:b]) + b"\n" for a, b in zip(found.bounds, found.bounds[1:], strict=False)
    ]
    return Tagged(
        np.frombuffer(b"".join(lines), dtype=np.uint8),
        edges[bounds] + empty,
        edges[first] + shift,
        edges[last] - 1 + shift,
        kinds.astype(np.int32),
        types,
        damaged=np.array(sorted(found.damaged), dtype=np.int64),
        broken=np.array(sorted(found.broken), dtype=np.int64),
    )
