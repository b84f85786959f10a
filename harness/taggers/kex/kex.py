"""KeX: rule-based protein name tagger after Fukuda, Tsunoda, Tamura and Takagi (1998).

This is a stand-alone program. It reads one sentence per line from standard input and writes the same lines
with each name in ``<gp>…</gp>``. It needs only the Python standard library and ``terms.txt`` in its folder.

The steps are those of the paper: find core terms by their form and feature terms by a list, join adjacent
terms, extend names to the edges of the noun phrase, and drop names that consist only of feature terms.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from pathlib import Path

TOKEN = re.compile(r"[^\s()\[\]{},;:.!?\"]+(?:[.,:][^\s()\[\]{},;:.!?\"]+)*|[^\s]")
ROMAN = re.compile(r"[IVX]+$")
LETTER = re.compile(r"[A-Z]$")
NUMBER = re.compile(r"[\d.,]+(?:-[\d.,]+)?%?$")
HYPHENATED = re.compile(r"[a-z]{2,}(?:-[a-z]+)+$")
CAPITALISED = re.compile(r"[A-Z][a-z]+(?:-[A-Za-z]?[a-z]+)*$")
VERBAL = re.compile(r"(?:ed|es|ly|ing|ize|ise|izes|ises)$")

CORE, FEATURE, GREEK, STOP, UNIT, NUMERAL, MARK, WORD = range(8)


def read_lists(path: Path) -> dict[str, frozenset[str]]:
    """Read the sections of a term list, each as a set of words."""
    lists: dict[str, set[str]] = {}
    section: set[str] = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            section = lists.setdefault(line.strip("[]"), set())
        else:
            section.update(line.split())
    return {name: frozenset(words) for name, words in lists.items()}


LISTS = read_lists(Path(__file__).with_name("terms.txt"))
NOT_NAMES = "--not-names"
EXCLUDED: frozenset[str] = (
    LISTS["yapex_unit"] | LISTS["yapex_not_core"] | LISTS["yapex_not_name"]
    if NOT_NAMES in sys.argv
    else frozenset()
)
"""Words that are never names; the paper has no such list."""


def is_core(word: str) -> bool:
    """Return True if a word looks like a proper name of a protein.

    Such names have capitals, digits or special characters.
    """
    letters = sum(c.isalpha() for c in word)
    special = sum(not c.isalnum() for c in word)
    if not letters or len(word) < 2:
        return False
    if word in LISTS["ordinary"] or word.lower() in LISTS["unit"] or word.lower() in EXCLUDED:
        return False
    # according to the paper, long lower-case words with hyphens (full-length) and strings that are mostly
    # symbols are not names
    if HYPHENATED.match(word) or special * 2 > len(word):
        return False
    has_digit = any(c.isdigit() for c in word)
    if CAPITALISED.match(word) and not has_digit:
        return False
    has_upper = any(c.isupper() for c in word)
    # a number with a unit or an ordinary word: "25-fold", "0.5ml"
    if re.match(r"[\d.]+[-]?[a-z]+$", word):
        return False
    return has_upper or has_digit


@lru_cache(maxsize=200_000)
def kind(word: str) -> int:
    """Return the lexical category of a token."""
    low = word.lower()
    if not any(c.isalnum() for c in word):
        return MARK
    if NUMBER.match(word):
        return NUMERAL
    if low in LISTS["greek"]:
        return GREEK
    if low in LISTS["feature"]:
        return FEATURE
    if low in LISTS["stop"]:
        return STOP
    if low in LISTS["unit"]:
        return UNIT
    if is_core(word):
        return CORE
    return WORD


def is_specifier(word: str, what: int) -> bool:
    """Return True for a token that extends the name before it.

    Specifiers are single capitals, Roman and Arabic numerals, and Greek letters.
    """
    return (
        what == GREEK or bool(LETTER.match(word) or ROMAN.match(word)) or (what == NUMERAL and word.isdigit())
    )


def find(line: str) -> list[tuple[int, int]]:
    """Return the half-open character spans of the names in a sentence."""
    places = [m.span() for m in TOKEN.finditer(line)]
    words = [line[s:e] for s, e in places]
    kinds = [kind(w) for w in words]
    spans: list[tuple[int, int]] = []
    i = 0
    while i < len(words):
        if kinds[i] not in (CORE, FEATURE):
            i += 1
            continue
        first, last = i, i + 1
        has_core = kinds[i] == CORE
        has_feature = kinds[i] == FEATURE
        while last < len(words):
            if kinds[last] in (CORE, FEATURE):
                has_core |= kinds[last] == CORE
                has_feature |= kinds[last] == FEATURE
            elif is_specifier(words[last], kinds[last]):
                pass
            elif not reaches(words, kinds, last):
                break
            last += 1
        # a feature term includes the words before it, back to a determiner, preposition or verb
        if has_feature and kinds[first] == FEATURE:
            while first > 0 and (kinds[first - 1] in (WORD, GREEK)) and nominal(words[first - 1]):
                first -= 1
        elif first > 0 and kinds[first - 1] == GREEK:
            first -= 1
        if has_core or last - first > 1:
            spans.append((places[first][0], places[last - 1][1]))
        i = last
    return merge(spans)


def nominal(word: str) -> bool:
    """Return True if the ending of a word shows that it can be part of a name."""
    return not (VERBAL.search(word) and not word.endswith(("ring", "thing", "tied"))) and word[0].islower()


def reaches(words: list[str], kinds: list[int], place: int) -> bool:
    """Return True if one or two ordinary nouns begin at `place` and a feature term follows them."""
    for step in range(place, min(place + 3, len(words))):
        if kinds[step] == FEATURE:
            return step > place
        if kinds[step] not in (WORD, GREEK) or not nominal(words[step]):
            return False
    return False


def merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge overlapping spans."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def mark(line: str) -> str:
    """Return a sentence with tags around its names."""
    parts = []
    last = 0
    for start, end in find(line):
        parts += [line[last:start], "<gp>", line[start:end], "</gp>"]
        last = end
    parts.append(line[last:])
    return "".join(parts)


def main() -> None:
    """Tag the sentences on standard input."""
    if "--version" in sys.argv:
        print("kex 0.3 (after Fukuda et al. 1998)")
        return
    stdin = open(0, encoding="utf-8", newline="\n")  # noqa: SIM115 - standard input is no path
    out = open(1, "w", encoding="utf-8", newline="\n", closefd=False)  # noqa: SIM115
    for line in stdin:
        out.write(mark(line.rstrip("\n")) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
