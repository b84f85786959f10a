r"""Tokens of whole columns of texts: one pass over the code points, no Python loop per token.

Two rules are known. `notions` is the one that the notions of correctness count by, the matches of
``[^\W_]+|[^\w\s]|_``: a run of letters and digits, or any other single character that is not white space.
`whitespace` is ``\S+``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rule = Literal["notions", "whitespace"]
RULES: tuple[Rule, ...] = ("notions", "whitespace")
PATTERNS = {"notions": re.compile(r"[^\W_]+|[^\w\s]|_"), "whitespace": re.compile(r"\S+")}

_UNKNOWN, SPACE, WORD, OTHER = 0, 1, 2, 3
_CODE_POINTS = 0x110000


@cache
def _table() -> NDArray[np.uint8]:
    """Class of every code point, filled as code points are met (all at once would take a while)."""
    table = np.zeros(_CODE_POINTS, dtype=np.uint8)
    table[:128] = [_class_of(chr(i)) for i in range(128)]
    return table


def _class_of(character: str) -> int:
    # what Python's re means by \s and by \w
    if character.isspace():
        return SPACE
    return WORD if character.isalnum() else OTHER


def classes(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Class of each code point: SPACE, WORD (letter or digit) or OTHER (underscore included)."""
    table = _table()
    found = table[codes]
    if not found.all():
        for code in np.unique(codes[found == _UNKNOWN]).tolist():
            table[code] = _class_of(chr(code))
        found = table[codes]
    return found


@dataclass(frozen=True)
class CodePoints:
    """The code points of a column of texts, one text after the other.

    Attributes
    ----------
    codes : array of uint32
        All code points.
    bounds : array of int64
        Text `i` is ``codes[bounds[i]:bounds[i + 1]]``; one longer than the column.
    """

    codes: NDArray[np.uint32]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Iterable[str]) -> CodePoints:
        """Lay out the code points of `texts` (a list or a `str` column without missing values)."""
        listed = texts if isinstance(texts, list) else list(texts)
        bounds = np.zeros(len(listed) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, listed), dtype=np.int64, count=len(listed)), out=bounds[1:])
        codes = np.frombuffer("".join(listed).encode("utf-32-le"), dtype=np.uint32)
        return cls(codes, bounds)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each text in code points."""
        return np.diff(self.bounds)

    def slices(
        self, rows: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> list[str]:
        """The surface forms of half-open spans, one for each (row, start, end)."""
        whole = self.codes.tobytes().decode("utf-32-le")
        base = self.bounds[rows]
        return [whole[a:b] for a, b in zip((base + starts).tolist(), (base + ends).tolist(), strict=True)]


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
    text_bounds : array of int64
        Where each text begins in the joined column (`CodePoints.bounds`).
    """

    row: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    bounds: NDArray[np.int64]
    text_bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.row)

    def touched(
        self, rows: ArrayLike, starts: ArrayLike, ends: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First and one-past-last token (indexes into this table) that each half-open span touches.

        A span touches a token when they share a character. A span of white space only touches none: both
        numbers are then equal.
        """
        base = self.text_bounds[np.asarray(rows, dtype=np.int64)]
        lower = base + np.asarray(starts, dtype=np.int64)
        upper = base + np.asarray(ends, dtype=np.int64)
        offset = self.text_bounds[self.row]
        first = np.searchsorted(offset + self.end, lower, side="right")
        last = np.searchsorted(offset + self.start, upper, side="left")
        return first.astype(np.int64), np.maximum(first, last).astype(np.int64)


def tokenise(
    texts: Iterable[str] | CodePoints, rule: Rule = "notions", cuts: NDArray[np.int64] | None = None
) -> Tokens:
    """Find the tokens of every text.

    Parameters
    ----------
    texts : iterable of str, or CodePoints
        A column of texts.
    rule : {"notions", "whitespace"}
        See the module's head.
    cuts : array of int64, optional
        Positions in the joined column at which a token must end in any case (edges of mentions, say).

    Examples
    --------
    >>> found = tokenise(["IL-2 gene", "p_53"])
    >>> list(zip(found.row.tolist(), found.start.tolist(), found.end.tolist()))
    [(0, 0, 2), (0, 2, 3), (0, 3, 4), (0, 5, 9), (1, 0, 1), (1, 1, 2), (1, 2, 4)]
    """
    points = texts if isinstance(texts, CodePoints) else CodePoints.of(texts)
    kinds = classes(points.codes)
    total = len(kinds)
    inner = kinds != SPACE
    if rule == "notions":
        # a run goes on only from a word character to a word character
        joined = (kinds[1:] == WORD) & (kinds[:-1] == WORD)
    elif rule == "whitespace":
        joined = inner[1:] & inner[:-1]
    else:
        raise ValueError(f"unknown rule {rule!r}; allowed: {', '.join(RULES)}")
    begins = inner.copy()
    begins[1:] &= ~joined
    edges = points.bounds[:-1] if cuts is None else np.concatenate([points.bounds[:-1], cuts])
    edges = edges[(edges >= 0) & (edges < total)]
    begins[edges] = inner[edges]
    starts = np.flatnonzero(begins)
    # a token ends where the next begins or at the first white space after it, whichever comes first
    stops = np.append(starts[1:], total)
    gaps = np.append(np.flatnonzero(~inner), total)
    ends = np.minimum(stops, gaps[np.searchsorted(gaps, starts)])
    rows = np.searchsorted(points.bounds, starts, side="right") - 1
    base = points.bounds[rows]
    bounds = np.searchsorted(starts, points.bounds)
    return Tokens(
        row=rows.astype(np.int64),
        start=(starts - base).astype(np.int64),
        end=(ends - base).astype(np.int64),
        bounds=bounds.astype(np.int64),
        text_bounds=points.bounds,
    )


def token_texts(texts: Sequence[str], tokens: Tokens) -> list[str]:
    """The tokens' own texts, in the table's order."""
    whole = "".join(texts)
    base = tokens.text_bounds[tokens.row]
    pairs = zip((base + tokens.start).tolist(), (base + tokens.end).tolist(), strict=True)
    return [whole[a:b] for a, b in pairs]
