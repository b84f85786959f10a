"""Step 5 of Yapex: find minimal noun phrases (a head and the lexical modifiers before it).

This chunker replaces the FDG parser that the paper used, because the parser is not available. A phrase is a
run of words without punctuation, closed-class words, adverbs and verb forms. Verb forms are recognised by
lists and endings:

* Forms of listed verbs, including irregular ones, end a phrase, except *binding*, *signaling* and a few more.
* A word in *-ed* after a noun is a verb or begins a reduced clause; elsewhere it is a modifier.
* Words such as *forms*, *targets* and *increases* are verbs between a noun and a closed-class word.
* Terms that steps 1 to 4 recognise are never verbs.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .words import CORE, EXTERNAL, GRAMMAR, NONE, POTENTIAL, TERMS, Word, analyse

TOKEN = re.compile(r"[^\W_]+(?:(?:[-‐‑'’][^\W_]+)|(?:(?<=\d)[.,]\d+))*(?:[+'’](?![^\W_]))?|[^\s]")
CLOSED, NOUN, ED, VERB, BOTH = range(5)


class Token:
    """Word with its position and lexical category."""

    __slots__ = ("end", "kind", "start", "text", "word")

    def __init__(self, text: str, start: int, end: int, word: Word, kind: int) -> None:
        self.text, self.start, self.end, self.word, self.kind = text, start, end, word, kind


_MARK = Word(NONE)


def tokens(text: str) -> list[Token]:
    """Split a text into tokens; a suffix such as *-dependent* after a name is a separate token."""
    found: list[Token] = []
    first = True
    for match in TOKEN.finditer(text):
        word, start, end = match[0], match.start(), match.end()
        if not (word[0].isalnum()):
            found.append(Token(word, start, end, _MARK, CLOSED))
            first = first or word in ".:?!"
            continue
        cut = _tail(word)
        if cut:
            found.append(Token(word[:cut], start, start + cut, *lexical(word[:cut], first)))
            found.append(Token(word[cut:], start + cut, end, _MARK, CLOSED))
        else:
            found.append(Token(word, start, end, *lexical(word, first)))
        first = False
    return found


@lru_cache(maxsize=200_000)
def _tail(word: str) -> int:
    """Return the offset at which suffixes such as *-dependent* begin, or 0 if there are none."""
    if "-" not in word:
        return 0
    head, _, tail = word.rpartition("-")
    while tail.lower() in TERMS["tail"] and head:
        cut = len(head)
        head, _, tail = head.rpartition("-")
        if tail.lower() not in TERMS["tail"]:
            return cut
    return 0


@lru_cache(maxsize=300_000)
def lexical(word: str, first: bool) -> tuple[Word, int]:
    """Return the lexical properties of a word, and a number for its role in a noun phrase."""
    known = analyse(word, first)
    low = word.lower()
    if low in GRAMMAR["closed"] and (word == low or first or len(word) > 2):
        return _MARK, CLOSED
    if known.category not in (NONE, EXTERNAL) or known.numeral or known.unit:
        return known, NOUN
    return known, _kind(low)


def _kind(low: str) -> int:
    verbs = GRAMMAR["verb"]
    if low in GRAMMAR["both"]:
        return BOTH
    if low in GRAMMAR["ing"]:
        return NOUN
    if low in verbs or low in GRAMMAR["irregular"]:
        return VERB
    if low.endswith("ly") and low not in GRAMMAR["ly"]:
        return CLOSED
    if low.endswith("s") and (low[:-1] in verbs or low[:-2] in verbs or low[:-3] + "y" in verbs):
        return VERB
    if low.endswith("ed") and len(low) > 4:
        return ED
    if low.endswith("ing") and len(low) > 5:
        return VERB
    return NOUN


def _after_verb(token: Token) -> bool:
    """Return True if the next token shows that an ambiguous word is a verb: a closed-class word or a name."""
    return token.text[0].isalnum() and (
        token.kind in (CLOSED, ED) or token.word.category in (CORE, POTENTIAL)
    )


def phrases(found: list[Token]) -> list[list[Token]]:
    """Return the minimal noun phrases of a sentence, in order."""
    runs: list[list[Token]] = []
    run: list[Token] = []
    for i, token in enumerate(found):
        kind = token.kind
        if kind == BOTH:
            kind = VERB if run and i + 1 < len(found) and _after_verb(found[i + 1]) else NOUN
        if kind == NOUN or (kind == ED and not run):
            run.append(token)
            continue
        if run:
            runs.append(run)
        run = []
    if run:
        runs.append(run)
    return runs
