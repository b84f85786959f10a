"""Correction of mentions that have unbalanced brackets, and addition of missing abbreviations.

Taggers of gene names commonly use both rules (e.g. BANNER, Leaman and Gonzalez 2008). A mention that contains
only one bracket of a pair is shortened or extended. An abbreviation in brackets is a mention if the preceding
name is a mention.
"""

from __future__ import annotations

import re

from .tokens import Span

PAIRS = {")": "(", "]": "["}
ABBREVIATION = re.compile(r"\s?\(\s?([A-Za-z][\w/-]{0,9})\s?\)")


def repair(text: str, spans: list[Span]) -> list[Span]:
    """Balance the brackets of mentions, and add the abbreviations that follow them."""
    balanced = [fixed for span in spans if (fixed := _balance(text, span)) is not None]
    kept: list[Span] = []
    for span in balanced:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return _abbreviations(text, kept)


def _balance(text: str, span: Span) -> Span | None:
    """Shorten or extend a mention so that its brackets are balanced; return None if nothing is left."""
    start, end, name = span
    open_at: list[int] = []
    for i in range(start, end):
        if text[i] in "([":
            open_at.append(i)
        elif text[i] in ")]":
            if open_at and text[open_at[-1]] == PAIRS[text[i]]:
                open_at.pop()
            else:
                # the bracket was opened before the mention: the longer side is the name
                left, right = (start, i), (i + 1, end)
                start, end = left if i - start >= end - i - 1 else right
                return _trim(text, start, end, name)
    if open_at:
        i = open_at[0]
        if text[end : end + 1] in PAIRS and PAIRS[text[end]] == text[i]:
            return Span(start, end + 1, name)
        return _trim(text, start, i, name) if i - start >= end - i - 1 else _trim(text, i + 1, end, name)
    return span


def _trim(text: str, start: int, end: int, name: str) -> Span | None:
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end, name) if start < end else None


def _abbreviations(text: str, spans: list[Span]) -> list[Span]:
    """Add abbreviations in brackets that follow a mention containing their letters."""
    more: list[Span] = []
    for i, span in enumerate(spans):
        match = ABBREVIATION.match(text, span.end)
        if match is None:
            continue
        start, end = match.span(1)
        free = i + 1 == len(spans) or spans[i + 1].start >= end
        if free and _abbreviates(match[1], text[span.start : span.end]):
            more.append(Span(start, end, span.type))
    return sorted([*spans, *more]) if more else spans


def _abbreviates(short: str, long: str) -> bool:
    """Return True if the letters of `short` occur in order in `long`, beginning at the start of a word."""
    letters = [c for c in short.lower() if c.isalnum()]
    if not 2 <= len(letters) <= 8 or len(long) <= len(short) or not any(c.isupper() for c in short):
        return False
    low = long.lower()
    place = len(low)
    for n, letter in enumerate(reversed(letters)):
        last = n == len(letters) - 1
        place = low.rfind(letter, 0, place)
        while last and place > 0 and low[place - 1].isalnum():
            place = low.rfind(letter, 0, place)
        if place < 0:
            return False
    return True
