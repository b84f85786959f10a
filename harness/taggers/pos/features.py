"""Features of tokens for the model: their form, the forms of their neighbours, and the blanks between them.

The features of each distinct word are computed once and cached.
"""

from __future__ import annotations

import re
from functools import lru_cache

GREEK = re.compile(
    "(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon"
    "|phi|chi|psi|omega)$"
)
CLASSES = (
    ("cap", re.compile(r"[A-Z][a-z]+$")),
    ("caps", re.compile(r"[A-Z]{2,}$")),
    ("one", re.compile(r"[A-Z]$")),
    ("low1", re.compile(r"[a-z]$")),
    ("mix", re.compile(r".*[a-z].*[A-Z]")),
    ("lowcaps", re.compile(r"[a-z][A-Z]+[0-9]*$")),
    ("caplow", re.compile(r"[A-Z]+[a-z]$")),
    ("capdig", re.compile(r"[A-Z]+[0-9]+$")),
    ("lowdig", re.compile(r"[a-z]+[0-9]+$")),
    ("Lowdig", re.compile(r"[A-Z][a-z]+[0-9]+[A-Za-z]?$")),
    ("diglet", re.compile(r"[0-9]+[A-Za-z]+$")),
    ("digin", re.compile(r"[A-Za-z]+[0-9]+[A-Za-z]+")),
    ("num", re.compile(r"[0-9]+$")),
    ("rom", re.compile(r"[IVX]+$")),
    ("year", re.compile(r"(?:19|20)[0-9]{2}$")),
    ("p", re.compile(r"p[0-9]{2,3}$")),
    ("dna", re.compile(r"[ACGTUN]{4,}$")),
    ("caps_s", re.compile(r"[A-Z]{2,}[0-9]*s$")),
    ("ase", re.compile(r".{2,}ases?$")),
    ("in", re.compile(r".{3,}ins?$")),
    ("orf", re.compile(r"Y[A-P][LR][0-9]{3}")),
)
SHAPE = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "A" * 26 + "a" * 26 + "0" * 10
)
REPEAT = re.compile(r"(.)\1+")
DIGITS = re.compile(r"[0-9]+")


@lru_cache(maxsize=400_000)
def short_shape(word: str) -> str:
    """Return the shape of a word: runs of capitals, lower-case letters and digits become A, a and 0."""
    return REPEAT.sub(r"\1", word.translate(SHAPE))


@lru_cache(maxsize=400_000)
def lower(word: str) -> str:
    """Return the word in lower case, with runs of digits replaced by 0."""
    return DIGITS.sub("0", word.lower())


@lru_cache(maxsize=400_000)
def inside(word: str) -> tuple[str, ...]:
    """Return the features that describe the form of a word."""
    low = lower(word)
    out = [f"w={word}", f"l={low}", f"s={short_shape(word)}"]
    size = len(low)
    out += [f"z{n}={low[-n:]}" for n in (2, 3, 4) if size > n]
    out += [f"a{n}={low[:n]}" for n in (2, 3, 4) if size > n]
    out += [f"c={name}" for name, rule in CLASSES if rule.match(word)]
    out.append(f"n={min(len(word), 8)}")
    if GREEK.match(low):
        out.append("greek")
    out += sorted({f"g={low[i : i + 3]}" for i in range(1, size - 3)})
    return tuple(out)


@lru_cache(maxsize=400_000)
def around(word: str, offset: int) -> tuple[str, ...]:
    """Return the features that describe a neighbouring word; more distant words have fewer features."""
    low = lower(word)
    if abs(offset) == 3:
        return (f"{offset}l={low}",)
    out = (f"{offset}l={low}", f"{offset}s={short_shape(word)}")
    return (*out, f"{offset}z={low[-3:]}") if abs(offset) == 1 else out


def sentence(text: str, places: list[tuple[int, int]]) -> list[list[str]]:
    """Return the features of each token of a sentence."""
    words = [text[s:e] for s, e in places]
    lows = [lower(w) for w in words]
    shapes = [short_shape(w) for w in words]
    count = len(words)
    joined = [i > 0 and places[i - 1][1] == places[i][0] for i in range(count)] + [False]
    chunks = _chunks(text, places, joined)
    rows: list[list[str]] = []
    depth = 0
    for i, word in enumerate(words):
        row = list(inside(word))
        for k in (-3, -2, -1, 1, 2, 3):
            if 0 <= i + k < count:
                row += around(words[i + k], k)
            elif k in (-1, 1):
                row.append("first" if k < 0 else "last")
        before, after = (lows[i - 1] if i else "^"), (lows[i + 1] if i + 1 < count else "$")
        sb, sa = (shapes[i - 1] if i else "^"), (shapes[i + 1] if i + 1 < count else "$")
        low = lows[i]
        row += [
            f"b-={before}|{low}",
            f"b+={low}|{after}",
            f"b={before}|{after}",
            f"t={sb}|{shapes[i]}|{sa}",
        ]
        if i > 1:
            row.append(f"b--={lows[i - 2]}|{before}")
        if i + 2 < count:
            row.append(f"b++={after}|{lows[i + 2]}")
        if joined[i]:
            row.append("j-")
        if joined[i + 1]:
            row.append("j+")
        if joined[i] or joined[i + 1]:
            chunk = chunks[i]
            row += ["C=" + lower(chunk), "D=" + short_shape(chunk)]
        if word in "([":
            depth += 1
        elif word in ")]":
            depth = max(0, depth - 1)
        if depth:
            row.append("in()")
        rows.append(row)
    return rows


def _chunks(text: str, places: list[tuple[int, int]], joined: list[bool]) -> list[str]:
    """Return, for each token, the word (text between white space) that contains it."""
    out: list[str] = []
    i = 0
    while i < len(places):
        j = i + 1
        while j < len(places) and joined[j]:
            j += 1
        out += [text[places[i][0] : places[j - 1][1]]] * (j - i)
        i = j
    return out
