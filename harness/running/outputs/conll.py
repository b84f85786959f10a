"""Output by tokens, one a line: CoNLL columns with IOB tags."""

from __future__ import annotations

import numpy as np

from ....sentences.formats.conll import Columns, TokenLines, parse
from ..specification.output import Output
from .place_text import place_text
from .placed import Placed
from .printed import Printed
from .tagged import Tagged


def read(printed: Printed) -> Placed:
    """A token a line; lines in another encoding and lines that were cut off spoil their text."""
    return place_text(printed, _tagged(printed))


def _tagged(printed: Printed) -> Tagged:
    # a function of its own: the tokens are gone when mentions are placed
    held = columns(printed.form)
    found = parse(printed.text, held, cut=printed.long, wrong=set(printed.wrong))
    return tagged_tokens(found, held, "output.token_column, output.tag_column, output.scheme")


def columns(form: Output) -> Columns:
    """Where token and tag stand, and what the tags mean."""
    return Columns(form.token_column, form.tag_column, form.scheme, form.outside)


def tagged_tokens(found: TokenLines, columns: Columns, settings: str) -> Tagged:
    """The texts as lines of tokens with a blank between them, with the mentions that the tags mark.

    Keys of the specification that say what a token and a tag are go with what is wrong with a text.
    """
    first, last, kinds, types = found.mentions(columns)
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
        problems=found.broken,
        hint=f"; specification: {settings}",
        first_lines=np.array([0, *found.ends], dtype=np.int64),
    )
