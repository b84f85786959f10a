"""Dictionary tagger, which finds the longest matches of a term list from left to right.

This is a stand-alone program. It reads one JSON object per line from standard input, with an id and a text,
and writes one JSON object per line, with the id and the mentions. It needs only the Python standard library
and a term list. Each line of the list contains a term, optionally followed by its type (by default gp) and
its identifier, separated by tabs. Lines that begin with ``#`` are comments. The program can also read a file
of patterns, with one regular expression per line. If matches overlap, the one that begins first is used; if
several matches begin at the same character, the longest is used.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")


Node = dict[str, Any]
END = ""
"""Key under which the tree stores the type and identifier of a term; no token is empty."""
DEFAULT_TYPE = "gp"
TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
Mention = tuple[int, int, str, str]
"""Start and end of a mention (half-open span of characters), its type, and its identifier or empty text."""


class Dictionary:
    """Term list, stored as a tree of tokens.

    Parameters
    ----------
    terms : list of (str, str, str)
        Terms with their types and identifiers. If a term occurs several times, the first one is used. Terms
        shorter than `shortest` characters are ignored.
    case : bool
        True if matching is case-sensitive.
    shortest : int
        Minimum length of a term in characters.
    """

    def __init__(self, terms: list[tuple[str, str, str]], *, case: bool = False, shortest: int = 2) -> None:
        self.case = case
        self.tree: Node = {}
        for term, kind, identifier in terms:
            tokens = TOKEN.findall(term if case else term.lower()) if len(term) >= shortest else []
            node = self.tree
            for token in tokens:
                node = node.setdefault(token, {})
            if tokens:
                node.setdefault(END, (kind, identifier))
        # most sentences contain no word that begins a term
        self.first = frozenset(self.tree)

    def find(self, line: str) -> list[Mention]:
        """Return the terms in a sentence as mentions, which do not overlap."""
        text = line if self.case else line.lower()
        if len(text) != len(line):
            # a few capitals become longer in lower case (İ): such lines are matched with their case
            text = line
        words = TOKEN.findall(text)
        if self.first.isdisjoint(words):
            return []
        tree = self.tree
        found: list[tuple[int, int]] = []
        kinds: list[tuple[str, str]] = []
        free = 0
        # only words that begin a term are tested
        for i in [i for i, word in enumerate(words) if word in tree]:
            if i < free:
                continue
            node, end, kind = tree[words[i]], 0, (DEFAULT_TYPE, "")
            for n in range(i + 1, len(words) + 1):
                if END in node:
                    end, kind = n, node[END]
                node = node.get(words[n]) if n < len(words) else None
                if node is None:
                    break
            if end:
                found.append((i, end))
                kinds.append(kind)
                free = end
        return [(*span, *kind) for span, kind in zip(_places(text, words, found), kinds, strict=True)]


def _places(text: str, words: list[str], found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Convert ranges of tokens to spans of characters in the text."""
    spans: list[tuple[int, int]] = []
    at = word = 0
    for first, last in found:
        start = 0
        # tokens are separated by white space only, so each one is the next occurrence of its text
        for place in range(word, last):
            at = text.find(words[place], at)
            if place == first:
                start = at
            at += len(words[place])
        word = last
        spans.append((start, at))
    return spans


def compile_patterns(lines: list[str]) -> list[re.Pattern[str]]:
    """Compile the regular expressions in the lines of a file.

    Raises
    ------
    ValueError
        If a line is not a regular expression; the message contains the line number.
    """
    patterns = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            try:
                patterns.append(re.compile(line))
            except re.error as error:
                raise ValueError(f"line {number}: {line!r} is not a regular expression ({error})") from None
    return patterns


def add_patterns(line: str, terms: list[Mention], patterns: list[re.Pattern[str]]) -> list[Mention]:
    """Add the matches of patterns to the terms found in a sentence, and drop overlapping mentions."""
    matches = (m for p in patterns for m in p.finditer(line) if m.end() > m.start())
    found = [*terms, *((m.start(), m.end(), DEFAULT_TYPE, "") for m in matches)]
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda m: (m[0], -m[1])):
        if not kept or mention[0] >= kept[-1][1]:
            kept.append(mention)
    return kept


def parse_terms(lines: list[str]) -> list[tuple[str, str, str]]:
    """Return the terms in the lines of a file, with their types and identifiers.

    Raises
    ------
    ValueError
        If a line has a type that is not a word; the message contains the line number.
    """
    terms = []
    for number, line in enumerate(lines, 1):
        if not line.startswith("#"):
            term, kind, identifier, *_ = (*(field.strip() for field in line.split("\t")), "", "")
            if kind and TYPE.fullmatch(kind) is None:
                allowed = "letters, digits, '.', '_' and '-', with a letter first"
                raise ValueError(f"line {number}: {kind!r} is not a type; allowed: {allowed}")
            terms.append((term, kind or DEFAULT_TYPE, identifier))
    return terms


def describe(mention: Mention) -> dict[str, Any]:
    """Return a mention as a JSON object."""
    start, end, kind, identifier = mention
    named = {"identifiers": [identifier]} if identifier else {}
    return {"start": start, "end": end, "type": kind, **named}


def read(file: Path, what: str) -> str:
    """Return the text of a file, or exit with a message if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"dictionary: cannot read {what} {file}: {error}")


def main() -> None:
    """Tag the sentences on standard input."""
    parser = argparse.ArgumentParser(description="Longest match over a term list.")
    parser.add_argument("--version", action="version", version="dictionary 1.3")
    parser.add_argument(
        "--terms", type=Path, required=True, help="term list, one per line: term TAB type TAB identifier"
    )
    parser.add_argument("--case", action="store_true", help="distinguish upper and lower case")
    parser.add_argument("--shortest", type=int, default=2, help="minimum length of a term in characters")
    parser.add_argument("--patterns", type=Path, help="regular expressions, one per line")
    arguments = parser.parse_args()
    patterns: list[re.Pattern[str]] = []
    file = arguments.terms
    try:
        terms = parse_terms(read(file, "the term list").splitlines())
        if arguments.patterns is not None:
            file = arguments.patterns
            patterns = compile_patterns(read(file, "the patterns").splitlines())
    except ValueError as error:
        sys.exit(f"dictionary: {file}, {error}")
    dictionary = Dictionary(terms, case=arguments.case, shortest=arguments.shortest)
    stdin = open(0, encoding="utf-8", newline="\n")  # noqa: SIM115 - standard input is no path
    out = open(1, "w", encoding="utf-8", newline="\n", closefd=False)  # noqa: SIM115
    for line in stdin:
        case = json.loads(line)
        mentions = dictionary.find(case["text"])
        if patterns:
            mentions = add_patterns(case["text"], mentions, patterns)
        answer = {"id": case["id"], "mentions": list(map(describe, mentions))}
        out.write(json.dumps(answer, ensure_ascii=False) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
