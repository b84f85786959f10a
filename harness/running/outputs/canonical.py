"""The letters of a text without what taggers change: white space, case, composition, entities, quotes."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
ESCAPE = re.compile(ENTITY.pattern + "|" + "|".join(BRACKETS))
SAME = {
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", "''"),
    '"': "''",
    **dict.fromkeys("‐‑‒–—−﹣－", "-"),
    "µ": "μ",
    "\ufeff": "",
    "\u200b": "",
    "\u00ad": "",
}
"""Signs that stand for one another; a double quote is two single ones, as the Penn Treebank writes it."""


@lru_cache(maxsize=65536)
def fold(character: str) -> str:
    """The canonical letters of one character; nothing for white space and for marks on a letter."""
    if character.isspace():
        return ""
    if character in SAME:
        return SAME[character]
    return "".join(
        SAME.get(c, c)
        for c in unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
        if not unicodedata.combining(c) and not c.isspace()
    )


def canonical(text: str) -> tuple[str, list[int], list[int]]:
    """Canonical letters of a text, and the half-open span of the text that each comes from.

    Examples
    --------
    >>> canonical("NF-\N{GREEK SMALL LETTER KAPPA}B &lt; 2")[0]
    'nf-κb<2'
    """
    if text.isascii() and '"' not in text and ESCAPE.search(text) is None:
        places = [i for i, c in enumerate(text) if not c.isspace()]
        plain = "".join(text.split()).lower().replace("`", "'")
        return plain, places, [i + 1 for i in places]
    letters: list[str] = []
    start: list[int] = []
    end: list[int] = []
    at = 0
    pieces: list[tuple[int, int, str]] = []
    if "&" in text or "-" in text:
        for match in ESCAPE.finditer(text):
            meant = BRACKETS.get(match[0]) or html.unescape(match[0])
            if meant != match[0]:
                pieces.append((match.start(), match.end(), meant))
    pieces.append((len(text), len(text), ""))
    for low, high, meant in pieces:
        for i in range(at, low):
            for c in fold(text[i]):
                letters.append(c)
                start.append(i)
                end.append(i + 1)
        for character in meant:
            for c in fold(character):
                letters.append(c)
                start.append(low)
                end.append(high)
        at = high
    return "".join(letters), start, end


def key(text: str) -> str:
    """Canonical letters alone."""
    return canonical(text)[0]
