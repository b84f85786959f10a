"""Tokenisation, inline tags and IOB2 tags of sentences."""

from __future__ import annotations

import re
from typing import NamedTuple

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_.:-]{0,63})>")


class Span(NamedTuple):
    """Half-open offsets (in code points) and type of a mention."""

    start: int
    end: int
    type: str


def tokenise(text: str) -> list[tuple[int, int]]:
    """Return the half-open offsets of the tokens: runs of letters and digits, and single other characters."""
    return [m.span() for m in TOKEN.finditer(text)]


def read_tagged(line: str) -> tuple[str, list[Span]]:
    """Return the text and the mentions of a line with inline tags; only the outermost mentions are kept.

    Raises
    ------
    ValueError
        If an opening or closing tag is missing.
    """
    parts: list[str] = []
    spans: list[Span] = []
    opened: list[tuple[str, int]] = []
    last = length = 0
    for match in TAG.finditer(line):
        parts.append(line[last : match.start()])
        length += match.start() - last
        last = match.end()
        if not match[1]:
            opened.append((match[2], length))
        elif opened and opened[-1][0] == match[2]:
            name, start = opened.pop()
            if not opened:
                spans.append(Span(start, length, name))
        else:
            raise ValueError(f"{match[0]} has no opening tag")
    if opened:
        raise ValueError(f"<{opened[-1][0]}> has no closing tag")
    parts.append(line[last:])
    return "".join(parts), spans


def write_tagged(text: str, spans: list[Span]) -> str:
    """Return a text with tags around its mentions, which must be sorted and must not overlap."""
    parts: list[str] = []
    last = 0
    for start, end, name in spans:
        parts += [text[last:start], f"<{name}>", text[start:end], f"</{name}>"]
        last = end
    parts.append(text[last:])
    return "".join(parts)


def encode(places: list[tuple[int, int]], spans: list[Span]) -> list[str]:
    """Return one IOB2 tag per token; a token belongs to a mention if they overlap."""
    tags = ["O"] * len(places)
    token = 0
    for start, end, name in spans:
        while token < len(places) and places[token][1] <= start:
            token += 1
        prefix = "B-"
        while token < len(places) and places[token][0] < end:
            if tags[token] == "O":
                tags[token] = prefix + name
                prefix = "I-"
            token += 1
    return tags


def decode(places: list[tuple[int, int]], tags: list[str]) -> list[Span]:
    """Return the mentions that the IOB2 tags of tokens encode."""
    spans: list[Span] = []
    previous = "O"
    for (start, end), tag in zip(places, tags, strict=True):
        if tag != "O":
            prefix, name = tag[0], tag[2:]
            if prefix == "I" and previous[2:] == name:
                spans[-1] = Span(spans[-1].start, end, name)
            else:
                spans.append(Span(start, end, name))
        previous = tag
    return spans
