"""What the stand-ins of libraries share: each call is noted beside them, and a gene is what has a digit."""

from __future__ import annotations

import re
from pathlib import Path

CALLS = Path(__file__).with_name("calls.txt")


def note(texts: int, together: int) -> None:
    """Note a call: how many texts it was given, and how many of them go through a model together."""
    with CALLS.open("a") as stream:
        stream.write(f"{texts} {min(texts, together)}\n")


def genes(text: str) -> list[tuple[int, int]]:
    """Where genes stand."""
    return [m.span() for m in re.finditer(r"[A-Za-z]+[0-9]+", text)]
