"""Tagger for tests whose way of reading is known: in windows, up to a limit, with decay, or at random.

It reads JSON lines and prints them with mentions; `mentions` does the same in memory. A name is found if a
window contains all of it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import sys
from pathlib import Path

NAMES = (
    "tumor necrosis factor alpha",
    "epidermal growth factor receptor",
    "interleukin 2 receptor alpha",
    "heat shock protein 70",
    "protein kinase C alpha",
    "insulin receptor",
    "Ras GTPase",
    "p53",
)
NAME = rf"\b(?:{'|'.join(NAMES)})\b"
UNITS = {"words": r"\S+", "tokens": r"\w+(?:[-_]\w+)*|\S", "characters": r"(?s:.)"}


def reading(words: list[str]) -> argparse.Namespace:
    """Parse a way of reading from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--unit", choices=UNITS, default="words")
    parser.add_argument("--window", type=int, default=0)
    parser.add_argument("--overlap", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--last", type=int, default=0)
    parser.add_argument("--refuse", type=int, default=0)
    parser.add_argument("--answers", choices=("merged", "listed", "parts", "first"), default="merged")
    parser.add_argument("--alarms", action="store_true")
    parser.add_argument("--decay", type=float, default=0.0)
    parser.add_argument("--flips", type=float, default=0.0)
    parser.add_argument("--misses", type=float, default=0.0)
    return parser.parse_args(words)


def main() -> None:
    """Answer each line."""
    given = reading(sys.argv[1:])
    for line in sys.stdin:
        case = json.loads(line)
        if "PLANTED_LOG" in os.environ:
            with Path(os.environ["PLANTED_LOG"]).open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(case["text"]) + "\n")
        found = mentions(case["text"], given)
        print(json.dumps({"id": case["id"], "mentions": [{"start": a, "end": b} for a, b in found]}))


def mentions(text: str, given: argparse.Namespace) -> list[tuple[int, int]]:
    """Return the mentions found in a text."""
    units = [match.span() for match in re.finditer(UNITS[given.unit], text)]
    if given.refuse and len(units) > given.refuse:
        return []
    low, high = 0, len(units)
    if given.limit:
        high = min(high, given.limit)
    if given.last:
        low = max(low, len(units) - given.last)
    size = given.window or len(units)
    names = whole(text)
    found: list[tuple[int, int]] = []
    for first in range(low, high, size - given.overlap):
        last = min(first + size, high)
        begin, end = units[first][0], units[last - 1][1]
        own = [(a, b) for a, b in names if a >= begin and b <= end]
        if given.answers in ("parts", "first"):
            own += parts(names, begin, end)
        if given.answers == "listed":
            found += own
        elif given.answers == "first":
            found += [(a, b) for a, b in own if not any(a < d and c < b for c, d in found)]
        else:
            found += [span for span in own if span not in found]
        if last == high:
            break
    found = [span for span in found if kept(text, span, given)]
    if given.alarms:
        found += [m.span() for m in re.finditer(r"\b(?:patients|water|factor|samples?|the \w+)\b", text)]
    return found


def whole(text: str) -> list[tuple[int, int]]:
    """Return all names in a text."""
    return [m.span() for m in re.finditer(NAME, text)]


def parts(names: list[tuple[int, int]], begin: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of names that a window cuts."""
    found = []
    for a, b in names:
        low, high = max(a, begin), min(b, end)
        if low < high and (low, high) != (a, b):
            found.append((low, high))
    return found


def kept(text: str, span: tuple[int, int], given: argparse.Namespace) -> bool:
    """Return True if a mention is not dropped by decay, at random, or because of another mention."""
    drawn = int(hashlib.md5(f"{span[0]} {text[: span[1]][-200:]}".encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
    if given.decay and drawn > 1 - span[0] / len(text) * given.decay:
        return False
    if given.misses and drawn < given.misses:
        return False
    return not (given.flips and random.random() < given.flips)


if __name__ == "__main__":
    main()
