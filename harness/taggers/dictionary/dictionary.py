"""Dictionary tagger, which finds the longest matches of a term list from left to right.

This is a stand-alone program. It reads one sentence per line from standard input and writes the same lines
with each term in ``<gp>…</gp>``. It needs only the Python standard library and a term list with one
term per line, in which text after a tab is ignored and lines that begin with ``#`` are comments. Optionally
it also reads patterns, one regular expression per line. If matches overlap, the one that begins first is
used; if several matches begin at the same character, the longest is used.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")


Node = dict[str, Any]
END = ""
"""Key that marks the end of a term and cannot be a token, because tokens are never empty."""


class Dictionary:
    """Term list, stored as a tree of tokens.

    Parameters
    ----------
    terms : list of str
        Terms; those shorter than `shortest` characters are ignored.
    case : bool
        Whether matching is case-sensitive.
    shortest : int
        Minimum length of a term in characters.
    """

    def __init__(self, terms: list[str], *, case: bool = False, shortest: int = 2) -> None:
        self.case = case
        self.tree: Node = {}
        for term in terms:
            tokens = TOKEN.findall(term if case else term.lower()) if len(term) >= shortest else []
            node = self.tree
            for token in tokens:
                node = node.setdefault(token, {})
            if tokens:
                node[END] = True
        # most sentences contain no word that begins a term
        self.first = frozenset(self.tree)

    def find(self, line: str) -> list[tuple[int, int]]:
        """Return the half-open character spans of the terms in a sentence; they do not overlap."""
        text = line if self.case else line.lower()
        if len(text) != len(line):
            # a few capitals become longer in lower case (İ): such lines are matched with their case
            text = line
        words = TOKEN.findall(text)
        if self.first.isdisjoint(words):
            return []
        tree = self.tree
        found: list[tuple[int, int]] = []
        free = 0
        # only words that begin a term are tested
        for i in [i for i, word in enumerate(words) if word in tree]:
            if i < free:
                continue
            node, end = tree[words[i]], 0
            for n in range(i + 1, len(words) + 1):
                if END in node:
                    end = n
                node = node.get(words[n]) if n < len(words) else None
                if node is None:
                    break
            if end:
                found.append((i, end))
                free = end
        return _places(text, words, found)


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


def add_patterns(
    line: str, spans: list[tuple[int, int]], patterns: list[re.Pattern[str]]
) -> list[tuple[int, int]]:
    """Add the matches of patterns to the terms of a sentence, and drop overlapping spans."""
    found = [m.span() for p in patterns for m in p.finditer(line) if m.end() > m.start()]
    if not found:
        return spans
    kept: list[tuple[int, int]] = []
    for start, end in sorted({*spans, *found}, key=lambda s: (s[0], -s[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def mark(line: str, spans: list[tuple[int, int]]) -> str:
    """Return a sentence with tags around its mentions."""
    parts = []
    last = 0
    for start, end in spans:
        parts += [line[last:start], "<gp>", line[start:end], "</gp>"]
        last = end
    parts.append(line[last:])
    return "".join(parts)


def read(file: Path, what: str) -> str:
    """Return the text of a file, or end the program with a message."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"dictionary: cannot read {what} {file}: {error}")


def main() -> None:
    """Tag the sentences on standard input."""
    parser = argparse.ArgumentParser(description="Longest match over a term list.")
    parser.add_argument("--version", action="version", version="dictionary 1.2")
    parser.add_argument("--terms", type=Path, required=True, help="term list, one term per line")
    parser.add_argument("--case", action="store_true", help="distinguish upper and lower case")
    parser.add_argument("--shortest", type=int, default=2, help="minimum length of a term in characters")
    parser.add_argument("--patterns", type=Path, help="regular expressions, one per line")
    arguments = parser.parse_args()
    listed = read(arguments.terms, "the term list")
    patterns: list[re.Pattern[str]] = []
    if arguments.patterns is not None:
        try:
            patterns = compile_patterns(read(arguments.patterns, "the patterns").splitlines())
        except ValueError as error:
            sys.exit(f"dictionary: {arguments.patterns}, {error}")
    terms = [line.partition("\t")[0].strip() for line in listed.splitlines() if not line.startswith("#")]
    dictionary = Dictionary(terms, case=arguments.case, shortest=arguments.shortest)
    stdin = open(0, encoding="utf-8", newline="\n")  # noqa: SIM115 - standard input is no path
    out = open(1, "w", encoding="utf-8", newline="\n", closefd=False)  # noqa: SIM115
    for line in stdin:
        line = line.rstrip("\n")
        spans = dictionary.find(line)
        out.write(mark(line, add_patterns(line, spans, patterns) if patterns else spans) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
