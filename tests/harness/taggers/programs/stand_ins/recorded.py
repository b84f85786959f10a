"""Shared by the substitute libraries: record each call; a word with a digit is a gene."""

from __future__ import annotations

import re
from pathlib import Path

CALLS = Path(__file__).with_name("calls.txt")


def note(texts: int, together: int) -> None:
    """Record a call: the number of texts, and the number that pass through the model together."""
    with CALLS.open("a") as stream:
        stream.write(f"{texts} {min(texts, together)}\n")


def genes(text: str) -> list[tuple[int, int]]:
    """Return the spans of the genes in a text."""
    return [m.span() for m in re.finditer(r"[A-Za-z]+[0-9]+", text)]
