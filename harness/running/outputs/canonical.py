"""The letters of a text without what taggers change: white space, case, composition, entities, quotes."""

from __future__ import annotations

import html
import re
import unicodedata
from array import array
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


def canonical(text: str) -> tuple[str, array[int], array[int]]:
    """Canonical letters of a text, and the half-open span of the text that each comes from.

    Examples
    --------
    >>> canonical("NF-\N{GREEK SMALL LETTER KAPPA}B &lt; 2")[0]
    'nf-κb<2'
    """
    # arrays: a list would hold an object for each letter
    start, end = array("q"), array("q")
    if text.isascii() and '"' not in text and ESCAPE.search(text) is None:
        start.extend(i for i, c in enumerate(text) if not c.isspace())
        end.extend(i + 1 for i in start)
        return "".join(text.split()).lower().replace("`", "'"), start, end
    folded: list[str] = []

    def add(character: str, low: int, high: int) -> None:
        letters = fold(character)
        folded.append(letters)
        for _ in letters:
            start.append(low)
            end.append(high)

    at = 0
    for match in ESCAPE.finditer(text) if "&" in text or "-" in text else ():
        meant = BRACKETS.get(match[0]) or html.unescape(match[0])
        if meant == match[0]:
            continue
        for i in range(at, match.start()):
            add(text[i], i, i + 1)
        for character in meant:
            add(character, match.start(), match.end())
        at = match.end()
    for i in range(at, len(text)):
        add(text[i], i, i + 1)
    return "".join(folded), start, end


def key(text: str) -> str:
    """Canonical letters alone."""
    return canonical(text)[0]
