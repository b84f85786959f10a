r"""The tokens of a column of texts: one pass over the code points, no Python loop per token.

Two rules are known. `notions` is the one that the notions of correctness count by, the matches of
``[^\W_]+|[^\w\s]|_``: a run of letters and digits, or any other single character that is not white space.
`whitespace` is ``\S+``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .text import CharKind, Ints, TextColumn

TokenRule = Literal["notions", "whitespace"]
TOKEN_RULES: tuple[TokenRule, ...] = ("notions", "whitespace")
TOKEN_PATTERNS = {"notions": re.compile(r"[^\W_]+|[^\w\s]|_"), "whitespace": re.compile(r"\S+")}


@dataclass(frozen=True)
class Tokens:
    """The tokens of a column of texts.

    Attributes
    ----------
    row : array of int64
        Position of the token's text in the column.
    start, end : array of int64
        Half-open span within the text, in code points.
    bounds : array of int64
        The tokens of text `i` are ``bounds[i]:bounds[i + 1]``.
    text_starts : array of int64
        Where each text begins in the column (`TextColumn.starts`).
    """

    row: Ints
    start: Ints
    end: Ints
    bounds: Ints
    text_starts: Ints

    def __len__(self) -> int:
        return len(self.row)

    def find_touched(self, rows: ArrayLike, starts: ArrayLike, ends: ArrayLike) -> tuple[Ints, Ints]:
        """First and one-past-last token (indexes into this table) that each half-open span touches.

        A span touches a token when they share a character. A span of white space only touches none: both
        numbers are then equal.
        """
        base = self.text_starts[np.asarray(rows, dtype=np.int64)]
        lower = base + np.asarray(starts, dtype=np.int64)
        upper = base + np.asarray(ends, dtype=np.int64)
        offset = self.text_starts[self.row]
        first = np.searchsorted(offset + self.end, lower, side="right")
        last = np.searchsorted(offset + self.start, upper, side="left")
        return first.astype(np.int64), np.maximum(first, last).astype(np.int64)


def find_token_places(
    column: TextColumn, rule: TokenRule = "notions", cuts: Ints | None = None
) -> tuple[Ints, Ints]:
    """Return where the tokens begin and end in a column; see `tokenise`."""
    if rule not in TOKEN_RULES:
        raise ValueError(f"unknown rule {rule!r}; allowed: {', '.join(TOKEN_RULES)}")
    inner = ~column.is_of_kind(CharKind.SPACE)
    # a run goes on only from a character of its sort to another; separators are white space and end all runs
    run = inner if rule == "whitespace" else column.is_of_kind(CharKind.WORD)
    begins = inner.copy()
    begins[1:] &= ~(run[1:] & run[:-1])
    if cuts is not None:
        cuts = cuts[(cuts >= 0) & (cuts < len(inner))]
        begins[cuts] = inner[cuts]
    # a token ends where the next begins or at the first white space after it, whichever comes first
    last = inner.copy()
    last[:-1] &= begins[1:] | ~inner[1:]
    return np.flatnonzero(begins), np.flatnonzero(last) + 1


def tokenise(column: TextColumn, rule: TokenRule = "notions", cuts: Ints | None = None) -> Tokens:
    """Find the tokens of every text.

    Parameters
    ----------
    column : TextColumn
        The texts.
    rule : {"notions", "whitespace"}
        See the module's head.
    cuts : array of int64, optional
        Places in the column at which a token must end in any case (edges of mentions, say).

    Examples
    --------
    >>> found = tokenise(TextColumn(["IL-2 gene", "p_53"]))
    >>> list(zip(found.row.tolist(), found.start.tolist(), found.end.tolist()))
    [(0, 0, 2), (0, 2, 3), (0, 3, 4), (0, 5, 9), (1, 0, 1), (1, 1, 2), (1, 2, 4)]
    """
    starts, ends = find_token_places(column, rule, cuts)
    rows = np.searchsorted(column.starts, starts, side="right") - 1
    base = column.starts[rows]
    bounds = np.searchsorted(starts, np.append(column.starts, column.size))
    return Tokens(
        row=rows.astype(np.int64),
        start=starts - base,
        end=ends - base,
        bounds=bounds.astype(np.int64),
        text_starts=column.starts,
    )
