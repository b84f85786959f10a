r"""Tokenisation of a column of texts.

There are two rules. By the rule `notions`, which the notions of correctness use, a token is a run of letters
and digits, or any other single character that is not white space. By the rule `whitespace`, a token is a run
of characters that are not white space.
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
    """Tokens of a column of texts, as arrays.

    Attributes
    ----------
    row : array of int64
        Number of the text that contains each token.
    start, end : array of int64
        Half-open span of each token within its text, in code points.
    bounds : array of int64
        Boundaries of the texts: the tokens of text `i` are ``bounds[i]:bounds[i + 1]``.
    text_starts : array of int64
        Start of each text in the column, as in `TextColumn.starts`.
    """

    row: Ints
    start: Ints
    end: Ints
    bounds: Ints
    text_starts: Ints

    def __len__(self) -> int:
        return len(self.row)

    def find_touched(self, rows: ArrayLike, starts: ArrayLike, ends: ArrayLike) -> tuple[Ints, Ints]:
        """Return, for each span, the half-open index range of the tokens that share a character with it.

        The range is empty if the span contains only white space.
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
    """Return the start and end positions of all tokens in a column; for the parameters see `tokenise`."""
    inner = ~column.is_of_kind(CharKind.SPACE)
    # a run continues only between two characters of its kind; line feeds between texts end every run
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
        Rule that defines a token; see the module docstring.
    cuts : array of int64, optional
        Positions in the column at which tokens are split, such as the edges of mentions.

    Examples
    --------
    >>> tokens = tokenise(TextColumn(["IL-2 gene", "p_53"]))
    >>> list(zip(tokens.row.tolist(), tokens.start.tolist(), tokens.end.tolist()))
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
