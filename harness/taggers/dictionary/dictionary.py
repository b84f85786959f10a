"""A dictionary tagger: the longest match of a term list, token by token, from left to right.

A program of its own: sentences on standard input, one a line; the same lines on standard output with each
term in ``<gp>…</gp>``. It needs nothing but the Python standard library and a term list (a term a line;
what follows a tab is ignored; lines that begin with ``#`` are comments), and optionally patterns: a regular
expression a line. Where terms and patterns overlap the one that begins first counts, then the longest.
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
"""The key that says that a term ends here; no token is empty."""


class Dictionary:
    """Terms as a tree of their tokens.

    Parameters
    ----------
    terms : list of str
        The terms; those shorter than `shortest` characters are left out.
    case : bool
        Whether upper and lower case differ.
    shortest : int
        Length in characters below which a term is too ambiguous to use.
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
        # most sentences hold none of the words that begin a term
        self.first = frozenset(self.tree)

    def find(self, line: str) -> list[tuple[int, int]]:
        """The terms of one sentence as half-open character spans, none inside another."""
        text = line if self.case else line.lower()
        if len(text) != len(line):
            # a few capitals grow when lowered (İ): match such lines with their own case
            text = line
        words = TOKEN.findall(text)
        if self.first.isdisjoint(words):
            return []
        tree = self.tree
        found: list[tuple[int, int]] = []
        free = 0
        # only words that begin a term are looked at
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
    """Places of words as places of characters: only as far as there are terms, word after word."""
    spans: list[tuple[int, int]] = []
    at = word = 0
    for first, last in found:
        start = 0
        # between one token and the next there is white space alone, so each is the next that is found
        for place in range(word, last):
            at = text.find(words[place], at)
            if place == first:
                start = at
            at += len(words[place])
        word = last
        spans.append((start, at))
    return spans


def compile_patterns(lines: list[str]) -> list[re.Pattern[str]]:
    """The regular expressions of a file's lines.

    Raises
    ------
    ValueError
        With the line: not a regular expression.
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
    """The terms of a sentence and what patterns find; none overlaps another."""
    found = [m.span() for p in patterns for m in p.finditer(line) if m.end() > m.start()]
    if not found:
        return spans
    kept: list[tuple[int, int]] = []
    for start, end in sorted({*spans, *found}, key=lambda s: (s[0], -s[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def mark(line: str, spans: list[tuple[int, int]]) -> str:
    """The sentence with its spans in tags."""
    parts = []
    last = 0
    for start, end in spans:
        parts += [line[last:start], "<gp>", line[start:end], "</gp>"]
        last = end
    parts.append(line[last:])
    return "".join(parts)


def read(file: Path, what: str) -> str:
    """The text of a file; the program ends with a message when it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"dictionary: cannot read {what} {file}: {error}")


def main() -> None:
    """Tag standard input line by line."""
    parser = argparse.ArgumentParser(description="Longest match over a term list.")
    parser.add_argument("--version", action="version", version="dictionary 1.2")
    parser.add_argument("--terms", type=Path, required=True, help="a term a line")
    parser.add_argument("--case", action="store_true", help="upper and lower case differ")
    parser.add_argument("--shortest", type=int, default=2, help="leave out terms of fewer characters")
    parser.add_argument("--patterns", type=Path, help="a regular expression a line")
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
