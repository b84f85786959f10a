"""Yapex: rule-based protein name tagger after Olsson, Eriksson, Franzén, Asker and Lidén (2002).

This is a stand-alone program. It reads ``identifier<TAB>sentence`` lines from standard input and writes the
same lines with each name in ``<gp>…</gp>``. It needs the Python standard library and the files in its folder.
The steps of the method are: 1 feature terms, 2 core terms, 3 specifiers, 4 filters (``words.py``), 5 noun
phrases (``chunks.py``), 6 names (``names.py``), 7 local dynamic dictionary (``local.py``).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from .chunks import phrases, tokens
from .local import LocalDictionary
from .names import Name, name_of

VERSION = "1.0"


def names(text: str) -> list[Name]:
    """Return the names that steps 1 to 6 of the method find in a sentence."""
    return [name for phrase in phrases(tokens(text)) if (name := name_of(phrase)) is not None]


def tag_document(texts: list[str], *, dictionary: bool = True) -> list[list[Name]]:
    """Return the names in each sentence of a document; the sentences share one local dictionary."""
    found = [names(text) for text in texts]
    if dictionary and any(found):
        local = LocalDictionary()
        for text, here in zip(texts, found, strict=True):
            local.learn(text, here)
        found = [local.find(text, here) for text, here in zip(texts, found, strict=True)]
    return found


def mark(text: str, found: Iterable[Name]) -> str:
    """Return a sentence with tags around its names."""
    parts = []
    last = 0
    for name in found:
        parts += [text[last : name.start], "<gp>", text[name.start : name.end], "</gp>"]
        last = name.end
    parts.append(text[last:])
    return "".join(parts)


def read(stream: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the identifier and the text of each input line."""
    for line in stream:
        key, _, text = line.rstrip("\n").partition("\t")
        yield key, text


def documents(lines: Iterable[tuple[str, str]], rule: str) -> Iterator[list[tuple[str, str]]]:
    """Group consecutive lines into documents by the rule of ``--documents``."""
    if rule == "each":
        for line in lines:
            yield [line]
    elif rule == "all":
        yield list(lines)
    elif rule == "blank":
        document: list[tuple[str, str]] = []
        for line in lines:
            document.append(line)
            if not line[1].strip():
                yield document
                document = []
        if document:
            yield document
    else:
        pattern = re.compile(rule)

        def owner(line: tuple[str, str]) -> str:
            match = pattern.match(line[0])
            return line[0] if match is None else match[0]

        for _, group in groupby(lines, owner):
            yield list(group)


def rule(text: str) -> str:
    """Check and return the value of the option ``--documents``."""
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression ({error})") from None
    return text


def main() -> None:
    """Tag the sentences on standard input."""
    parser = argparse.ArgumentParser(prog="yapex", description="Tag protein names by the steps of Yapex.")
    parser.add_argument("--version", action="version", version=f"yapex {VERSION}")
    parser.add_argument(
        "--documents",
        type=rule,
        default="each",
        metavar="each|all|blank|REGEX",
        help="lines that form a document with its own local dictionary: each line, all lines, the lines up "
        "to a blank line, or consecutive lines with the same REGEX match at the start of the identifier",
    )
    parser.add_argument("--no-dictionary", action="store_true", help="leave out step 7, the local dictionary")
    arguments = parser.parse_args()
    stdin = open(0, encoding="utf-8", newline="\n")  # noqa: SIM115 - standard input is no path
    out = open(1, "w", encoding="utf-8", newline="\n", closefd=False)  # noqa: SIM115
    for document in documents(read(stdin), arguments.documents):
        texts = [text for _, text in document]
        tagged = tag_document(texts, dictionary=not arguments.no_dictionary)
        out.writelines(
            f"{key}\t{mark(text, found)}\n" for (key, text), found in zip(document, tagged, strict=True)
        )
    out.flush()


if __name__ == "__main__":
    main()
